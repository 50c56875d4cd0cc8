"""HTTP server: where it may listen, how it starts and stops, and limits against slow clients and many of them."""

import asyncio
import gc
import logging
import os
import secrets
import signal
import socket
import ssl
from asyncio import TimerHandle, Transport
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hmem.errors import (
    HmemError,
    InvalidFile,
    InvalidRequest,
    RequestTooLarge,
    RequestTooSlow,
    ServerUnavailable,
    StorageError,
    Unprotected,
)
from hmem.interfaces.rest.app import create_app
from hmem.interfaces.rest.explorer import LocalPage
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.problems import MEDIA, problem
from hmem.interfaces.rest.settings import Settings
from hmem.interfaces.rest.telemetry import LOGGER, log_to_stderr
from hmem.util.files import private_root

# What is formed of a memory is many objects that stay: the collector would go through them again and again while they
# are loaded. Thresholds of ``gc``.
COLLECTING: Final = (20_000, 50, 10)
# Share of the files that a process may open that connections may take; the rest is for memories.
_SHARE: Final = 0.5
_PHRASES: Final = {
    400: "Bad Request",
    408: "Request Timeout",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class Connections:
    """Open connections by the client's address, so that nobody keeps others out.

    At most ``limit`` are open, and ``by_client`` of one address. An idle one makes room for a new one: the one that has
    been idle for longest is closed. For one thread.
    """

    def __init__(self, limit: int, by_client: int) -> None:
        self._limit = min(limit, _files())
        self._by_client = by_client
        self._open: dict[str, set[asyncio.Transport]] = {}
        self._idle: OrderedDict[asyncio.Transport, str] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))

    def open(self, transport: asyncio.Transport, client: str) -> bool:
        """Take in a new connection, which is idle; False if every other one is at work and there is no room."""
        if len(self._open.get(client, ())) >= self._by_client and not self._close_idle(self._idle_of(client)):
            return False
        if len(self) >= self._limit and not self._close_idle(iter(self._idle)):
            return False
        self._open.setdefault(client, set()).add(transport)
        self._idle[transport] = client
        return True

    def at_work(self, transport: asyncio.Transport) -> None:
        """Note that a connection has a request."""
        self._idle.pop(transport, None)

    def idle(self, transport: asyncio.Transport, client: str) -> None:
        """Note that a connection waits for its next request."""
        if transport in self._open.get(client, ()):
            self._idle[transport] = client

    def close(self, transport: asyncio.Transport, client: str) -> None:
        """Note that a connection has ended."""
        self._idle.pop(transport, None)
        transports = self._open.get(client, set())
        transports.discard(transport)
        if not transports:
            self._open.pop(client, None)

    def _idle_of(self, client: str) -> Iterator[asyncio.Transport]:
        return (transport for transport, owner in self._idle.items() if owner == client)

    def _close_idle(self, idle: Iterator[asyncio.Transport]) -> bool:
        """Close the first of some idle connections; False if there is none."""
        if (oldest := next(idle, None)) is None:
            return False
        oldest.close()
        self.close(oldest, self._idle[oldest])
        return True


