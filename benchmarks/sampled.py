"""Samples to judge by hand, kept without texts: `python benchmarks/sampled.py KIND --write FILE` or `--score FILE`.

KIND is ``events``, ``relations``, ``notes`` or ``closings``, which are notes that another one closed. Half of a
sample (two thirds of relations) is of LoCoMo-dev, the rest of what users say in the haystacks of a few
LongMemEval-dev questions; it depends only on the seed and on what was formed. Each is printed under the turns that it
was made of, and the turn before. ``--write`` keeps the keys: the conversation, the ids of the turns, and a digest of
the text, which tells whether the same is still formed. ``--score`` prints the share of good ones by source, and how
often each fault was found.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.reading import EVERY

from hmem import Memory
from hmem.interfaces.formats import locomo, longmemeval
from hmem.interfaces.formats.conversations import Conversation
from hmem.model.turn import Turn

DATA: Final = Path(__file__).parent.parent.parent / "shared" / "data"
LOCOMO: Final = "locomo"
LONGMEMEVAL: Final = "longmemeval"
EVENTS_OF: Final = ("conv-26", "conv-30")
WIDE: Final = ("relations", "closings")
HAYSTACKS: Final = 4
SIZES: Final = {"events": (100, 100), "relations": (100, 50), "notes": (50, 50), "closings": (50, 50)}
WORDS: Final = 120

Row = dict[str, Any]


def chosen(kind: str, seed: int) -> Iterator[tuple[str, Conversation]]:
    """Yield the conversations that a kind is sampled from, each with its source."""
    for conversation in locomo.load(DATA / "locomo-dev.json"):
        if kind in WIDE or conversation.id in EVENTS_OF:
            yield LOCOMO, conversation
    haystacks = longmemeval.load(DATA / "longmemeval-s-dev.json.gz")
    for conversation in random.Random(seed).sample(haystacks, HAYSTACKS):
        yield LONGMEMEVAL, conversation


def rows(kind: str, source: str, conversation: Conversation) -> list[Row]:
    """Form the memory of a conversation and return what of it may be sampled."""
    with Memory(":memory:") as memory:
        memory.add(list(conversation.messages))
        listed = [turn for turn in memory.list(limit=EVERY) if isinstance(turn, Turn)]
        by_id = {turn.id: turn for turn in listed}
        order = {message["message_id"]: place for place, message in enumerate(conversation.messages)}
        found: list[Row] = []
        for text, sources, details in _formed(kind, memory):
            turns = [by_id[each] for each in sources if each in by_id]
            if not turns or (source == LONGMEMEVAL and any(turn.role != "user" for turn in turns)):
                continue
            ids = [turn.message_id or "" for turn in turns]
            digest = sha256(text.encode()).hexdigest()[:12]
            place = order[ids[0]]
            before = conversation.messages[place - 1] if place else None
            said = [f"{turn.at:%a %Y-%m-%d} {turn.speaker}: {_cut(turn.content)}" for turn in turns]
            if before:
                said.insert(0, f"    (before) {before['speaker']}: {_cut(str(before['text']), 40)}")
            key = f"{conversation.id}/{','.join(ids)}/{digest}"
            found.append({"key": key, "source": source, "text": text, "said": said, **details})
        return found


def _formed(kind: str, memory: Memory) -> Iterator[tuple[str, Sequence[str], Row]]:
    """Yield the text, the turns and the details of everything of a kind."""
    if kind == "events":
        for event in memory.events(limit=EVERY):
            when = event.happened
            yield event.text, event.sources, {"when": f"{when.start:%Y-%m-%d}..{when.end:%Y-%m-%d}" if when else ""}
    elif kind == "notes":
        for note in memory.notes(limit=EVERY):
            span = [f"{at:%Y-%m-%d}" if at else "" for at in (note.valid_from, note.valid_to)]
            yield note.text, note.sources, {"slot": note.slot, "valid": "..".join(span), "status": note.status}
    elif kind == "closings":
        notes = {note.id: note for note in memory.notes(limit=EVERY)}
        for note in notes.values():
            if note.status == "superseded" and (later := notes.get(note.successor or "")):
                sources = tuple(dict.fromkeys((*note.sources, *later.sources)))
                yield f"{note.text} [{note.why}] => {later.text}", sources, {"slot": note.slot}
    else:
        graph = memory.graph(limit=EVERY)
        entities = {entity.id: entity for entity in graph.entities}
        speakers = {turn.speaker.casefold() for turn in memory.list(limit=EVERY)}
        for relation in graph.relations:
            one, other = entities[relation.source], entities[relation.target]
            speaks = bool(speakers.intersection(name.casefold() for name in (one.name, *one.aliases)))
            text = f"{one.name} -{relation.label}-> {other.name}"
            yield text, relation.evidence, {"of a speaker": speaks}


def _cut(text: str, words: int = WORDS) -> str:
    parts = text.split()
    return " ".join(parts) if len(parts) <= words else f"{' '.join(parts[:words])} [...]"


def sample(kind: str, seed: int) -> tuple[list[Row], dict[str, Any]]:
    """Return a sample with its figures: how many there were of each source."""
    every: dict[str, list[Row]] = {LOCOMO: [], LONGMEMEVAL: []}
    for source, conversation in chosen(kind, seed):
        every[source] += rows(kind, source, conversation)
    drawn: list[Row] = []
    for source, size in zip(every, SIZES[kind], strict=True):
        drawn += random.Random(seed).sample(every[source], min(size, len(every[source])))
    report: dict[str, Any] = {f"{kind} of {source}": len(found) for source, found in every.items()}
    if kind == "relations":
        for source, found in every.items():
            other = sum(not row["of a speaker"] for row in found)
            report[f"not from a speaker, {source}"] = other / len(found) if found else 0.0
    return drawn, report


def score(path: Path) -> dict[str, Any]:
    """Return the share of good ones of a judgements file, of all and by source, and its faults by number."""
    judged = json.loads(path.read_text("utf-8"))["judgements"]
    report: dict[str, Any] = {}
    for name in ("all", *dict.fromkeys(row["source"] for row in judged)):
        given = [row["verdict"] for row in judged if name in ("all", row["source"]) and row["verdict"]]
        report[f"judged, {name}"] = len(given)
        for verdict in sorted(set(given)):
            report[f"{verdict}, {name}"] = given.count(verdict) / len(given)
    for fault, count in Counter(row["fault"] for row in judged if row.get("fault")).most_common():
        report[f"fault: {fault}"] = count
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", nargs="?", choices=tuple(SIZES), default="events")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--write", type=Path, help="write the keys of the sample, to be judged")
    parser.add_argument("--score", type=Path, help="score this file instead of forming anything")
    options = parser.parse_args()
    if options.score:
        report = score(options.score)
    else:
        drawn, report = sample(options.kind, options.seed)
        for number, row in enumerate(drawn):
            details = {name: value for name, value in row.items() if name not in ("key", "source", "text", "said")}
            print(*row["said"], f"{number:3} * {row['text']}   {details}", "", sep="\n")
        if options.write:
            kept = [{"key": row["key"], "source": row["source"], "verdict": "", "fault": ""} for row in drawn]
            content = {"criterion": "", "seed": options.seed, "judgements": kept}
            options.write.write_text(json.dumps(content, indent=1) + "\n", "utf-8")
    for name, value in report.items():
        print(f"{name:40} {value:.3f}" if isinstance(value, float) else f"{name:40} {value}")


if __name__ == "__main__":
    main()
