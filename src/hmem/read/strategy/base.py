"""What a strategy yields."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates by row, best first, with their scores and the terms that the scores are made of.

    ``sizes`` tells how many candidates each source gave.
    """

    name: str
    rows: Rows
    scores: Values
    terms: Mapping[str, Values]
    weights: Mapping[str, float]
    sizes: Mapping[str, int]
