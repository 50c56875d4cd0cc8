"""Share of plain facts that a note holds whole: `python benchmarks/facts.py [--held-back] [--failures] [--json OUT]`.

The labels are benchmarks/data/facts.json: a fact as a user states it, in one to three turns, with the phrases that
must all stand in one current note of the right subject (``whole``). Where ``parts`` are given, each of them may have a
note of its own instead. Half: some current note holds half of the phrases. Quoted: they stand in
a note that only repeats the turn, and claims nothing.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import Phrase, about, arguments, holds, keep, labels, quotes, remembered, stands, told

from hmem.model.note import Note

GRADES: Final = ("whole", "quoted", "half", "not at all")


def grade(fact: Mapping[str, Any], notes: Iterable[Note]) -> str:
    """Return how much of a fact the current notes hold."""
    current = [note for note in notes if note.status == "current"]
    right = [note for note in current if about(note, fact["subject"])]
    parts: Sequence[Sequence[Phrase]] = fact.get("parts", [fact["whole"]])
    if any(holds(note, fact["whole"]) for note in right) or all(
        any(holds(note, part) for note in right) for part in parts
    ):
        return "whole"
    claimed = (note for note in current if not quotes(note))
    if any(quotes(note) and all(stands(phrase, note.text) for phrase in fact["whole"]) for note in current):
        return "quoted"
    most = max((sum(stands(phrase, told(note)) for phrase in fact["whole"]) for note in claimed), default=0)
    return "half" if most * 2 >= len(fact["whole"]) else "not at all"


def figures(graded: Sequence[tuple[Mapping[str, Any], str]]) -> dict[str, Any]:
    """Return the shares of all facts, and by kind and style."""
    return {
        "facts": len(graded),
        "all": shares(each for _, each in graded),
        **{
            by: {
                name: shares(each for fact, each in graded if fact[by] == name)
                for name in dict.fromkeys(fact[by] for fact, _ in graded)
            }
            for by in ("style", "kind")
        },
    }


def shares(grades: Iterable[str]) -> dict[str, float]:
    counted = Counter(grades)
    return {name: counted[name] / counted.total() for name in GRADES} | {"facts": counted.total()}


def show(report: Mapping[str, Any]) -> None:
    table = Table("facts", "number", *GRADES)
    rows = {"all": report["all"]} | {f"{by}: {name}": row for by in ("style", "kind") for name, row in report[by].items()}  # fmt: skip # noqa: E501
    for name, row in rows.items():
        table.add_row(name, f"{row['facts']}", *(f"{row[each]:.3f}" for each in GRADES))
    Console(width=110).print(table)


def main() -> None:
    options = arguments(__doc__).parse_args()
    graded: list[tuple[Mapping[str, Any], str]] = []
    for fact in labels("facts", options):
        notes = remembered(fact["turns"], fact["at"])
        graded.append((fact, grade(fact, notes)))
        if options.failures and not options.held_back and graded[-1][1] != "whole":
            print(f"{graded[-1][1]}: {' // '.join(turn['text'] for turn in fact['turns'])}\n    wanted {fact['whole']}")
            for note in notes:
                print(f"    {note.status}: {note.subject} | {note.slot} | {note.value} | {note.text}")
    report = figures(graded)
    show(report)
    keep(report, options)


if __name__ == "__main__":
    main()
