"""Event loop in its own thread, which runs every client, so that all threads share their connections."""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future, wait
from typing import Any, Final, TypeVar

from hmem.errors import ModelUnavailable
from hmem.language.cancellation import breakable

T = TypeVar("T")

_PATIENCE: Final = 5.0


class _Loop:
    """Loop of this process, started on first use."""

    def __init__(self) -> None:
        # A finaliser may run while this very thread holds the lock.
        self._lock = threading.RLock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._left: list[asyncio.AbstractEventLoop] = []

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="hmem-models", daemon=True)
                self._thread.start()
            return self._loop

    def is_mine(self) -> bool:
        """Tell if this thread is the loop's own."""
        return threading.current_thread() is self._thread

    def stop(self) -> None:
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            wait([asyncio.run_coroutine_threadsafe(_break_off(), loop)], _PATIENCE)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(_PATIENCE)
            if not thread.is_alive():
                loop.close()

    def forget(self) -> None:
        """Drop the parent's loop after a fork: it has no thread here. It is kept, not closed."""
        self._lock = threading.RLock()
        if self._loop is not None:
            self._left.append(self._loop)
        self._loop = self._thread = None


async def _break_off() -> None:
    """Cancel all tasks of the loop, and wait for their cleanup."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


_LOOP: Final = _Loop()
atexit.register(_LOOP.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_LOOP.forget)


def start(work: Coroutine[Any, Any, T]) -> "Future[T]":
    """Start a coroutine on the loop; return its future, which can be waited for and cancelled.

    Raises:
        CancelledError: the block of this thread was broken off.
    """
    future = asyncio.run_coroutine_threadsafe(work, _LOOP.get())
    if (block := breakable()) is not None:
        block.hold(future)
    return future


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop, and return its result.

    Raises:
        ModelUnavailable: the process ends first.
        CancelledError: the block of this thread was broken off.
    """
    return awaited(start(work))


def awaited(future: "Future[T]") -> T:
    """Wait for a future, and return its result; cancel it if the wait is interrupted.

    Raises:
        ModelUnavailable: the process ends first.
        CancelledError: the block of this thread was broken off.
    """
    try:
        return future.result()
    except CancelledError:
        if (block := breakable()) is not None and block.broken:
            raise
        raise ModelUnavailable("the process ends before the model has answered - it is asked again later") from None
    finally:
        # This has no effect on a future that is done.
        future.cancel()


def finish(work: Coroutine[Any, Any, None]) -> None:
    """Run a cleanup coroutine; wait for it a few seconds, unless this thread is the loop's own."""
    future = asyncio.run_coroutine_threadsafe(work, _LOOP.get())
    if not _LOOP.is_mine():
        wait([future], _PATIENCE)
