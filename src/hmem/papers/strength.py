"""Strength of memories (H-MEM, dynamic update; HMO, tiers).

A forgetting curve over the time since the last use: the more often a memory was used, the slower it falls. Approval of
the answers that used it raises the strength, rejection lowers it. Strength only weighs; it drops nothing.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.retrieval.feedback import MAX_WEIGHT, MIN_WEIGHT, StrengthOptions

Numbers = NDArray[Any]
Values = NDArray[np.float32]

_DAY: Final = 86_400.0
_MOST_IMPORTANT: Final = 10.0


def retention(uses: Numbers, last_used: Numbers, moment: float, options: StrengthOptions | None = None) -> Values:
    """Return what the forgetting curve leaves of each memory, 0 to 1: exp(-decay * days / ln(1 + C)).

    ``uses`` is C; it counts from 1, the writing. ``last_used`` and ``moment`` are in seconds since 1970. A use
    after ``moment`` counts as one at ``moment``.
    """
    strength_options = options or StrengthOptions()
    practice = np.log1p(np.maximum(uses.astype(np.float64), 1.0))
    days = np.maximum(moment - last_used.astype(np.float64), 0.0) / _DAY
    return np.exp(-strength_options.decay * days / practice).astype(np.float32)


def strength(
    importance: Numbers,
    uses: Numbers,
    last_used: Numbers,
    feedback: Numbers,
    moment: float,
    options: StrengthOptions | None = None,
) -> Values:
    """Return the strength of each memory: importance (1 to 10) / 10, times retention, times feedback.

    A memory of the greatest importance, used just now and without feedback, has strength 1. No feedback is a weight of
    1.
    """
    worth = np.clip(importance.astype(np.float64), 0.0, _MOST_IMPORTANT) / _MOST_IMPORTANT
    weight = np.clip(feedback.astype(np.float64), MIN_WEIGHT, MAX_WEIGHT)
    return (worth * weight * retention(uses, last_used, moment, options)).astype(np.float32)
