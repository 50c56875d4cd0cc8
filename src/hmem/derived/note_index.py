"""Index of notes by subject and slot, stored beside them: a memory is opened without reading the notes themselves."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.chunks import EVENT_BITS, Part, content_of
from hmem.model.scope import ScopedName

_BITS: Final = EVENT_BITS + 8
_FIRST: Final = 64

Numbers = NDArray[np.int64]
Place = tuple[int, ScopedName, str]


class NoteIndex(Part):
    """Subject and slot of each note by number. A chunk holds those of 256 turns.

    After ``fill`` it follows what is told by ``replace``, also of notes that are loaded: ``load`` does nothing.
    """

    def __init__(self, name: str = "note-index") -> None:
        super().__init__(name)
        self._subjects: list[ScopedName] = []
        self._slots: list[str] = []
        self._subject_ids: dict[ScopedName, int] = {}
        self._slot_ids: dict[str, int] = {}
        # Notes by number, with the places of their subject and slot in the lists; there is room behind the last.
        self._columns: list[NDArray[Any]] = [np.zeros(_FIRST, kind) for kind in (np.int64, np.int32, np.int32)]
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def _numbers(self) -> Numbers:
        return self._columns[0][: self._length]

    @property
    def _about(self) -> NDArray[np.int32]:
        return self._columns[1][: self._length]

    @property
    def _in(self) -> NDArray[np.int32]:
        return self._columns[2][: self._length]

    def subjects(self) -> list[ScopedName]:
        """Return the subjects that have notes, sorted by owner and name."""
        return sorted(self._subjects[each] for each in np.flatnonzero(np.bincount(self._about)).tolist())

    def of(self, subject: ScopedName, slot: str | None = None) -> Numbers:
        """Return the notes about a subject, or about one slot of it, ascending."""
        about = self._subject_ids.get(subject, -1)
        chosen = self._about == about
        if slot is not None:
            chosen &= self._in == self._slot_ids.get(slot, -1)
        return self._numbers[chosen]

    def slots(self, subject: ScopedName) -> list[str]:
        """Return the slots of a subject that have notes, sorted."""
        inside = self._in[self._about == self._subject_ids.get(subject, -1)]
        return sorted(self._slots[each] for each in np.flatnonzero(np.bincount(inside)).tolist())

    def in_slots(self, slots: Iterable[str]) -> Numbers:
        """Return the notes in some slots of any subject, ascending."""
        wanted = [self._slot_ids[slot] for slot in slots if slot in self._slot_ids]
        return self._numbers[np.isin(self._in, wanted)]

    def between(self, first: int, last: int) -> list[Place]:
        """Return the notes from a number up to another, which is not among them, with subject and slot."""
        start, end = np.searchsorted(self._numbers, [first, last]).tolist()
        rows = zip(*(column[start:end].tolist() for column in self._columns), strict=True)
        return [(number, self._subjects[about], self._slots[slot]) for number, about, slot in rows]

    def replace(self, first: int, last: int, places: Sequence[Place]) -> None:
        """Put these in the place of all notes from a number up to another, which is not among them."""
        start, end = np.searchsorted(self._numbers, [first, last]).tolist()
        behind, length = self._length - end, start + len(places) + self._length - end
        fresh = [[number, self._subject(about), self._slot(slot)] for number, about, slot in places]
        if length > len(self._columns[0]):
            self._columns = [np.resize(column, max(length, 2 * len(column))) for column in self._columns]
        for i, column in enumerate(self._columns):
            column[start + len(places) : length] = column[end : end + behind].copy()
            column[start : start + len(places)] = [row[i] for row in fresh]
        self._length = length

    def _subject(self, about: ScopedName) -> int:
        if about not in self._subject_ids:
            self._subject_ids[about] = len(self._subjects)
            self._subjects.append(about)
        return self._subject_ids[about]

    def _slot(self, slot: str) -> int:
        if slot not in self._slot_ids:
            self._slot_ids[slot] = len(self._slots)
            self._slots.append(slot)
        return self._slot_ids[slot]

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        parts: list[tuple[Any, Any, Any]] = []
        for number, stored in chunks:
            names, slots, places, abouts, inside = content_of(stored)
            subjects = [self._subject(ScopedName(*each)) for each in zip(names[::2], names[1::2], strict=True)]
            kept = [self._slot(slot) for slot in slots]
            parts.append(
                (
                    np.array(places, np.int64) + (number << _BITS),
                    np.array(subjects, np.int32)[abouts],
                    np.array(kept, np.int32)[inside],
                )
            )
        if parts:
            self._columns = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
            self._length = len(self._columns[0])

    def load(self, number: int, content: Any | None) -> None:  # noqa: ARG002 - the notes tell
        return

    def dump(self, number: int) -> Any | None:
        rows = self.between(number << _BITS, (number + 1) << _BITS)
        subjects: dict[ScopedName, int] = {}
        slots: dict[str, int] = {}
        abouts = [subjects.setdefault(about, len(subjects)) for _, about, _ in rows]
        inside = [slots.setdefault(slot, len(slots)) for _, _, slot in rows]
        places = [each - (number << _BITS) for each, _, _ in rows]
        return [[word for about in subjects for word in about], list(slots), places, abouts, inside] if rows else None

    def chunks_of(self, seqs: Iterable[int]) -> set[int]:
        """Return the chunks of the notes of some turns."""
        return {seq << EVENT_BITS >> _BITS for seq in seqs}
