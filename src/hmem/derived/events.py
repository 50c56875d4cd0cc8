"""Events and their vectors.

An event that is the only statement of its turn shares the turn's vector; one of several has its own, in few bits.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.chunks import EVENT_BITS, Part, content_of, number_in_turn, turn_of
from hmem.model.vector import from_bits, to_bits

_TEXTS_BITS: Final = 5
BITS: Final = 3
# Chunks of vectors are numbered by event: 8 turns each.
_CHUNK_BITS: Final = EVENT_BITS + 3

Values = NDArray[np.float32]
StoredChunks = Callable[[Sequence[int]], Iterable[tuple[int, bytes]]]


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """Event by number. Times are in seconds since 1970, ``offset`` in minutes; ``context`` as in ``Statement``."""

    number: int
    text: str
    start: int | None = None
    end: int | None = None
    offset: int = 0
    context: int = 0
    made_by: str = "verbatim"


class Events(Part):
    """Events of all turns. A chunk holds those of 32 sequence numbers and is decoded when needed."""

    def __init__(self, name: str = "events") -> None:
        super().__init__(name)
        self._of: dict[int, tuple[KeptEvent, ...]] = {}
        # What a decoded chunk holds of turns that were not asked for: who made them, and the rows of their events.
        self._rows: dict[int, tuple[list[str], list[Any]]] = {}
        self._unread: dict[int, Any] = {}
        # Number of events in chunks that were not read when they were counted.
        self._counts: dict[int, int] = {}

    def __len__(self) -> int:
        for number in self._unread.keys() - self._counts.keys():
            self._counts[number] = sum(len(row) - 1 for row in self._content(number)[1])
        read = sum(map(len, self._of.values())) + sum(len(rows) for _, rows in self._rows.values())
        return read + sum(self._counts[number] for number in self._unread)

    def of_turn(self, seq: int) -> tuple[KeptEvent, ...]:
        """Return the events of a turn, in their order."""
        self._read(seq >> _TEXTS_BITS)
        if (pair := self._rows.pop(seq, None)) is not None:
            makers, rows = pair
            self._of[seq] = tuple(_event(number_in_turn(seq, i), row, makers) for i, row in enumerate(rows))
        return self._of.get(seq, ())

    def get(self, number: int) -> KeptEvent | None:
        """Return an event by its number, or None."""
        return next((event for event in self.of_turn(turn_of(number)) if event.number == number), None)

    def turns(self) -> list[int]:
        """Return the turns that have events, ascending."""
        self._read_all()
        return sorted({*self._of, *self._rows})

    def iterate_turns(self) -> Iterator[list[int]]:
        """Yield the turns that have events, ascending, chunk by chunk: none is read before it is asked for."""
        numbers = {seq >> _TEXTS_BITS for seq in (*self._of, *self._rows)}
        for number in sorted(numbers.union(self._unread)):
            self._read(number)
            first = number << _TEXTS_BITS
            yield [seq for seq in range(first, first + (1 << _TEXTS_BITS)) if seq in self._of or seq in self._rows]

    def replace(self, seq: int, events: Sequence[KeptEvent]) -> None:
        """Replace a turn's events."""
        self._read(seq >> _TEXTS_BITS)
        self._rows.pop(seq, None)
        if events:
            self._of[seq] = tuple(events)
        else:
            self._of.pop(seq, None)
        self.changed.add(seq >> _TEXTS_BITS)

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._unread = dict(chunks)

    def load(self, number: int, content: Any | None) -> None:
        for seq in range(number << _TEXTS_BITS, (number + 1) << _TEXTS_BITS):
            self._of.pop(seq, None)
            self._rows.pop(seq, None)
        self._counts.pop(number, None)
        self._unread[number] = content

    def _read_all(self) -> None:
        for number in list(self._unread):
            self._read(number)

    def _read(self, number: int) -> None:
        if number not in self._unread:
            return
        makers, rows = self._content(number)
        del self._unread[number]
        self._rows |= {seq: (makers, events) for seq, *events in rows}

    def _content(self, number: int) -> list[Any]:
        """Return the makers and rows of a chunk that was not read yet."""
        content = self._unread[number]
        decoded: list[Any] | None = content_of(content) if isinstance(content, bytes) else content
        return decoded or [[], []]

    def dump(self, number: int) -> Any | None:
        self._read(number)
        makers: dict[str, int] = {}
        rows = [
            [seq, *(_row(event, makers.setdefault(event.made_by, len(makers))) for event in events)]
            for seq in range(number << _TEXTS_BITS, (number + 1) << _TEXTS_BITS)
            if (events := self.of_turn(seq))
        ]
        return [list(makers), rows] if rows else None


