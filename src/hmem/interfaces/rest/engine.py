"""What does the work behind the server: a pool in its own process, or several processes that share the memories out."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import anyio
import anyio.to_thread

from hmem.errors import ServerUnavailable
from hmem.interfaces.operations import Arguments
from hmem.interfaces.rest.pool import Pool
from hmem.interfaces.rest.settings import Settings
from hmem.language.cancellation import Breakable

# What an operation says as it goes on, and at its end None.
Pieces = asyncio.Queue[bytes | None]


class Engine(ABC):
    """Does operations on memories; the event loop is never held up by it."""

    @abstractmethod
    async def start(self) -> None:
        """Begin."""

    @abstractmethod
    async def call(self, memory: str, operation: str, arguments: Arguments) -> bytes:
        """Do an operation; its result as JSON.

        Raises:
            HmemError: as the operation does.
            ServerUnavailable: what was at work on it is gone, or going.
        """

    @abstractmethod
    def stream(self, memory: str, operation: str, arguments: Arguments) -> AsyncGenerator[tuple[bytes, bool]]:
        """The same for an operation that says something as it goes on: each piece, and at last (True) its result.

        Closed before that, it breaks off the calls of models that are made for it.
        """

    @abstractmethod
    async def figures(self) -> Mapping[str, Any]:
        """How many memories are open."""

    @property
    @abstractmethod
    def ready(self) -> bool:
        """Whether it takes calls."""

    @abstractmethod
    async def close(self) -> None:
        """End when the calls at work have ended, with every memory closed."""


class Threads(Engine):
    """A pool in this process, and threads that work on it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pool: Pool | None = None

    async def start(self) -> None:
        """Begin."""
        self._pool = Pool(self._settings)
        self._limit = anyio.CapacityLimiter(self._settings.threads)

    async def call(self, memory: str, operation: str, arguments: Arguments) -> bytes:
        """Do an operation in a thread. It goes on to its end when nobody waits for it any more."""
        pool = self._pool
        if pool is None:
            raise ServerUnavailable("the server is going down - try again")
        return await anyio.to_thread.run_sync(
            pool.call, memory, operation, arguments, limiter=self._limit, abandon_on_cancel=True
        )

    def stream(self, memory: str, operation: str, arguments: Arguments) -> AsyncGenerator[tuple[bytes, bool]]:
        """The same, with what is said meanwhile."""
        pool, loop = self._pool, asyncio.get_running_loop()
        if pool is None:
            raise ServerUnavailable("the server is going down - try again")

        async def work(pieces: Pieces) -> bytes:
            def tell(piece: str) -> None:
                loop.call_soon_threadsafe(pieces.put_nowait, piece.encode("utf-8", "replace"))

            with Breakable() as block:
                # The thread has the context of this task, and so the block.
                do = partial(pool.call, memory, operation, arguments, tell)
                try:
                    return await anyio.to_thread.run_sync(do, limiter=self._limit, abandon_on_cancel=True)
                finally:
                    block.break_off()

        return as_it_is_said(work)

    async def figures(self) -> Mapping[str, Any]:
        """How many memories are open."""
        return {"open": len(self._pool) if self._pool is not None else 0}

    @property
    def ready(self) -> bool:
        """Whether it takes calls."""
        return self._pool is not None

    async def close(self) -> None:
        """End when the calls at work have ended."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await anyio.to_thread.run_sync(pool.close)


async def as_it_is_said(work: Callable[[Pieces], Awaitable[bytes]]) -> AsyncGenerator[tuple[bytes, bool]]:
    """What some work says, and at last (True) its result.

    Raises:
        HmemError: as the work does.
    """
    pieces: Pieces = asyncio.Queue()
    task = asyncio.ensure_future(work(pieces))
    task.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield piece, False
        yield await task, True
    finally:
        task.cancel()


def threads(settings: Settings) -> ThreadPoolExecutor:
    """The threads of a process that works for a server."""
    return ThreadPoolExecutor(settings.threads, "hmem-call")


def engine_for(settings: Settings) -> Engine:
    """The engine that the settings ask for."""
    if settings.workers:
        from hmem.interfaces.rest.workers import Workers  # noqa: PLC0415 - it derives from what is here

        return Workers(settings)
    return Threads(settings)
