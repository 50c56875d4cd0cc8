"""Accuracy of revisions of notes on labelled pairs: `python benchmarks/reconcile.py [--failures] [--json OUT]`.

The labels are tests/acceptance/labels/reconcile.jsonl: two turns each, by speaker, text and day, and the relation of
the second to the first. The path's figure is end to end: the turns are added to a memory, and the status of the notes
is read from it; a superseded note in a pair without contradiction is a wrong revision. The claims' figure covers only
pairs whose turns both leave a claim about the same subject and slot, and uses the analyst's verdict. Half of the pairs,
by the checksum of the id, are held out: their failures are never listed.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from rich.console import Console
from rich.table import Table

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.language.analyst import analyst

LABELS: Final = Path(__file__).parent.parent / "tests" / "acceptance" / "labels" / "reconcile.jsonl"
NAMES: Final = ("contradiction", "extension", "same", "unrelated")
_RELATIONS: Final = {
    "contradicts": "contradiction", "extends": "extension", "same": "same", "independent": "unrelated",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """Two turns, each by speaker, text and day, and the relation of the second to the first."""

    id: str
    label: str
    trap: str
    older: tuple[str, str, str]
    newer: tuple[str, str, str]

    @property
    def held_out(self) -> bool:
        """True if the pair is held out: its failure is counted and not listed."""
        return crc32(self.id.encode()) % 2 == 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a pair, end to end and by the verdict on its claims; ``claims`` is None without a common slot."""

    pair: Pair
    path: str
    claims: str | None
    retired: bool


def pairs() -> list[Pair]:
    """Return the labelled pairs."""
    lines = [json.loads(line) for line in LABELS.read_text("utf-8").splitlines()]
    return [Pair(line["id"], line["label"], line["trap"], tuple(line["older"]), tuple(line["newer"])) for line in lines]


def outcome(pair: Pair) -> Outcome:
    """Add a pair to a new memory and return the result."""
    with Memory(":memory:") as memory:
        receipts = [
            memory.add(text, speaker=speaker, at=f"{day}T1{place}:00:00Z", session=f"s-{day}")
            for place, (speaker, text, day) in enumerate((pair.older, pair.newer))
        ]
        notes = memory.notes()
        found = _verdicts(memory)
    older = [note for note in notes if note.sources[-1] == receipts[0].id]
    retired = any(note.status == "superseded" for note in older)
    relation = next((name for name in ("contradicts", "extends", "same") if name in found), "independent")
    met = {(note.subject, note.slot) for note in older} & {
        (note.subject, note.slot) for note in notes if note.sources[-1] == receipts[1].id
    }
    path = (
        "contradiction"
        if retired
        else "extension"
        if "extends" in found
        else "same"
        if "same" in found
        else "unrelated"
    )
    return Outcome(pair, path, _RELATIONS[relation] if met else None, retired)


def _verdicts(memory: Memory) -> Counter[str]:
    """Count the stored verdicts on notes of different turns."""
    derived = DerivedState(memory.corpus, analyst("rules"))
    with memory.corpus.reading():
        derived.catch_up()
        kept = [derived.revisions.of(*pair) for pair in derived.revisions.pairs() if pair[0] >> 6 != pair[1] >> 6]
    return Counter(verdict.relation for verdict in kept if verdict is not None)


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return accuracy, wrong revisions and missed contradictions, with the matrix by label and outcome."""
    others = [each for each in outcomes if each.pair.label != "contradiction"]
    revisions = len(outcomes) - len(others)
    met = [each for each in outcomes if each.claims is not None]
    return {
        "pairs": len(outcomes),
        "accuracy": sum(each.path == each.pair.label for each in outcomes) / len(outcomes),
        "wrong_revisions": sum(each.retired for each in others) / len(others),
        "missed_contradictions": sum(not each.retired for each in outcomes if each.pair.label == "contradiction")
        / revisions,
        "claims": {"pairs": len(met), "accuracy": sum(each.claims == each.pair.label for each in met) / len(met)},
        "matrix": _matrix(outcomes),
    }


def _matrix(outcomes: Sequence[Outcome]) -> dict[str, dict[str, int]]:
    counted = Counter((each.pair.label, each.path) for each in outcomes)
    return {label: {found: counted[label, found] for found in NAMES} for label in NAMES}


def measure() -> tuple[dict[str, Any], list[Outcome]]:
    """Return the figures of both halves and of all, and every outcome."""
    outcomes = [outcome(pair) for pair in pairs()]
    report = {
        "seen": figures([each for each in outcomes if not each.pair.held_out]),
        "held_out": figures([each for each in outcomes if each.pair.held_out]),
        "all": figures(outcomes),
    }
    return report, outcomes


def show(report: Mapping[str, Any]) -> None:
    """Print the figures and the matrix."""
    console = Console(width=110)
    table = Table("labels", "pairs", "accuracy", "wrong revisions", "missed", "claims met", "their accuracy")
    for part in ("seen", "held_out", "all"):
        row, claims = report[part], report[part]["claims"]
        table.add_row(
            part, f"{row['pairs']}", f"{row['accuracy']:.3f}", f"{row['wrong_revisions']:.3f}",
            f"{row['missed_contradictions']:.3f}", f"{claims['pairs']}", f"{claims['accuracy']:.3f}",
        )  # fmt: skip
    console.print(table)
    for part in ("seen", "held_out"):
        matrix = Table(f"{part}: label", *NAMES, title="found as", title_justify="left")
        for label, row in report[part]["matrix"].items():
            matrix.add_row(label, *(f"{row[name]}" for name in NAMES))
        console.print(matrix)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    report, outcomes = measure()
    show(report)
    if options.failures:
        for each in outcomes:
            if each.path != each.pair.label and not each.pair.held_out:
                pair = each.pair
                print(f"{pair.label} as {each.path} ({pair.trap}): {pair.older[1]} | {pair.newer[0]}: {pair.newer[1]}")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
