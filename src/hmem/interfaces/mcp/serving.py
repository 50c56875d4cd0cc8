"""Transports of the server: stdio over pipes without threads, and HTTP with access checks."""

import asyncio
import hmac
import ipaddress
import json
import logging
import os
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, Final, Self

import anyio
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from hmem.errors import InvalidQuery, ServerUnavailable, Unprotected
from hmem.interfaces.mcp.greeting import Greeting, are_pipes
from hmem.interfaces.mcp.server import ToolServer

PATH: Final = "/mcp"
_NAMES: Final = ("127.0.0.1", "localhost", "[::1]")
_BODY: Final = 4 * 1024 * 1024
_SHUTDOWN_SECONDS: Final = 5
_SHORTEST_KEY: Final = 16
_UNREAD: Final = Greeting()


def log_to_stderr() -> None:
    """Send warnings to stderr, since stdout is the protocol's. Call it before the server is made."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="hmem mcp: %(levelname)s %(message)s")


def serve_stdio(server: ToolServer, on_first_answer: Callable[[], None], greeting: Greeting = _UNREAD) -> None:
    """Serve one client on stdin and stdout until it hangs up; call ``on_first_answer`` when it has its first answer."""
    anyio.run(server.serve, partial(streams, on_first_answer, greeting))


def serve_http(
    server: ToolServer,
    host: str,
    port: int,
    *,
    key: str | None = None,
    names: Sequence[str] = (),
    listening: Callable[[], None] = lambda: None,
) -> None:
    """Serve clients at ``http://HOST:PORT/mcp`` until interrupted; port 0 takes a free one. Prints the URL to stderr.

    Args:
        server: the server.
        host: an address or a name of this machine.
        port: the port.
        key: what clients send as ``Authorization: Bearer KEY``; needed on any address but loopback.
        names: further names that this machine is reached by, with or without a port.
        listening: called when the address is taken.

    Raises:
        Unprotected: it would listen beyond this machine without a key, or the key is too short.
        InvalidQuery: it would listen at all addresses without a name.
        ServerUnavailable: the address cannot be taken.
    """
    import uvicorn  # noqa: PLC0415 - not for stdio, where a client waits for the start

    _check_exposure(host, key, names)
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise ServerUnavailable(
            f"cannot listen at {host}:{port} ({error.strerror}) - choose another with --http"
        ) from error
    with listener:
        port = listener.getsockname()[1]
        address = f"[{host}]" if ":" in host else host
        app = guarded(server, address, port, key=key, names=names)
        print(f"hmem: serving http://{address}:{port}{PATH}", file=sys.stderr, flush=True)
        listening()
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=_SHUTDOWN_SECONDS)
        uvicorn.Server(config).run(sockets=[listener])


def guarded(server: ToolServer, host: str, port: int, *, key: str | None = None, names: Sequence[str] = ()) -> ASGIApp:
    """Return the application; it refuses foreign hosts and origins, and requests without the key."""
    server_names = [*(_NAMES if is_loopback(host.strip("[]")) else (host,)), *names]
    hosts = [
        host_name for name in server_names for host_name in ([name] if _has_port(name) else [f"{name}:{port}", name])
    ]
    security = TransportSecuritySettings(
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{host_name}" for host_name in hosts for scheme in ("http", "https")],
    )
    app = server.http(PATH, host, security, _BODY)
    return app if key is None else Keyed(app, key)


def is_loopback(host: str) -> bool:
    """Tell if an address or a name means this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _check_exposure(host: str, key: str | None, names: Sequence[str]) -> None:
    if key is not None and len(key) < _SHORTEST_KEY:
        raise Unprotected(f"the key is shorter than {_SHORTEST_KEY} characters - make one: openssl rand -hex 32")
    if is_loopback(host):
        return
    if key is None:
        raise Unprotected(f"{host} is reached from other machines - set a key in HMEM_MCP_KEY, or use 127.0.0.1")
    if host in ("0.0.0.0", "::") and not names:  # noqa: S104 - it is refused
        raise InvalidQuery(f"{host} has no name of its own - give the one that clients use with --allow-host")


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdigit() and not name.endswith("]")


