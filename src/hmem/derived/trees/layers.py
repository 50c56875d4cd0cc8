"""Layers tree: domain, category, trace and event (H-MEM, arXiv 2507.22925, four semantic layers).

A leaf brings its labels. A label is matched to a sibling of the same name first, then to the most similar sibling, so
that the upper layers stay small; otherwise it becomes a new node.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hmem.derived.trees.centroids import Values, on_grid
from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.placement import Leaf, Placement, Scale, cosine_at
from hmem.derived.trees.tree import Tree
from hmem.errors import UnknownName
from hmem.language.analyst.base import Labels

FEWEST: Final = 2
MOST: Final = 6

_UNNAMED: Final = "other"


@dataclass(frozen=True, slots=True)
class LayersOptions:
    """Options of the layers tree.

    ``layers`` counts the events as the lowest layer: 4 in the paper, domain, category, trace and event. With 3 there
    are no traces, with 2 only domains. With 5, traces that begin with the same word are grouped under it; with 6, also
    those that begin with the same two words.

    ``similarity``: for domain, category and trace (and the layers between), the value on the common scale from which a
    new node is merged into its most similar sibling, whatever its name; the paper gives none. ``compared``: the most
    siblings that are compared, the latest ones.
    """

    layers: int = 4
    similarity: tuple[float, float, float] = (0.7, 0.75, 0.8)
    compared: int = 512


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

    def place(self, tree: Tree, leaf: Leaf) -> int:
        names = path_of(leaf.labels, self._options.layers)
        aim, node = on_grid(leaf.vector), ROOT
        for depth, name in enumerate(names):
            found = self._matched(tree, node, name, depth, aim)
            node = tree.add_node(node, len(names) - depth, name) if found is None else found
        tree.put(leaf.number, node, leaf.vector, aim)
        return node

    def _matched(self, tree: Tree, parent: int, name: str, depth: int, aim: Values) -> int | None:
        """Return the child of a node that a name matches, or None."""
        found = tree.named(parent, name)
        if found is not None:
            return found
        near = tree.nearest_child(parent, aim, self._options.compared)
        cosine = self._cosines[min(depth, len(self._cosines) - 1)]
        return near[0] if near and near[1] >= cosine else None


@lru_cache(maxsize=4_096)
def path_of(labels: Labels | None, layers: int) -> tuple[str, ...]:
    """Return the names of the nodes above an event, from the domain down."""
    domain, category, trace = (labels.domain, labels.category, labels.trace) if labels else ("", "", "")
    words = trace.split() or [_UNNAMED]
    firsts = [" ".join(words[:count]) for count in range(1, layers - FEWEST - 1)]
    names = [domain, category, *firsts, trace]
    return tuple(" ".join(name.split()) or _UNNAMED for name in names[: layers - 1])
