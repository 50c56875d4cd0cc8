"""One event loop in a thread of its own, on which every model's client lives: so all threads share its connections."""

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

T = TypeVar("T")

_PATIENCE: Final = 5.0


class _Loop:
    """The loop of this process; it starts when first used, and again in a process that was forked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = 0

    def get(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._process != os.getpid():
                self._loop = asyncio.new_event_loop()
                self._process = os.getpid()
                self._thread = threading.Thread(target=self._loop.run_forever, name="hmem-models", daemon=True)
                self._thread.start()
            return self._loop

    def stop(self) -> None:
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None or self._process != os.getpid():
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_PATIENCE)
        if not thread.is_alive():
            loop.close()


_LOOP: Final = _Loop()
atexit.register(_LOOP.stop)


def start(work: Coroutine[Any, Any, T]) -> "Future[T]":
    """Let a coroutine run on the loop; its future can be waited for and cancelled."""
    return asyncio.run_coroutine_threadsafe(work, _LOOP.get())


def run(work: Coroutine[Any, Any, T]) -> T:
    """What a coroutine gives, run on the loop while this thread waits; it is cancelled when the wait is broken off."""
    future = start(work)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
