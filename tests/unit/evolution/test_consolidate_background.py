from collections.abc import Callable
from time import monotonic, sleep

import pytest

from hmem.errors import MemoryClosed, StorageFull
from hmem.evolution import consolidate as module
from hmem.evolution.consolidate import Activity, Background

PATIENCE = 30.0


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
