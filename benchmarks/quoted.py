"""What is answered and shown of labelled chats: `python benchmarks/quoted.py [--held-back] [--failures]`.

Each chat of ``benchmarks/data/chats`` is formed in a new memory and asked a day after its last turn. Of questions that
it answers, ``holds`` is the share of answers with an accepted answer in them, letter for letter, ``wrong`` that of
answers without one (an older sentence without the newer among them), ``abstained`` the rest. Of what was ``never``
said, to abstain is right. ``newer`` is the share of contexts of 600 tokens with the newer sentence, of those that
hold the older one.
``--held-back`` opens the other half, for a final figure, and prints the commit.
"""

import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.chats import Chat, Question, read_chats

from hmem import Memory

TOKENS: Final = 600
KINDS: Final = ("plain", "now", "then", "never")


def holds(text: str, question: Question) -> bool:
    """Tell if a text has an accepted answer of a question in it."""
    lowered = text.lower()
    return any(answer.lower() in lowered for answer in question.answers)


def measure(chat: Chat, failures: list[str]) -> dict[str, Counter[str]]:
    """Return how many questions of each kind had which outcome."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    with (
        TemporaryDirectory() as folder,
        Memory(Path(folder) / "chat.hmem") as memory,
    ):
        memory.add(chat.messages())
        memory.flush()
        for question in chat.questions:
            answer = memory.ask(question.text, at=chat.asked_at)
            outcome = "abstained" if answer.abstained else "holds" if holds(answer.text, question) else "wrong"
            counted[question.kind][outcome] += 1
            if question.kind == "now":
                shown = {item.message_id for item in memory.context(question.text, TOKENS, at=chat.asked_at).evidence}
                if any(str(turn) in shown for turn, _ in question.older):
                    newer = any(str(turn) in shown for turn, _ in question.evidence)
                    counted["context"]["newer" if newer else "older alone"] += 1
            if (outcome == "abstained") != (question.kind == "never") or outcome == "wrong":
                told = " / ".join(chat.sentence(place).text for place in question.evidence)
                failures.append(f"{chat.name} {question.kind}: {question.text} [{told}]\n   {outcome}: {answer.text}")
    return counted


def main(arguments: Iterable[str]) -> None:
    """Measure the chats of a part, and print a table."""
    given = list(arguments)
    part = "held" if "--held-back" in given else "open"
    failures: list[str] = []
    title = part
    if part == "held":
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        title = f"{title}, {commit.stdout.strip()}"
    table = Table(title=title)
    for column in ("chat", *(f"{kind}: holds, wrong of" for kind in KINDS), "newer in context"):
        table.add_column(column)
    whole: dict[str, Counter[str]] = defaultdict(Counter)
    for chat in read_chats(part):
        counted = measure(chat, failures)
        for kind, outcomes in counted.items():
            whole[kind].update(outcomes)
        table.add_row(chat.name, *_row(counted))
    table.add_section()
    table.add_row("all", *_row(whole))
    console = Console(width=140)
    console.print(table)
    if "--failures" in given and part == "open":
        console.print("\n".join(failures), markup=False, highlight=False)


def _row(counted: dict[str, Counter[str]]) -> list[str]:
    told: list[str] = []
    for kind in KINDS:
        outcomes = counted[kind]
        right = outcomes["abstained" if kind == "never" else "holds"]
        wrong = outcomes.total() - right if kind == "never" else outcomes["wrong"]
        told.append(f"{_share(right, outcomes)}, {_share(wrong, outcomes)} of {outcomes.total()}")
    return [*told, f"{_share(counted['context']['newer'], counted['context'])} of {counted['context'].total()}"]


def _share(count: int, outcomes: Counter[str]) -> str:
    return f"{count / max(outcomes.total(), 1):.2f}"


if __name__ == "__main__":
    main(sys.argv[1:])
