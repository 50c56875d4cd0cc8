"""Layers tree: domain, category, trace and event (H-MEM, arXiv 2507.22925, four semantic layers).

A leaf brings the labels of its domain and category. A label is matched to a sibling of the same name first, then to the
most similar sibling, so that the upper layers stay small; otherwise it becomes a new node. Below a category, events of
one subject share a trace, which has no label: it is named from what is in it. A trace with too many events is divided.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from hmem.derived.trees.centroids import Sums, Values, on_grid
from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.placement import Leaf, Placement, Scale, cosine_at, divide_children, divide_leaves
from hmem.derived.trees.tree import Tree
from hmem.errors import UnknownName
from hmem.language.analyst.base import Labels

FEWEST: Final = 2
MOST: Final = 6

# Number of layers that are labelled: domain and category.
_LABELLED: Final = 2
_UNNAMED: Final = "other"


@dataclass(frozen=True, slots=True)
class LayersOptions:
    """Options of the layers tree.

    ``layers`` counts the events as the lowest layer: 4 in the paper, domain, category, trace and event. With 3 there
    are no traces, with 2 only domains. With 5 traces are gathered into groups, with 6 groups into wider ones.

    ``similarity``: for domain and category, the value on the common scale from which a new node is merged into its most
    similar sibling, whatever its name; for a trace, the mean similarity to its events below which an event gets a trace
    of its own. The paper gives none. ``compared``: the most siblings that are compared by name or similarity, the
    latest ones.

    ``capacity``: the number of events of a trace above which it is divided in two, and ``least``: the number that each
    half has at least. ``branching``: the number of children above which a group of traces is divided.
    """

    layers: int = 4
    similarity: tuple[float, float, float] = (0.7, 0.75, 0.0)
    compared: int = 512
    capacity: int = 48
    least: int = 12
    branching: int = 12


class LayersPlacement(Placement):
    """Placement of an event under its trace.

    Raises:
        UnknownName: the number of layers is not 2 to 6.
    """

    def __init__(self, options: LayersOptions, calibration: Scale) -> None:
        if not FEWEST <= options.layers <= MOST:
            raise UnknownName(f"there are no trees of {options.layers} layers - choose {FEWEST} to {MOST}")
        self._options = options
        self._cosines = [cosine_at(calibration, similarity) for similarity in options.similarity]

    def insert(self, tree: Tree, leaf: Leaf) -> int:
        names = path_of(leaf.labels, self._options.layers)
        aim, node = on_grid(leaf.vector), ROOT
        for depth, name in enumerate(names):
            match = self._match(tree, node, name, depth, aim)
            node = tree.add_node(node, self._options.layers - 1 - depth, name) if match is None else match
        if self._options.layers - 1 == len(names):
            tree.add_leaf(leaf.number, node, leaf.vector, aim)
            return node
        total = aim.astype(np.float64)
        node = self._trace(tree, node, total)
        tree.add_leaf(leaf.number, node, leaf.vector, total)
        if tree.size(node) <= self._options.capacity:
            return node
        self._divide(tree, node)
        return tree.path(leaf.number)[-1]

    def _match(self, tree: Tree, parent: int, name: str, depth: int, aim: Values) -> int | None:
        """Return the child of a node that a name matches, or None."""
        match = tree.child_named(parent, name)
        if match is not None:
            return match
        nearest = tree.nearest_child(parent, aim, self._options.compared)
        return nearest[0] if nearest and nearest[1] >= self._cosines[depth] else None

    def _trace(self, tree: Tree, node: int, aim: Sums) -> int:
        """Return the trace of a category that an event belongs to; make one if there is none."""
        blank = not aim.any()
        for level in range(self._options.layers - 1 - _LABELLED, 0, -1):
            nearest = tree.nearest_child_by_mean(node, aim)
            # An event without a vector is similar to nothing and would make a new trace each time.
            like = nearest is not None and (level > 1 or blank or nearest[1] >= self._cosines[-1])
            node = nearest[0] if nearest is not None and like else tree.add_node(node, level)
        return node

    def _divide(self, tree: Tree, trace: int) -> None:
        """Divide a trace, and then the groups above it that have become too wide."""
        divide_leaves(tree, trace, self._options.least)
        parent = tree.parent(trace) or ROOT
        while (
            (grandparent := tree.parent(parent))
            and not tree.label(parent)
            and tree.wider(parent, self._options.branching)
        ):
            divide_children(tree, parent)
            parent = grandparent


@lru_cache(maxsize=4_096)
def path_of(labels: Labels | None, layers: int) -> tuple[str, ...]:
    """Return the labels of the nodes above an event, from the domain down; traces have none."""
    names = (labels.domain, labels.category) if labels else ("", "")
    return tuple(" ".join(name.split()) or _UNNAMED for name in names[: layers - 1])
