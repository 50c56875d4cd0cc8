"""Interface of placements: the leaf that one gets, and the node that it returns."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hmem.derived.trees.tree import Tree
from hmem.language.analyst.base import Labels

# Maps a raw cosine onto the common scale of similarity (see ``Calibration``).
Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Turn or event to be placed. ``said`` is aware, and its date is that of its own offset.

    ``vector`` is the unit row that the tree's ``vectors`` gives for it: rounded as it is kept, not as it was computed.
    """

    number: int
    said: datetime
    vector: NDArray[np.float32]
    labels: Labels | None = None
    speaker: str = ""


class Placement(ABC):
    """Policy that puts leaves into a tree, one by one, in the order in which they arrive.

    The place of a leaf depends only on the tree and the leaf. So a batch of leaves gives the same tree as single
    leaves, with or without storing and loading the tree in between.
    """

    @abstractmethod
    def place(self, tree: Tree, leaf: Leaf) -> int:
        """Put a leaf under a node, making nodes as needed; return the node."""


@lru_cache(maxsize=256)
def cosine_at(scale: Scale, similarity: float) -> float:
    """Return the raw cosine that gives a value on the common scale, by bisection: the scale is increasing."""
    low, high = -1.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if scale(middle) >= similarity else (middle, high)
    return high
