import gc
import os
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.formation import FormedExample, example
from tests.unit.evolution.test_consolidate_background import at_work_in, wait_until

from hmem import Memory
from hmem.api import maintenance
from hmem.evolution import consolidate as background

# Threads of a server that other tests share.
OTHERS = set[threading.Thread]()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background.Background.__init__, "__defaults__", (0.01,))
    OTHERS.clear()
    OTHERS.update(threads())


def threads() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == "hmem-consolidation" and each not in OTHERS]


def left(memory: Memory) -> int:
    return memory.consolidate(texts=0).left


def test_a_memory_that_is_left_alone_consolidates_itself(path: Path) -> None:
    with Memory(path, background=True) as memory, Memory(path) as other:
        memory.add(example(60))
        wait_until(lambda: bool(other.corpus.storage.state().progress.step and not left(other)))
        memory.add(example(70)[60:])
        wait_until(lambda: not left(other))
        assert memory.stats().consolidation_problem is None
    assert threads() == []


def test_what_another_process_left_behind_is_made_up_for(path: Path, formed_example: FormedExample) -> None:
    formed_example(path, 30)
    with Memory(path) as memory:
        memory.corpus.storage.clear_formed()
    with Memory(path, background=True), Memory(path) as other:
        wait_until(lambda: not other.stats().unformed)
        wait_until(lambda: not left(other))


def test_recalls_and_writes_go_on_while_it_works(path: Path) -> None:
    with Memory(path, background=True) as memory:
        for each in example(60):
            memory.add([each])
            assert memory.search("what happened?", k=3)
        assert memory.verify().ok


def test_closing_leaves_no_thread(path: Path) -> None:
    memory = Memory(path, background=True)
    memory.add(example(80))
    assert len(threads()) == 1
    memory.close()
    memory.close()
    assert threads() == []
    with Memory(path) as again:
        assert again.verify().ok


def test_a_memory_that_nobody_holds_any_more_ends_its_thread(path: Path) -> None:
    memory = Memory(path, background=True)
    del memory
    gc.collect()
    wait_until(lambda: not threads())


def test_rebuilding_and_consolidating_by_hand_go_with_it(path: Path) -> None:
    with Memory(path, background=True) as memory:
        memory.add(example(40))
        memory.rebuild()
        assert memory.consolidate().complete
        assert memory.verify().ok


def test_memories_of_one_process_are_all_consolidated_in_the_end(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.hmem" for number in range(3)]
    with ExitStack() as stack:
        memories = [stack.enter_context(Memory(path, background=True)) for path in paths]
        for memory in memories:
            memory.add(example(20))
        for path in paths:
            with Memory(path) as other:
                wait_until(lambda other=other: bool(other.corpus.storage.state().progress.step and not left(other)))


def test_a_memory_waits_while_another_of_the_process_is_consolidated(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    throttle, goes_on = background.Throttle(lambda: 0), threading.Event()
    monkeypatch.setattr(maintenance, "_THROTTLE", throttle)
    another = at_work_in(throttle, goes_on)
    with Memory(path) as memory:
        memory.add(example(20))
        assert not memory._maintenance._tend()
        due = left(memory)
        goes_on.set()
        another.join()
        assert due
        # Other memories of this process may take the throttle for a moment, too.
        wait_until(lambda: not memory._maintenance._tend() and not left(memory))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_child_that_was_forked_during_a_consolidation_consolidates(monkeypatch: pytest.MonkeyPatch) -> None:
    throttle, goes_on = background.Throttle(lambda: 0), threading.Event()
    monkeypatch.setattr(maintenance, "_THROTTLE", throttle)
    another = at_work_in(throttle, goes_on)
    if not (child := os.fork()):
        os._exit(not throttle.do(lambda: True))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not throttle.do(lambda: pytest.fail("two at once"))
    goes_on.set()
    another.join()
