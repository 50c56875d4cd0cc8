"""A storage may be at the other end of a network: what a memory does takes few calls, however much it holds."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.counting import counted
from tests.formation import FormedExample, example

from hmem import Memory

QUESTIONS = ("Where does Maria live?", "Who adopted a dog?", "What did they do in spring?")
TURNS = 80


def settle(memory: Memory) -> None:
    """Form what waits, and let the thread that forms come to its end: its calls are not counted."""
    memory.flush()
    thread = memory._components.worker._thread
    if thread is not None:
        thread.join()


def test_a_search_takes_two_calls_at_most() -> None:
    with counted() as (memory, storage):
        memory.add(example(TURNS))
        memory.search(QUESTIONS[-1])
        for question in QUESTIONS * 2:
            memory.corpus.access_log.flush()
            storage.take()
            assert memory.search(question)
            assert len(storage.take()) <= 2


@pytest.mark.parametrize("look", [Memory.search, Memory.context])
def test_a_recall_of_turns_that_are_not_at_hand_takes_three_calls_at_most(look: Callable[..., object]) -> None:
    with counted() as (memory, storage):
        memory.add(example(TURNS))
        for question in QUESTIONS:
            memory.corpus.access_log.flush()
            memory.corpus.turn_cache.clear()
            memory._components.begin_retrieval()
            storage.take()
            assert look(memory, question)
            # What is news, what was found, and what is newer than that.
            assert len(storage.take()) <= 3


@pytest.mark.any_storage
def test_a_search_after_another_handle_wrote_takes_two_calls_at_most(path: Path) -> None:
    turns = example(TURNS + len(QUESTIONS))
    with counted(path) as (memory, storage), Memory(path, form_later=False) as other:
        memory.add(turns[:TURNS])
        memory.search(QUESTIONS[0])
        for number, (question, turn) in enumerate(zip(QUESTIONS, turns[TURNS:], strict=True)):
            other.add(turn)
            other.retract(other.list()[number].id)
            memory.corpus.access_log.flush()
            storage.take()
            memory.search(question)
            assert len(storage.take()) <= 2


def test_a_search_after_an_add_takes_two_calls_at_most() -> None:
    turns = example(TURNS + len(QUESTIONS))
    with counted() as (memory, storage):
        memory.add(turns[:TURNS])
        for question in QUESTIONS:
            memory.search(question)
        for question, turn in zip(QUESTIONS, turns[TURNS:], strict=True):
            memory.add(turn)
            settle(memory)
            storage.take()
            memory.search(question)
            assert len(storage.take()) <= 2


@pytest.mark.parametrize("recalled", [False, True])
def test_an_add_takes_three_calls_at_most(recalled: bool) -> None:
    """A reply to a recall is looked at; what is formed of it comes behind."""
    turns = example(TURNS + 12)
    with counted() as (memory, storage):
        memory.add(turns[:TURNS])
        for number, turn in enumerate(turns[TURNS:]):
            if recalled:
                memory.search(QUESTIONS[number % len(QUESTIONS)])
            settle(memory)
            with memory._components.worker.adding():
                storage.take()
                assert memory.add(turn).fate == "stored"
                assert len(storage.take()) <= 3


def test_an_add_that_forms_takes_four_calls_at_most() -> None:
    turns = example(TURNS + 12)
    with counted(form_later=False) as (memory, storage):
        memory.add(turns[:TURNS])
        for turn in turns[TURNS:]:
            storage.take()
            memory.add(turn)
            assert len(storage.take()) <= 4


@pytest.mark.parametrize("count", [1, 12])
def test_turns_that_wait_are_formed_in_three_calls_at_most(count: int) -> None:
    turns = example(TURNS + 36)
    with counted() as (memory, storage):
        memory.add(turns[:TURNS])
        for start in range(TURNS, len(turns), count):
            with memory._components.worker.adding():
                for turn in turns[start : start + count]:
                    memory.add(turn)
                storage.take()
                memory._components.worker.finish()
                assert len(storage.take()) <= 3
                assert memory.stats().unformed == 0


@pytest.mark.any_storage
def test_all_notes_take_two_calls_at_most(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, TURNS)
    with counted(path) as (memory, storage):
        assert memory.notes(limit=1)
        memory.corpus.turn_cache.clear()
        storage.take()
        notes = memory.notes(limit=1_000)
        assert len(notes) > 5
        assert any(note.episodes for note in notes)
        assert len(storage.take()) <= 2


def test_events_and_episodes_of_a_session_take_three_calls_at_most() -> None:
    with counted() as (memory, storage):
        memory.add(example(TURNS))
        assert memory.episodes(limit=1)
        session = memory.sessions()[-1].id
        for look in (memory.events, memory.episodes):
            memory.corpus.turn_cache.clear()
            storage.take()
            assert look(session=session)
            assert len(storage.take()) <= 3


def test_a_verdict_on_what_was_recalled_fetches_no_turn_again() -> None:
    with counted() as (memory, storage):
        memory.add(example(TURNS))
        found = memory.search(QUESTIONS[0])
        memory.corpus.access_log.flush()
        storage.take()
        memory.feedback(found, "approve")
        assert not {"turns", "locate"} & {*storage.take()}
