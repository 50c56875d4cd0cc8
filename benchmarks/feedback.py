"""Accuracy of the rules' verdicts on replies: `python benchmarks/feedback.py [--wrong] [--json OUT]`.

Precision and recall of each verdict on the replies of ``feedback_replies.txt``, in one table for those used while
writing the rules and one for those held out; `--wrong` lists the wrong verdicts.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

from rich.console import Console
from rich.table import Table

from hmem.model.evidence import Reaction
from hmem_english.feedback import feedback

REPLIES = Path(__file__).with_name("feedback_replies.txt")
VERDICTS = get_args(Reaction)


class Reply(NamedTuple):
    """Reply with its label and its verdict."""

    part: str
    label: str
    judged: str
    text: str


def replies() -> list[Reply]:
    """Return all replies with their verdicts."""
    found: list[Reply] = []
    part = "seen"
    for line in REPLIES.read_text("utf-8").splitlines():
        if line.startswith("=="):
            part = line.strip("= ")
        elif line and not line.startswith("#"):
            label, question, answer, text = (each.strip() for each in line.split("|"))
            found.append(Reply(part, label, feedback(question, answer, text), text))
    return found


def figures(judged: Sequence[Reply]) -> dict[str, Any]:
    """Return the number of replies, and precision and recall of each verdict."""
    made: dict[str, Any] = {"replies": len(judged)}
    for verdict in VERDICTS:
        right = sum(each.label == each.judged == verdict for each in judged)
        told = sum(each.judged == verdict for each in judged)
        there = sum(each.label == verdict for each in judged)
        made[verdict] = {
            "of": there,
            "precision": round(right / max(told, 1), 3),
            "recall": round(right / max(there, 1), 3),
        }
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    judged = replies()
    parts = {
        part: figures([each for each in judged if each.part == part]) for part in dict.fromkeys(r.part for r in judged)
    }
    console = Console()
    for part, made in parts.items():
        table = Table("verdict", "replies", "precision", "recall", title=f"{part}: {made['replies']} replies")
        for verdict in VERDICTS:
            table.add_row(verdict, *(str(made[verdict][name]) for name in ("of", "precision", "recall")))
        console.print(table)
    for each in judged if options.wrong else ():
        if each.label != each.judged:
            console.print(f"{each.part}: {each.label} was judged {each.judged}: {each.text}", markup=False)
    if options.json:
        options.json.write_text(json.dumps(parts, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
