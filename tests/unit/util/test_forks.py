"""A fork waits for what other threads are at, so that a child inherits no lock that nobody will release."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Lock, Thread

import pytest

from hmem import Memory
from hmem.util import forks
from hmem.util.forks import register_fork_lock

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning"),
]


def forked(task: Callable[[], bool]) -> bool:
    """Run a task in a forked process; False if it fails or hangs."""
    if not (child := os.fork()):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(30)
        os._exit(not task())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


class Working:
    """Something with a lock."""

    def __init__(self, name: str, told: list[str]) -> None:
        self.lock, self._name, self._told = Lock(), name, told

    def before_fork(self) -> None:
        self.lock.acquire()
        self._told.append(self._name)

    def after_fork(self) -> None:
        self.lock.release()


def test_a_fork_waits_for_a_lock_that_another_thread_holds() -> None:
    told: list[str] = []
    working, taken, free = Working("it", told), Event(), Event()
    register_fork_lock(working)

    def work() -> None:
        with working.lock:
            taken.set()
            free.wait(0.2)
            told.append("done")

    thread = Thread(target=work)
    thread.start()
    taken.wait()
    assert forked(lambda: working.lock.acquire(timeout=5))
    thread.join()
    assert told == ["done", "it"]
    assert working.lock.acquire(blocking=False)


def test_outer_locks_are_taken_before_inner_ones() -> None:
    told: list[str] = []
    inner, outer = Working("inner", told), Working("outer", told)
    register_fork_lock(inner)
    register_fork_lock(outer, outer=True)
    assert forked(lambda: True)
    assert told == ["outer", "inner"]
    assert not forks._ready


def test_a_memory_that_is_open_and_at_work_may_be_used_on_both_sides_of_a_fork(tmp_path: Path) -> None:
    path = tmp_path / "a.hmem"

    def said(memory: Memory) -> bool:
        return memory.add("The child found a hedgehog.", speaker="Cleo").fate == "stored"

    def said_anew() -> bool:
        with Memory(path) as memory:
            return said(memory)

    with Memory(path) as memory:
        for number in range(5):
            memory.add(f"Rex the dog dug up {number} bones.", speaker="Ben")
            assert forked(lambda: said(memory))
            assert forked(said_anew)
        assert len(memory.list()) == 15
        assert memory.search("hedgehog", k=1)[0].speaker == "Cleo"
        assert memory.verify().problems == ()


def test_a_fork_within_a_transaction_leaves_it_alone(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.hmem") as memory:
        memory.add("Rex dug up a bone.", speaker="Ben")
        with memory.corpus.storage.snapshot():
            assert forked(lambda: True)
        assert [turn.text for turn in memory.list()] == ["Rex dug up a bone."]


def test_a_memory_that_was_closed_holds_up_no_fork(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "a.hmem")
    memory.add("Rex dug up a bone.", speaker="Ben")
    memory.close()
    assert forked(lambda: True)
    assert not forks._ready


def test_a_fork_takes_the_locks_of_pools_of_threads_last() -> None:
    """A thread that holds a lock of ours may start work in a pool, which takes the lock of all pools."""

    class Starting(Working):
        def before_fork(self) -> None:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(told.append, "started").result(timeout=5)
            super().before_fork()

    told: list[str] = []
    starting = Starting("it", told)
    register_fork_lock(starting)
    assert forked(lambda: True)
    assert told == ["started", "it"]
