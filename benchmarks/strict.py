"""Strict reading of what is formed without a model: sheets for a reader, and the shares that the reader finds.

    python benchmarks/strict.py draw SHEET SOURCE:FIRST-LAST… [--seed 1] [--events 200] [--notes 200] …
    python benchmarks/strict.py shares SHEET VERDICTS

A source is a file of LoCoMo or LongMemEval, or a part of our own (`talks/open`, `chats/open`); its conversations are
numbered from 1. ``draw`` forms each in a new memory and writes what a seed draws, as many of each source, JSON lines
with the turns that they are from; it prints how many notes there are per 100 turns. A sheet of other people's texts is
not for the repository.

Verdicts are lines: the number of an item, a verdict, and anything behind it. A reader gives one of each item, by
reading, never by a program:

- event, note: ``useful``; ``idle``: true and whole, but nobody would want to remember it; ``broken``: cannot be
  understood, a fragment; ``false``: not what was said, or told of the wrong person, time or matter;
- persona (a line of a profile or a persona): ``true``, ``idle``, ``garbled``, ``false``;
- topic (a name): ``fits``, ``vague``, ``wrong``; a node without a name is not drawn;
- importance: what the reader would give, 1 to 10; items do not show what was formed;
- cut (where an episode begins within a session): ``right``, ``wrong``.
"""

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.chats import read_chats
from benchmarks.talks import english
from rich.console import Console
from rich.table import Table

from hmem import Branch, Memory
from hmem.language.analyst.base import Passage
from hmem.language.verbatim import VerbatimAnalyst
from hmem.model.turn import Turn
from hmem_evals import locomo, longmemeval

KINDS: Final = {"event": 200, "note": 200, "persona": 60, "topic": 60, "importance": 60, "cut": 40}
GOOD: Final = {"event": "useful", "note": "useful", "persona": "true", "topic": "fits", "cut": "right"}
NEAR: Final = 2
# Turns before and after an item's turn, leaves of a topic, and characters of a turn, that are shown.
AROUND: Final = 2
LEAVES: Final = 12
SHOWN: Final = 600

Item = dict[str, Any]
Messages = Sequence[Mapping[str, Any]]


def conversations(source: str) -> Iterator[tuple[str, Messages]]:
    """Yield the conversations of a source, such as ``talks/open:1-3``."""
    name, _, places = source.rpartition(":")
    first, _, last = places.partition("-")
    path = Path(name)
    found: list[tuple[str, Messages]]
    if path.suffix in (".json", ".gz"):
        form = longmemeval if "longmemeval" in path.name else locomo
        found = [(each.id, each.messages) for each in form.load(path)]
    elif path.parent.name == "chats":
        found = [(each.name, each.messages()) for each in read_chats(path.name)]
    else:
        found = [(each.name, each.messages()) for each in english(path.name)]
    yield from found[int(first) - 1 : int(last or first)]


def formed(name: str, messages: Messages, counted: Counter[str]) -> Iterator[Item]:
    """Yield all that is formed of a conversation, each with the turns that a reader needs."""
    with TemporaryDirectory() as folder, Memory(Path(folder) / "strict.hmem", form_later=False) as memory:
        memory.add([dict(message) for message in messages])
        memory.consolidate()
        turns = memory.list(limit=1_000_000)
        places = {turn.id: place for place, turn in enumerate(turns)}

        def around(ids: Sequence[str], near: int = AROUND) -> list[str]:
            wanted = {place + step for place in map(places.__getitem__, ids) for step in range(-near, near + 1)}
            own = set(map(places.__getitem__, ids))
            shown = sorted(place for place in wanted if 0 <= place < len(turns))
            return [f"{'>' if place in own else ' '} {_line(turns[place])}" for place in shown]

        for event in memory.events(limit=1_000_000):
            happened = f"{event.happened.start:%Y-%m-%d}" if event.happened else ""
            yield _item(name, "event", event.text, around(event.sources), happened=happened)
        notes = memory.notes(limit=1_000_000)
        for note in notes:
            earlier = [f"{each.recorded:%Y-%m-%d} {each.text}" for each in note.earlier]
            value = f"{note.slot}: {note.value}" if note.value else ""
            yield _item(name, "note", note.text, around(note.sources, 1), of=note.subject, value=value, earlier=earlier)
        for person in {turn.speaker for turn in turns if turn.role in (None, "user")}:
            for line in memory.profile(person).lines:
                value = f"{line.slot}: {line.value}" if line.value else ""
                ids = [line.turn_id] if line.turn_id else []
                yield _item(name, "persona", line.text, around(ids, 1), of=person, value=value)
        for persona in memory.personas():
            for line in persona.text.splitlines():
                yield _item(name, "persona", line, [], of=persona.speaker, value="persona")
        yield from _topics(name, memory.tree("topic"), {turn.id: turn for turn in turns})
        worths = VerbatimAnalyst().importance([Passage((turn,)) for turn in turns], [""] * len(turns))
        for turn, (worth,) in zip(turns, worths, strict=True):
            yield _item(name, "importance", turn.content[:SHOWN], around([turn.id], 1), formed=worth)
        for episode in memory.episodes(limit=1_000_000):
            if episode.cut in ("topic", "surprise"):
                yield _item(name, "cut", episode.cut, around(episode.turns[:1], 3))
        counted.update(turns=len(turns), notes=len(notes), events=len(memory.events(limit=1_000_000)))
        counted.update({"alone": sum(not note.earlier for note in notes)})


