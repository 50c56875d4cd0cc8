"""Middleware before the application: checks the key, the rate, the size and the speed of each request; the audit."""

import asyncio
import secrets
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Generator, MutableMapping
from contextlib import ExitStack, contextmanager
from functools import partial
from math import ceil
from time import monotonic, perf_counter
from typing import Any, Final

from hmem.errors import (
    HmemError,
    InvalidRequest,
    KeyRefused,
    RequestTooLarge,
    RequestTooSlow,
    ServerUnavailable,
    TooManyRequests,
)
from hmem.interfaces.rest.explorer import PAGE, LocalPage
from hmem.interfaces.rest.keys import ANYONE, LOCAL, Key, Keys
from hmem.interfaces.rest.openapi import OPEN
from hmem.interfaces.rest.problems import MEDIA, headers_of, problem
from hmem.interfaces.rest.settings import Settings, is_loopback
from hmem.interfaces.rest.telemetry import Audit, Telemetry
from hmem.util.amounts import amount

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Asgi = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_ONCE: Final = (b"authorization", b"content-length", b"content-type", b"host", b"idempotency-key", b"transfer-encoding")
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_JSON: Final = b"application/json"
_BUCKETS: Final = 10_000


class RateLimiter:
    """Token buckets by name: ``rate`` tokens a second, up to ``burst`` at once. For one thread.

    A rate of a name's own comes with twice as many at once. ``prefix`` begins the message of a refusal.
    """

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = monotonic, prefix: str = "a key may make"
    ) -> None:
        self._prefix = prefix
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._filled: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, rate: float | None = None) -> None:
        """Take a token of a name, whose own rate may be given.

        Raises:
            TooManyRequests: none is left; its ``retry_after`` is the number of seconds until one is.
        """
        moment = self._clock()
        rate, burst = (self._rate, self._burst) if rate is None else (rate, max(1.0, 2 * rate))
        tokens, last_taken = self._filled.get(name, (burst, moment))
        tokens = min(burst, tokens + (moment - last_taken) * rate)
        remaining = tokens - 1 if tokens >= 1 else tokens
        self._filled[name] = (remaining, moment)
        self._filled.move_to_end(name)
        if len(self._filled) > _BUCKETS:
            # The least recently used bucket is full again, or nearly so.
            self._filled.popitem(last=False)
        if tokens < 1:
            error = TooManyRequests(f"{self._prefix} {rate:g} requests a second here - wait for a moment")
            error.retry_after = max(1, ceil((1 - tokens) / rate))
            raise error


class ConcurrencyLimiter:
    """Requests at work, by client. For one thread."""

    def __init__(self, limit: int, by_client: int) -> None:
        self._most = limit
        self._by_client = by_client
        self._counts = Counter[str]()

    @contextmanager
    def slot(self, client: str) -> Generator[None]:
        """Count a request as at work for the time of a block.

        Raises:
            TooManyRequests: the client has too many.
            ServerUnavailable: there are too many in all.
        """
        if self._counts[client] >= self._by_client:
            raise TooManyRequests(
                f"a client has up to {amount(self._by_client, 'request')} at work here - wait for an answer"
            )
        if self._counts.total() >= self._most:
            raise ServerUnavailable("the server has too much to do - try again")
        self._counts[client] += 1
        try:
            yield
        finally:
            self._counts[client] -= 1
            if not self._counts[client]:
                del self._counts[client]


