"""Inner nodes of a named tree."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from hmem.model.plain import written_as
from hmem.model.span import Span
from hmem.model.value import Value

TreeName = Literal["calendar", "topic", "evolution", "layers"]


@dataclass(frozen=True, slots=True, repr=False)
class Node(Value):
    """Inner node of a tree.

    ``level`` counts from the leaves: 1 is the lowest inner level. ``size`` is the number of leaves below.
    """

    id: str
    tree: str
    level: int
    label: str
    span: Span
    parent: str | None = None
    summary: str = ""
    centroid: tuple[float, ...] = field(default=(), repr=False)
    size: int = 0


@dataclass(frozen=True, slots=True)
class NodeShape:
    """Node of a tree with its subtree, without centroids; ``folded`` children are left out."""

    id: str
    level: int
    label: str
    start: datetime
    end: datetime
    size: int
    summary: str
    children: list["NodeShape"]
    leaves: list[str]
    folded: int = 0

    @classmethod
    def from_branch(cls, tree: "Branch", depth: int | None = None) -> "NodeShape":
        """Return the form of a tree, cut after ``depth`` levels; None for all."""
        node, cut = tree.node, depth is not None and depth <= 0
        children = (
            [] if cut else [cls.from_branch(child, None if depth is None else depth - 1) for child in tree.children]
        )
        leaves = [] if cut else list(tree.leaves)
        span = node.span
        return cls(
            node.id, node.level, node.label, span.start, span.end, node.size, node.summary, children, leaves,
            0 if cut else tree.folded,
        )  # fmt: skip

    def value(self, tree: str, parent: str | None = None) -> "Branch":
        """Return the tree under a given name."""
        span = Span(self.start, self.end)
        node = Node(self.id, tree, self.level, self.label, span, parent, self.summary, (), self.size)
        children = tuple(child.value(tree, self.id) for child in self.children)
        return Branch(node, children, tuple(self.leaves), self.folded)


@written_as(NodeShape.from_branch)
@dataclass(frozen=True, slots=True, repr=False)
class Branch(Value):
    """A node with its subtree: child branches, and the ids of its direct leaves; ``folded`` children are left out."""

    node: Node
    children: tuple["Branch", ...] = ()
    leaves: tuple[str, ...] = ()
    folded: int = 0
