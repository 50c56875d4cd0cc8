"""What a placement is given, and what it does."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hmem.derived.trees.tree import Tree
from hmem.language.analyst.base import Labels

# From a raw cosine to the common scale of similarity (see ``Calibration``).
Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A turn or an event to be placed. ``said`` is aware, and its date is that of its own offset.

    ``vector`` is the unit row that the tree's ``vectors`` gives for it: rounded as it is kept, not as it was computed.
    """

    number: int
    said: datetime
    vector: NDArray[np.float32]
    labels: Labels | None = None
    speaker: str = ""


class Placement(ABC):
    """Puts leaves into a tree, one by one, in the order in which they arrive.

    Where a leaf goes depends on the tree and on the leaf alone: leaves in a batch come to the same as leaves one by
    one, with the tree stored and loaded in between or not.
    """

    @abstractmethod
    def place(self, tree: Tree, leaf: Leaf) -> int:
        """Put a leaf under a node, which is returned; nodes are made as needed."""


@lru_cache(maxsize=256)
def cosine_at(scale: Scale, similarity: float) -> float:
    """The raw cosine that stands for a value of the common scale, by halving: the scale rises."""
    low, high = -1.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if scale(middle) >= similarity else (middle, high)
    return high
