"""Notes that say that something ended, by their subject and by the keys that what they end shares with them."""

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from hmem.derived.chunks import EVENT_BITS, Part
from hmem.model.scope import ScopedName

_BITS: Final = EVENT_BITS + 8
# Up to so many endings a note is compared with each, without looking for common keys.
_FEW_ENDINGS: Final = 8


class EndingNote(NamedTuple):
    """Note that says that something ended.

    Those of one slot and ``value`` tell of the same end. ``keys`` are those of ``Analyst.ending_keys``; None if the
    note is to be compared with all others.
    """

    number: int
    about: ScopedName
    slot: str
    value: str
    keys: tuple[str, ...] | None


class Endings(Part):
    """Endings by note. A chunk holds those of 256 turns."""

    def __init__(self, name: str = "endings") -> None:
        super().__init__(name)
        self._of: dict[int, EndingNote] = {}
        self._in: dict[int, dict[int, None]] = {}
        self._about: dict[ScopedName, dict[int, None]] = {}

    def __len__(self) -> int:
        return len(self._of)

    def about(self, subject: ScopedName) -> list[EndingNote]:
        """Return the endings of a subject, by number."""
        return [self._of[number] for number in sorted(self._about.get(subject, ()))]

    def put(self, ending: EndingNote) -> None:
        """Keep an ending."""
        if self._of.get(ending.number) != ending:
            self._drop(ending.number)
            self._keep(ending)
            self.changed.add(ending.number >> _BITS)

    def take(self, number: int) -> None:
        """Drop the ending of a note, if it is one."""
        if self._drop(number):
            self.changed.add(number >> _BITS)

    def _keep(self, ending: EndingNote) -> None:
        self._of[ending.number] = ending
        self._in.setdefault(ending.number >> _BITS, {})[ending.number] = None
        self._about.setdefault(ending.about, {})[ending.number] = None

    def _drop(self, number: int) -> bool:
        ending = self._of.pop(number, None)
        if ending is None:
            return False
        del self._in[number >> _BITS][number]
        del self._about[ending.about][number]
        if not self._about[ending.about]:
            del self._about[ending.about]
        return True

    def load(self, number: int, content: Any | None) -> None:
        for each in list(self._in.get(number, ())):
            self._drop(each)
        words: list[str]
        rows: list[tuple[int, int, int, int, str, list[int] | None]]
        words, rows = content or ([], [])
        for each, owner, name, slot, value, keys in rows:
            about = ScopedName(words[owner], words[name])
            kept = None if keys is None else tuple(words[key] for key in keys)
            self._keep(EndingNote(each, about, words[slot], value, kept))

    def dump(self, number: int) -> Any | None:
        words: dict[str, int] = {}

        def place(word: str) -> int:
            return words.setdefault(word, len(words))

        rows = [
            [
                each,
                place(ending.about.owner),
                place(ending.about.name),
                place(ending.slot),
                ending.value,
                None if ending.keys is None else [place(key) for key in ending.keys],
            ]
            for each in sorted(self._in.get(number, ()))
            for ending in [self._of[each]]
        ]
        return [list(words), rows] if rows else None


class SubjectEndings:
    """Endings of a subject in the order of time, with their times, and their places by key."""

    def __init__(self) -> None:
        self.endings: list[EndingNote] = []
        self.orders: list[tuple[int, int]] = []
        self._by_key: dict[str | None, dict[int, None]] = {}
        self._places: dict[tuple[str, str], int] = {}

    def put(self, ending: EndingNote, order: tuple[int, int]) -> bool:
        """Add an ending, or replace its keys; return False, with nothing done, for one that is not the newest.

        Told again, an end is the same one: it ends nothing that began since.
        """
        place = self._places.get((ending.slot, ending.value))
        if place is not None:
            if self.endings[place].number == ending.number:
                for key in _keys_of(self.endings[place]):
                    del self._by_key[key][place]
                self._enter(ending, place)
            return self.orders[place] <= order
        if self.orders and order < self.orders[-1]:
            return False
        self.endings.append(ending)
        self.orders.append(order)
        self._places[ending.slot, ending.value] = len(self.endings) - 1
        self._enter(ending, len(self.endings) - 1)
        return True

    def _enter(self, ending: EndingNote, place: int) -> None:
        self.endings[place] = ending
        for key in _keys_of(ending):
            self._by_key.setdefault(key, {})[place] = None

    def after(self, order: tuple[int, int], keys: Callable[[], frozenset[str] | None]) -> list[EndingNote]:
        """Return the endings after a time that share a key with a note."""
        if not self.orders or self.orders[-1] <= order:
            return []
        first = bisect_right(self.orders, order)
        shared = keys() if len(self.endings) - first > _FEW_ENDINGS else None
        if shared is None:
            return self.endings[first:]
        places = {place for key in (None, *shared) for place in self._by_key.get(key, ())}
        return [self.endings[place] for place in sorted(places) if place >= first]


def _keys_of(ending: EndingNote) -> tuple[str | None, ...]:
    """Return the keys that an ending is found by; None is that of all notes."""
    return (None,) if ending.keys is None else ending.keys
