"""Score terms into one score."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hmem.model.evidence import Terms

Values = NDArray[np.float32]


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
    at = np.array(places, np.int64)
    rows = np.stack([values.take(at) for values in terms.values()], axis=1).tolist()
    return [Terms({name: value for name, value in zip(terms, row, strict=True) if value}, weights) for row in rows]
