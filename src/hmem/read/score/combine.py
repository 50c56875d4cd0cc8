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


def explain(terms: Mapping[str, Values], weights: Mapping[str, float], position: int) -> dict[str, Term]:
    """The terms of the score at a position."""
    return {name: Term(float(values[position]), weights.get(name, 0.0)) for name, values in terms.items()}
