"""A model writes what rules wrote."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.formation import FormedExample, derived, example
from tests.models import MODEL, Derived, open_with, unread

from hmem import Memory
from hmem.errors import ModelGarbled
from hmem.evolution.compose import MOST_LINES
from hmem.language.analyst.language_model import Room, WriteRequest, WriteResult
from hmem.language.llm.tasks import as_json
from hmem.language.llm.texts import work_data
from hmem.language.tokens import count_tokens
from hmem.language.verbatim import VerbatimAnalyst


@pytest.fixture
def model() -> Derived:
    return Derived()


@pytest.fixture
def memory(
    request: pytest.FixtureRequest, path: Path, model: Derived, formed_example: FormedExample
) -> Iterator[Memory]:
    """A memory that is empty, or of turns of the example that the model has not read."""
    if (marker := request.node.get_closest_marker("example")) is not None:
        formed_example(path, *marker.args, opened=unread)
    with open_with(path, model) as opened:
        yield opened


def texts(work: WriteRequest) -> list[Any]:
    return [*work.summaries, *work.topics, *work.profiles, *work.personas]


@pytest.mark.example(80)
def test_every_text_is_asked_for_once_and_no_call_is_too_large(memory: Memory, model: Derived) -> None:
    model.room = Room(6_000, 1_500)
    memory.model.run_jobs()
    assert len(model.works) > 3
    for work in model.works:
        assert count_tokens(as_json(work_data(work))) <= model.room.input_tokens
        assert 0.75 * sum(each.tokens for each in work.summaries) <= model.room.output_tokens
        assert all(each.tokens <= sum(count_tokens(line.text) for line in each.lines) + 24 for each in work.summaries)
    assert max(len(each.lines) for work in model.works for each in work.summaries) <= MOST_LINES
    asked = [each for work in model.works for each in texts(work)]
    assert memory.model.run_jobs().calls == 0
    memory.consolidate()
    memory.model.run_jobs()
    assert len(asked) == len([each for work in model.works for each in texts(work)])


@pytest.mark.example(80)
def test_a_consolidation_that_fits_is_one_call(memory: Memory, model: Derived) -> None:
    model.room = Room(60_000, 20_000)
    memory.model.run_jobs()
    assert len(model.works) == 1
    (work,) = model.works
    assert len(texts(work)) > 80
    shown = [line for each in work.summaries for line in each.lines]
    assert len(work.lines) == len(set(work.lines)) < len(shown) / 3
    memory.add({"text": "I bought a lamp", "speaker": "Nadia", "session": "later", "at": "2031-01-01T10:00:00Z"})
    memory.model.run_jobs()
    assert len(model.works) == 2


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes of more than 40 leaves are summarised from the summaries below them."""
    monkeypatch.setattr("hmem.derived.text_writer.LINES", 40)


def large(memory: Memory) -> dict[str, str]:
    """Who wrote the summaries of summaries of the calendar, by their labels."""
    kept = derived(memory)
    tree, summaries = kept.trees["calendar"], kept.written["calendar"].summaries
    nodes = [node for level in range(2, tree.level(0) + 1) for node in tree.nodes(level) if tree.size(node) > 40]
    return {tree.label(node): summaries.get(node).made_by for node in nodes}


@pytest.mark.usefixtures("small")
def test_summaries_of_summaries_are_written_by_the_same_call_and_are_kept(memory: Memory, model: Derived) -> None:
    turns = example(90)
    for part in (turns[:72], turns[72:]):
        before = len(model.works)
        memory.add(part)
        memory.model.run_jobs()
        assert len(model.works) == before + 1
        above = [each for each in model.works[-1].summaries if each.summaries]
        assert above
        for place, each in enumerate(model.works[-1].summaries):
            assert all(below < place for below in each.summaries)
    assert set(large(memory).values()) == {MODEL}
    assert memory.model.run_jobs().calls == 0
    memory.rebuild()
    memory.consolidate()
    assert set(large(memory).values()) == {MODEL}
    assert memory.verify().problems == ()


@pytest.mark.example(90)
@pytest.mark.usefixtures("small")
def test_what_hangs_on_a_summary_that_was_not_written_is_asked_for_when_that_is_settled(memory: Memory) -> None:
    class Losing(Derived):
        """Writes no summary that another one is made from, when it is first asked for it."""

        def write(self, work: WriteRequest) -> WriteResult:
            written = super().write(work)
            lost = {below for each in work.summaries for below in each.summaries}
            texts = (None if place in lost else text for place, text in enumerate(written.summaries))
            return replace(written, summaries=tuple(texts))

    model = Losing()
    model.room = Room(60_000, 20_000)
    memory._components.analyst.fallback.model = model  # type: ignore[attr-defined]
    memory.model.run_jobs()
    assert len(model.works) > 1
    assert not any(each.summaries for each in model.works[1].summaries)
    assert set(large(memory).values()) == {MODEL}
    assert memory.model.run_jobs().calls == 0


