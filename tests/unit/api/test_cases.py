"""Outcomes of tasks, and the cases like a new task."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.models import Derived, open_with

from hmem import Memory
from hmem.errors import InvalidQuery, InvalidTurn

FLAKY = "Make the flaky upload test pass"
NEW = "The download test is flaky, fix it"


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(":memory:") as opened:
        opened.outcome("Book flights to Porto for nine people", worked=True, lesson="Ask the group desk.")
        yield opened


def test_a_case_like_a_task_comes_with_steps_outcome_and_lesson(memory: Memory) -> None:
    kept = memory.outcome(FLAKY, worked=False, steps=["waited ten\nseconds"], lesson="Poll instead.")
    case = memory.cases(NEW)[0]
    assert (case.id, case.task, case.worked) == (kept.id, FLAKY, False)
    assert (case.steps, case.lesson, case.earlier) == (("waited ten seconds",), "Poll instead.", ())
    assert case.text == f"Task: {FLAKY}\n1. waited ten seconds\nWorked: no\nLesson: Poll instead."


def test_nothing_is_like_a_task_of_another_kind(memory: Memory) -> None:
    assert memory.cases("What is the capital of Peru?") == ()


def test_a_later_outcome_of_the_same_task_supersedes_an_earlier_one(memory: Memory) -> None:
    first = memory.outcome(FLAKY, worked=False, at="2026-03-01T10:00:00Z")
    second = memory.outcome(f"{FLAKY.lower()}.", worked=True, steps=["polled"], at="2026-03-02T10:00:00Z")
    assert [(case.id, case.earlier) for case in memory.cases(NEW)] == [(second.id, (first.id,))]
    memory.retract(second.id)
    assert [(case.id, case.earlier) for case in memory.cases(NEW)] == [(first.id, ())]


def test_cases_are_corrected_and_forgotten_as_turns_are(memory: Memory) -> None:
    kept = memory.outcome(FLAKY, worked=True, lesson="Sleep longer.")
    change = memory.correct(kept.id, f"Task: {FLAKY}\nWorked: no\nSleeping longer was no cure.")
    case = memory.cases(NEW)[0]
    assert (case.id, case.worked, case.lesson) == (change.link, False, "Sleeping longer was no cure.")
    memory.undo(change.id)
    assert memory.cases(NEW)[0].lesson == "Sleep longer."
    memory.forget(kept.id)
    assert memory.cases(NEW) == ()
    assert memory.verify(["Sleep"]).ok


def test_a_case_belongs_to_its_user(memory: Memory) -> None:
    memory.outcome(FLAKY, worked=True, user="ann")
    assert memory.cases(NEW, user="ben") == ()
    assert len(memory.cases(NEW, user="ann")) == 1


def test_an_outcome_with_an_id_is_kept_once_and_says_nothing_of_anybody(memory: Memory) -> None:
    fates = [memory.outcome("I moved to Oslo", worked=True, message_id="1").fate for _ in range(2)]
    assert fates == ["stored", "duplicate"]
    assert memory.notes() == ()


@pytest.mark.parametrize("steps", ["one text", [1]])
def test_steps_are_texts(memory: Memory, steps: Any) -> None:
    with pytest.raises(InvalidTurn):
        memory.outcome(FLAKY, worked=True, steps=steps)


def test_an_outcome_is_true_or_false(memory: Memory) -> None:
    worked: Any = "yes"
    with pytest.raises(InvalidTurn, match="worked=True or worked=False - this one is 'yes'"):
        memory.outcome(FLAKY, worked=worked)


def test_a_task_has_words(memory: Memory) -> None:
    with pytest.raises(InvalidTurn):
        memory.outcome(" ", worked=True)
    with pytest.raises(InvalidQuery):
        memory.cases(" ")


def test_a_distilled_lesson_is_shown_with_its_cases(path: Path) -> None:
    with open_with(path, Derived()) as memory:
        ids = [memory.outcome(f"Deploy release 4.{n} to production", worked=n > 1).id for n in range(3)]
        memory.model.run_jobs()
        case = memory.cases("Deploy release 5 to production")[0]
        assert case.distilled is not None
        assert case.distilled.sources == tuple(ids)
        assert case.text.endswith("From 3 cases like it: (read) 3 cases")
