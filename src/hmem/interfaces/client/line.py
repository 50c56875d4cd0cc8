"""The line to a server: requests, tried again where that is safe, and errors by their names."""

import json
from collections.abc import Mapping
from time import sleep
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from hmem import errors
from hmem.errors import ExtraMissing, HmemError, InvalidRequest, MemoryClosed, ServerFault, ServerUnavailable

if TYPE_CHECKING:
    import httpx

_PAUSE: Final = 0.2
_TRY_AGAIN: Final = (502, 503, 504)


class Line:
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
        if self._http.is_closed:
            raise MemoryClosed("this memory was closed - connect again")
        try:
            return self._http.request(method, path, content=content, params=query, headers=headers)
        except self._failures as error:
            raise ServerUnavailable(
                f"{self.server} does not answer ({type(error).__name__}) - see whether `hmem serve` runs there"
            ) from error

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()


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
        said = response.json()
        kind, detail = getattr(errors, said["name"], ServerFault), said["detail"]
    except (ValueError, KeyError, TypeError):
        return ServerFault(f"the server answered {response.status_code} without a reason - see what stands before it")
    known = isinstance(kind, type) and issubclass(kind, HmemError)
    return kind(detail) if known else ServerFault(detail)
