"""Division of vectors into two groups of similar ones, for nodes that have become too wide."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.trees.centroids import Values, centroid

# Two halves are found in a few rounds or never.
_ROUNDS: Final = 6


def halves(rows: Values, minimum: int = 1) -> NDArray[np.bool_]:
    """Divide grid vectors into two groups of similar ones; return which belong to the second.

    2-means, started from the two vectors that are farthest apart. Equal vectors are divided by their order. Each group
    has at least ``minimum`` vectors, or half of them: the nearest to a smaller group join it.
    """
    products = rows.dot(rows.T)
    first, second = divmod(int(products.argmin()), len(rows))
    leaning = products[second] - products[first]
    total = rows.sum(axis=0, dtype=np.float64)
    for _ in range(_ROUNDS):
        mask = leaning > 0
        count = int(np.count_nonzero(mask))
        if not 0 < count < len(rows):
            break
        beyond = rows[mask].sum(axis=0, dtype=np.float64)
        first_centre, second_centre = centroid(total - beyond, len(rows) - count), centroid(beyond, count)
        leaning = rows.dot(second_centre) - rows.dot(first_centre)
        if ((leaning > 0) == mask).all():
            break
    mask = leaning > 0
    if mask.all() or not mask.any():
        return np.arange(len(rows)) >= len(rows) // 2
    return _with_at_least(mask, leaning, min(minimum, len(rows) // 2))


def _with_at_least(mask: NDArray[np.bool_], leaning: Values, minimum: int) -> NDArray[np.bool_]:
    """Move vectors to the smaller group, those that lean to it most, until it has ``minimum``."""
    count = int(np.count_nonzero(mask))
    if minimum <= count <= len(mask) - minimum:
        return mask
    size = minimum if count < minimum else len(mask) - minimum
    balanced = np.zeros(len(mask), np.bool_)
    balanced[np.argsort(-leaning, kind="stable")[:size]] = True
    return balanced
