"""Cases as the text of a turn."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from hmem.model.case import CASE, OUTCOMES, case_of, case_text
from hmem.model.turn import Turn

WORDS = st.text(st.characters(categories=("L", "N", "P", "Zs")), min_size=1, max_size=40).filter(
    lambda text: text.strip()
)


def turn(text: str, outcome: str = "worked") -> Turn:
    return Turn("1", CASE, text, datetime(2026, 1, 1, tzinfo=UTC), "s", role="document", metadata={CASE: outcome})


@given(WORDS, st.lists(WORDS, max_size=4), st.one_of(st.none(), WORDS), st.booleans())
def test_a_case_is_read_as_it_was_written(task: str, steps: list[str], lesson: str | None, worked: bool) -> None:
    fields = case_of(turn(case_text(task, steps, lesson, worked=worked), OUTCOMES[not worked]))
    assert fields.task.split() == task.split()
    assert [step.split() for step in fields.steps] == [step.split() for step in steps]
    assert (fields.lesson or "").split() == (lesson or "").split()
    assert fields.worked is worked


def test_a_corrected_text_without_the_lines_of_a_case_is_its_lesson() -> None:
    assert case_of(turn("It did not help.", "failed"))[1:] == (False, (), "It did not help.")


def test_a_task_is_the_same_in_another_spelling() -> None:
    first, second = (case_of(turn(f"Task: {task}")) for task in ("Fix  the test!", "fix the test"))
    assert first.same_task == second.same_task
