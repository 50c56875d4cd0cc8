"""Reading JSON that somebody else wrote: what is not there, or of another kind, is passed over."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

Fields = Mapping[str, Any]


def fields(value: Any) -> Fields:
    """An object; an empty one for anything else."""
    return cast("Fields", value) if isinstance(value, Mapping) else {}


def items(value: Any) -> Sequence[Any]:
    """A list; an empty one for anything else."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def objects(value: Any) -> Iterator[Fields]:
    """The objects of a list."""
    return (fields(each) for each in items(value) if isinstance(each, Mapping))


def text(value: Any) -> str:
    """A text without the space around it; an empty one for anything else."""
    return value.strip() if isinstance(value, str) else ""


def moment(value: Any) -> str | None:
    """A time in seconds since 1970, or in ISO 8601, as ISO 8601; None for anything else."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    try:
        return datetime.fromtimestamp(value, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return None


def digest(*parts: str) -> str:
    """Sixteen digits that stand for some texts."""
    return hashlib.sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def given(**message: Any) -> dict[str, Any]:
    """A message without the fields that are empty."""
    return {name: value for name, value in message.items() if value or (name == "text" and value is not None)}
