"""HTTP server: where it may listen, how it starts and stops, and limits against slow clients."""

import socket
from asyncio import TimerHandle, Transport
from collections.abc import Callable
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hmem.errors import (
    HmemError,
    InvalidRequest,
    RequestTooLarge,
    RequestTooSlow,
    ServerUnavailable,
    StorageError,
    Unprotected,
)
from hmem.interfaces.rest.app import create_app
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.problems import MEDIA, problem
from hmem.interfaces.rest.settings import Settings
from hmem.interfaces.rest.telemetry import log_to_stderr
from hmem.util.files import private_root

_PHRASES: Final = {400: "Bad Request", 408: "Request Timeout", 431: "Request Header Fields Too Large"}


class Protocol(HttpToolsProtocol):
    """uvicorn's protocol with limits on the request head: ``head_seconds`` and ``head_bytes``."""

    head_seconds = 10.0
    head_bytes = 32_768

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._late: TimerHandle | None = None
        self._head = 0
        self._in_head = True

    def connection_made(self, transport: Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begin to wait for the first head."""
        super().connection_made(transport)
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a head and refuse one that is too long."""
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
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """Expect the next head; uvicorn's keep-alive timeout applies until its first byte."""
        self._in_head, self._head = True, 0
        super().on_response_complete()

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
        head = (
            f"HTTP/1.1 {status} {_PHRASES[status]}\r\ncontent-type: {MEDIA}\r\ncontent-length: {len(body)}\r\n"
            "connection: close\r\n\r\n"
        )
        transport.write(head.encode() + body)
        transport.close()


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
    if not settings.loopback and not any(key.revoked is None for key in Keys(settings.keys).held()):
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
    listening = socket.socket(family, socket.SOCK_STREAM)
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


def make(settings: Settings) -> uvicorn.Server:
    """Return a server that has not started yet.

    Raises:
        Unprotected, StorageError, InvalidFile: it may not, or cannot.
    """
    check(settings)
    limits = {"head_seconds": settings.head_seconds, "head_bytes": settings.head_bytes}
    config = uvicorn.Config(
        create_app(settings),
        http=type("LimitedProtocol", (Protocol,), limits),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=int(settings.stop_seconds),
        limit_concurrency=_BACKLOG,
    )
    return uvicorn.Server(config)


def serve(settings: Settings, tell: Callable[[str], None]) -> None:
    """Serve until the process is told to end; calls at work end first, and every memory is closed.

    Raises:
        Unprotected, StorageError, InvalidFile, ServerUnavailable: it cannot begin.
    """
    server = make(settings)
    listening = listen(settings)
    log_to_stderr()
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    tell(f"http://{host}:{listening.getsockname()[1]}")
    server.run(sockets=[listening])
