"""Combination of score terms into one score."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.rows import Values
from hmem.model.evidence import Terms


class TermSource(Protocol):
    """Terms of candidates: a row for each term, a column for each candidate."""

    def take(self, columns: NDArray[np.int64]) -> "TermSource":
        """Return the same terms for some candidates, in this order, and hold nothing of the others."""
        ...

    def values(self) -> Values:
        """Return the values of all terms, computed now."""
        ...


class _TermArray(NamedTuple):
    """Terms as they are."""

    array: Values

    def take(self, columns: NDArray[np.int64]) -> "_TermArray":
        return _TermArray(self.array.take(columns, axis=1))

    def values(self) -> Values:
        return self.array


class _LazySubset(NamedTuple):
    """Terms of some candidates of a source, looked up when first needed."""

    terms: TermSource
    columns: NDArray[np.int64]

    def take(self, columns: NDArray[np.int64]) -> TermSource:
        return self.terms.take(self.columns[columns])

    def values(self) -> Values:
        return self.terms.take(self.columns).values()


class _WithTerm(NamedTuple):
    """Terms and one more."""

    terms: TermSource
    further: Values

    def take(self, columns: NDArray[np.int64]) -> "_WithTerm":
        return _WithTerm(self.terms.take(columns), self.further.take(columns))

    def values(self) -> Values:
        return np.vstack([self.terms.values(), self.further])


class TermRows(Mapping[str, Values]):
    """Terms of candidates by name, computed on demand, since few candidates are ever explained."""

    __slots__ = ("_computed", "_row_of_name", "_source")

    def __init__(self, row_of_name: Mapping[str, int], source: TermSource) -> None:
        """Create the terms of a source, whose rows are numbered by term name."""
        self._row_of_name = row_of_name
        self._source = source
        self._computed: Values | None = None

    @classmethod
    def from_array(cls, row_of_name: Mapping[str, int], values: Values) -> "TermRows":
        """Return the terms held by an array."""
        return cls(row_of_name, _TermArray(values))

    def __getitem__(self, name: str) -> Values:
        return self._values[self._row_of_name[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._row_of_name)

    def __len__(self) -> int:
        return len(self._row_of_name)

    @property
    def _values(self) -> Values:
        if self._computed is None:
            self._computed = self._source.values()
        return self._computed

    def weighed(self, weights: Mapping[str, float]) -> Values:
        """Return the ``weighted_sum`` of all terms at once."""
        return (self._values * np.array([weights.get(name, 0.0) for name in self], np.float32)[:, None]).sum(axis=0)

    def source_at(self, columns: NDArray[np.int64]) -> TermSource:
        """Return the source of all terms of some candidates."""
        return self._source.take(columns)

    def take(self, columns: NDArray[np.int64]) -> "TermRows":
        """Return the same terms for some candidates, in this order."""
        return TermRows(self._row_of_name, _LazySubset(self._source, columns))

    def with_term(self, name: str, values: Values) -> "TermRows":
        """Return these terms and one more, with a value for each candidate."""
        return TermRows({**self._row_of_name, name: len(self._row_of_name)}, _WithTerm(self._source, values))


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
        return Explained, (_TermArray(self.rows()[0].T), self._factors)

    def rows(self) -> tuple[Values, NDArray[np.int64]]:
        """Return the values of each score, and the indices of its terms by their contributions, largest first."""
        if self._read is None:
            values = self._source.values().T
            # Sorting all at once is faster.
            self._read = values, np.argsort(-np.abs(values * np.array(self._factors)), axis=1, kind="stable")
        return self._read


def explain(terms: Mapping[str, Values], weights: Mapping[str, float], positions: Sequence[int]) -> list[Terms]:
    """Return the terms of the scores at some places, largest contribution first; those of value 0 are left out."""
    if not terms or not positions:
        return []
    names = tuple(terms)
    factors = [float(weights.get(name, 0.0)) for name in names]
    explained = Explained(_source_at(terms, np.array(positions, np.int64)), factors)
    return [Terms(names, factors, explained, position) for position in range(len(positions))]


def values_at(terms: Mapping[str, Values], positions: NDArray[np.int64]) -> Values:
    """Return the terms at some places, a row for each term."""
    return _source_at(terms, positions).values()


def _source_at(terms: Mapping[str, Values], positions: NDArray[np.int64]) -> TermSource:
    if isinstance(terms, TermRows):
        return terms.source_at(positions)
    return _TermArray(np.array([values.take(positions) for values in terms.values()]))
