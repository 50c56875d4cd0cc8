"""The lines of a client that started the server, over its pipes without a thread for each of them."""

import asyncio
import os
import stat
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Final, Self

import anyio
from mcp.server.stdio import stdio_server

# A line is a message; what is longer is none.
_LONGEST: Final = 64 * 1024 * 1024


@asynccontextmanager
async def streams() -> AsyncGenerator[Any]:
    """The SDK's streams of messages over stdin and stdout, for as long as it is entered.

    Over pipes and sockets, which clients start servers with, lines come by the event loop. The SDK reads and writes
    each in a thread, as anything else needs: that is 3 changes of thread for each call.
    """
    if not are_pipes(0, 1):
        async with stdio_server() as both:
            yield both
        return
    wire = os.dup(0), os.dup(1)
    _divert()
    try:
        async with stdio_server(await _reader(wire[0]), await _writer(wire[1])) as both:
            yield both
    finally:
        _restore(wire)


def are_pipes(first: int, second: int) -> bool:
    """Whether two descriptors are pipes or sockets, each of its own."""
    if sys.platform == "win32":
        return False
    both = [os.fstat(descriptor) for descriptor in (first, second)]
    kinds = all(stat.S_ISFIFO(each.st_mode) or stat.S_ISSOCK(each.st_mode) for each in both)
    return kinds and (both[0].st_dev, both[0].st_ino) != (both[1].st_dev, both[1].st_ino)


class Lines:
    """What comes in, a line at a time."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        """The next line; one that is too long comes as none that the protocol knows."""
        try:
            line = await self._stream.readline()
        except ValueError:
            return "too long"
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


class Out:
    """What goes out."""

    def __init__(self, stream: asyncio.StreamWriter) -> None:
        self._stream = stream

    async def write(self, text: str) -> None:
        """Send a text."""
        self._stream.write(text.encode())

    async def flush(self) -> None:
        """Wait until the client has room.

        Raises:
            anyio.ClosedResourceError: it reads no more.
        """
        try:
            await self._stream.drain()
        except ConnectionError as error:
            raise anyio.ClosedResourceError from error


async def _reader(descriptor: int) -> Any:
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader(_LONGEST, loop)
    pipe = os.fdopen(descriptor, "rb", buffering=0, closefd=False)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream, loop=loop), pipe)
    return Lines(stream)


async def _writer(descriptor: int) -> Any:
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(descriptor, "wb", buffering=0, closefd=False)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=loop), loop=loop), pipe
    )
    return Out(asyncio.StreamWriter(transport, protocol, None, loop))


def _divert() -> None:
    """What a library reads is nothing, and what it prints goes to stderr: stdout is the protocol's."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)


def _restore(wire: tuple[int, int]) -> None:
    for place, descriptor in enumerate(wire):
        os.set_blocking(descriptor, True)
        os.dup2(descriptor, place)
        os.close(descriptor)