def _item(name: str, what: str, text: str, turns: Sequence[str], **more: object) -> Item:
    return {"what": what, "from": name, "text": text, **more, "turns": list(turns)}


def _line(turn: Turn) -> str:
    return f"[{turn.at:%Y-%m-%d}] {turn.speaker}: {turn.content[:SHOWN]}"


def _topics(name: str, branch: Branch, turns: Mapping[str, Turn]) -> Iterator[Item]:
    """Yield the named nodes of the tree of topics below a branch."""
    for child in branch.children:
        if child.node.label:
            leaves = [*_leaves(child)]
            some = leaves[:: -(-len(leaves) // LEAVES)]
            lines = [_line(turns[leaf])[:160] for leaf in some if leaf in turns]
            yield _item(name, "topic", child.node.label, lines, size=child.node.size, level=child.node.level)
        yield from _topics(name, child, turns)


def _leaves(branch: Branch) -> Iterator[str]:
    yield from branch.leaves
    for child in branch.children:
        yield from _leaves(child)


def draw(sources: Sequence[str], seed: int, counts: Mapping[str, int]) -> list[Item]:
    """Return drawn items of each kind, as many of each source, and print how much is formed."""
    rng = random.Random(seed)
    chosen: list[Item] = []
    for place, source in enumerate(sources):
        counted = Counter[str]()
        of: dict[str, list[Item]] = defaultdict(list)
        for name, messages in conversations(source):
            for item in formed(name, messages, counted):
                of[item["what"]].append(item)
        for what, count in counts.items():
            share = count // len(sources) + (place < count % len(sources))
            drawn = rng.sample(of[what], min(share, len(of[what])))
            chosen += ({"source": source.rpartition(":")[0].rpartition("/")[2], **item} for item in drawn)
        rates = {what: 100 * counted[what] / counted["turns"] for what in ("events", "notes", "alone")}
        kinds = " ".join(f"{what} {len(found)}" for what, found in of.items())
        print(f"{source}: {counted['turns']} turns; per 100:", *(f"{what} {rate:.1f}" for what, rate in rates.items()))
        print(f"  {kinds}")
    order = [*KINDS]
    chosen.sort(key=lambda item: order.index(item["what"]))
    return [{"id": number, **item} for number, item in enumerate(chosen, 1)]


def shares(sheet: Sequence[Item], verdicts: Mapping[int, str]) -> Table:
    """Return how many items of each kind got each verdict."""
    table = Table("kind", "source", "n", "good", "false", "others")
    for what in KINDS:
        own = [item for item in sheet if item["what"] == what and item["id"] in verdicts]
        for source in ("all", *dict.fromkeys(item["source"] for item in own)):
            some = [item for item in own if source in ("all", item["source"])]
            if not some:
                continue
            if what == "importance":
                near = sum(abs(item["formed"] - int(verdicts[item["id"]])) <= NEAR for item in some)
                found = Counter({"good": near, "further": len(some) - near})
            else:
                found = Counter(verdicts[item["id"]] for item in some)
                found["good"] = found.pop(GOOD[what], 0)
            good, bad = (found.pop(each, 0) / len(some) for each in ("good", "false"))
            table.add_row(
                what, source, str(len(some)), f"{good:.3f}", f"{bad:.3f}",
                " ".join(f"{verdict} {count / len(some):.2f}" for verdict, count in sorted(found.items())),
            )  # fmt: skip
    return table


def read_verdicts(path: Path) -> dict[int, str]:
    """Return the verdicts by the number of their item."""
    lines = (line.split() for line in path.read_text("utf-8").splitlines())
    return {int(words[0]): words[1] for words in lines if len(words) > 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = parser.add_subparsers(dest="part", required=True)
    drawing = parts.add_parser("draw")
    drawing.add_argument("sheet", type=Path)
    drawing.add_argument("sources", nargs="+")
    drawing.add_argument("--seed", type=int, default=1)
    for what, count in KINDS.items():
        drawing.add_argument(f"--{what}s", type=int, default=count)
    counting = parts.add_parser("shares")
    counting.add_argument("sheet", type=Path)
    counting.add_argument("verdicts", type=Path)
    options = parser.parse_args()
    if options.part == "draw":
        counts = {what: getattr(options, f"{what}s") for what in KINDS}
        items = draw(options.sources, options.seed, counts)
        options.sheet.write_text("".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items), "utf-8")
        return
    sheet = [json.loads(line) for line in options.sheet.read_text("utf-8").splitlines()]
    Console(width=120).print(shares(sheet, read_verdicts(options.verdicts)))


if __name__ == "__main__":
    main()
