"""A model distils lessons from cases of similar tasks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.models import Derived, open_with

from hmem import Memory
from hmem.errors import ModelGarbled
from hmem.evolution.lessons import MOST, cases_in_force, lessons_of
from hmem.model.case import Lesson


class Distilling(Derived):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.asked: list[Sequence[str]] = []

    def distil(self, cases: Sequence[str]) -> tuple[str, Sequence[int]] | None:
        self.asked.append(cases)
        return super().distil(cases)


def deploy(memory: Memory, count: int, start: int = 0) -> list[str]:
    return [memory.outcome(f"Deploy release 4.{start + n} to production", worked=True).id for n in range(count)]


def lessons(memory: Memory) -> dict[str, Lesson]:
    components = memory._components
    with memory.corpus.reading():
        return dict(lessons_of(memory.corpus, cases_in_force(memory.corpus, components.formation.derived)))


def test_a_lesson_is_asked_for_once_three_cases_are_alike(path: Path) -> None:
    model = Distilling()
    with open_with(path, model) as memory:
        memory.outcome("Bake bread with an open crumb", worked=True)
        deploy(memory, 2)
        memory.model.run_jobs()
        assert not model.asked
        deploy(memory, 1, 2)
        assert memory.model.run_jobs().texts >= 1
        memory.model.run_jobs()
        assert [len(texts) for texts in model.asked] == [3]
        assert all("Deploy" in text for text in model.asked[0])


def test_an_older_lesson_stands_until_the_next_case_was_read(path: Path) -> None:
    with open_with(path, Distilling()) as memory:
        ids = deploy(memory, 3)
        memory.model.run_jobs()
        ids += deploy(memory, 1, 3)
        assert lessons(memory).keys() == set(ids[:3])
        memory.model.run_jobs()
        assert {lesson.sources for lesson in lessons(memory).values()} == {tuple(ids)}


def test_a_lesson_goes_with_a_case_that_it_stands_on(path: Path) -> None:
    with open_with(path, Distilling()) as memory:
        ids = deploy(memory, 4)
        memory.model.run_jobs()
        memory.retract(ids[0])
        assert not lessons(memory)
        memory.model.run_jobs()
        assert lessons(memory).keys() == set(ids[1:])
        memory.forget(ids[2])
        assert not lessons(memory)
        assert not memory.corpus.model_queue.answers()


def test_a_user_s_cases_make_no_lesson_of_another_s(path: Path) -> None:
    model = Distilling()
    with open_with(path, model) as memory:
        for number in range(4):
            memory.outcome(f"Deploy release 4.{number} to production", worked=True, user="ab"[number % 2])
        memory.model.run_jobs()
    assert not model.asked


def test_many_cases_are_several_lessons(path: Path) -> None:
    model = Distilling()
    with open_with(path, model) as memory:
        deploy(memory, MOST + 3)
        memory.model.run_jobs()
    assert sorted(map(len, model.asked)) == [3, MOST]


def test_a_model_that_cannot_is_not_asked_again(path: Path) -> None:
    def fails(number: int, asked: Any) -> None:
        if isinstance(asked, tuple):
            raise ModelGarbled("no - take another model")

    model = Distilling(fails=fails)
    with open_with(path, model) as memory:
        deploy(memory, 3)
        memory.model.run_jobs()
        memory.model.run_jobs()
        assert len(model.asked) == 1
        assert not lessons(memory)
