"""The line to a server: requests, tried again where that is safe, and errors by their names."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from time import sleep
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from hmem import errors
from hmem.errors import ExtraMissing, HmemError, InvalidRequest, MemoryClosed, ServerFault, ServerUnavailable

if TYPE_CHECKING:
    import httpx

_PAUSE: Final = 0.2
_TRY_AGAIN: Final = (502, 503, 504)


class HttpTransport:
    """A server and a key. Thread-safe.

    Raises:
        ExtraMissing: httpx is not installed.
    """

    def __init__(self, server: str, key: str | None, timeout: float, retries: int) -> None:
        try:
            import httpx  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise ExtraMissing("httpx is not installed - pip install 'hmem[client]'") from error
        self.server = server
        self._retries = retries
        self._failures = (httpx.TransportError,)
        headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
        self._http = httpx.Client(base_url=f"{server}/v1/", headers=headers, timeout=timeout)

    def read(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Any:
        """What the server answers, as JSON.

        Raises:
            HmemError: the one that the server named.
            ServerUnavailable: it cannot be reached.
        """
        return self._send(method, path, body, query, {})

    def write(self, method: str, path: str, body: Any = None) -> Any:
        """The same for what changes something: done once, however often it is sent."""
        return self._send(method, path, body, None, {"Idempotency-Key": uuid4().hex})

    def events(self, path: str, body: Any, query: Mapping[str, Any]) -> Generator[tuple[str, Any]]:
        """What the server tells as events, each with its name, as it comes; closed, it hangs up.

        Raises:
            HmemError: the one that the server named, before or amid them.
            ServerUnavailable: it cannot be reached, or was lost amid them.
        """
        content, known = _encoded(body), {name: value for name, value in query.items() if value is not None}
        for attempt in range(self._retries + 1):
            began = False
            try:
                with closing(self._events(path, content, known)) as said:
                    for event in said:
                        began = True
                        yield event
            except ServerUnavailable:
                if began or attempt == self._retries:
                    raise
            else:
                return
            sleep(_PAUSE * 2**attempt)

    def _events(self, path: str, content: bytes, query: Mapping[str, Any]) -> Generator[tuple[str, Any]]:
        head = {"Content-Type": "application/json"}
        with self._reached(), self._http.stream("POST", path, content=content, params=query, headers=head) as response:
            if not response.is_success:
                response.read()
                raise _error(response)
            yield from _events_of(response.iter_bytes())

    def _send(
        self, method: str, path: str, body: Any, query: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> Any:
        content = None if body is None else _encoded(body)
        known = {name: value for name, value in (query or {}).items() if value is not None}
        head = {**headers, "Content-Type": "application/json"} if content is not None else dict(headers)
        for attempt in range(self._retries + 1):
            try:
                response = self._try(method, path, content, known, head)
            except ServerUnavailable:
                if attempt == self._retries:
                    raise
            else:
                if response.is_success:
                    return response.json()
                if response.status_code not in _TRY_AGAIN or attempt == self._retries:
                    raise _error(response)
            sleep(_PAUSE * 2**attempt)
        raise ServerUnavailable("the server was not asked - give retries from 0 on")

    def _try(
        self, method: str, path: str, content: bytes | None, query: Mapping[str, Any], headers: Mapping[str, str]
    ) -> "httpx.Response":
        with self._reached():
            return self._http.request(method, path, content=content, params=query, headers=headers)

    @contextmanager
    def _reached(self) -> Generator[None]:
        """A block in which the server is asked.

        Raises:
            MemoryClosed, ServerUnavailable: it cannot be.
        """
        if self._http.is_closed:
            raise MemoryClosed("this memory was closed - connect again")
        try:
            yield
        except self._failures as error:
            raise ServerUnavailable(
                f"{self.server} does not answer ({type(error).__name__}) - see whether `hmem serve` runs there"
            ) from error

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()


def _events_of(parts: Iterator[bytes]) -> Iterator[tuple[str, Any]]:
    """Server-sent events from bytes; only a line feed ends a line, since a text may hold what else Unicode ends one by.

    Raises:
        HmemError: the one that a problem among them names.
        ServerFault: they are none.
    """
    name, rest = "", b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            field, _, value = line.partition(b": ")
            if field == b"event":
                name = value.decode()
            elif field == b"data":
                said = _decoded(value)
                if name == "problem":
                    raise _named(said)
                yield name, said


def _decoded(said: bytes) -> Any:
    try:
        return json.loads(said)
    except ValueError as error:
        raise ServerFault("the server's answer is no JSON - see what stands before it") from error


def _encoded(body: Any) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidRequest(
            f"this cannot be sent as JSON ({error}) - use texts, numbers, lists and mappings"
        ) from error


def _error(response: "httpx.Response") -> HmemError:
    """The error that a problem names."""
    try:
        return _named(response.json())
    except (ValueError, KeyError, TypeError):
        return ServerFault(f"the server answered {response.status_code} without a reason - see what stands before it")


def _named(said: Any) -> HmemError:
    kind, detail = getattr(errors, said["name"], ServerFault), said["detail"]
    known = isinstance(kind, type) and issubclass(kind, HmemError)
    return kind(detail) if known else ServerFault(detail)