def _files() -> int:
    """Return how many files of this process connections may take."""
    if os.name != "posix":
        return 1 << 30
    import resource  # noqa: PLC0415 - Windows has none

    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft_limit == resource.RLIM_INFINITY else max(1, int(soft_limit * _SHARE))


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol with limits on the head of a request, and on connections by client."""

    head_seconds = 10.0
    head_bytes = 32_768
    open_connections = Connections(4_096, 512)

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._late: TimerHandle | None = None
        self._head = 0
        self._in_head = True

    def connection_made(self, transport: Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begin to wait for the first head."""
        super().connection_made(transport)
        if self.open_connections.open(transport, self._address):
            self._begin()
        else:
            self._refuse(ServerUnavailable("there are too many connections, all at work - try again"), 503)

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop()
        self.open_connections.close(self.transport, self._address)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head and refuse one that is too long."""
        if self.transport.is_closing():
            return
        if self._in_head:
            if self._late is None:
                self._begin()
            self._head += len(data)
            if self._head > self.head_bytes and self._is_long(data):
                self._refuse(RequestTooLarge(f"a head has up to {self.head_bytes:,} bytes here - send less"), 431)
                return
        super().data_received(data)

    def _is_long(self, data: bytes) -> bool:
        """Tell if the head itself is too long, without the part of the body that came with its end."""
        end = data.find(b"\r\n\r\n")
        return end < 0 or self._head - len(data) + end > self.head_bytes

    def on_headers_complete(self) -> None:
        """End the limits of the head."""
        self._stop()
        self._in_head = False
        self.open_connections.at_work(self.transport)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Expect the next head; uvicorn's keep-alive timeout applies until its first byte."""
        self._in_head, self._head = True, 0
        waiting = not self.pipeline
        super().on_response_complete()
        if waiting:
            self.open_connections.idle(self.transport, self._address)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP with a problem."""
        self._stop()
        self._refuse(InvalidRequest(f"this is no request in HTTP ({msg.rstrip('.').lower()}) - see /docs"), 400)

    def _begin(self) -> None:
        self._late = self.loop.call_later(self.head_seconds, self._too_late)

    def _stop(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _too_late(self) -> None:
        self._late = None
        self._refuse(
            RequestTooSlow(f"the head was not there within {self.head_seconds:g} seconds - send it faster"), 408
        )

    def _refuse(self, error: HmemError, status: int) -> None:
        """Answer with a problem and close the connection."""
        transport = self.transport
        if transport.is_closing():
            return
        _, body = problem(error, status)
        request = secrets.token_hex(8)
        head = (
            f"HTTP/1.1 {status} {_PHRASES[status]}\r\ncontent-type: {MEDIA}\r\ncontent-length: {len(body)}\r\n"
            f"x-request-id: {request}\r\nconnection: close\r\n\r\n"
        )
        LOGGER.info("refused", extra={"told": {"request": request, "status": status, "error": type(error).__name__}})
        transport.write(head.encode() + body)
        transport.close()


class Server(uvicorn.Server):
    """uvicorn's server, which tells streams that it ends: else it would wait for them."""

    def __init__(self, config: uvicorn.Config, ending: asyncio.Event) -> None:
        super().__init__(config)
        self._ending = ending

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the rest."""
        self._ending.set()
        await super().shutdown(sockets)


_BACKLOG = 512
_KEEP_ALIVE_SECONDS = 30


def check(settings: Settings) -> None:
    """Make the root, and refuse to listen beyond this machine while there is no valid key.

    Raises:
        Unprotected: it would be open to others.
        StorageError: the root cannot be used.
    """
    try:
        private_root(settings.root)
    except OSError as error:
        raise StorageError(f"the root cannot be used ({error.strerror}) - give another folder") from error
    if not settings.loopback and not any(key.revoked is None for key in Keys(settings.keys).records()):
        raise Unprotected(
            f"{settings.host} is reached by others, and no key is asked for - make one with `hmem keys create`, "
            "or listen on 127.0.0.1"
        )


def listen(settings: Settings) -> socket.socket:
    """Return the socket that the server listens on; port 0 takes a free one.

    Raises:
        ServerUnavailable: the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # With the protocol named, asyncio sends what is written at once, as uvloop does anyway: else an answer waits until
    # the client has acknowledged its head.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host.strip("[]"), settings.port))
    except OSError as error:
        listening.close()
        raise ServerUnavailable(
            f"{settings.host}:{settings.port} cannot be listened on ({error.strerror}) - give another --port"
        ) from error
    listening.listen(_BACKLOG)
    listening.set_inheritable(False)
    return listening


def make(settings: Settings, local: LocalPage | None = None) -> uvicorn.Server:
    """Return a server that has not started yet, of memories or of a page for this machine alone.

    Raises: Unprotected, StorageError, InvalidFile: it may not start, or cannot, as with an invalid certificate.
    """
    check(settings)
    limits = {
        "head_seconds": settings.head_seconds,
        "head_bytes": settings.head_bytes,
        "open_connections": Connections(settings.connections, settings.connections_by_client),
    }
    ending = asyncio.Event()
    config = uvicorn.Config(
        create_app(settings, ending, local),
        http=type("LimitedProtocol", (Protocol,), limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=int(settings.stop_seconds),
        ssl_certfile=settings.certificate,
        ssl_keyfile=settings.private_key,
    )
    try:
        config.load()
    except (ssl.SSLError, OSError) as error:
        raise InvalidFile(
            "the certificate and its key cannot be used - give files in PEM that belong together, without a password"
        ) from error
    return Server(config, ending)


def serve(settings: Settings, on_listening: Callable[[str], None], local: LocalPage | None = None) -> None:
    """Serve until the process is told to end; calls at work end first, and every memory is closed.

    ``on_listening`` gets the address as soon as it listens. A page for this machine alone logs only what fails.

    Raises:
        Unprotected, StorageError, InvalidFile, ServerUnavailable: it cannot begin.
    """
    gc.set_threshold(*COLLECTING)
    server = make(settings, local)
    listening = listen(settings)
    log_to_stderr(logging.INFO if local is None else logging.WARNING)
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    scheme = "https" if settings.certificate else "http"
    on_listening(f"{scheme}://{host}:{listening.getsockname()[1]}")
    # When all is done uvicorn raises the signal that ended it again: to be told to end is no failure.
    handler = signal.signal(signal.SIGTERM, _exit)
    try:
        server.run(sockets=[listening])
    finally:
        signal.signal(signal.SIGTERM, handler)


def _exit(*_: object) -> None:
    raise SystemExit(0)
