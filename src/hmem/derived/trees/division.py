"""Division of vectors into two groups of similar ones, for nodes that have become too wide."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.trees.centroids import Values, centroid

# Two halves are found in a few rounds or never.
_ROUNDS: Final = 6


def halves(rows: Values, least: int = 1) -> NDArray[np.bool_]:
    """Divide grid vectors into two groups of similar ones; return which belong to the second.

    2-means, started from the two vectors that are farthest apart. Equal vectors are divided by their order. Each group
    has at least ``least`` vectors, or half of them: the nearest to a smaller group join it.
    """
    products = rows.dot(rows.T)
    first, second = divmod(int(products.argmin()), len(rows))
    leaning = products[second] - products[first]
    total = rows.sum(axis=0, dtype=np.float64)
    for _ in range(_ROUNDS):
        apart = leaning > 0
        count = int(np.count_nonzero(apart))
        if not 0 < count < len(rows):
            break
        beyond = rows[apart].sum(axis=0, dtype=np.float64)
        near, far = centroid(total - beyond, len(rows) - count), centroid(beyond, count)
        leaning = rows.dot(far) - rows.dot(near)
        if ((leaning > 0) == apart).all():
            break
    apart = leaning > 0
    if apart.all() or not apart.any():
        return np.arange(len(rows)) >= len(rows) // 2
    return _with_at_least(apart, leaning, min(least, len(rows) // 2))


def _with_at_least(apart: NDArray[np.bool_], leaning: Values, least: int) -> NDArray[np.bool_]:
    """Move vectors to the smaller group, those that lean to it most, until it has ``least``."""
    count = int(np.count_nonzero(apart))
    if least <= count <= len(apart) - least:
        return apart
    wanted = least if count < least else len(apart) - least
    found = np.zeros(len(apart), np.bool_)
    found[np.argsort(-leaning, kind="stable")[:wanted]] = True
    return found
