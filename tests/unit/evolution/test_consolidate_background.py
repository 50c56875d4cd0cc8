from collections.abc import Callable
from itertools import pairwise
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from hmem.errors import MemoryClosed, StorageFull
from hmem.evolution import consolidate as module
from hmem.evolution.consolidate import Activity, Background, Throttle

PATIENCE = 100.0


def wait_until(said: Callable[[], bool]) -> None:
    end = monotonic() + PATIENCE
    while not said():
        assert monotonic() < end
        sleep(0.002)


def test_it_works_as_long_as_there_is_more_and_again_later() -> None:
    calls: list[int] = []

    def work() -> bool:
        calls.append(1)
        return len(calls) % 3 != 0

    background = Background(lambda: (1,), work, idle=0.005)
    wait_until(lambda: len(calls) > 6)
    background.stop()
    background.stop()
    done = len(calls)
    sleep(0.05)
    assert len(calls) == done
    assert not background._thread.is_alive()


def test_it_does_nothing_while_something_goes_on() -> None:
    calls: list[int] = []
    looks: list[int] = []

    def activity() -> Activity:
        looks.append(1)
        return (len(looks),)

    background = Background(activity, lambda: bool(calls.append(1)), idle=0.005)
    wait_until(lambda: len(looks) > 5)
    background.stop()
    assert calls == []


def test_an_error_is_told_until_it_works_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LATER", 0.005)
    full = [True]

    def work() -> bool:
        if full[0]:
            raise StorageFull("the disk is full - make room")
        return False

    background = Background(lambda: (1,), work, idle=0.005)
    wait_until(lambda: background.problem == "the disk is full - make room")
    full[0] = False
    wait_until(lambda: background.problem is None)
    background.stop()


def test_it_ends_with_the_memory() -> None:
    def work() -> bool:
        raise MemoryClosed("this memory was closed - open it again")

    for background in (Background(lambda: (1,), work, idle=0.001), Background(lambda: None, work, idle=0.001)):
        background._thread.join(PATIENCE)
        assert not background._thread.is_alive()
        assert background.problem is None


# One memory at a time.


def at_work_in(throttle: Throttle, goes_on: Event) -> Thread:
    """A memory in the middle of a piece of work, until it goes on."""
    began = Event()

    def work() -> bool:
        began.set()
        return goes_on.wait(PATIENCE)

    thread = Thread(target=throttle.do, args=(work,))
    thread.start()
    assert began.wait(PATIENCE)
    return thread


def test_a_memory_waits_while_another_works_and_goes_on_after_it() -> None:
    throttle, goes_on = Throttle(lambda: 0), Event()
    thread = at_work_in(throttle, goes_on)
    assert not throttle.do(lambda: pytest.fail("two at once"))
    goes_on.set()
    thread.join(PATIENCE)
    assert throttle.do(lambda: True)


def test_a_recall_from_any_memory_postpones_the_next_piece_by_a_pause() -> None:
    now, recalls = [100.0], [0]
    throttle = Throttle(lambda: recalls[0], idle=0.5, clock=lambda: now[0])
    assert throttle.do(lambda: True)
    assert throttle.do(lambda: True)
    recalls[0] += 1
    assert not throttle.do(lambda: pytest.fail("beside a recall"))
    now[0] += 0.5
    assert throttle.do(lambda: True)
    assert throttle.do(lambda: True)


def test_under_recalls_without_end_each_pause_has_one_piece() -> None:
    now, recalls, done = [100.0], [0], list[float]()
    throttle = Throttle(lambda: recalls[0], idle=0.5, clock=lambda: now[0])
    for _ in range(40):
        recalls[0] += 1
        now[0] += 0.125
        throttle.do(lambda: not done.append(now[0]))
    assert [later - sooner for sooner, later in pairwise(done)] == [0.5] * 9


def test_a_memory_with_nothing_to_do_keeps_no_other_from_its_work() -> None:
    now, recalls = [100.0], [0]
    throttle = Throttle(lambda: recalls[0], idle=0.5, clock=lambda: now[0])
    assert throttle.do(lambda: True)
    now[0] += 0.5
    recalls[0] += 1
    assert not throttle.do(lambda: False)
    recalls[0] += 1
    assert throttle.do(lambda: True)


def test_work_that_fails_lets_the_next_memory_begin() -> None:
    throttle = Throttle(lambda: 0)

    def work() -> bool:
        raise StorageFull("the disk is full - make room")

    with pytest.raises(StorageFull):
        throttle.do(work)
    assert throttle.do(lambda: True)
