"""Placements of leaves in trees, and the division of nodes that have become too wide."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.trees.centroids import Values, centroid
from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.tree import Tree
from hmem.language.analyst.base import Labels

# Maps a raw cosine onto the common scale of similarity (see ``Calibration``).
Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Leaf:
    """Turn or event to be placed. ``time`` is aware, and its date is that of its own offset.

    ``vector`` is the unit row that the tree's ``vectors`` gives for it: rounded as it is kept, not as it was computed.
    """

    number: int
    time: datetime
    vector: NDArray[np.float32]
    labels: Labels | None = None
    speaker: str = ""


class Placement(ABC):
    """Policy that puts leaves into a tree, one by one, in the order in which they arrive.

    The place of a leaf depends only on the tree and the leaf. So a batch of leaves gives the same tree as single
    leaves, with or without storing and loading the tree in between.
    """

    @abstractmethod
    def insert(self, tree: Tree, leaf: Leaf) -> int:
        """Put a leaf under a node, making nodes as needed; return the node."""


@lru_cache(maxsize=256)
def cosine_at(scale: Scale, similarity: float) -> float:
    """Return the raw cosine that gives a value on the common scale, by bisection: the scale is increasing."""
    low, high = -1.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if scale(middle) >= similarity else (middle, high)
    return high


def divide_leaves(tree: Tree, node: int, minimum: int = 1) -> int:
    """Move some of a node's leaves that are similar to a new node beside it, at least ``minimum``; return that node."""
    leaves = tree.leaves(node)
    rows = tree.leaf_vectors(leaves)
    mask = halves(rows, minimum)
    sibling = _new_sibling(tree, node)
    tree.move_leaves([leaf for leaf, is_far in zip(leaves, mask, strict=True) if is_far], sibling, rows[mask])
    return sibling


def divide_children(tree: Tree, node: int) -> int:
    """Move some of a node's children that are similar to a new node beside it; return that node."""
    children, rows = tree.child_centroids(node)
    mask = halves(rows)
    sibling = _new_sibling(tree, node)
    tree.move([child for child, is_far in zip(children, mask, strict=True) if is_far], sibling)
    return sibling


def _new_sibling(tree: Tree, node: int) -> int:
    parent = tree.parent(node) or ROOT
    return tree.add_node(parent, tree.level(node), window=tree.window(node), timestamp=tree.merged(node))


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
