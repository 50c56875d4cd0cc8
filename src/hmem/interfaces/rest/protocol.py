"""HTTP for those who are slow on purpose: the head of a request has a time and a size."""

from asyncio import TimerHandle, Transport
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from hmem.errors import HmemError, InvalidRequest, RequestTooLarge, RequestTooSlow
from hmem.interfaces.rest.problems import MEDIA, problem

_PHRASES: Final = {400: "Bad Request", 408: "Request Timeout", 431: "Request Header Fields Too Large"}


class Protocol(HttpToolsProtocol):
    """uvicorn's, with a bound on what comes before a body. ``head_seconds`` and ``head_bytes`` are its limits."""

    head_seconds = 10.0
    head_bytes = 32_768

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._late: TimerHandle | None = None
        self._head = 0
        self._in_head = True

    def connection_made(self, transport: Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A connection: its first head is to come."""
        super().connection_made(transport)
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """It ended."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes came: of a head, they are counted."""
        if self._in_head:
            if self._late is None:
                self._begin()
            self._head += len(data)
            if self._head > self.head_bytes and self._is_long(data):
                self._refuse(RequestTooLarge(f"a head has up to {self.head_bytes:,} bytes here - send less"), 431)
                return
        super().data_received(data)

    def _is_long(self, data: bytes) -> bool:
        """Whether the head itself is too long, and not the body that came with its end."""
        end = data.find(b"\r\n\r\n")
        return end < 0 or self._head - len(data) + end > self.head_bytes

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._stop()
        self._in_head = False
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        """The next head may come, which uvicorn waits for as long as it keeps a connection alive."""
        self._in_head, self._head = True, 0
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """What is no HTTP is refused as everything else is."""
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
        """Answer with a problem, and end the connection."""
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
