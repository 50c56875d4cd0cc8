"""Semantic scores: cosines of what was found, and how they spread to what lies beside it."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Values = NDArray[np.float32]

# What reaches a neighbour from farther away than this share is as good as nothing.
_FAINT: Final = 0.02


def best_of(owners: Rows, values: Values, count: int) -> Values:
    """The greatest value of each of ``count`` owners, whose numbers stand beside the values; -1 where it has none."""
    best = np.full(count, -1.0, np.float32)
    np.maximum.at(best, owners, values)
    return best


def nearness(seeds: Rows, scores: Values, sessions: NDArray[np.int32], decay: float) -> tuple[Rows, Values]:
    """What reaches the turns around seeds: the best of a seed's score times ``decay`` to the power of its distance.

    The distance is in turns of the same session, ``sessions`` being those of all rows. No seed reaches itself. Rows
    that something reaches come back, ascending, each with what does.
    """
    reach = int(np.log(_FAINT) / np.log(decay)) if 0 < decay < 1 else 0
    steps = np.concatenate([np.arange(-reach, 0), np.arange(1, reach + 1)])
    around = seeds[:, None] + steps
    there = (around >= 0) & (around < len(sessions))
    there &= sessions[np.where(there, around, 0)] == sessions[seeds][:, None]
    values = np.maximum(scores, 0)[:, None] * np.float32(decay) ** np.abs(steps)
    rows, owners = np.unique(around[there], return_inverse=True)
    return rows, np.maximum(best_of(owners, values[there].astype(np.float32), len(rows)), 0)
