"""Engines behind the server: a pool of memories in its own process, or in several worker processes.

A memory belongs to one process, so that its state is held once and concurrent turns share a transaction. A process that
dies is started anew, and its callers are told to try again. When the server dies, its connection to the process ends,
and the process ends after the calls at work.
"""

import asyncio
import json
import signal
import socket
import struct
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import count
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from threading import Lock
from typing import Final
from zlib import crc32

import anyio
import anyio.to_thread

from hmem.errors import HmemError, ServerFault, ServerUnavailable
from hmem.interfaces.operations import Arguments
from hmem.interfaces.rest import names
from hmem.interfaces.rest.pool import Pool
from hmem.interfaces.rest.problems import error_named
from hmem.interfaces.rest.settings import Settings
from hmem.language.cancellation import Breakable

# Pieces that an operation says while it runs; None marks the end.
ChunkQueue = asyncio.Queue[bytes | None]


class Threads:
    """Pool in this process, with threads that work on it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._pool: Pool | None = None

    async def start(self) -> None:
        """Open the pool."""
        self._pool = Pool(self._settings)
        self._limit = anyio.CapacityLimiter(self._settings.threads)

    async def call(self, memory: str, operation: str, arguments: Arguments) -> bytes:
        """Do an operation in a thread, to its end even if the caller is cancelled, and return its result as JSON.

        Raises:
            HmemError: as the operation does.
            ServerUnavailable: the engine is closing.
        """
        pool = self._pool
        if pool is None:
            raise ServerUnavailable("the server is going down - try again")
        if not self._limit.available_tokens:
            pool.check_away()
        return await anyio.to_thread.run_sync(
            pool.call, memory, operation, arguments, limiter=self._limit, abandon_on_cancel=True
        )

    def stream(self, memory: str, operation: str, arguments: Arguments) -> AsyncGenerator[tuple[bytes, bool]]:
        """Yield the pieces that an operation says in a thread, each with False, and its result last, with True.

        Closing the generator before its end cancels the calls of models that are made for it.
        """
        pool, loop = self._pool, asyncio.get_running_loop()
        if pool is None:
            raise ServerUnavailable("the server is going down - try again")

        async def work(chunks: ChunkQueue) -> bytes:
            def on_chunk(chunk: str) -> None:
                loop.call_soon_threadsafe(chunks.put_nowait, chunk.encode("utf-8", "replace"))

            with Breakable() as block:
                # The thread inherits this task's context, and with it the block.
                do = partial(pool.call, memory, operation, arguments, on_chunk)
                try:
                    return await anyio.to_thread.run_sync(do, limiter=self._limit, abandon_on_cancel=True)
                finally:
                    block.break_off()

        return stream_chunks(work)

    async def figures(self) -> Mapping[str, int]:
        """Return the figures of the pool."""
        return self._pool.figures() if self._pool is not None else {}

    @property
    def ready(self) -> bool:
        """True if it accepts calls."""
        return self._pool is not None

    async def close(self) -> None:
        """Close the pool once the calls at work have ended."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await anyio.to_thread.run_sync(pool.close)


async def stream_chunks(work: Callable[[ChunkQueue], Awaitable[bytes]]) -> AsyncGenerator[tuple[bytes, bool]]:
    """Yield the pieces that some work puts into its queue, each with False, and its result last, with True.

    Raises:
        HmemError: as the work does.
    """
    chunks: ChunkQueue = asyncio.Queue()
    task = asyncio.ensure_future(work(chunks))
    task.add_done_callback(lambda _: chunks.put_nowait(None))
    try:
        while (chunk := await chunks.get()) is not None:
            yield chunk, False
        yield await task, True
    finally:
        task.cancel()


_SPAWN: Final = get_context("spawn")
# Header of a frame: number of the call, length of the body, kind (error, result, piece, or call abandoned).
_HEAD: Final = struct.Struct(">QIB")
_ERROR, _RESULT, _CHUNK, _CANCELLED = 0, 1, 2, 3
_POOL: Final = ""


