"""Score terms into one score."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hmem.model.evidence import Term

Values = NDArray[np.float32]


def weighted_sum(terms: Mapping[str, Values], weights: Mapping[str, float]) -> Values:
    """The sum of each term's values times its weight; a term without a weight counts nothing."""
    first = next(iter(terms.values()))
    total = np.zeros(len(first), np.float32)
    for name, values in terms.items():
        total += np.float32(weights.get(name, 0.0)) * values
    return total


def explain(terms: Mapping[str, Values], weights: Mapping[str, float], first: int) -> list[dict[str, Term]]:
    """The terms of each of the first scores."""
    columns = [
        [Term(value, weights.get(name, 0.0)) for value in values[:first].tolist()] for name, values in terms.items()
    ]
    return [dict(zip(terms, row, strict=True)) for row in zip(*columns, strict=True)]
