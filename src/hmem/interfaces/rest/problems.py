"""Problem details (RFC 9457) of named errors."""

import json
import re
from collections.abc import Iterator
from math import ceil
from typing import Any, Final

from hmem import errors
from hmem.errors import HmemError

MEDIA: Final = "application/problem+json"
_TYPE: Final = "urn:hmem:error:"
_WORDS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")

# The nearest class in the method resolution order gives the status.
_STATUS: Final[dict[type[HmemError], int]] = {
    errors.HmemError: 500,
    errors.InputError: 422,
    errors.InvalidName: 422,
    errors.MessageConflict: 409,
    errors.MemoryExists: 409,
    errors.UnknownId: 404,
    errors.MemoryNotFound: 404,
    errors.ReadOnlyMemory: 403,
    errors.MemoryBusy: 503,
    errors.StorageUnavailable: 503,
    errors.MemoryClosed: 503,
    errors.StorageFull: 507,
    errors.ModelError: 503,
    errors.ExtraMissing: 501,
    errors.KeyRefused: 401,
    errors.NotAllowed: 403,
    errors.RequestTooLarge: 413,
    errors.RequestTooSlow: 408,
    errors.TooManyRequests: 429,
    errors.ServerUnavailable: 503,
}


def status_of(error: HmemError) -> int:
    """Return the HTTP status of an error."""
    return next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)


def type_of(name: str) -> str:
    """Return a problem's ``type`` by the error's class name: ``urn:hmem:error:unknown-id``. It never changes."""
    return _TYPE + _WORDS.sub("-", name).lower()


def problem(error: HmemError, status: int | None = None, **extensions: Any) -> tuple[int, bytes]:
    """Return the status and the JSON body of an error's problem."""
    code = status_of(error) if status is None else status
    name = type(error).__name__
    document = {
        "type": type_of(name),
        "title": _title(type(error)),
        "status": code,
        "detail": str(error),
        "name": name,
        **extensions,
    }
    return code, json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")


def headers_of(error: HmemError, status: int) -> dict[str, str]:
    """Return the further headers of a problem's response."""
    headers: dict[str, str] = {}
    if status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="hmem"'
    if status in (429, 503):
        headers["Retry-After"] = str(ceil(error.retry_after or 1))
    if status in (408, 413, 431):
        # The rest of an unread body must not be taken for the next request.
        headers["Connection"] = "close"
    return headers


def error_named(name: str, message: str) -> HmemError:
    """Return an error by its class name; a ``ServerFault`` if the name is unknown."""
    kind = getattr(errors, name, None)
    if isinstance(kind, type) and issubclass(kind, HmemError):
        return kind(message)
    return errors.ServerFault(message)


def error_classes() -> Iterator[type[HmemError]]:
    """Yield all classes of named errors."""
    for kind in vars(errors).values():
        if isinstance(kind, type) and issubclass(kind, HmemError):
            yield kind


def _title(kind: type[HmemError]) -> str:
    """Return the first sentence of an error class's docstring."""
    return " ".join((kind.__doc__ or kind.__name__).split()).split(". ")[0].split(": ")[0].rstrip(".").replace("``", "")
