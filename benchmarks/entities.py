"""Accuracy of entity extraction: `python benchmarks/entities.py [LOCOMO] [--failures] [--json OUT]`.

Precision and recall over the hand-labelled turns (`tests/acceptance/labels/entities.json`), by name and by name and
type, with and without the names of the session's speakers, which are easy; and microseconds per turn.
Failures are printed for the development part only.
"""

import argparse
import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from pathlib import Path
from time import process_time
from typing import Any

from hmem.derived.graph.entity_resolution import normal
from hmem.interfaces.formats import locomo
from hmem.interfaces.formats.conversations import Conversation
from hmem.language.analyst.base import Extraction, Passage
from hmem.language.english.meaning.entities import entities
from hmem.model.turn import Turn

LOCOMO = Path("../shared/data/locomo-dev.json")
LABELS = Path(__file__).parents[1] / "tests" / "acceptance" / "labels" / "entities.json"
CONTEXT = 4


def turns_of(conversation: Conversation) -> list[Turn]:
    return [
        Turn(id=message["message_id"], **{k: v for k, v in message.items() if k != "message_id"})
        for message in conversation.messages
    ]


def extracted(
    conversations: Iterable[Conversation], labelled: Container[str]
) -> tuple[dict[str, tuple[Turn, Extraction]], float]:
    """Return the extraction of each labelled turn, by conversation and turn, and the seconds taken."""
    found: dict[str, tuple[Turn, Extraction]] = {}
    seconds = 0.0
    for conversation in conversations:
        turns = turns_of(conversation)
        for place, turn in enumerate(turns):
            if f"{conversation.id}/{turn.id}" not in labelled:
                continue
            before = [other for other in turns[max(0, place - CONTEXT) : place] if other.session == turn.session]
            passage = Passage((*before, turn), len(before))
            started = process_time()
            [extraction] = entities(passage)
            seconds += process_time() - started
            found[f"{conversation.id}/{turn.id}"] = (turn, extraction)
    return found, seconds


def names_of(extraction: Extraction) -> dict[str, str]:
    """Return the proper names found, in normal form, with their types."""
    return {
        normal(naming.surface): naming.type
        for naming in extraction.namings
        if naming.type not in ("date", "time") and re.search("[A-Z]", naming.surface.split()[-1])
    }


def judged(
    labels: Mapping[str, list[list[str]]], found: Mapping[str, tuple[Turn, Extraction]], speakers: set[str] | None
) -> Iterator[tuple[str, str, str | None, str | None]]:
    """Yield turn, name, labelled type and found type of each name that either has, without names in ``speakers``."""
    for turn, given in labels.items():
        wanted = {normal(name): kind for name, kind in given}
        got = names_of(found[turn][1])
        for name in sorted(wanted.keys() | got.keys()):
            if wanted.get(name) == "either" or (speakers is not None and name in speakers):
                continue
            yield turn, name, wanted.get(name), got.get(name)


def figures(rows: list[tuple[str, str, str | None, str | None]]) -> dict[str, float]:
    wanted = sum(kind is not None for _, _, kind, _ in rows)
    got = sum(kind is not None for _, _, _, kind in rows)
    both = [(one, other) for _, _, one, other in rows if one is not None and other is not None]
    typed = sum(other in one.split("/") for one, other in both)
    return {
        "names": wanted,
        "precision": round(len(both) / max(got, 1), 3),
        "recall": round(len(both) / max(wanted, 1), 3),
        "typed_precision": round(typed / max(got, 1), 3),
        "typed_recall": round(typed / max(wanted, 1), 3),
    }


def measure(path: Path | str) -> dict[str, Any]:
    """Return the figures of each part of the labels, with the speakers' names and without, and the speed."""
    labels = json.loads(LABELS.read_text("utf-8"))
    conversations = list(locomo.load(path))
    entities(Passage((turns_of(conversations[0])[0],)))  # Load the parser.
    found, seconds = extracted(conversations, {turn for given in labels.values() for turn in given})
    speakers = {normal(message["speaker"]) for conversation in conversations for message in conversation.messages}
    result: dict[str, Any] = {"turns": len(found), "microseconds_a_turn": round(seconds / len(found) * 1e6)}
    for part, given in labels.items():
        result[part] = {
            "turns": len(given),
            "all": figures(list(judged(given, found, None))),
            "not_speakers": figures(list(judged(given, found, speakers))),
        }
    return result


def print_failures(path: Path | str) -> None:
    labels = json.loads(LABELS.read_text("utf-8"))["development"]
    found, _ = extracted(locomo.load(path), labels)
    for turn, name, wanted, got in judged(labels, found, None):
        if wanted is None or got is None or got not in wanted.split("/"):
            content = found[turn][0].content
            place = re.search(re.escape(name), content, re.IGNORECASE)
            near = content[max(0, place.start() - 30) : place.end() + 20] if place else ""
            print(f"{turn:16} {name!r}: by hand {wanted}, by rules {got}   …{near!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("locomo", nargs="?", type=Path, default=LOCOMO)
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.failures:
        print_failures(options.locomo)
    result = measure(options.locomo)
    print(f"{result['turns']} turns, {result['microseconds_a_turn']} microseconds a turn")
    for part in ("development", "held_out"):
        for kind in ("all", "not_speakers"):
            line = "  ".join(f"{name} {value}" for name, value in result[part][kind].items())
            print(f"{part:12} {kind:13} {line}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
