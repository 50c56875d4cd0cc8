"""Non-answers told from answers: `python benchmarks/non_answers.py [--held-back] [--failures] [--json OUT]`.

The labels are benchmarks/data/non_answers.json: a question, a turn found for it, and whether that turn answers it.
Each turn is added to a memory behind its question, and the question is asked again: the turn is taken for a non-answer
if its relevance is 0.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import arguments, keep, labels

from hmem import Memory


def is_silent(question: str, turn: str) -> bool:
    """Tell if a memory that holds a question and a turn behind it takes the turn for a non-answer."""
    with Memory(":memory:") as memory:
        asked = [] if _plain(turn) == _plain(question) else [(question, "Ada", "10:00")]
        memory.add(
            [
                {"text": text, "speaker": speaker, "session": "s1", "at": f"2024-05-01T{time}:00Z"}
                for text, speaker, time in (*asked, (turn, "Ben", "10:01"))
            ]
        )
        memory.add("The kettle is broken again.", speaker="Ada", session="s2", at="2024-05-03T10:00:00Z")
        return any(item.text == turn and item.relevance == 0 for item in memory.search(question, 5, min_score=0.0))


def _plain(text: str) -> str:
    return text.casefold().rstrip("? ")


def judged(entry: Mapping[str, Any]) -> str:
    """Return what is made of an entry: ``right``, ``missed`` or ``taken for a non-answer``."""
    silent = is_silent(entry["question"], entry["turn"])
    if silent != entry["answers"]:
        return "right"
    return "taken for a non-answer" if silent else "missed"


def main() -> int:
    """Print the share of non-answers that are known, and of answers that are taken for one."""
    options = arguments(__doc__).parse_args()
    found = [(entry, judged(entry)) for entry in labels("non_answers", options)]
    if options.failures and not options.held_back:
        for entry, verdict in found:
            if verdict != "right":
                print(f"{verdict}: {entry['question']} | {entry['turn']}")
    report: dict[str, int] = {}
    for name, answers in (("non-answers", False), ("answers", True)):
        some = [verdict for entry, verdict in found if entry["answers"] == answers]
        report |= {name: len(some), f"{name} right": some.count("right")}
        print(f"{name}: {some.count('right')} of {len(some)} right")
    keep(report, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
