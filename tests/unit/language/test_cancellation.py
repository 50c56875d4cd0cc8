"""Calls that are broken off by whoever learns that nobody waits for them."""

import threading
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from hmem.language.cancellation import Breakable, breakable


def test_a_block_is_of_its_thread_and_ends() -> None:
    seen: list[Any] = []
    with Breakable() as outer:
        with Breakable() as inner:
            assert breakable() is inner
        assert breakable() is outer
        thread = threading.Thread(target=lambda: seen.append(breakable()))
        thread.start()
        thread.join()
    assert seen == [None]
    assert breakable() is None


def test_calls_under_way_and_later_ones_are_broken_off_and_those_that_ended_are_not() -> None:
    block, ended, under_way, late = Breakable(), Future[int](), Future[int](), Future[int]()
    block.hold(ended)
    block.hold(under_way)
    ended.set_result(1)
    for _ in range(2):
        block.break_off()
    assert block.broken
    assert (ended.cancelled(), under_way.cancelled()) == (False, True)
    with pytest.raises(CancelledError):
        block.hold(late)
    assert late.cancelled()
