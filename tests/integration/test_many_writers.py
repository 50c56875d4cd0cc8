"""Several processes that write to one memory: each turn is formed in its place, by whoever added the oldest one."""

from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from tests.formation import example, formed

from hmem import Memory
from hmem.formation import pipeline

BEFORE = 40


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "PATIENCE", 60.0)


def begun(path: Path) -> list[dict[str, Any]]:
    """Make a memory of the first turns, all formed, and return these with two more."""
    turns = example(BEFORE + 2)
    with Memory(path) as memory:
        memory.add(turns[:BEFORE])
    return turns


def awaits(memory: Memory) -> bool:
    with memory.corpus.reading():
        return memory._components.formation.pipeline.awaits_others() > 0


@pytest.mark.usefixtures("patient")
def test_who_added_the_oldest_turn_goes_first(path: Path) -> None:
    turns = begun(path)
    with Memory(path) as one, Memory(path) as other:
        with one._components.worker.adding(), other._components.worker.adding():
            one.add(turns[BEFORE])
            other.add(turns[BEFORE + 1])
            assert (awaits(one), awaits(other)) == (False, True)
            one._components.worker.finish()
            assert (awaits(one), awaits(other)) == (False, False)
            # It formed both.
            assert other.stats().unformed == 0
        together = formed(one)
    with Memory(":memory:") as alone:
        alone.add(turns)
        assert formed(alone) == together


def test_who_waits_in_vain_forms_the_turns_of_others(path: Path) -> None:
    turns = begun(path)
    with Memory(path) as gone, Memory(path, form_later=False) as other, gone._components.worker.adding():
        gone.add(turns[BEFORE])
        started = monotonic()
        other.add(turns[BEFORE + 1])
        assert monotonic() - started >= pipeline.PATIENCE
        assert other.stats().unformed == 0


@pytest.mark.usefixtures("patient")
def test_a_reader_of_what_is_formed_waits_for_nobody(path: Path) -> None:
    with Memory(path) as one, Memory(path) as other, one._components.worker.adding():
        one.add(example(3))
        assert other.events()
        other.add("I live in Porto.", speaker="Tom")
        assert other.notes()
        assert not awaits(other)


@pytest.mark.usefixtures("patient")
def test_a_turn_that_was_forgotten_meanwhile_is_waited_for_by_nobody(path: Path) -> None:
    turns = example(BEFORE + 1)
    with Memory(path) as one, Memory(path) as other, one._components.worker.adding():
        one.add(turns[:2])
        assert awaits(other)
        for turn in other.list():
            other.forget(turn.id)
        with other._components.worker.adding():
            other.add(turns[2])
            assert not awaits(other)
