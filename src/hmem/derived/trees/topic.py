"""Topic tree: similar facts under categories, and categories under wider ones (H-Mem, two trees: semantic tree).

The paper descends from the root to the most similar child, and makes a new category where the best child lies below a
threshold. It does not say how deep and how wide the tree is, nor when a category is divided: see docs/decisions/0043.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from hmem.derived.trees.centroids import Sums, on_grid
from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.placement import Leaf, Placement, Scale, cosine_at, divide_children, divide_leaves
from hmem.derived.trees.tree import Tree

LOWEST: Final = 1


@dataclass(frozen=True, slots=True)
class TopicOptions:
    """Options of the topic tree.

    ``theta``: the mean similarity to a category's facts, on the common scale, below which a fact gets a new category.
    The paper has 0.8 on its embedder's raw scale.

    ``capacity``: the number of facts in a category, and ``branching``: the number of children of a node, above which it
    is divided in two.
    """

    theta: float = 0.3
    capacity: int = 16
    branching: int = 16


class TopicPlacement(Placement):
    """Placement of a fact under a category. All categories lie on the lowest level."""

    def __init__(self, options: TopicOptions, calibration: Scale) -> None:
        self._options = options
        self._cosine = cosine_at(calibration, options.theta)

    def insert(self, tree: Tree, leaf: Leaf) -> int:
        aim = on_grid(leaf.vector).astype(np.float64)
        node = self._category(tree, aim)
        tree.add_leaf(leaf.number, node, leaf.vector, aim)
        size = tree.size(node)
        if size > self._options.capacity:
            divide_leaves(tree, node)
        elif size > 1:
            return node
        self._divide_above(tree, node)
        return tree.path(leaf.number)[-1]

    def _category(self, tree: Tree, aim: Sums) -> int:
        """Return the category that a fact belongs to; make one if there is none."""
        node, blank = ROOT, not aim.any()
        while True:
            nearest = tree.nearest_child_by_mean(node, aim)
            if nearest is None:
                return tree.add_node(node, LOWEST)
            child, similarity = nearest
            if tree.level(child) == LOWEST:
                # A fact without a vector is similar to nothing and would make a new category each time.
                return child if blank or similarity >= self._cosine else tree.add_node(node, LOWEST)
            node = child

    def _divide_above(self, tree: Tree, node: int) -> None:
        """Divide the nodes that have become too wide, from the parent of a node up to the root."""
        while (parent := tree.parent(node)) is not None:
            if not tree.wider(parent, self._options.branching):
                return
            if parent == ROOT:
                # The root stays: the tree grows by a level below it.
                children = tree.children(ROOT).tolist()
                parent = tree.add_node(ROOT, tree.level(children[0]) + 1)
                tree.move(children, parent)
            divide_children(tree, parent)
            node = parent
