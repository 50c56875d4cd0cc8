"""How well a memory holds with age and consolidation (H-Mem, tree and graph: score R)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

TAU_DAYS: Final = 365.0
ETA: Final = 0.5
_DAY: Final = 86_400.0

Seconds = NDArray[np.float64]
Values = NDArray[np.float32]


def robustness(
    asked: float, refreshed: Seconds, merges: NDArray[np.int64], tau_days: float = TAU_DAYS, eta: float = ETA
) -> Values:
    """R of each memory, 0 to 1: ``exp(-(t - r) / (tau * (1 + eta * ln(1 + n))))``.

    ``asked`` is t and ``refreshed`` r, when a memory was consolidated last or else began, both in seconds since 1970;
    ``merges`` is n, how often it was consolidated. What was refreshed after the question is as fresh as can be.
    """
    age = np.clip(asked - refreshed, 0.0, None)
    lasting = tau_days * _DAY * (1.0 + eta * np.log1p(merges))
    return np.exp(-age / lasting).astype(np.float32)
