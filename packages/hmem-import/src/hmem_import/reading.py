"""Lenient access to JSON of other programs: absent values and those of another type become empty ones."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, cast

Fields = Mapping[str, Any]


def fields(value: Any) -> Fields:
    """Return an object; an empty one for anything else."""
    return cast("Fields", value) if isinstance(value, Mapping) else {}


def items(value: Any) -> Sequence[Any]:
    """Return a list; an empty one for anything else."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def objects(value: Any) -> Iterator[Fields]:
    """Yield the objects of a list."""
    return (fields(entry) for entry in items(value) if isinstance(entry, Mapping))


def text(value: Any) -> str:
    """Return a stripped text; an empty one for anything else."""
    return value.strip() if isinstance(value, str) else ""


def moment(value: Any) -> str | None:
    """Return a time as ISO 8601: a text as it is, seconds since 1970 converted; None for anything else."""
    if isinstance(value, str):
        return value.strip() or None
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        return None
    try:
        return datetime.fromtimestamp(value, UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return None


def digest(*texts: str) -> str:
    """Return 16 hexadecimal digits that identify some texts."""
    return hashlib.sha256("\x00".join(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def nonempty(**message: Any) -> dict[str, Any]:
    """Return a message without empty fields; an empty text stays."""
    return {name: value for name, value in message.items() if value or (name == "text" and value is not None)}


def cut_between(content: str, opening: str, closing: str, *, lines: bool = False) -> str:
    """Return a text without what stands between two marks; with ``lines`` its line breaks stay, so that lines count."""
    texts: list[str] = []
    start = 0
    while (mark_start := content.find(opening, start)) >= 0:
        closed = content.find(closing, mark_start + len(opening))
        if closed < 0:
            break
        texts += [content[start:mark_start], "\n" * content.count("\n", mark_start, closed) if lines else ""]
        start = closed + len(closing)
    return "".join([*texts, content[start:]])
