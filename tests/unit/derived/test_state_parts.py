"""Parts of the derived state are loaded when they are first looked at, and kept in step from then on."""

from pathlib import Path

import pytest
from tests.counting import Counted, counted
from tests.formation import FormedExample, example, formed

from hmem import Memory
from hmem.derived import state as state_module
from hmem.derived.chunks import EVENT_BITS
from hmem.derived.episodes import TurnJudgements
from hmem.derived.events import Events
from hmem.derived.notes import Notes
from hmem.derived.state import DerivedState
from hmem.derived.texts import KeptText
from hmem.language.analyst import analyst

PAIR = ["events", "notes"]


@pytest.fixture
def file(path: Path, formed_example: FormedExample) -> Path:
    formed_example(path, 60)
    return path


def parts_asked_for(storage: Counted) -> list[list[str]]:
    """Record the parts that are read by name."""
    asked: list[list[str]] = []
    read = storage._storage.chunks

    def chunks(**given: object) -> object:
        asked.append(list(given.get("parts") or ["all"]))  # type: ignore[call-overload]
        return read(**given)  # type: ignore[arg-type]

    storage._storage.chunks = chunks  # type: ignore[method-assign,assignment]
    return asked


def test_chunks_are_read_once_and_vectors_and_keys_when_they_are_looked_at(file: Path) -> None:
    with counted(file) as (memory, storage):
        asked, state = parts_asked_for(storage), DerivedState(memory.corpus, analyst("verbatim"))
        with memory.corpus.reading():
            assert asked == []
            state.catch_up()
            (read,) = asked
            later = {"event-vectors", "note-keys"}
            assert {*state._parts} - {*read} == later
            assert len(state.judgements) == 60
            assert [state.note_states.state_of(note).status for note in state.notes.all()]
            assert state.names.people()
            assert asked == [read]
            leaves = state.trees["topic"].leaves_below(0)
            assert state.trees["topic"].centroid(0).any()
            assert asked[1:] == [["event-vectors"]]
            assert state.topics_of_turns(leaves).any()
            assert len(asked) == 2


def test_no_tree_is_made_to_outdate_the_texts_of_none(file: Path) -> None:
    with Memory(file) as memory:
        state = DerivedState(memory.corpus, analyst("verbatim"))
        with memory.corpus.reading():
            state.catch_up()
            state.outdate_texts()
            parts = {part.name for tree in state.trees.things.values() for part in tree.parts}
            assert parts <= {*state._asleep}
            leaf = state.trees["topic"].leaves_below(0)[0]
            node = state.trees["topic"].node_of(leaf)
            assert node is not None
            state.written["topic"].names.replace(node, KeptText("a name"))
            state.trees["topic"].take(leaf)
            state.outdate_texts()
            assert state.written["topic"].names.get(node) is None


def test_a_part_is_made_when_it_is_looked_at(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    for kind in (Notes, TurnJudgements, Events):
        fill = kind.fill
        monkeypatch.setattr(kind, "fill", lambda part, chunks, fill=fill: (made.append(part.name), fill(part, chunks)))
    with Memory(file) as memory:
        state = DerivedState(memory.corpus, analyst("verbatim"))
        with memory.corpus.reading():
            state.catch_up()
            assert made == []
            assert state.judgements
            assert made == ["judgements"]
            assert state.note_states.state_of(state.notes.all()[0])
            assert made == ["judgements", "notes"]


def test_notes_are_stored_with_the_events_that_say_the_same(file: Path) -> None:
    with Memory(file) as memory:
        storage = memory.corpus.storage
        sizes = {name: sum(len(chunk.content or b"") for chunk in storage.chunks(parts=[name])) for name in PAIR}
        assert sizes["notes"] < sizes["events"] / 2
        before, kept = storage.state().progress.step, [note.text for note in memory.notes(limit=1_000)]
        state = memory._components.formation.derived
        with memory.corpus.reading():
            state.catch_up()
            number = state.notes.all()[0].turn >> 5
            state.notes.changed.add(number)
            assert state.store(state.at.watermark)
        assert [chunk[:2] for chunk in storage.chunks(since=before, parts=PAIR)] == [(name, number) for name in PAIR]
    with Memory(file) as memory:
        assert [note.text for note in memory.notes(limit=1_000)] == kept
        assert memory.verify().ok


def test_an_addition_reads_nothing_of_what_was_formed(file: Path) -> None:
    with counted(file) as (memory, storage), memory._components.worker.adding():
        asked = parts_asked_for(storage)
        memory.add(example(61)[60])
        assert asked == []


@pytest.mark.parametrize("whole", [0, 10_000])
def test_what_another_stored_reaches_the_parts_that_are_loaded(
    file: Path, monkeypatch: pytest.MonkeyPatch, whole: int
) -> None:
    monkeypatch.setattr(state_module, "READ_WHOLE", whole)
    turns = example(90)[60:]
    with Memory(file) as memory, Memory(file, form_later=False) as other:
        state = memory._components.formation.derived
        for number, turn in enumerate(turns):
            with memory.corpus.reading():
                state.catch_up()
                # One more part is looked at each time, at another step.
                state._awake(None, list(state._parts.values())[number % len(state._parts)])
            other.add(turn)
        assert formed(memory, state) == formed(other) == formed(other, other._components.formation.derived)


def test_a_part_that_is_looked_at_late_is_of_the_same_step_as_the_others(file: Path) -> None:
    with Memory(file) as memory, Memory(file, form_later=False) as other:
        mine = DerivedState(memory.corpus, analyst("verbatim"))
        with memory.corpus.reading():
            mine.catch_up()
            assert len(mine.judgements) == 60
            other.add(example(61)[60])
            assert max(event >> EVENT_BITS for event in mine.trees["evolution"].leaves_below(0)) <= 60
            assert 61 not in mine.events.turns()
        with memory.corpus.reading():
            mine.catch_up()
            assert len(mine.judgements) == 61
        assert formed(memory, mine) == formed(other)


def test_vectors_of_a_large_memory_are_read_as_they_are_asked_for(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory(file) as memory:
        whole = DerivedState(memory.corpus, analyst("verbatim"))
        with memory.corpus.reading():
            whole.catch_up()
            events = [event.number for seq in whole.events.turns() for event in whole.events.of_turn(seq)]
            told = whole.vectors_of_events(events)
            own = len(whole.event_vectors)
    monkeypatch.setattr(state_module, "READ_WHOLE", 0)
    with Memory(file) as memory:
        large = DerivedState(memory.corpus, analyst("verbatim"))
        with memory.corpus.reading():
            large.catch_up()
            assert (large.vectors_of_events(events[:1]) == told[:1]).all()
            assert len(large.event_vectors) < own
            assert (large.vectors_of_events(events) == told).all()
            assert len(large.event_vectors) == own
