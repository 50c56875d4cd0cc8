"""Chunks and parts: the units in which formation stores the derived state.

A part holds its state in memory and hands it out as numbered chunks of plain JSON values. Storing the chunks that
changed, in one transaction for all parts, makes formation durable. Loading them restores the same state, both all at
once when the part is first looked at and one by one after another process changed some.

A stored chunk is JSON, deflated; or raw bytes after a byte that says so. A chunk of notes is deflated with that of
the events of the same turns, which says much the same: both are stored in one step, and read together.
"""

import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hmem.errors import MemoryDamaged, NumberTooLarge
from hmem.storage.base import Chunk

# Bits of an event's number that hold its place among the events of its turn; the rest is the turn's number.
EVENT_BITS: Final = 6
# Most events of a turn; notes are numbered alike.
MOST: Final = 1 << EVENT_BITS


class Part(ABC):
    """State that is stored in chunks. ``changed`` has the chunks whose content differs from what was last stored."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.changed: set[int] = set()

    @abstractmethod
    def load(self, number: int, content: Any | None) -> None:
        """Replace the content of a chunk; None for one that is gone."""

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        """Load all stored chunks, by ascending number, into a part of which nothing is loaded.

        Raises:
            MemoryDamaged: one of them cannot be read.
        """
        for number, content in chunks:
            self.load(number, content_of(content))

    @abstractmethod
    def dump(self, number: int) -> Any | None:
        """Return the content of a chunk in JSON's values (or bytes); None if nothing is left in it."""


def number_in_turn(seq: int, ordinal: int) -> int:
    """Return the number of an event or a note, from its place among its kind in a turn.

    Raises:
        NumberTooLarge: the place is not from 0 to ``MOST`` - 1.
    """
    if not 0 <= ordinal < MOST:
        raise NumberTooLarge(f"turn {seq} has no room for number {ordinal} of its kind - a turn has up to {MOST}")
    return seq << EVENT_BITS | ordinal


def turn_of(number: int) -> int:
    """Return the sequence number of the turn of an event or a note."""
    return number >> EVENT_BITS


# A stream of zlib never begins with this byte.
_RAW: Final = b"\x00"
_LEVEL: Final = 9
# A bit of a stream's second byte: it was deflated with other text.
_WITH_OTHER: Final = 0x20

# Parts whose chunks are deflated with those of another part that have the same numbers.
COMPANIONS: Final = {"notes": "events"}


class _CompanionChunk(bytes):
    """Stored chunk with the stored one that it was deflated with."""

    companion: bytes


def with_companions(chunks: Sequence[Chunk]) -> list[Chunk]:
    """Return chunks as ``decode`` takes them, those that were deflated with another one among them together with it."""
    companion_parts = frozenset(COMPANIONS.values())
    contents = {(name, number): content or b"" for name, number, content in chunks if name in companion_parts}
    # There are thousands of others.
    return [chunk if chunk.part not in COMPANIONS else _with_companion(chunk, contents) for chunk in chunks]


def _with_companion(chunk: Chunk, contents: Mapping[tuple[str, int], bytes]) -> Chunk:
    content = chunk.content
    if content is None or len(content) < 2 or content[:1] == _RAW or not content[1] & _WITH_OTHER:
        return chunk
    paired = _CompanionChunk(content)
    paired.companion = contents.get((COMPANIONS[chunk.part], chunk.number), b"")
    return chunk._replace(content=paired)


def encode(content: Any, companion: bytes | None = None) -> bytes:
    """Encode a content of JSON's values, or of bytes; the former with a stored chunk of JSON's values, if given."""
    if isinstance(content, bytes):
        return _RAW + content
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    if companion is None:
        return zlib.compress(text, _LEVEL)
    stream = zlib.compressobj(_LEVEL, zdict=zlib.decompress(companion))
    return stream.compress(text) + stream.flush()


def decode(content: bytes) -> Any:
    """Decode what ``encode`` returned.

    Raises:
        ValueError: the bytes are damaged, or those are missing with which they were deflated.
    """
    if content[:1] == _RAW:
        return content[1:]
    try:
        return json.loads(_inflated(content).decode("utf-8", "surrogatepass"))
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _inflated(content: bytes) -> bytes:
    if not isinstance(content, _CompanionChunk):
        return zlib.decompress(content)
    stream = zlib.decompressobj(zdict=zlib.decompress(content.companion))
    text = stream.decompress(content)
    if not stream.eof:
        raise ValueError("a chunk is cut off")
    return text


def content_of(content: bytes) -> Any:
    """Decode a chunk of a part.

    Raises:
        MemoryDamaged: it cannot be read.
    """
    try:
        return decode(content)
    except ValueError as error:
        raise MemoryDamaged(f"what was formed cannot be read ({error}) - run `hmem rebuild`") from error