@pytest.mark.example(80)
def test_one_piece_that_spoils_an_answer_costs_no_other_its_text(memory: Memory, model: Derived) -> None:
    def garbles(_: int, asked: Any) -> None:
        if isinstance(asked, WriteRequest) and any(each.subject.name == "Nadia Okafor" for each in asked.profiles):
            raise ModelGarbled("no Nadia - take another model")

    model.room, model.fails = Room(200_000, 64_000), garbles
    done = memory.model.run_jobs()
    assert done.failures > 3
    kept = derived(memory)
    graph = kept.graph
    by = {graph.name(each): kept.profiles.get(each).made_by for each in kept.profiles.numbers()}
    assert {name for name, made_by in by.items() if made_by != MODEL} <= {"Nadia Okafor"}
    assert len(by) > 5
    assert memory.model.run_jobs().calls == 0


@pytest.mark.example(40)
def test_what_a_model_leaves_out_is_asked_for_by_itself_and_what_it_never_writes_is_left_to_the_rules(
    memory: Memory, model: Derived
) -> None:
    class Forgetful(Derived):
        """Writes every second summary of several, and never the profile of Nadia Okafor."""

        def write(self, work: WriteRequest) -> WriteResult:
            written = super().write(work)
            summaries = [text if i % 2 else None for i, text in enumerate(written.summaries)]
            profiles = [
                None if each.subject.name == "Nadia Okafor" else text
                for each, text in zip(work.profiles, written.profiles, strict=True)
            ]
            return replace(written, summaries=tuple(summaries[len(summaries) == 1 :]), profiles=tuple(profiles))

    forgetful = Forgetful()
    memory._components.analyst.fallback.model = forgetful  # type: ignore[attr-defined]
    assert memory.model.run_jobs(1 + memory.stats().sessions).left == 0
    assert len(forgetful.works) == 1
    assert (memory.model.run_jobs(1).calls, memory.model.run_jobs().failures) == (1, 0)
    again = list(map(len, forgetful.works[1:]))
    assert again[0] == (len(forgetful.works[0].summaries) + 1) // 2 + 1
    assert again == sorted(set(again), reverse=True)
    assert memory.model.run_jobs().calls == 0


@pytest.mark.example(80)
def test_a_model_that_never_says_anything_of_use_is_not_asked_for_every_piece(memory: Memory, model: Derived) -> None:
    def garbles(_: int, asked: Any) -> None:
        if isinstance(asked, WriteRequest):
            raise ModelGarbled("nonsense - take another model")

    model.room, model.fails = Room(200_000, 64_000), garbles
    assert 0 < memory.model.run_jobs().failures < 40
    assert memory.model.run_jobs().calls == 0


@pytest.mark.example(60)
def test_only_what_changed_is_written_again(memory: Memory, model: Derived) -> None:
    memory.model.run_jobs()
    before = sum(map(len, model.works))
    memory.add({"text": "I bought a lamp", "speaker": "Nadia", "session": "later", "at": "2031-01-01T10:00:00Z"})
    memory.model.run_jobs()
    assert 0 < sum(map(len, model.works)) - before < before / 2
    kept = derived(memory)
    made = {kept.profiles.get(each).made_by for each in kept.profiles.numbers()}
    assert made == {MODEL}


@pytest.mark.example(20)
def test_what_the_model_cannot_write_is_left_to_the_rules_and_not_asked_again(memory: Memory, model: Derived) -> None:
    def garbles(number: int, asked: Any) -> None:
        if isinstance(asked, WriteRequest) and asked.personas:
            raise ModelGarbled("no persona - take another model")

    model.fails = garbles
    memory.model.run_jobs()
    while memory.model.run_jobs().calls:
        pass
    assert {persona.made_by for persona in memory.personas()} == {VerbatimAnalyst().made_by}
    summaries = derived(memory).written["calendar"].summaries
    assert MODEL in {summaries.get(each).made_by for each in summaries.numbers()}


def test_texts_about_turns_from_before_the_model_stay_as_they_are(tmp_path: Any, model: Derived) -> None:
    path = tmp_path / "a.hmem"
    old = [{"text": f"I like tea number {i}", "speaker": "Maria", "at": f"2020-01-0{i}T10:00:00Z"} for i in range(1, 6)]
    with Memory(path) as memory:
        memory.add(old)
        memory.consolidate()
    with open_with(path, model) as memory:
        memory.add([{**each, "at": each["at"].replace("2020", "2025")} for each in old])
        memory.model.run_jobs()
        years = memory.tree("calendar", summaries=True).children
        assert [year.node.summary.startswith("(read)") for year in years] == [False, True]
