"""Cases: what was tried for a task, whether it worked, and what was learned of it.

A case is a turn of the role ``document`` whose text has the lines that ``case_text`` writes, so that it is corrected,
retracted and forgotten as every turn is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from hmem.model.turn import Turn
from hmem.model.value import Value

# Speaker of cases, and the field of their metadata, whose value is one of the outcomes.
CASE: Final = "case"
OUTCOMES: Final = {True: "worked", False: "failed"}

_STEP: Final = re.compile(r"\d+\. (.*)")
_NOT_WORDS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, repr=False)
class Lesson(Value):
    """Lesson that a language model distilled from several cases: ``sources`` are their ids."""

    text: str
    sources: tuple[str, ...]
    made_by: str


@dataclass(frozen=True, slots=True, repr=False)
class Case(Value):
    """Case like a task. ``id`` is that of its turn, ``text`` what a prompt shows of it.

    ``relevance`` is the chance from 0 to 1 that it helps. ``earlier`` are the ids of older outcomes of the same task,
    latest first, which this one supersedes. ``distilled`` is what a model learned from it and cases like it.
    """

    id: str
    task: str
    worked: bool
    steps: tuple[str, ...]
    lesson: str | None
    text: str
    relevance: float | None = None
    earlier: tuple[str, ...] = ()
    distilled: Lesson | None = None


class CaseFields(NamedTuple):
    """Fields of a case, as its text tells them."""

    task: str
    worked: bool
    steps: tuple[str, ...]
    lesson: str | None

    @property
    def same_task(self) -> str:
        """Words of the task, in the same spelling for every outcome of it."""
        return _NOT_WORDS.sub(" ", self.task).strip().casefold()


def case_text(task: str, steps: Sequence[str], lesson: str | None, *, worked: bool) -> str:
    """Return the text of a case: its task, numbered steps, outcome and lesson, each on one line."""
    lines = [f"Task: {_on_one_line(task)}"]
    lines += [f"{number}. {_on_one_line(step)}" for number, step in enumerate(steps, 1)]
    lines.append(f"Worked: {'yes' if worked else 'no'}")
    return "\n".join([*lines, f"Lesson: {_on_one_line(lesson)}"] if lesson else lines)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def case_of(turn: Turn) -> CaseFields:
    """Return what the turn of a case tells; lines of a corrected text that are none of a case's are its lesson."""
    task, outcome, steps, lesson = "", turn.metadata.get(CASE), list[str](), list[str]()
    for line in turn.text.splitlines():
        name, _, value = line.partition(": ")
        if name == "Task":
            task = value
        elif name == "Worked":
            outcome = OUTCOMES[value.strip() == "yes"]
        elif step := _STEP.fullmatch(line):
            steps.append(step[1])
        else:
            lesson.append(value if name == "Lesson" else line)
    return CaseFields(task, outcome == OUTCOMES[True], tuple(steps), "\n".join(lesson).strip() or None)
