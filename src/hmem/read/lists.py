"""Lists of rows, end to end in one growing array, so that many of them are taken at once."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_FIRST: Final = 256

Integers = NDArray[np.int64]


class Lists:
    """Lists that are known by their number, in the order of their coming; what is added is kept as it is.

    ``rows`` has one row for each entry of each list, of any shape.
    """

    def __init__(self, kind: Any, shape: tuple[int, ...] = ()) -> None:
        self._rows: NDArray[Any] = np.zeros((_FIRST, *shape), kind)
        self._ends: Integers = np.zeros(_FIRST, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """The entries of all lists."""
        return self._rows[: self._ends[self._count]]

    def add(self, entries: NDArray[Any], lengths: Integers) -> None:
        """More lists, each of so many of the entries, in their order."""
        start, count = int(self._ends[self._count]), self._count + len(lengths)
        self._rows = _room(self._rows, start + len(entries))
        self._ends = _room(self._ends, count + 1)
        self._rows[start : start + len(entries)] = entries
        self._ends[self._count + 1 : count + 1] = start + np.cumsum(lengths)
        self._count = count

    def places(self, numbers: Integers) -> tuple[Integers, Integers]:
        """Where the entries of some lists stand among ``rows``, one list after the other; the lists' lengths."""
        firsts = self._ends[numbers]
        lengths = self._ends[numbers + 1] - firsts
        before = np.cumsum(lengths)
        return np.repeat(firsts - before + lengths, lengths) + np.arange(before[-1] if len(before) else 0), lengths

    def of(self, numbers: Integers) -> tuple[NDArray[Any], Integers]:
        """The entries of some lists, one list after the other; the lengths of these lists."""
        places, lengths = self.places(numbers)
        return self._rows.take(places, axis=0), lengths


class Slots:
    """A number for each of some keys, which are small and lie close together; -1 for a key without one."""

    def __init__(self) -> None:
        self._numbers: Integers = np.full(_FIRST, -1, np.int64)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._numbers >= 0))

    def of(self, keys: Integers) -> Integers:
        """The numbers of some keys, none of them below 0."""
        if keys.max(initial=0) < len(self._numbers):
            return self._numbers.take(keys)
        known = keys < len(self._numbers)
        return np.where(known, self._numbers[np.where(known, keys, 0)], -1)

    def put(self, keys: Integers, numbers: Integers) -> None:
        """Give keys their numbers."""
        length = int(keys.max(initial=-1)) + 1
        if length > len(self._numbers):
            more = max(length, 2 * len(self._numbers)) - len(self._numbers)
            self._numbers = np.append(self._numbers, np.full(more, -1, np.int64))
        self._numbers[keys] = numbers

    def drop(self, key: int) -> None:
        """Leave a key without a number."""
        if key < len(self._numbers):
            self._numbers[key] = -1

    def clear(self) -> None:
        """Leave all of them without."""
        self._numbers[:] = -1


class Postings:
    """In which of some lists, known by their number in the order of their coming, each word stands."""

    def __init__(self) -> None:
        self._holding: dict[str, array[int]] = {}
        self._count = 0
        self.size = 0

    def __len__(self) -> int:
        return self._count

    def add(self, words: Iterable[str]) -> None:
        """One list more."""
        for word in dict.fromkeys(words):
            self._holding.setdefault(word, array("i")).append(self._count)
            self.size += 1
        self._count += 1

    def clear(self) -> None:
        """Forget all lists."""
        self._holding.clear()
        self._count = self.size = 0

    def having(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Whether each list has each of the words: a row for each word, a column for each list."""
        held = np.zeros((len(words), self._count), np.bool_)
        for row, word in zip(held, words, strict=True):
            if word in self._holding:
                row[np.frombuffer(self._holding[word], np.intc)] = True
        return held

    def weighed(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """The sum of the weights of the words that stand in each list."""
        known = [word for word in weights if word in self._holding]
        if not known:
            return np.zeros(self._count, np.float64)
        found = [np.frombuffer(self._holding[word], np.intc) for word in known]
        each = np.repeat([weights[word] for word in known], [len(lists) for lists in found])
        return np.bincount(np.concatenate(found), each, self._count).astype(np.float64, copy=False)


def _room(rows: NDArray[Any], length: int) -> NDArray[Any]:
    """An array with room for so many rows, which doubles where it has to grow."""
    if length <= len(rows):
        return rows
    more = max(length, 2 * len(rows)) - len(rows)
    return np.concatenate([rows, np.zeros((more, *rows.shape[1:]), rows.dtype)])


def greatest(values: NDArray[Any], lengths: Integers, least: Any) -> NDArray[Any]:
    """The greatest value of each list, given the lists end to end along the last axis; ``least`` where none is greater.

    Where there are several rows of values, ``least`` is a column.
    """
    best = np.empty((*values.shape[:-1], len(lengths)), values.dtype)
    best[:] = least
    if values.size:
        some = np.flatnonzero(lengths)
        firsts = (np.cumsum(lengths) - lengths)[some]
        best[..., some] = np.maximum(np.maximum.reduceat(values, firsts, axis=-1), least, dtype=values.dtype)
    return best
