"""Client of a JSON service over HTTP, shared by endpoints of embedders and rerankers."""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from threading import Lock
from time import sleep
from typing import Any, Final
from weakref import finalize

from hmem.errors import ExtraMissing, ModelUnavailable
from hmem.language.llm.endpoint import NO_KEY, ApiKey, number_setting

TIMEOUT: Final = "HMEM_EMBED_TIMEOUT"
_SECONDS: Final = 30.0
_TRIES: Final = 4
# Seconds: the wait before the second try, doubled before each later one; the longest wait that a server may ask for.
_WAIT: Final = 0.25
_LONGEST_WAIT: Final = 20.0
_EXCERPT_LENGTH: Final = 200

_OK: Final = range(200, 300)
_WAITING: Final = (408, 429, 500, 502, 503, 504)
_LOCKED: Final = (401, 403)
_ABSENT: Final = 404
_BUSY: Final = 429


class Service:
    """Service at a base URL. Safe to use from several threads, and after a fork.

    A call that fails for a passing reason is repeated at most three times, with a longer wait before each.
    """

    def __init__(self, name: str, url: str, key: Callable[[], ApiKey], *, timeout: float | None = None) -> None:
        self._name = name
        self._url = url.rstrip("/")
        self._key = key
        self._timeout = timeout or number_setting(os.environ, TIMEOUT, _SECONDS, minimum=1e-9)
        self._lock = Lock()
        self._client: Any = None
        self._closing: Any = None
        self._process = 0

    def __repr__(self) -> str:
        return f"Service({self._name})"

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send a request and return the service's JSON answer.

        Raises:
            ModelUnavailable: it cannot be reached, is too slow, fails, asks to wait too long, or rejects the call.
        """
        key = self._key()
        for number in range(_TRIES):
            answer = self._try(path, body, key)
            if isinstance(answer, _Answer):
                return answer.json
            if number + 1 == _TRIES or answer.wait is None or answer.wait > _LONGEST_WAIT:
                raise ModelUnavailable(key.mask_in(answer.message))
            sleep(max(answer.wait, _WAIT * 2**number))
        raise AssertionError

    def close(self) -> None:
        """Close the connections; the next call opens them again."""
        with self._lock:
            closing, self._closing, self._client = self._closing, None, None
        if closing is not None:
            closing()

    def _try(self, path: str, body: Mapping[str, Any], key: ApiKey) -> "_Answer | _Failure":
        http = _http()
        headers = {} if key.reveal() == NO_KEY else {"Authorization": f"Bearer {key.reveal()}"}
        try:
            response = self._connected(http).post(f"{self._url}{path}", json=dict(body), headers=headers)
            if response.status_code in _OK:
                return _Answer(response.json())
        except http.TimeoutException:
            # The caller has waited long enough.
            return _Failure(
                f"{self._name} did not answer within {self._timeout:g} s - raise {TIMEOUT}, or try later", None
            )
        except (http.HTTPError, http.InvalidURL, OSError) as error:
            # A refused connection will not open in a moment, and a search should not wait for it.
            wait = None if isinstance(error, http.ConnectError) else 0.0
            return _Failure(
                f"{self._name} cannot be reached at {self._url} ({type(error).__name__}) - check that it runs", wait
            )
        except ValueError:
            return _Failure(f"{self._name} answered no JSON - check that {self._url} is its base URL", None)
        return self._failure_of(response)

    def _failure_of(self, response: Any) -> "_Failure":
        status = response.status_code
        excerpt = " ".join(response.text[:_EXCERPT_LENGTH].split())
        if status in _LOCKED:
            return _Failure(f"{self._name} does not accept the key - check HMEM_API_KEY or the provider's own", None)
        if status == _ABSENT:
            return _Failure(f"{self._name} is not there ({excerpt}) - check the model and {self._url}", None)
        if status not in _WAITING:
            return _Failure(f"{self._name} rejects the call, status {status} ({excerpt}) - check the model", None)
        wait = _wait_of(response.headers.get("Retry-After"))
        if status == _BUSY:
            return _Failure(f"{self._name} asks to wait for {wait:g} s - try later, or raise its limits", wait)
        return _Failure(f"{self._name} failed with status {status} - try later", wait)

    def _connected(self, http: Any) -> Any:
        with self._lock:
            if self._client is None or self._process != os.getpid():
                self._client = http.Client(timeout=self._timeout, follow_redirects=False)
                # The connections end with the service, or with the process.
                self._closing = finalize(self, self._client.close)
                self._process = os.getpid()
            return self._client


class _Answer:
    """A JSON answer."""

    def __init__(self, json: Any) -> None:
        self.json = json


class _Failure:
    """A failed call, and the seconds after which it may succeed; None if a retry is useless."""

    def __init__(self, message: str, wait: float | None) -> None:
        self.message = message
        self.wait = wait


def _http() -> Any:
    try:
        return import_module("httpx2")
    except ImportError as error:
        raise ExtraMissing("an endpoint is asked by httpx2 - run `pip install 'hmem[model]'`") from error


def _wait_of(header: str | None) -> float:
    """Return the seconds that a Retry-After header asks to wait; 0 for a date or no header."""
    try:
        return max(float(header or 0), 0.0)
    except ValueError:
        return 0.0
