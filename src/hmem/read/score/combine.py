"""Score terms into one score."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hmem.model.evidence import Terms

Values = NDArray[np.float32]


class TermRows(Mapping[str, Values]):
    """The terms of candidates as one array: a row for each term, a column for each candidate."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: Mapping[str, int], values: Values) -> None:
        """``places`` are the rows of all terms by name, in their order."""
        self._places = places
        self._values = values

    def __getitem__(self, name: str) -> Values:
        return self._values[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def values_at(self, columns: NDArray[np.int64]) -> Values:
        """All terms of some candidates."""
        return self._values.take(columns, axis=1)

    def take(self, columns: NDArray[np.int64]) -> "TermRows":
        """The same terms of some candidates, in this order."""
        return TermRows(self._places, self.values_at(columns))


def weighted_sum(terms: Mapping[str, Values], weights: Mapping[str, float]) -> Values:
    """The sum of each term's values times its weight; a term without a weight counts nothing."""
    first = next(iter(terms.values()))
    total = np.zeros(len(first), np.float32)
    for name, values in terms.items():
        total += np.float32(weights.get(name, 0.0)) * values
    return total


def explain(terms: Mapping[str, Values], weights: Mapping[str, float], places: Sequence[int]) -> list[Terms]:
    """The terms of the scores at some places; one that is 0 is left out."""
    if not terms or not places:
        return []
    at, names = np.array(places, np.int64), tuple(terms)
    if isinstance(terms, TermRows):
        chosen = terms.values_at(at)
    else:
        chosen = np.array([values.take(at) for values in terms.values()])
    return [Terms(names, row, weights) for row in chosen.T.tolist()]