def _event(number: int, row: Sequence[Any], makers: Sequence[str]) -> KeptEvent:
    text, start, end, offset, context = row[:5]
    maker: int = row[5]
    return KeptEvent(number, text, *((start, end) if end else (None, None)), offset, context, makers[maker])


def _row(event: KeptEvent, maker: int) -> list[Any]:
    return [event.text, event.start or 0, event.end or 0, event.offset, event.context, maker]


def mean_of(vectors: Sequence[Values]) -> Values:
    """Return the mean of unit vectors, scaled to length 1; zeros if they cancel out."""
    total: Values = np.asarray(vectors, np.float32).sum(axis=0)
    return total / max(float(np.linalg.norm(total)), 1e-12)


class EventVectors(Part):
    """Vectors of the events that have their own. A chunk holds those of 8 sequence numbers, as bytes.

    A vector is two bytes for the event's place in the chunk, then three bits a component. Those of a large memory are
    read as they are asked for: hardly any call needs more than some hundreds of them.
    """

    def __init__(self, dimension: int, name: str = "event-vectors") -> None:
        super().__init__(name)
        self._dimension = dimension
        self._size = (BITS * dimension + 7) // 8
        self._in: dict[int, dict[int, bytes]] = {}
        self._unread: dict[int, bytes] = {}
        # Reads chunks that are stored, and the chunks that need not be read any more; None where all are loaded.
        self._stored: StoredChunks | None = None
        self._known: set[int] = set()

    def __len__(self) -> int:
        """Return the number of vectors that were loaded."""
        for number in list(self._unread):
            self._chunk(number)
        return sum(map(len, self._in.values()))

    def __contains__(self, event: int) -> bool:
        return event in self._chunk(event >> _CHUNK_BITS)

    def fill_later(self, chunks: StoredChunks) -> None:
        """Let a part of which nothing is loaded read its chunks when they are asked for."""
        self._stored = chunks

    def read(self, events: Iterable[int]) -> None:
        """Load what is stored of some events, in one call, before they are asked for one by one."""
        if self._stored is None:
            return
        numbers = sorted({event >> _CHUNK_BITS for event in events} - self._known)
        if numbers:
            self._unread |= {number: content_of(content) for number, content in self._stored(numbers)}
            self._known.update(numbers)

    def _chunk(self, number: int) -> dict[int, bytes]:
        """Return the codes of a chunk's events, by event; decoded from its bytes when first needed."""
        if (codes := self._in.get(number)) is not None:
            return codes
        self.read((number << _CHUNK_BITS,))
        content = self._unread.pop(number, None)
        if content:
            step = self._size + 2
            self._in[number] = {
                number << _CHUNK_BITS | int.from_bytes(content[i : i + 2], "little"): content[i + 2 : i + step]
                for i in range(0, len(content), step)
            }
        return self._in.get(number, {})

    def add(self, vectors: Mapping[int, Values]) -> None:
        """Keep the unit vectors of events."""
        if not vectors:
            return
        self.read(vectors)
        for event, code in zip(vectors, to_bits(np.stack(list(vectors.values())), BITS), strict=True):
            number = event >> _CHUNK_BITS
            self._in[number] = {**self._chunk(number), event: code.tobytes()}
            self.changed.add(number)

    def take(self, events: Iterable[int]) -> None:
        """Drop the vectors of events."""
        self.read(events := list(events))
        for event in events:
            if self._chunk(event >> _CHUNK_BITS).pop(event, None) is not None:
                self.changed.add(event >> _CHUNK_BITS)

    def rows(self, events: Sequence[int], fallback: Callable[[Sequence[int]], Values] | None = None) -> Values:
        """Return the unit vectors of events, a row each: their own, or what ``fallback`` gives for the others."""
        self.read(events)
        codes = [self._chunk(event >> _CHUNK_BITS).get(event) for event in events]
        coded = [(row, code) for row, code in enumerate(codes) if code is not None]
        content = b"".join(code for _, code in coded)
        vectors = from_bits(np.frombuffer(content, np.uint8).reshape(len(coded), self._size), self._dimension, BITS)
        if len(coded) == len(events):
            return vectors
        missing = [row for row, code in enumerate(codes) if code is None]
        if fallback is None:
            raise KeyError(events[missing[0]])
        rows = np.empty((len(events), self._dimension), np.float32)
        rows[[row for row, _ in coded]] = vectors
        rows[missing] = fallback([events[row] for row in missing])
        return rows

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._unread = {number: content_of(encoded) for number, encoded in chunks}

    def load(self, number: int, content: Any | None) -> None:
        self._known.add(number)
        self._in.pop(number, None)
        self._unread[number] = content or b""

    def dump(self, number: int) -> Any | None:
        codes = sorted(self._chunk(number).items())
        last = (1 << _CHUNK_BITS) - 1
        return b"".join((event & last).to_bytes(2, "little") + code for event, code in codes) or None
