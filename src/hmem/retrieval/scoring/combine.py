"""Combination of score terms into one score."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hmem.model.evidence import Terms

Values = NDArray[np.float32]
# Function that returns all terms (rows) of some candidates (columns).
Tell = Callable[[NDArray[np.int64]], Values]


class TermRows(Mapping[str, Values]):
    """Terms of candidates: a row for each term, a column for each candidate.

    They are computed on demand, since few candidates are ever explained.
    """

    __slots__ = ("_all", "_columns", "_places", "_tell")

    def __init__(self, places: Mapping[str, int], tell: Tell, columns: NDArray[np.int64]) -> None:
        """Create rows at ``places``, by term name in order; ``tell`` returns all terms of some columns."""
        self._places = places
        self._tell = tell
        self._columns = columns
        self._all: Values | None = None

    @classmethod
    def of(cls, places: Mapping[str, int], values: Values) -> "TermRows":
        """Return the terms held by an array."""
        columns: NDArray[np.int64] = np.arange(values.shape[1], dtype=np.int64)
        made = cls(places, lambda some: values.take(some, axis=1), columns)
        made._all = values
        return made

    def __getitem__(self, name: str) -> Values:
        return self._values[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def _values(self) -> Values:
        if self._all is None:
            self._all = self._tell(self._columns)
        return self._all

    def weighed(self, weights: Mapping[str, float]) -> Values:
        """Return the ``weighted_sum`` of all terms at once."""
        return (self._values * np.array([weights.get(name, 0.0) for name in self], np.float32)[:, None]).sum(axis=0)

    def values_at(self, columns: NDArray[np.int64]) -> Values:
        """Return all terms of some candidates."""
        return self._tell(self._columns[columns])

    def take(self, columns: NDArray[np.int64]) -> "TermRows":
        """Return the same terms for some candidates, in this order."""
        return TermRows(self._places, self._tell, self._columns[columns])

    def joined(self, name: str, values: Values) -> "TermRows":
        """Return these terms and one more, with a value for each candidate."""

        def tell(some: NDArray[np.int64]) -> Values:
            return np.vstack([self.values_at(some), values.take(some)])

        return TermRows({**self._places, name: len(self._places)}, tell, np.arange(len(values)))


def weighted_sum(terms: Mapping[str, Values], weights: Mapping[str, float]) -> Values:
    """Return the sum of each term's values times its weight; a term without a weight counts nothing."""
    first = next(iter(terms.values()))
    total = np.zeros(len(first), np.float32)
    for name, values in terms.items():
        total += np.float32(weights.get(name, 0.0)) * values
    return total


def explain(terms: Mapping[str, Values], weights: Mapping[str, float], places: Sequence[int]) -> list[Terms]:
    """Return the terms of the scores at some places, largest contribution first; those of value 0 are left out."""
    if not terms or not places:
        return []
    names = tuple(terms)
    factors = [float(weights.get(name, 0.0)) for name in names]
    values = values_at(terms, np.array(places, np.int64)).T
    # Sorting all places at once is faster.
    orders = np.argsort(-np.abs(values * np.array(factors)), axis=1, kind="stable")
    return [Terms(names, row, factors, order) for row, order in zip(values, orders, strict=True)]


def values_at(terms: Mapping[str, Values], places: NDArray[np.int64]) -> Values:
    """Return the terms at some places, a row for each term."""
    if isinstance(terms, TermRows):
        return terms.values_at(places)
    return np.array([values.take(places) for values in terms.values()])
