"""A step of formation that another process took first: what was changed here is undone, the rest stays loaded."""

import random
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.formation import FormedExample, example, formed
from tests.integration.test_processes import receive, running
from tests.processes import SECONDS

from hmem import Memory
from hmem.errors import MemoryBusy
from hmem.formation import pipeline

TURNS = 128
BEFORE = 60


def told(memory: Memory) -> list[tuple[str, ...]]:
    """What the log tells, whenever it was told."""
    entries = memory.corpus.storage.recorded()
    return sorted((each.verb, each.by, each.before or "", each.after or "") for each in entries)


@pytest.fixture(scope="module")
def by_one() -> dict[str, Any]:
    with Memory(":memory:") as memory:
        memory.add(example(TURNS))
        return formed(memory) | {"log": told(memory)}


class Overtaken:
    """A memory whose steps another one may take just before they are stored, and how often it reads all chunks anew.

    Reading a part that is looked at for the first time does not count.
    """

    def __init__(self, memory: Memory) -> None:
        storage = memory.corpus.storage
        self._form, self._chunks = storage.form, storage.chunks
        self.tried = self.lost = self.reloads = 0
        self.before: Callable[[], object] | None = None
        storage.form, storage.chunks = self.form, self.chunks  # type: ignore[method-assign]

    def form(self, *given: Any, **named: Any) -> Any:
        before, self.before = self.before, None
        if before is not None:
            before()
        self.tried += 1
        done = self._form(*given, **named)
        self.lost += done is None
        return done

    def chunks(self, *, since: int = 0, **named: Any) -> Any:
        found = self._chunks(since=since, **named)
        self.reloads += since == 0 and "parts" not in named
        return found


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no handle wait for the other to go first: here the other acts inside a call of this one."""
    monkeypatch.setattr(pipeline, "PATIENCE", 0.0)
    monkeypatch.setattr(pipeline, "_PATIENCE_TURNS", 0)


@contextmanager
def racing(path: Path) -> Generator[tuple[Memory, Memory, Overtaken]]:
    """Two handles that have formed and loaded the first turns, and form what is added at once."""
    with Memory(path, form_later=False) as memory, Memory(path, form_later=False) as other:
        memory.add(example(BEFORE))
        for each in (memory, other):
            each.notes()
        yield memory, other, Overtaken(memory)


@pytest.mark.any_storage
def test_a_lost_step_is_rebased_not_reloaded(path: Path, by_one: dict[str, Any]) -> None:
    turns = example(TURNS)[BEFORE:]
    with racing(path) as (memory, other, overtaken):
        for one, another in zip(turns[::2], turns[1::2], strict=True):
            overtaken.before = lambda another=another: other.add(another)
            memory.add(one)
        assert (overtaken.lost, overtaken.reloads) == (len(turns) // 2, 0)
        assert formed(memory, memory._components.formation.derived) | {"log": told(memory)} == by_one
        assert memory.verify().problems == ()


def test_batches_that_lose_their_steps_come_to_the_same(path: Path, by_one: dict[str, Any]) -> None:
    chance, turns = random.Random(7), example(TURNS)[BEFORE:]
    with racing(path) as (memory, other, overtaken):
        start = 0
        while start < len(turns):
            size, more = chance.randint(1, 9), chance.randint(0, 9)
            mine, others = turns[start : start + size], turns[start + size : start + size + more]
            overtaken.before = (lambda others=others: other.add(others)) if others else None
            memory.add(mine)
            start += size + more
        assert overtaken.lost > 5
        assert overtaken.reloads == 0
        assert formed(memory, memory._components.formation.derived) | {"log": told(memory)} == by_one


def test_an_add_leaves_to_others_what_they_added_meanwhile(path: Path, by_one: dict[str, Any]) -> None:
    turns = example(TURNS)[BEFORE:]
    with racing(path) as (memory, other, overtaken), Memory(path) as late, late._components.worker.adding():
        for one, another, third in zip(turns[::3], turns[1::3], turns[2::3], strict=False):
            overtaken.tried = 0
            overtaken.before = lambda another=another, third=third: (other.add(another), late.add(third))
            memory.add(one)
            assert overtaken.tried == 1
        memory.add(turns[len(turns) // 3 * 3 :])
        memory.notes()
        assert formed(memory, memory._components.formation.derived) | {"log": told(memory)} == by_one


def test_what_another_forgot_meanwhile_is_gone_from_a_rebased_step(path: Path) -> None:
    turns = example(TURNS)[BEFORE:]
    with racing(path) as (memory, other, overtaken):
        ids = [turn.id for turn in memory.list(limit=BEFORE)]
        for number, turn in enumerate(turns[:6]):
            overtaken.before = lambda number=number: other.forget(ids[10 * number])
            memory.add(turn)
        assert overtaken.lost >= 6
        assert formed(memory, memory._components.formation.derived) == formed(memory)
        assert memory.verify().problems == ()


def test_a_step_that_cannot_be_stored_is_undone_and_made_up_for(path: Path, by_one: dict[str, Any]) -> None:
    turns = example(TURNS)[BEFORE:]

    def refuse() -> None:
        raise MemoryBusy("another process is writing - try again")

    with racing(path) as (memory, _, overtaken):
        for number, turn in enumerate(turns):
            overtaken.before = refuse if number % 3 == 0 else None
            memory.add(turn)
        assert memory.stats().formation_problem is None
        memory.notes()
        assert overtaken.reloads == 0
        assert formed(memory, memory._components.formation.derived) | {"log": told(memory)} == by_one


def write(line: Any, path: str, who: int) -> None:
    """Add turns one by one as fast as it goes; how many steps were lost, and how often everything was read again."""
    with Memory(path, busy_seconds=SECONDS, form_later=False) as memory:
        memory.notes()
        overtaken = Overtaken(memory)
        line.send("ready")
        line.recv()
        for number in range(20):
            memory.add(f"I am writer {who} and I moved to town number {number}.", speaker=f"w{who}", session=f"w{who}")
        line.send((overtaken.lost, overtaken.reloads))
        line.recv()


@pytest.mark.any_storage
def test_processes_that_write_at_once_never_reload(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, BEFORE)
    with running(write, path, 1) as one, running(write, path, 2) as two, running(write, path, 3) as three:
        lines = (one, two, three)
        for line in lines:
            assert receive(line) == "ready"
        for line in lines:
            line.send("go")
        told = [receive(line) for line in lines]
        for line in lines:
            line.send("done")
    assert [reloads for _, reloads in told] == [0, 0, 0]
    with Memory(path) as memory:
        assert memory.stats().unformed == 0
        together = formed(memory)
        memory.rebuild()
        assert formed(memory) == together