class RequestMiddleware:
    """Admission of requests: authenticated, within rate, size and time limits, with the body read."""

    def __init__(
        self,
        app: Asgi,
        settings: Settings,
        keys: Keys,
        telemetry: Telemetry,
        audit: Audit | None = None,
        local: LocalPage | None = None,
    ) -> None:
        self._app = app
        self._settings = settings
        self._keys = keys
        self._telemetry = telemetry
        self._buckets = RateLimiter(settings.rate, settings.burst)
        self._refusals = RateLimiter(settings.refusals, 10 * settings.refusals, prefix="with wrong keys one may make")
        self._at_work = ConcurrencyLimiter(settings.at_work, settings.at_work_by_client)
        self._audit = audit
        self._local = local
        # Fixed at the start: removing the last key must not open the server again.
        self._open = settings.loopback and not keys.records()

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it; other events pass unchecked."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, status = perf_counter(), 500
        state = scope.setdefault("state", {})
        state["request"] = secrets.token_hex(8)

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", []).append((b"x-request-id", state["request"].encode()))
            await send(message)

        self._telemetry.begin()
        try:
            with ExitStack() as stack:
                try:
                    headers = _headers(scope)
                    state["key"] = key = self._admit(scope, headers)
                    # A stream outlasts what was admitted.
                    state["recheck"] = partial(self._keys.check, key)
                    if not _is_open(scope["path"]):
                        stack.enter_context(self._at_work.slot(key.id))
                    body = await self._body(scope, headers, receive)
                except HmemError as error:
                    await refuse(error, sending, 400 if isinstance(error, InvalidRequest) else None)
                    return
                await self._app(scope, _replay(body, receive), sending)
        finally:
            self._telemetry.end(scope, status, perf_counter() - start)
            if self._audit is not None and not _is_open(scope["path"]):
                self._audit.write(_audited(scope, status))

    def _admit(self, scope: MutableMapping[str, Any], headers: dict[bytes, bytes]) -> Key:
        """Return the key of a request.

        Raises:
            KeyRefused, InvalidRequest, TooManyRequests: the request is refused.
        """
        if self._local is not None:
            return self._admit_local(self._local, scope["path"], headers)
        if _is_open(scope["path"]):
            return ANYONE
        if self._open and not self._keys.records():
            _check_host(headers, self._settings.origins)
            self._buckets.take(ANYONE.id)
            return ANYONE
        kind, _, secret = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
        if kind.lower() != "bearer" or not secret.strip():
            raise KeyRefused("a key is needed - send it as 'Authorization: Bearer KEY'")
        try:
            key = self._keys.find(secret.strip())
        except KeyRefused:
            self._refusals.take(_address(scope))
            raise
        self._buckets.take(key.id, key.rate)
        return key

    def _admit_local(self, local: LocalPage, path: str, headers: dict[bytes, bytes]) -> Key:
        """Return the key of a request to a page for this machine alone.

        Raises:
            KeyRefused, InvalidRequest, TooManyRequests: the request is refused.
        """
        # Also the page itself: no other site may have it under a name of its own.
        _check_host(headers, ())
        origin, host = (headers.get(name, b"").decode("latin-1") for name in (b"origin", b"host"))
        if origin and origin != f"http://{host}":
            raise InvalidRequest("this page answers to itself alone - open the link of `hmem explore`")
        self._buckets.take(LOCAL.id)
        if not _is_open(path):
            local.check(*(headers.get(name, b"").decode("latin-1") for name in (b"authorization", b"cookie")))
        return LOCAL

    async def _body(self, scope: MutableMapping[str, Any], headers: dict[bytes, bytes], receive: Receive) -> bytes:
        """Return the whole body of a request.

        Raises:
            InvalidRequest, RequestTooLarge, RequestTooSlow: the body is refused.
        """
        length = _length(headers)
        if length > self._settings.body_bytes:
            raise self._too_large()
        if not length and b"transfer-encoding" not in headers:
            return b""
        kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if scope["method"] in _WITH_BODY and kind != _JSON:
            raise InvalidRequest("a body is JSON here - send it as 'Content-Type: application/json'")
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                return await self._read(receive)
        except TimeoutError as error:
            wait = self._settings.body_seconds
            raise RequestTooSlow(f"the body was not there within {wait:g} seconds - send it faster") from error

    async def _read(self, receive: Receive) -> bytes:
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise InvalidRequest("the body ended early - send all of it")
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
            if size > self._settings.body_bytes:
                raise self._too_large()
            if not message.get("more_body", False):
                return b"".join(chunks)

    def _too_large(self) -> RequestTooLarge:
        return RequestTooLarge(f"a body has up to {self._settings.body_bytes:,} bytes here - send less at once")


async def refuse(error: HmemError, send: Send, status: int | None = None) -> None:
    """Answer with the problem of an error."""
    code, body = problem(error, status)
    fields = {"Content-Type": MEDIA, "Content-Length": str(len(body)), **headers_of(error, code)}
    headers = [(name.lower().encode(), value.encode()) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _is_open(path: str) -> bool:
    """Tell if a path needs no key: the health, and the page, which holds nothing of a memory."""
    return path in OPEN or path == PAGE or path.startswith(f"{PAGE}/")


def _headers(scope: MutableMapping[str, Any]) -> dict[bytes, bytes]:
    """Return the headers by name; some may occur only once, since a proxy could read another one than we do."""
    headers: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in headers and name in _ONCE:
            raise InvalidRequest(f"the header {name.decode('latin-1')} came twice - send it once")
        headers[name] = value
    if b"content-length" in headers and b"transfer-encoding" in headers:
        raise InvalidRequest("a body has a length or is sent in chunks - send one of the two headers")
    return headers


def _length(headers: dict[bytes, bytes]) -> int:
    digits = headers.get(b"content-length", b"0")
    if not digits.isdigit():
        raise InvalidRequest("the header content-length is a whole number from 0 on - send the body's")
    return int(digits[:19])


def _check_host(headers: dict[bytes, bytes], origins: tuple[str, ...]) -> None:
    """Refuse foreign hosts and origins while there are no keys: a web page could reach the server by DNS rebinding."""
    host = headers.get(b"host", b"").decode("latin-1")
    name = host.partition("]")[0] if host.startswith("[") else host.partition(":")[0]
    if not is_loopback(name):
        raise InvalidRequest("without keys this server answers to 'localhost' only - use it, or create a key")
    origin = headers.get(b"origin", b"").decode("latin-1")
    if origin and origin not in origins and not is_loopback(origin.partition("//")[2].split(":")[0]):
        raise InvalidRequest("without keys this server answers no other site's pages - create a key")


def _address(scope: MutableMapping[str, Any]) -> str:
    return (scope.get("client") or ("",))[0]


def _audited(scope: MutableMapping[str, Any], status: int) -> dict[str, Any]:
    """Return what the audit tells of a request: names and ids, never a text."""
    state: MutableMapping[str, Any] = scope["state"]
    key = state.get("key")
    return {
        "request": state["request"],
        "key": None if key is None else key.id,
        "client": _address(scope),
        "memory": state.get("memory"),
        "operation": state.get("operation"),
        "status": status,
        "ids": state.get("ids", []),
    }


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a ``receive`` that gives the body at once, and then passes on what comes."""
    replayed = False

    async def receive_again() -> Message:
        nonlocal replayed
        if replayed:
            return await receive()
        replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
