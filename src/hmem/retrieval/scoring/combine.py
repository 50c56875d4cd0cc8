"""Combination of score terms into one score."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hmem.model.evidence import Terms

Values = NDArray[np.float32]


class TermSource(Protocol):
    """Terms of candidates: a row for each term, a column for each candidate."""

    def take(self, columns: NDArray[np.int64]) -> "TermSource":
        """Return the same terms for some candidates, in this order, and hold nothing of the others."""
        ...

    def values(self) -> Values:
        """Return the values of all terms, computed now."""
        ...


class _Held(NamedTuple):
    """Terms as they are."""

    held: Values

    def take(self, columns: NDArray[np.int64]) -> "_Held":
        return _Held(self.held.take(columns, axis=1))

    def values(self) -> Values:
        return self.held


class _Some(NamedTuple):
    """Terms of some candidates of a source, which are not looked up until some of these are."""

    terms: TermSource
    columns: NDArray[np.int64]

    def take(self, columns: NDArray[np.int64]) -> TermSource:
        return self.terms.take(self.columns[columns])

    def values(self) -> Values:
        return self.terms.take(self.columns).values()


class _Joined(NamedTuple):
    """Terms and one more."""

    terms: TermSource
    further: Values

    def take(self, columns: NDArray[np.int64]) -> "_Joined":
        return _Joined(self.terms.take(columns), self.further.take(columns))

    def values(self) -> Values:
        return np.vstack([self.terms.values(), self.further])


class TermRows(Mapping[str, Values]):
    """Terms of candidates by name, computed on demand, since few candidates are ever explained."""

    __slots__ = ("_all", "_places", "_source")

    def __init__(self, places: Mapping[str, int], source: TermSource) -> None:
        """Create the terms of a source, whose rows are at ``places``, by term name in order."""
        self._places = places
        self._source = source
        self._all: Values | None = None

    @classmethod
    def of(cls, places: Mapping[str, int], values: Values) -> "TermRows":
        """Return the terms held by an array."""
        return cls(places, _Held(values))

    def __getitem__(self, name: str) -> Values:
        return self._values[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def _values(self) -> Values:
        if self._all is None:
            self._all = self._source.values()
        return self._all

    def weighed(self, weights: Mapping[str, float]) -> Values:
        """Return the ``weighted_sum`` of all terms at once."""
        return (self._values * np.array([weights.get(name, 0.0) for name in self], np.float32)[:, None]).sum(axis=0)

    def source_at(self, columns: NDArray[np.int64]) -> TermSource:
        """Return the source of all terms of some candidates."""
        return self._source.take(columns)

    def take(self, columns: NDArray[np.int64]) -> "TermRows":
        """Return the same terms for some candidates, in this order."""
        return TermRows(self._places, _Some(self._source, columns))

    def joined(self, name: str, values: Values) -> "TermRows":
        """Return these terms and one more, with a value for each candidate."""
        return TermRows({**self._places, name: len(self._places)}, _Joined(self._source, values))


def weighted_sum(terms: Mapping[str, Values], weights: Mapping[str, float]) -> Values:
    """Return the sum of each term's values times its weight; a term without a weight counts nothing."""
    first = next(iter(terms.values()))
    total = np.zeros(len(first), np.float32)
    for name, values in terms.items():
        total += np.float32(weights.get(name, 0.0)) * values
    return total


class Explained:
    """Terms of some scores, computed when one of them is first read: many a search is read without its reasons."""

    __slots__ = ("_factors", "_read", "_source")

    def __init__(self, source: TermSource, factors: Sequence[float]) -> None:
        self._source = source
        self._factors = factors
        self._read: tuple[Values, NDArray[np.int64]] | None = None

    def __reduce__(self) -> tuple[type["Explained"], tuple[TermSource, Sequence[float]]]:
        """Return what a copy is made from: the terms without what computes them."""
        return Explained, (_Held(self.rows()[0].T), self._factors)

    def rows(self) -> tuple[Values, NDArray[np.int64]]:
        """Return the values of each score, and the indices of its terms by their contributions, largest first."""
        if self._read is None:
            values = self._source.values().T
            # Sorting all at once is faster.
            self._read = values, np.argsort(-np.abs(values * np.array(self._factors)), axis=1, kind="stable")
        return self._read


def explain(terms: Mapping[str, Values], weights: Mapping[str, float], places: Sequence[int]) -> list[Terms]:
    """Return the terms of the scores at some places, largest contribution first; those of value 0 are left out."""
    if not terms or not places:
        return []
    names = tuple(terms)
    factors = [float(weights.get(name, 0.0)) for name in names]
    explained = Explained(_source_at(terms, np.array(places, np.int64)), factors)
    return [Terms(names, factors, explained, at) for at in range(len(places))]


def values_at(terms: Mapping[str, Values], places: NDArray[np.int64]) -> Values:
    """Return the terms at some places, a row for each term."""
    return _source_at(terms, places).values()


def _source_at(terms: Mapping[str, Values], places: NDArray[np.int64]) -> TermSource:
    if isinstance(terms, TermRows):
        return terms.source_at(places)
    return _Held(np.array([values.take(places) for values in terms.values()]))
