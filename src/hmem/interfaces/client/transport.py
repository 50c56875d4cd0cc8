"""HTTP transport of the client: requests with retries where they are safe, and errors by their names."""

import json
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from hmem import errors
from hmem.errors import (
    ExtraMissing,
    HmemError,
    InvalidRequest,
    MemoryBusy,
    MemoryClosed,
    ModelUnavailable,
    ServerFault,
    ServerUnavailable,
    StorageUnavailable,
)

if TYPE_CHECKING:
    import httpx
    import tenacity

# Seconds before the first repeat; each further pause is twice as long, up to the longest, and up to a tenth more.
_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 2.0
_JITTER: Final = 0.1
# The longest pause that a server's Retry-After makes, in seconds.
_LONGEST_RETRY_AFTER: Final = 10.0
# What proxies answer for a server, without a problem of its own.
_AWAY: Final = (502, 503, 504)


class HttpTransport:
    """HTTP connection to a server, with a key. Thread-safe.

    Raises:
        ExtraMissing: httpx is not installed.
    """

    def __init__(self, server: str, key: str | None, timeout: float, retries: int) -> None:
        try:
            import httpx  # noqa: PLC0415 - an extra
            import tenacity  # noqa: PLC0415
        except ImportError as error:
            raise ExtraMissing(f"{error.name} is not installed - pip install 'hmem[client]'") from error
        self.server = server
        backoff = tenacity.wait_exponential(_PAUSE, _LONGEST_PAUSE) + tenacity.wait_random(0, _PAUSE * _JITTER)
        self._retrying = tenacity.Retrying(
            stop=tenacity.stop_after_attempt(retries + 1),
            wait=lambda state: max(backoff(state), _requested_pause(state)),
            retry=tenacity.retry_if_exception(_may_pass),
            reraise=True,
        )
        self._failures = (httpx.TransportError,)
        headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
        self._http = httpx.Client(base_url=f"{server}/v1/", headers=headers, timeout=timeout)

    def read(self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None) -> Any:
        """Send a request that changes nothing, and return the JSON of its answer.

        Raises:
            HmemError: the one that the server named.
            ServerUnavailable: it cannot be reached.
        """
        return self._send(method, path, body, query, {})

    def write(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request that changes something, with an Idempotency-Key: a retry does not repeat it."""
        return self._send(method, path, body, None, {"Idempotency-Key": uuid4().hex})

    def events(self, path: str, body: Any, query: Mapping[str, Any]) -> Generator[tuple[str, Any]]:
        """Yield the server-sent events of an answer as they come, each with its name. Closing it ends the connection.

        Raises:
            HmemError: the one that the server named, before or amid them.
            ServerUnavailable: it cannot be reached, or was lost amid them.
        """
        content, parameters = _encoded(body), {name: value for name, value in query.items() if value is not None}
        stream, first = self._retrying(self._begin, path, content, parameters)
        with closing(stream):
            if first is not None:
                yield first
                yield from stream

    def _begin(
        self, path: str, content: bytes, query: Mapping[str, Any]
    ) -> tuple[Generator[tuple[str, Any]], tuple[str, Any] | None]:
        """Return the later events of an answer, and its first event."""
        events = self._events(path, content, query)
        return events, next(events, None)

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
        parameters = {name: value for name, value in (query or {}).items() if value is not None}
        head = {**headers, "Content-Type": "application/json"} if content is not None else dict(headers)
        return self._retrying(self._try, method, path, content, parameters, head)

    def _try(
        self, method: str, path: str, content: bytes | None, query: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Any:
        with self._reached():
            response = self._http.request(method, path, content=content, params=query, headers=headers)
        if response.is_success:
            return response.json()
        raise _error(response)

    @contextmanager
    def _reached(self) -> Generator[None]:
        """Map transport errors of a block.

        Raises:
            MemoryClosed, ServerUnavailable: no request can be sent, or no answer came.
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
        """Close the connections."""
        self._http.close()


def _requested_pause(state: "tenacity.RetryCallState") -> float:
    """Return the seconds that the server asked to wait before the next attempt, within bounds."""
    error = None if state.outcome is None else state.outcome.exception()
    asked = error.retry_after if isinstance(error, HmemError) else None
    return min(asked or 0.0, _LONGEST_RETRY_AFTER)


def _may_pass(error: BaseException) -> bool:
    """Tell if a repeat may succeed: the server or its database is away or busy, and a write has an Idempotency-Key."""
    return isinstance(error, (ServerUnavailable, StorageUnavailable, MemoryBusy, ModelUnavailable))


def _events_of(chunks: Iterator[bytes]) -> Iterator[tuple[str, Any]]:
    """Yield server-sent events from bytes; only a line feed ends a line, as texts may hold other Unicode line breaks.

    Raises:
        HmemError: the one that a problem among them names.
        ServerFault: the data is no JSON.
    """
    name, remainder = "", b""
    for chunk in chunks:
        *lines, remainder = (remainder + chunk).split(b"\n")
        for line in lines:
            field, _, value = line.partition(b": ")
            if field == b"event":
                name = value.decode()
            elif field == b"data":
                data = _decoded(value)
                if name == "problem":
                    raise _error_of(data)
                yield name, data


def _decoded(data: bytes) -> Any:
    try:
        return json.loads(data)
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
    """Return the error that a problem names, with the time after which the server may be asked again."""
    try:
        error = _error_of(response.json())
    except (ValueError, KeyError, TypeError):
        error = _unnamed_error(response.status_code)
    with suppress(KeyError, ValueError):
        error.retry_after = max(0.0, float(response.headers["Retry-After"]))
    return error


def _unnamed_error(status: int) -> HmemError:
    if status in _AWAY:
        return ServerUnavailable(f"no server answers behind the proxy ({status}) - try again")
    return ServerFault(f"the server answered {status} without a reason - see what stands before it")


def _error_of(problem: Any) -> HmemError:
    kind, detail = getattr(errors, problem["name"], ServerFault), problem["detail"]
    is_known = isinstance(kind, type) and issubclass(kind, HmemError)
    return kind(detail) if is_known else ServerFault(detail)
