"""What formation keeps, in parts: each a set of numbered chunks that are written when they changed.

A part holds its state in the process's memory and gives it out as chunks of plain JSON values. Storing the chunks
that changed, in one transaction for all parts, is what makes formation durable; loading them gives the same state
back, whether all at once on opening or those that another process has just changed.

How a chunk's content lies in storage: JSON, deflated; or bytes as they are behind a byte that says so.
"""

import json
import zlib
from abc import ABC, abstractmethod
from typing import Any, Final

from hmem.errors import NumberTooLarge

# A leaf of a tree is a turn, by its sequence number, or an event: its turn's number, then its place among the events.
EVENT_BITS: Final = 6
# So a turn has at most so many events; notes are numbered alike.
MOST: Final = 1 << EVENT_BITS


class Part(ABC):
    """One part. ``changed`` names the chunks whose content differs from what was last stored."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.changed: set[int] = set()

    @abstractmethod
    def load(self, number: int, content: Any | None) -> None:
        """Make this the content of a chunk; None for one that is gone."""

    @abstractmethod
    def dump(self, number: int) -> Any | None:
        """The content of a chunk, of JSON's values; None when nothing is left in it."""


def event_number(seq: int, ordinal: int) -> int:
    """Return the number of an event: its turn's sequence number and its place among the events of the turn.

    Raises:
        NumberTooLarge: the place is not from 0 to ``MOST`` - 1.
    """
    return numbered_in_turn(seq, ordinal)


def numbered_in_turn(seq: int, ordinal: int) -> int:
    """Return the number of what has a place among its kind in a turn: an event or a note. As ``event_number``."""
    if not 0 <= ordinal < MOST:
        raise NumberTooLarge(f"turn {seq} has no room for number {ordinal} of its kind - a turn has up to {MOST}")
    return seq << EVENT_BITS | ordinal


def turn_of(event: int) -> int:
    """The sequence number of an event's turn."""
    return event >> EVENT_BITS


# A stream of zlib never begins with this byte.
_RAW: Final = b"\x00"
_LEVEL: Final = 9


def encode(content: Any) -> bytes:
    """The bytes of a content of JSON's values, or of bytes."""
    if isinstance(content, bytes):
        return _RAW + content
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)


def decode(stored: bytes) -> Any:
    """The inverse.

    Raises:
        ValueError: the bytes are damaged.
    """
    if stored[:1] == _RAW:
        return stored[1:]
    try:
        return json.loads(zlib.decompress(stored).decode("utf-8", "surrogatepass"))
    except zlib.error as error:
        raise ValueError(str(error)) from error
