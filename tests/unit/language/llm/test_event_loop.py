"""The loop on which clients live."""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import CancelledError

import pytest

from hmem.language.cancellation import Breakable
from hmem.language.llm import event_loop


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def test_several_threads_share_one_loop() -> None:
    loops: list[asyncio.AbstractEventLoop] = []

    async def here() -> None:
        loops.append(asyncio.get_running_loop())

    threads = [threading.Thread(target=event_loop.run, args=(here(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(loops) == 4
    assert len(set(map(id, loops))) == 1


def test_it_can_be_used_where_another_loop_runs() -> None:
    async def main() -> int:
        return event_loop.run(double(21))

    assert asyncio.run(main()) == 42


def test_an_error_comes_to_who_waits() -> None:
    async def wrong() -> None:
        raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        event_loop.run(wrong())


def test_a_wait_is_broken_off_with_its_block_and_so_is_what_comes_after_it() -> None:
    block = Breakable()
    timer = threading.Timer(0.05, block.break_off)
    timer.start()
    with block:
        for _ in range(2):
            with pytest.raises(CancelledError):
                event_loop.run(asyncio.sleep(600))
    timer.join()
    assert event_loop.run(double(21)) == 42


def test_a_process_may_end_in_the_middle_of_a_call() -> None:
    code = """
import asyncio, threading, time
from hmem.language.llm import event_loop
threading.Thread(target=lambda: event_loop.run(asyncio.sleep(600)), daemon=True).start()
time.sleep(0.2)
"""
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0
    assert "pending" not in done.stderr


def test_tidying_up_does_not_wait_for_itself() -> None:
    done = threading.Event()

    async def tidy() -> None:
        done.set()

    async def within() -> None:
        event_loop.finish(tidy())

    event_loop.run(within())
    assert done.wait(60)
