"""Uses are recorded in a moment, together."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.processes import SECONDS

from hmem import Memory
from hmem.corpus.access_log import MAX_WAITING, MOMENT
from hmem.storage.base import Use
from hmem.storage.sqlite.driver import Connection

AT = datetime(2025, 1, 6, tzinfo=UTC)


@pytest.fixture
def seqs(memory: Memory) -> list[int]:
    memory.add([f"I planted tree number {number}" for number in range(3)])
    with memory.corpus.reading():
        return memory.corpus.columns.seq.tolist()


def recorded(memory: Memory) -> list[Use]:
    return memory.corpus.storage.uses()


def test_a_use_is_recorded_a_moment_later_without_being_asked_for(memory: Memory, seqs: list[int]) -> None:
    memory.corpus.access_log.enqueue(seqs[:2], AT)
    memory.corpus.access_log.enqueue(seqs[1:2], AT)
    wanted, until = [(seqs[0], 1), (seqs[1], 2)], monotonic() + SECONDS
    while (found := [(use.seq, use.uses) for use in recorded(memory)]) != wanted and monotonic() < until:
        sleep(MOMENT / 10)
    assert found == wanted


@pytest.mark.parametrize("end", ["flush", "close"])
def test_what_waits_is_recorded_when_the_memory_is_flushed_or_closed(path: Path, end: str) -> None:
    with Memory(path) as memory:
        memory.add("I planted a pear tree")
        memory.ask("What did I plant?")
        getattr(memory, end)()
    with Memory(path) as again:
        assert [use.uses for use in recorded(again)] == [1]


def test_many_recalls_do_not_wait_for_the_moment(memory: Memory, seqs: list[int]) -> None:
    for _ in range(MAX_WAITING):
        memory.corpus.access_log.enqueue(seqs, AT)
    assert [use.uses for use in recorded(memory)] == [MAX_WAITING] * 3


def test_a_use_that_cannot_be_written_is_told_and_no_recall_fails(memory: Memory, path: Path, seqs: list[int]) -> None:
    memory.flush()
    with closing(Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        memory.ask("What did I plant?")
        memory.corpus.access_log.flush()
        trace = memory.search("What did I plant?", trace=True).trace
    assert trace is not None
    assert "being written by another process" in trace.steps["uses"]["not recorded"]
    memory.corpus.access_log.flush()
    assert memory.corpus.access_log.problem is None
    assert len(recorded(memory)) == 3