class Keyed:
    """Middleware that answers only requests with a key."""

    def __init__(self, app: ASGIApp, key: str) -> None:
        self._app = app
        self._expected = f"Bearer {key}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 401."""
        if scope["type"] == "http":
            credentials = [value for name, value in scope["headers"] if name == b"authorization"]
            if len(credentials) != 1 or not hmac.compare_digest(credentials[0], self._expected):
                refusal = PlainTextResponse(
                    "KeyRefused: a key is needed - send Authorization: Bearer KEY", 401, {"WWW-Authenticate": "Bearer"}
                )
                await refusal(scope, receive, send)
                return
        await self._app(scope, receive, send)


# Maximal length of a line, which is one message, in bytes.
_LONGEST: Final = 64 * 1024 * 1024


@asynccontextmanager
async def streams(
    on_first_answer: Callable[[], None] = lambda: None, greeting: Greeting = _UNREAD
) -> AsyncGenerator[Any]:
    """Open the SDK's message streams over stdin and stdout. ``on_first_answer`` is called after the first line.

    Over pipes and sockets, which clients start servers with, the event loop reads and writes lines. For anything else
    the SDK uses a thread for each direction, which costs 3 thread switches for each call.
    """
    if not are_pipes(0, 1):
        async with stdio_server() as pair:
            on_first_answer()
            yield pair
        return
    wire = os.dup(0), os.dup(1)
    _divert()
    try:
        async with stdio_server(
            await _reader(wire[0], greeting.data), await _writer(wire[1], greeting.answered, on_first_answer)
        ) as pair:
            yield pair
    finally:
        _restore(wire)


class Lines:
    """Incoming lines."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> str:
        """Return the next line; one that is too long becomes an invalid message."""
        try:
            line = await self._stream.readline()
        except ValueError:
            return "too long"
        if not line:
            raise StopAsyncIteration
        return line.decode("utf-8", "replace")


class LineWriter:
    """Outgoing text."""

    def __init__(
        self, stream: asyncio.StreamWriter, answered: str | int | None, on_first_answer: Callable[[], None]
    ) -> None:
        self._stream = stream
        self._answered = answered
        self._on_first_answer: Callable[[], None] | None = on_first_answer

    async def write(self, text: str) -> None:
        """Send a text, but not the second answer to a greeting."""
        if self._answered is not None and json.loads(text).get("id") == self._answered:
            self._answered = None
            return
        self._stream.write(text.encode())

    async def flush(self) -> None:
        """Wait until the client has room.

        Raises:
            anyio.ClosedResourceError: the client has closed its end.
        """
        try:
            await self._stream.drain()
        except ConnectionError as error:
            raise anyio.ClosedResourceError from error
        if self._on_first_answer is not None:
            on_first_answer, self._on_first_answer = self._on_first_answer, None
            on_first_answer()


async def _reader(descriptor: int, data: bytes) -> Any:
    loop = asyncio.get_running_loop()
    stream = asyncio.StreamReader(_LONGEST, loop)
    stream.feed_data(data)
    pipe = os.fdopen(descriptor, "rb", buffering=0, closefd=False)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream, loop=loop), pipe)
    return Lines(stream)


async def _writer(descriptor: int, answered: str | int | None, on_first_answer: Callable[[], None]) -> Any:
    loop = asyncio.get_running_loop()
    pipe = os.fdopen(descriptor, "wb", buffering=0, closefd=False)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader(loop=loop), loop=loop), pipe
    )
    return LineWriter(asyncio.StreamWriter(transport, protocol, None, loop), answered, on_first_answer)


def _divert() -> None:
    """Redirect stdin to nothing and stdout to stderr, so that no library disturbs the protocol."""
    null_device = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null_device, 0)
    os.close(null_device)
    os.dup2(2, 1)


def _restore(wire: tuple[int, int]) -> None:
    # What was printed meanwhile goes where it was sent; a stderr that nobody reads any more takes nothing.
    with suppress(OSError):
        sys.stdout.flush()
    for target, descriptor in enumerate(wire):
        os.set_blocking(descriptor, True)
        os.dup2(descriptor, target)
        os.close(descriptor)
