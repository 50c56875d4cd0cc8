"""Strength: what makes a memory stay (H-MEM, dynamic update; HMO, tiers).

A forgetting curve in the time since the last use: the more often a memory was of use, the slower it falls; approval of
the answers that used it lifts it, rejection lowers it. Nothing is dropped by it: it only weighs.
"""

from dataclasses import dataclass
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
Values = NDArray[np.float32]

_DAY: Final = 86_400.0
_MOST_IMPORTANT: Final = 10.0


@dataclass(frozen=True, slots=True)
class StrengthOptions:
    """The constants of the curve. H-MEM gives none, so these are ours.

    ``decay`` is per day, of a memory that was used once: at log(2) / 365 it keeps 1/e of its strength after a year, as
    in the score of the tiers. ``approve`` and ``reject`` multiply the weight of feedback, which stays within
    ``min_weight`` and ``max_weight``. ``feedback`` is what the logarithm of that weight counts in a score;
    ``multiplied``: whether the score is multiplied by the weight instead. ``judged``: whether a person's next message
    is judged as feedback.
    """

    decay: float = log(2) / 365
    approve: float = 1.2
    reject: float = 0.5
    min_weight: float = 0.1
    max_weight: float = 3.0
    feedback: float = 0.0
    multiplied: bool = False
    judged: bool = True


def retention(uses: Numbers, last_used: Numbers, now: float, options: StrengthOptions | None = None) -> Values:
    """What the forgetting curve leaves of each memory, 0 to 1: exp(-decay * days / ln(1 + C)).

    ``uses`` count from 1, the writing; ``last_used`` and ``now`` are in seconds since 1970. What was last used later
    than now counts as used now.
    """
    chosen = options or StrengthOptions()
    practice = np.log1p(np.maximum(uses.astype(np.float64), 1.0))
    days = np.maximum(now - last_used.astype(np.float64), 0.0) / _DAY
    return np.exp(-chosen.decay * days / practice).astype(np.float32)


def strength(
    importance: Numbers,
    uses: Numbers,
    last_used: Numbers,
    feedback: Numbers,
    now: float,
    options: StrengthOptions | None = None,
) -> Values:
    """The strength of each memory: its importance (1 to 10, over 10) times what is retained of it and its feedback.

    A memory of the greatest importance that was used just now and met no feedback has 1. Feedback weighs 1 where there
    was none.
    """
    chosen = options or StrengthOptions()
    worth = np.clip(importance.astype(np.float64), 0.0, _MOST_IMPORTANT) / _MOST_IMPORTANT
    weight = np.clip(feedback.astype(np.float64), chosen.min_weight, chosen.max_weight)
    return (worth * weight * retention(uses, last_used, now, chosen)).astype(np.float32)


def approved(feedback: Numbers, multiplier: float, options: StrengthOptions | None = None) -> Values:
    """The weights of feedback after a multiplier: ``approve``, ``reject``, or the caller's own; bounded."""
    chosen = options or StrengthOptions()
    return np.clip(feedback.astype(np.float64) * multiplier, chosen.min_weight, chosen.max_weight).astype(np.float32)
