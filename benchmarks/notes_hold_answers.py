"""Questions whose answer a note holds: `python benchmarks/notes_hold_answers.py [LOCOMO] [--failures] [--json OUT]`.

Of LoCoMo's answerable questions, those count whose answer stands in one of their gold turns, by stems and without
articles. Printed are the shares of them whose answer stands in a note made of a gold turn, in one of the five best
notes found, and the same of events, which are the ceiling. A text as long as a turn counts as a copy of it, and
holds nothing; nor does one that only quotes. ``--failures`` prints questions without such a note.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import WORDS, quotation, stands, words

from hmem import Memory
from hmem.interfaces.formats.conversations import Conversation, Question
from hmem.interfaces.formats.locomo import load

LOCOMO: Final = Path(__file__).parent.parent.parent / "shared" / "data" / "locomo-dev.json"
KINDS: Final = ("note", "event")
BEST: Final = 5
_PAGE: Final = 100_000


@dataclass(frozen=True, slots=True)
class Held:
    """Question with its gold turns, and what holds its answer: of these turns, and among the best found."""

    question: Question
    turns: tuple[str, ...]
    of_turns: frozenset[str]
    found: frozenset[str]


def held(conversation: Conversation) -> list[Held]:
    """Add a conversation to a memory and return its questions whose answer stands in a gold turn."""
    with Memory(":memory:") as memory:
        receipts = memory.add(list(conversation.messages))
        names = [str(message["message_id"]) for message in conversation.messages]
        ids = {name: receipt.id or "" for name, receipt in zip(names, receipts, strict=True)}
        said = (f"{message['text']} {message['caption'] or ''}" for message in conversation.messages)
        texts = dict(zip(names, said, strict=True))
        formed = {"note": _by_turn(memory.notes(limit=_PAGE)), "event": _by_turn(memory.events(limit=_PAGE))}
        rows: list[Held] = []
        for question in conversation.questions:
            gold = [turn for turn in question.evidence if turn in texts]
            answer = question.answer
            if question.unanswerable or not words(answer) or not any(stands(answer, texts[turn]) for turn in gold):
                continue
            of_turns = {
                kind for kind in KINDS if any(_tells(answer, text) for turn in gold for text in formed[kind][ids[turn]])
            }
            found = {
                kind
                for kind in KINDS
                if any(_tells(answer, each.text) for each in memory.search(question.text, k=BEST, kinds=(kind,)))
            }
            rows.append(Held(question, tuple(texts[turn] for turn in gold), frozenset(of_turns), frozenset(found)))
    return rows


def _tells(answer: str, text: str) -> bool:
    return len(text.split()) <= WORDS and not quotation(text) and stands(answer, text)


def _by_turn(formed: Iterable[Any]) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = defaultdict(list)
    for each in formed:
        for source in each.sources:
            texts[source].append(each.text)
    return texts


def figures(rows: Sequence[Held]) -> dict[str, dict[str, float]]:
    """Return the shares of all questions and by category."""
    report = {"all": shares(rows)}
    for category in dict.fromkeys(row.question.category for row in rows):
        report[category] = shares([row for row in rows if row.question.category == category])
    return report


def shares(rows: Sequence[Held]) -> dict[str, float]:
    return {
        "questions": len(rows),
        **{f"{kind}s of gold turns": sum(kind in row.of_turns for row in rows) / len(rows) for kind in KINDS},
        **{f"{BEST} best {kind}s": sum(kind in row.found for row in rows) / len(rows) for kind in KINDS},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("locomo", nargs="?", type=Path, default=LOCOMO)
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [row for conversation in load(options.locomo) for row in held(conversation)]
    if options.failures:
        for row in rows:
            if "note" not in row.of_turns:
                print(f"{row.question.text} => {row.question.answer}", *row.turns, sep="\n    ")
    report = figures(rows)
    table = Table("answer stands in", *report["all"])
    for name, row in report.items():
        table.add_row(name, *(f"{value:.3f}" if isinstance(value, float) else f"{value}" for value in row.values()))
    Console(width=120).print(table)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
