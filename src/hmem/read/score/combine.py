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
    """The terms of each of the first scores; one that is 0 is left out."""
    names = list(terms)
    if not names:
        return []
    held = [weights.get(name, 0.0) for name in names]
    rows = np.stack([terms[name][:first] for name in names], axis=1).tolist()
    return [
        {name: Term(value, weight) for name, value, weight in zip(names, row, held, strict=True) if value}
        for row in rows
    ]
