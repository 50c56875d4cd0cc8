"""Events and their vectors.

An event that is all its turn states has its turn's vector; one of several has a vector of its own, in few bits.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.hierarchy.part import EVENT_BITS, Part, event_number, turn_of
from hmem.model.vector import from_bits, to_bits

_TEXTS_BITS: Final = 5
# Chunks of vectors go by the event's number: 8 turns each.
_CHUNK_BITS: Final = EVENT_BITS + 3

Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """An event by number. Times are in seconds since 1970, ``offset`` in minutes; ``context`` as in ``Statement``."""

    number: int
    text: str
    start: int | None = None
    end: int | None = None
    offset: int = 0
    context: int = 0
    made_by: str = "rules"


class Events(Part):
    """The events of all turns. A chunk is what the events of 32 sequence numbers say."""

    def __init__(self, name: str = "events") -> None:
        super().__init__(name)
        self._of: dict[int, tuple[KeptEvent, ...]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of.values()))

    def of(self, seq: int) -> tuple[KeptEvent, ...]:
        """The events of a turn, in their order."""
        return self._of.get(seq, ())

    def get(self, number: int) -> KeptEvent | None:
        """An event by its number."""
        return next((event for event in self.of(turn_of(number)) if event.number == number), None)

    def turns(self) -> list[int]:
        """The turns that have events, ascending."""
        return sorted(self._of)

    def put(self, seq: int, events: Sequence[KeptEvent]) -> None:
        """Make these a turn's events."""
        if events:
            self._of[seq] = tuple(events)
        else:
            self._of.pop(seq, None)
        self.changed.add(seq >> _TEXTS_BITS)

    def load(self, number: int, content: Any | None) -> None:
        kept: list[Any] = [[], []] if content is None else content
        for seq in range(number << _TEXTS_BITS, (number + 1) << _TEXTS_BITS):
            self._of.pop(seq, None)
        made, rows = kept
        for seq, *events in rows:
            self._of[seq] = tuple(
                KeptEvent(
                    event_number(seq, i), text, *((start, end) if end else (None, None)), offset, context, made[by]
                )
                for i, (text, start, end, offset, context, by) in enumerate(events)
            )

    def dump(self, number: int) -> Any | None:
        made: dict[str, int] = {}
        rows: list[Any] = []
        for seq in range(number << _TEXTS_BITS, (number + 1) << _TEXTS_BITS):
            events = self._of.get(seq)
            if events:
                rows.append([seq, *(_row(event, made.setdefault(event.made_by, len(made))) for event in events)])
        return [list(made), rows] if rows else None


def _row(event: KeptEvent, made: int) -> list[Any]:
    return [event.text, event.start or 0, event.end or 0, event.offset, event.context, made]


class EventVectors(Part):
    """The vectors of those events that have their own. A chunk is those of 8 sequence numbers, as bytes.

    A vector is two bytes for the event's place among those of the chunk, then three bits a component.
    """

    def __init__(self, dimension: int, name: str = "event-vectors") -> None:
        super().__init__(name)
        self._dimension = dimension
        self._of: dict[int, NDArray[np.uint8]] = {}
        self._in: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._of)

    def __contains__(self, event: int) -> bool:
        return event in self._of

    def put(self, vectors: Mapping[int, Values]) -> None:
        """Keep the unit vectors of events."""
        if not vectors:
            return
        for event, code in zip(vectors, to_bits(np.stack(list(vectors.values()))), strict=True):
            self._keep(event, code)
            self.changed.add(event >> _CHUNK_BITS)

    def _keep(self, event: int, code: NDArray[np.uint8]) -> None:
        if event not in self._of:
            self._in.setdefault(event >> _CHUNK_BITS, []).append(event)
        self._of[event] = code

    def take(self, events: Iterable[int]) -> None:
        """Drop the vectors of events."""
        for event in events:
            if self._of.pop(event, None) is not None:
                self._in[event >> _CHUNK_BITS].remove(event)
                self.changed.add(event >> _CHUNK_BITS)

    def rows(self, events: Sequence[int]) -> Values:
        """The unit vectors of events that have their own, a row each."""
        if not events:
            return np.zeros((0, self._dimension), np.float32)
        return from_bits(np.stack([self._of[event] for event in events]), self._dimension)

    def load(self, number: int, content: Any | None) -> None:
        for event in self._in.pop(number, ()):
            del self._of[event]
        if content:
            size = len(to_bits(np.zeros((1, self._dimension), np.float32))[0]) + 2
            rows = np.frombuffer(content, np.uint8).reshape(-1, size)
            places = rows[:, :2].copy().view("<u2")[:, 0].tolist()
            for place, code in zip(places, rows[:, 2:], strict=True):
                self._keep(number << _CHUNK_BITS | place, code)

    def dump(self, number: int) -> Any | None:
        events = sorted(self._in.get(number, ()))
        places = np.array([event & ((1 << _CHUNK_BITS) - 1) for event in events], "<u2")
        return (
            b"".join(place.tobytes() + self._of[event].tobytes() for place, event in zip(places, events, strict=True))
            or None
        )
