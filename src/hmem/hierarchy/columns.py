"""How a tree's nodes and leaves lie in chunks: columns of whole numbers, mostly as differences to the one before.

Most columns are then runs of equal small numbers, which deflate to almost nothing: a column that is the same all
over is one number, and one of zeros is left out.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any, Final

import numpy as np

from hmem.hierarchy.forest import ROOT, Forest, Integers, LeafColumns, NodeColumns

# 128 nodes a chunk: small enough to be written again for one of them, large enough to deflate well.
NODE_BITS: Final = 7

Chunks = Sequence[tuple[int, Any]]  # (the number of the chunk among its like, its content), by number


def dump_nodes(forest: Forest, number: int) -> Any | None:
    """The content of a chunk of nodes, or None when there are none. The root has no record."""
    low = number << NODE_BITS
    nodes = [
        node for node in range(max(low, ROOT + 1), min(low + (1 << NODE_BITS), len(forest.level))) if node in forest
    ]
    if not nodes:
        return None
    columns = {
        "node": _steps(node - low for node in nodes),
        "level": [forest.level[node] for node in nodes],
        # The root is far from most nodes and the parent of many: it is written as 0, as no node is its own parent.
        "parent": [forest.parent[node] and forest.parent[node] - node for node in nodes],
        "start": _steps(forest.start[node] for node in nodes),
        "days": [forest.end[node] - forest.start[node] for node in nodes],
        "n": [forest.merges[node] for node in nodes],
        "r": _steps(forest.merged[node] for node in nodes),
    }
    content: dict[str, Any] = {"count": len(nodes)} | {name: _short(values) for name, values in columns.items()}
    labels = [forest.labels.get(node, "") for node in nodes]
    return {name: value for name, value in content.items() if value} | ({"label": labels} if any(labels) else {})


def load_nodes(chunks: Chunks) -> NodeColumns:
    """The nodes of chunks."""
    counts = np.array([content["count"] for _, content in chunks], np.int64)
    node, level, parent, start, days, n, r = (
        _column(chunks, name) for name in ("node", "level", "parent", "start", "days", "n", "r")
    )
    number = _sums(node, counts) + np.repeat(np.array([number << NODE_BITS for number, _ in chunks], np.int64), counts)
    start = _sums(start, counts)
    firsts = accumulate(counts.tolist(), initial=0)
    labels = {
        int(number[first + i]): label
        for first, (_, content) in zip(firsts, chunks, strict=False)
        for i, label in enumerate(content.get("label", ()))
        if label
    }
    # The root is written as 0, and a node that hangs under none is not written at all.
    above = np.where(parent == 0, ROOT, parent + number)
    return NodeColumns(number, level, above, start, start + days, n, _sums(r, counts), labels)


def dump_leaves(forest: Forest, number: int, bits: int) -> Any | None:
    """The content of a chunk of leaves, of which there are at most 2 to the power of ``bits``, or None."""
    low = number << bits
    leaves = forest.between(low, low + (1 << bits))
    if not leaves:
        return None
    numbers, homes = _steps(leaf - low for leaf, _ in leaves), _steps(home for _, home in leaves)
    return {"count": len(leaves), "leaf": _short(numbers), "home": _short(homes)}


def load_leaves(chunks: Chunks, bits: int) -> LeafColumns:
    """The leaves of chunks."""
    counts = np.array([content["count"] for _, content in chunks], np.int64)
    lows = np.repeat(np.array([number << bits for number, _ in chunks], np.int64), counts)
    return LeafColumns(_sums(_column(chunks, "leaf"), counts) + lows, _sums(_column(chunks, "home"), counts))


def _steps(values: Iterable[int]) -> list[int]:
    """The first value, then the difference of each to the one before."""
    return [value - before for before, value in pairwise((0, *values))]


def _short(values: list[int]) -> list[int] | int:
    return values if any(value != values[0] for value in values) else values[0]


def _column(chunks: Chunks, name: str) -> Integers:
    values: list[int] = []
    for _, content in chunks:
        column: list[int] | int = content.get(name, 0)
        values.extend([column] * content["count"] if isinstance(column, int) else column)
    return np.array(values, np.int64)


def _sums(steps: Integers, counts: Integers) -> Integers:
    """The values again, from the differences within each chunk."""
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(steps)])
    return sums[1:] - np.repeat(sums[np.cumsum(counts) - counts], counts)
