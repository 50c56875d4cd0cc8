"""Effect of reconciliation on questions whose answer changed.

    python benchmarks/knowledge_update.py FILE [--questions N] [--category NAME] [--failures] [--keep FOLDER]
        [--json OUT]

FILE is LongMemEval's. The first N questions of each given category (knowledge-update by default; `all` for every
category) are asked of a memory of their haystack, formed with reconciliation and without. It prints by category and
way: recall of the evidence among the first ten turns, token F1 of the answers, abstentions, notes and superseded notes.
`--failures` lists the questions, the gold and both answers. `--keep` keeps the memories in a folder for later runs.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from hmem import Memory
from hmem.interfaces.formats.conversations import Conversation
from hmem.interfaces.formats.longmemeval import load
from hmem_evals.answers import score

WAYS = ("with", "without")
FIRST = 10


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of a question in one way."""

    id: str
    category: str
    way: str
    question: str
    gold: str
    unanswerable: bool
    answer: str
    abstained: bool
    recall: float | None
    f1: float
    notes: int
    superseded: int


def memory_of(conversation: Conversation, path: Path, *, reconcile: bool) -> Memory:
    """Open the memory of a haystack, and form it if it is missing."""
    there = path.exists()
    memory = Memory(path, settings={"reconcile.reconcile": str(reconcile).lower()})
    if not there:
        memory.add(conversation.messages)
    return memory


def outcome(conversation: Conversation, folder: Path, way: str) -> Outcome:
    """Ask a conversation's question and return the results."""
    question = conversation.questions[0]
    with memory_of(conversation, folder / f"{question.id}-{way}.hmem", reconcile=way == "with") as memory:
        found = [item.message_id for item in memory.search(question.text, FIRST, at=question.at, min_score=0.0)]
        said = memory.ask(question.text, at=question.at)
        notes = memory.notes(limit=1 << 30)
    wanted = set(question.evidence)
    scored = score(
        said.text, question.answer, category=question.category, abstained=said.abstained, confidence=said.confidence,
        unanswerable=question.unanswerable,
    )  # fmt: skip
    return Outcome(
        id=question.id, category=question.category, way=way, question=question.text, gold=question.answer,
        unanswerable=question.unanswerable, answer=said.text, abstained=said.abstained,
        recall=len(wanted.intersection(found)) / len(wanted) if wanted and not question.unanswerable else None,
        f1=scored.f1, notes=len(notes), superseded=sum(note.status == "superseded" for note in notes),
    )  # fmt: skip


def chosen(conversations: Sequence[Conversation], categories: Sequence[str], count: int) -> list[Conversation]:
    """Return the first conversations of each category."""
    found: dict[str, list[Conversation]] = defaultdict(list)
    for each in conversations:
        category = each.questions[0].category
        if category in categories or "all" in categories:
            found[category].append(each)
    return [each for some in found.values() for each in some[:count]]


def table(outcomes: Sequence[Outcome]) -> Table:
    """Return a table with a row for each category and way."""
    made = Table("category", "reconciled", "questions", "recall@10", "F1", "abstained", "notes", "superseded")
    for category in dict.fromkeys(each.category for each in outcomes):
        for way in WAYS:
            some = [each for each in outcomes if (each.category, each.way) == (category, way)]
            told = [each.recall for each in some if each.recall is not None]
            made.add_row(
                category, way, str(len(some)), f"{mean(told):.3f}" if told else "", f"{mean(e.f1 for e in some):.3f}",
                str(sum(e.abstained for e in some)), f"{sum(e.notes for e in some):,}",
                f"{sum(e.superseded for e in some):,}",
            )  # fmt: skip
    return made


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--questions", type=int, default=14)
    parser.add_argument("--category", action="append")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    asked = chosen(load(options.file), options.category or ["knowledge-update"], options.questions)
    outcomes: list[Outcome] = []
    with TemporaryDirectory(prefix="hmem-updates-") as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        for conversation in asked:
            outcomes += [outcome(conversation, folder, way) for way in WAYS]
    console = Console(width=120)
    if options.failures:
        for one, other in zip(outcomes[::2], outcomes[1::2], strict=True):
            console.print(f"{one.id} {one.question}\n  gold: {one.gold}", markup=False)
            console.print(
                f"  with: {one.answer!r} ({one.f1:.2f})\n  without: {other.answer!r} ({other.f1:.2f})", markup=False
            )
    console.print(table(outcomes))
    if options.json:
        options.json.write_text(json.dumps([asdict(each) for each in outcomes], indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
