"""Events and their vectors.

An event that is all its turn states has its turn's vector; one of several has a vector of its own, of four bits a
component.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.hierarchy.part import Part, event_number, turn_of
from hmem.model.vector import from_nibbles, to_nibbles

_TEXTS_BITS: Final = 5
_VECTORS_BITS: Final = 4

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
    """The vectors of those events that have their own. A chunk is those of 16 sequence numbers, as bytes."""

    def __init__(self, dimension: int, name: str = "event-vectors") -> None:
        super().__init__(name)
        self._dimension = dimension
        self._of: dict[int, tuple[NDArray[np.uint8], np.float32]] = {}
        self._in: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._of)

    def __contains__(self, event: int) -> bool:
        return event in self._of

    def put(self, vectors: Mapping[int, Values]) -> None:
        """Keep the unit vectors of events."""
        if not vectors:
            return
        codes, scales = to_nibbles(np.stack(list(vectors.values())))
        for event, code, scale in zip(vectors, codes, scales, strict=True):
            self._keep(event, code, scale)
            self.changed.add(turn_of(event) >> _VECTORS_BITS)

    def _keep(self, event: int, code: NDArray[np.uint8], scale: np.float32) -> None:
        if event not in self._of:
            self._in.setdefault(turn_of(event) >> _VECTORS_BITS, []).append(event)
        self._of[event] = (code, scale)

    def take(self, events: Iterable[int]) -> None:
        """Drop the vectors of events."""
        for event in events:
            if self._of.pop(event, None) is not None:
                number = turn_of(event) >> _VECTORS_BITS
                self._in[number].remove(event)
                self.changed.add(number)

    def rows(self, events: Sequence[int]) -> Values:
        """The unit vectors of events that have their own, a row each."""
        if not events:
            return np.zeros((0, self._dimension), np.float32)
        kept = [self._of[event] for event in events]
        codes, scales = np.stack([code for code, _ in kept]), np.array([scale for _, scale in kept], np.float32)
        return from_nibbles(codes, scales)[:, : self._dimension]

    def load(self, number: int, content: Any | None) -> None:
        for event in self._in.pop(number, ()):
            del self._of[event]
        if not content:
            return
        size = 12 + (self._dimension + 1) // 2
        rows = np.frombuffer(content, np.uint8).reshape(-1, size)
        events = rows[:, :8].copy().view("<i8")[:, 0].tolist()
        scales = rows[:, 8:12].copy().view("<f4")[:, 0].astype(np.float32)
        for event, code, scale in zip(events, rows[:, 12:], scales, strict=True):
            self._keep(event, code, scale)

    def dump(self, number: int) -> Any | None:
        events = sorted(self._in.get(number, ()))
        if not events:
            return None
        return b"".join(
            np.int64(event).tobytes() + scale.astype("<f4").tobytes() + code.tobytes()
            for event, (code, scale) in ((event, self._of[event]) for event in events)
        )