class Workers:
    """Several processes, each with a pool."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._workers: list[_WorkerConnection] = []

    async def start(self) -> None:
        """Start the processes."""
        self._workers = [_WorkerConnection(self._settings) for _ in range(self._settings.workers)]
        for worker in self._workers:
            await worker.open()

    async def call(self, memory: str, operation: str, arguments: Arguments) -> bytes:
        """Do an operation in the process that the memory belongs to."""
        return await self._worker(memory).call(memory, operation, arguments)

    def stream(self, memory: str, operation: str, arguments: Arguments) -> AsyncGenerator[tuple[bytes, bool]]:
        """Yield the pieces and the result of an operation in that process."""
        return stream_chunks(partial(self._worker(memory).call, memory, operation, arguments))

    def _worker(self, memory: str) -> "_WorkerConnection":
        if not self._workers:
            raise ServerUnavailable("the server is going down - try again")
        # Names that differ in case only must conflict in one process.
        return self._workers[crc32(names.normalise(memory).casefold().encode()) % len(self._workers)]

    async def figures(self) -> Mapping[str, int]:
        """Return the figures of the pools, over all processes."""
        totals: Counter[str] = Counter()
        for worker in self._workers:
            totals.update(json.loads(await worker.call(_POOL, "figures", {})))
        return totals

    @property
    def ready(self) -> bool:
        """True if every process accepts calls."""
        return bool(self._workers) and all(worker.alive for worker in self._workers)

    async def close(self) -> None:
        """Stop every process once its calls at work have ended."""
        workers, self._workers = self._workers, []
        await asyncio.gather(*(worker.close(self._settings.stop_seconds) for worker in workers))


# Executor of operations on memories that never blocks the event loop.
Engine = Threads | Workers


def engine_for(settings: Settings) -> Engine:
    """Return the engine that the settings ask for."""
    if settings.workers:
        return Workers(settings)
    return Threads(settings)


class _WorkerConnection:
    """Worker process and the socket to it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._pieces: dict[int, ChunkQueue] = {}
        self._process: BaseProcess | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self._closing = False

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.is_alive()

    async def open(self) -> None:
        server_end, worker_end = socket.socketpair()
        self._process = _SPAWN.Process(target=serve, args=(worker_end, self._settings), daemon=True)
        await asyncio.to_thread(self._process.start)
        worker_end.close()
        reader, self._writer = await asyncio.open_connection(sock=server_end)
        self._reading = asyncio.create_task(self._read(reader))

    async def call(self, memory: str, operation: str, arguments: Arguments, chunks: ChunkQueue | None = None) -> bytes:
        number = next(self._numbers)
        self._waiting[number] = answer = asyncio.get_running_loop().create_future()
        if chunks is not None:
            self._pieces[number] = chunks
        body = json.dumps([memory, operation, arguments], ensure_ascii=False).encode("utf-8", "surrogatepass")
        if self._writer is None:
            raise ServerUnavailable("the server is beginning anew - try again")
        try:
            self._writer.write(_HEAD.pack(number, len(body), _RESULT) + body)
            return await answer
        except asyncio.CancelledError:
            if chunks is not None:
                self._cancel(number)
            raise
        finally:
            self._waiting.pop(number, None)
            self._pieces.pop(number, None)

    def _cancel(self, number: int) -> None:
        if self._writer is not None:
            self._writer.write(_HEAD.pack(number, 0, _CANCELLED))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while True:
                number, length, kind = _HEAD.unpack(await reader.readexactly(_HEAD.size))
                body = await reader.readexactly(length)
                if kind == _CHUNK:
                    self._on_chunk(number, body)
                    continue
                answer = self._waiting.get(number)
                if answer is None or answer.done():
                    continue
                if kind == _RESULT:
                    answer.set_result(body)
                else:
                    answer.set_exception(error_named(*json.loads(body)))
        except (asyncio.IncompleteReadError, ConnectionError):
            await self._on_disconnect()

    def _on_chunk(self, number: int, chunk: bytes) -> None:
        if (chunks := self._pieces.get(number)) is not None:
            chunks.put_nowait(chunk)

    async def _on_disconnect(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ServerUnavailable("the process at work on this was lost - try again"))
        if not self._closing:
            await self.open()

    async def close(self, seconds: float) -> None:
        self._closing = True
        if self._writer is not None:
            self._writer.write_eof()
        if self._process is not None:
            await asyncio.to_thread(self._process.join, seconds)
            if self._process.is_alive():
                self._process.kill()
        if self._reading is not None:
            await self._reading


# In the worker process.


def serve(line: socket.socket, settings: Settings) -> None:
    """Do the operations that come through a socket, until it ends. Runs in the worker process."""
    # A terminal's interrupt is for the server, which closes the socket when all is done.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pool, writing, blocks = Pool(settings), Lock(), dict[int, Breakable]()
    with line, ThreadPoolExecutor(settings.threads, "hmem-call") as executor:
        source = line.makefile("rb")
        while True:
            head = source.read(_HEAD.size)
            if len(head) < _HEAD.size:
                break
            number, length, kind = _HEAD.unpack(head)
            if kind == _CANCELLED:
                _break_off(blocks, number)
                continue
            memory, operation, arguments = json.loads(source.read(length).decode("utf-8", "surrogatepass"))
            on_chunk = partial(_send_chunk, line, writing, number)
            call = partial(_work, blocks.setdefault(number, Breakable()), pool, memory, operation, arguments, on_chunk)
            work = _submit(executor, call, pool if len(blocks) > settings.threads else None)
            work.add_done_callback(lambda _, number=number: blocks.pop(number))
            work.add_done_callback(partial(_answer, line, writing, number))
        executor.shutdown(wait=True)
        pool.close()


def _submit(executor: ThreadPoolExecutor, call: Callable[[], bytes], busy_pool: Pool | None) -> Future[bytes]:
    """Return the result of a call, or its refusal if the threads of a pool wait for a storage that is away."""
    if busy_pool is not None:
        try:
            busy_pool.check_away()
        except HmemError as error:
            refused = Future[bytes]()
            refused.set_exception(error)
            return refused
    return executor.submit(call)


def _break_off(blocks: Mapping[int, Breakable], number: int) -> None:
    # The call may have ended meanwhile.
    if (block := blocks.get(number)) is not None:
        block.break_off()


def _work(
    block: Breakable, pool: Pool, memory: str, operation: str, arguments: Arguments, on_chunk: Callable[[str], None]
) -> bytes:
    if memory == _POOL:
        return json.dumps(pool.figures()).encode()
    with block:
        return pool.call(memory, operation, arguments, on_chunk)


def _send_chunk(line: socket.socket, writing: Lock, number: int, chunk: str) -> None:
    _send(line, writing, number, _CHUNK, chunk.encode("utf-8", "replace"))


def _answer(line: socket.socket, writing: Lock, number: int, work: Future[bytes]) -> None:
    error = work.exception()
    if error is None:
        body, kind = work.result(), _RESULT
    else:
        problem = (
            error if isinstance(error, HmemError) else ServerFault(f"{type(error).__name__} - see the server's log")
        )
        body, kind = json.dumps([type(problem).__name__, str(problem)]).encode(), _ERROR
    _send(line, writing, number, kind, body)


def _send(line: socket.socket, writing: Lock, number: int, kind: int, body: bytes) -> None:
    try:
        with writing:
            line.sendall(_HEAD.pack(number, len(body), kind) + body)
    except OSError:
        # The server is gone and nobody waits; the work done is durable.
        return
