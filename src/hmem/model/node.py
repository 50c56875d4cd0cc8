"""Inner nodes of a named tree."""

from dataclasses import dataclass

from hmem.model.span import Span


@dataclass(frozen=True, slots=True)
class Node:
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
    centroid: tuple[float, ...] = ()
    size: int = 0


@dataclass(frozen=True, slots=True)
class Branch:
    """A node with its subtree: child branches, and the ids of its direct leaves."""

    node: Node
    children: tuple["Branch", ...] = ()
    leaves: tuple[str, ...] = ()
