"""A model writes what rules wrote, and judges the pairs of notes that rules judged."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.formation import arrangement, example
from tests.models import MODEL, Derived, open_with

from hmem import Memory
from hmem.errors import ModelGarbled
from hmem.evolve.compose import MOST_LINES, MOST_PIECES
from hmem.language.analyst import Verdict
from hmem.language.analyst.work import Work, Written


class Mild(Derived):
    """Says of every pair that each claim holds by itself."""

    def write(self, work: Work) -> Written:
        written = super().write(work)
        verdicts = tuple(Verdict("independent", "two homes", self.made_by) for _ in work.pairs)
        return Written(written.made_by, written.summaries, written.topics, written.profiles, written.personas, verdicts)


@pytest.fixture
def model() -> Derived:
    return Derived()


@pytest.fixture
def memory(model: Derived) -> Iterator[Memory]:
    with open_with(":memory:", model) as opened:
        yield opened


def test_every_text_is_asked_for_once_and_no_call_is_too_large(memory: Memory, model: Derived) -> None:
    memory.add(example(80))
    memory.work()
    assert max(map(len, model.works)) <= MOST_PIECES
    assert max(len(each.lines) for work in model.works for each in work.summaries) <= MOST_LINES
    asked = [each for work in model.works for each in (*work.summaries, *work.topics, *work.profiles, *work.personas)]
    assert memory.work().calls == 0
    memory.consolidate()
    memory.work()
    assert len(asked) == len(
        [each for work in model.works for each in (*work.summaries, *work.topics, *work.profiles, *work.personas)]
    )


def test_only_what_changed_is_written_again(memory: Memory, model: Derived) -> None:
    memory.add(example(60))
    memory.work()
    before = sum(map(len, model.works))
    memory.add({"text": "I bought a lamp", "speaker": "Nadia", "session": "later", "at": "2031-01-01T10:00:00Z"})
    memory.work()
    assert 0 < sum(map(len, model.works)) - before < before / 2
    kept = arrangement(memory)
    made = {kept.profiles.of(each).made_by for each in kept.profiles.numbers()}
    assert made == {MODEL}


def test_what_the_model_cannot_write_is_left_to_the_rules_and_not_asked_again(memory: Memory, model: Derived) -> None:
    def garbles(number: int, asked: Any) -> None:
        if isinstance(asked, Work) and asked.personas:
            raise ModelGarbled("no persona - take another model")

    model.fails = garbles
    memory.add(example(20))
    memory.work()
    while memory.work().calls:
        pass
    assert {persona.made_by for persona in memory.personas()} == {"rules/2"}
    summaries = arrangement(memory).written["calendar"].summaries
    assert MODEL in {summaries.of(each).made_by for each in summaries.numbers()}


def test_a_verdict_of_the_model_holds_and_says_whose_it_is(tmp_path: Any) -> None:
    talk = [
        {"text": f"I live in {place}.", "speaker": "Maria", "session": place, "at": f"2025-0{month}-01T10:00:00Z"}
        for month, place in ((1, "Lisbon"), (2, "Porto"))
    ]
    with open_with(tmp_path / "a.hmem", Derived()) as memory:
        memory.add(talk)
        memory.work()
        assert [note.status for note in memory.notes()] == ["superseded", "current"]
    model = Mild()
    with open_with(tmp_path / "b.hmem", model) as memory:
        memory.add(talk)
        assert [note.status for note in memory.notes()] == ["superseded", "current"]
        memory.work()
        assert sum(len(work.pairs) for work in model.works) == 1
        assert memory.work().calls == 0
    with open_with(tmp_path / "b.hmem", model) as memory:
        assert [note.status for note in memory.notes()] == ["current", "current"]
        revisions = arrangement(memory).revisions
        assert [revisions.of(*pair) for pair in revisions.pairs()] == [Verdict("independent", "two homes", MODEL)]
        memory.rebuild()
        assert [note.status for note in memory.notes()] == ["current", "current"]
        assert memory.verify().problems == ()


def test_texts_about_turns_from_before_the_model_stay_as_they_are(tmp_path: Any, model: Derived) -> None:
    path = tmp_path / "a.hmem"
    old = [{"text": f"I like tea number {i}", "speaker": "Maria", "at": f"2020-01-0{i}T10:00:00Z"} for i in range(1, 6)]
    with Memory(path) as memory:
        memory.add(old)
        memory.consolidate()
    with open_with(path, model) as memory:
        memory.add([{**each, "at": each["at"].replace("2020", "2025")} for each in old])
        memory.work()
        years = memory.timeline(summaries=True).children
        assert [year.node.summary.startswith("(read)") for year in years] == [False, True]
