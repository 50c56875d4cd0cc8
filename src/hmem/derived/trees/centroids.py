"""Centroids of tree nodes, computed exactly in integers, and the groups of nodes that are compared with each other.

A unit vector is put on a grid of ``GRID`` steps: integers whose products sum to less than 2^24 in any order, so that
single precision holds every partial sum exactly. A centroid is the integer sum of its leaves' grid vectors, scaled to
the grid again. So a similarity does not depend on the order of leaves, the layout of a matrix or the processor, and a
sum computed again from the leaves equals the one that was kept.

A group holds the centroids of a node's children, or of a window's nodes, while they are compared. A centroid that is
not kept is computed from the leaves when it is needed.
"""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.trees.nodes import Forest
from hmem.derived.trees.sums import NodeSums, Sums

# The products of two vectors sum up to (GRID + sqrt(d) / 2)^2 at most: below 2^24 for up to 36,000 dimensions.
GRID: Final = 4_000

# Number of grid vectors whose sum stays below 2^24 in each component.
EXACT: Final = 4_096

# Number of grid vectors whose sum has a square below 2^53, which double precision holds exactly.
_SMALL: Final = 16_384
_LARGE: Final = 500_000
_SQUARE: Final = GRID * GRID
_ROOM: Final = 8

Values = NDArray[np.float32]


def on_grid(vectors: Values) -> Values:
    """Return unit vectors as integers on the grid, in single-precision floats."""
    stretched = vectors * np.float32(GRID)
    return np.rint(stretched, out=stretched)


def centroid(total: Sums, size: int) -> Values:
    """Return the grid vector in the direction of a sum of ``size`` grid vectors; zeros for zeros."""
    row = np.empty(len(total), np.float32)
    _point(row, total, size)
    return row


def _point(row: Values, total: Sums, size: int) -> None:
    """Set a row to the centroid of ``size`` grid vectors with this sum."""
    if size == 1:
        row[:] = total
        return
    exact: NDArray[Any] = total
    if size <= _SMALL:
        square = float(total.dot(total))
    else:
        exact = total.astype(np.int64)
        if size > _LARGE:
            # The square might not fit.
            exact >>= 10
        square = int(exact @ exact)
    if square:
        np.rint(exact * (GRID / sqrt(square)), out=row, casting="same_kind")
    else:
        row[:] = 0


class NodeGroup:
    """Nodes that are compared with one vector, ascending, in matrices: the latest ``limit`` of them."""

    def __init__(self, nodes: Sequence[int], sums: Sums, sizes: Sequence[int], limit: int) -> None:
        self.nodes = list(nodes)
        self.limit = limit
        room = max(_ROOM, len(nodes) + len(nodes) // 2)
        self._rows: Values = _roomy(sums.astype(np.float32), room)
        self._sums: Sums = _roomy(sums, room)
        self._sizes: Sums = np.ones(room)
        self._sizes[: len(nodes)] = np.maximum(sizes, 1)
        # Rows whose centroid is out of date, and the number of their leaves: of one leaf it is the leaf.
        self._stale = {row: size for row, size in enumerate(sizes) if size != 1}

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def _first(self) -> int:
        return max(len(self.nodes) - self.limit, 0)

    @property
    def latest(self) -> list[int]:
        """Nodes that are compared."""
        return self.nodes[self._first :]

    @property
    def rows(self) -> Values:
        """Centroids of the nodes that are compared."""
        self._refresh()
        return self._rows[self._first : len(self.nodes)]

    @property
    def sums(self) -> Iterator[tuple[int, Sums]]:
        """Nodes with the sums of their leaves. Do not change these."""
        return zip(self.nodes, self._sums, strict=False)

    def row(self, node: int) -> int | None:
        """Return the row of a node in the matrices, or None."""
        nodes = self.nodes
        if not nodes or node > nodes[-1]:
            return None
        # Mostly the latest node changes.
        index = len(nodes) - 1 if node == nodes[-1] else bisect_left(nodes, node)
        return index if nodes[index] == node else None

    def nearest(self, aim: Values) -> tuple[int, float] | None:
        """Return the node most similar to a grid vector, and the cosine; of equals the earliest."""
        return self._best(self.rows.dot(aim)) if self.nodes else None

    def nearest_by_mean(self, aim: Sums) -> tuple[int, float] | None:
        """Return the node whose leaves are on average most similar to a grid vector, and that average."""
        if not self.nodes:
            return None
        first, end = self._first, len(self.nodes)
        # Whole numbers up to 2^53 are exact in double precision.
        return self._best(self._sums[first:end].dot(aim) / self._sizes[first:end])

    def _best(self, products: NDArray[Any]) -> tuple[int, float]:
        best = int(products.argmax())
        return self.nodes[self._first + best], products.item(best) / _SQUARE

    def sum_of(self, row: int) -> Sums:
        """Return the sum of a node's leaves. Do not change it."""
        return self._sums[row]

    def append(self, node: int) -> None:
        """Add a new node that has no leaves yet."""
        if len(self.nodes) == len(self._rows):
            self._make_room()
        self.nodes.append(node)

    def add(self, node: int, vectors: Sums, size: int, *, sign: int = 1) -> None:
        """Add ``vectors`` to a node's sum, or (``sign`` -1) subtract it. No effect if the group lacks the node.

        ``size`` is the number of its leaves afterwards.
        """
        row = self.row(node)
        if row is None:
            return
        total = self._sums[row]
        if sign > 0:
            total += vectors
        else:
            total -= vectors
        self._sizes[row] = size or 1
        self._stale[row] = size

    def _refresh(self) -> None:
        for row, size in self._stale.items():
            _point(self._rows[row], self._sums[row], size)
        self._stale.clear()

    def _make_room(self) -> None:
        """Double the room for the nodes that are compared; drop those that no longer are."""
        self._refresh()
        first, end = self._first, len(self.nodes)
        room = 2 * max(end - first, _ROOM)
        self._rows, self._sums = _roomy(self._rows[first:end], room), _roomy(self._sums[first:end], room)
        self._sizes = _roomy(self._sizes[first:end], room)
        self._sizes[end - first :] = 1
        del self.nodes[:first]


def _roomy(matrix: NDArray[Any], room: int) -> NDArray[Any]:
    larger = np.zeros((room, *matrix.shape[1:]), matrix.dtype)
    larger[: len(matrix)] = matrix
    return larger


Vectors = Callable[[Sequence[int]], NDArray[np.float32]]
NO_LIMIT: Final = 1 << 30

# Number of nodes whose centroids are kept, 3 KB each in 256 dimensions.
_CACHED_NODES: Final = 32_768

# A group's key is the number of the parent or window that its nodes share, and the kind of the group.
_KINDS: Final = 2
_LATEST: Final = 1
_WINDOW: Final = 2


class NodeGroups:
    """Groups in use. ``vectors`` gives the unit vectors of leaves, ``stored_sums`` those of large nodes."""

    def __init__(self, forest: Forest, vectors: Vectors, stored_sums: NodeSums | None = None) -> None:
        self._forest = forest
        self._vectors = vectors
        self._summed: Mapping[int, Sums] = {} if stored_sums is None else stored_sums.totals
        self._groups: OrderedDict[int, NodeGroup] = OrderedDict()
        # Number of nodes in all groups, plus one for each group.
        self._kept = 0
        self._none: Sums | None = None

    def children(self, node: int) -> NodeGroup:
        """Return the group of a node's children."""
        return self._group(node << _KINDS, NO_LIMIT, lambda: self._forest.children(node))

    def latest(self, node: int, limit: int) -> NodeGroup:
        """Return the group of a node's latest children."""
        return self._group(node << _KINDS | _LATEST, limit, lambda: self._forest.children(node))

    def window(self, window: int, limit: int, nodes: Callable[[int], Sequence[int]]) -> NodeGroup:
        """Return the group of the latest nodes of a window; ``nodes`` gives all of them, ascending."""
        return self._group(window << _KINDS | _WINDOW, limit, lambda: nodes(window))

    def _group(self, key: int, limit: int, nodes: Callable[[], Sequence[int]]) -> NodeGroup:
        """Return a group; make it of the latest of its nodes if there is none."""
        group = self._groups.get(key)
        if group is not None and group.limit == limit:
            self._groups.move_to_end(key)
            return group
        self._drop(key)
        latest = nodes()[-limit:]
        sums = self._sums(latest) if latest else self._no_sums()
        group = NodeGroup(latest, sums, [self._forest.size[node] for node in latest], limit)
        self._keep(key, group)
        while self._kept > _CACHED_NODES and len(self._groups) > 1:
            self._drop(next(iter(self._groups)))
        return group

    def _keep(self, key: int, group: NodeGroup) -> None:
        self._groups[key] = group
        self._kept += len(group) + 1

    def _no_sums(self) -> Sums:
        if self._none is None:
            self._none = np.zeros((0, self._vectors([]).shape[1]))
        return self._none

    def _sums(self, nodes: Sequence[int]) -> Sums:
        """Return the sums of the leaves below nodes, a row each."""
        divisions = [self._forest.leaves_outside(node, self._summed) for node in nodes]
        groups = [leaves for leaves, _ in divisions]
        leaves = [leaf for group in groups for leaf in group]
        owners = np.repeat(np.arange(len(nodes)), [len(group) for group in groups])
        sums = np.zeros((len(nodes), 0))
        for first in range(0, max(len(leaves), 1), EXACT):
            block, owner = on_grid(self._vectors(leaves[first : first + EXACT])), owners[first : first + EXACT]
            if not first:
                sums = np.zeros((len(nodes), block.shape[1]))
            if len(owner):
                starts = np.flatnonzero(np.diff(owner, prepend=-1))
                sums[owner[starts]] += np.add.reduceat(block, starts, axis=0)
        for row, (_, large) in enumerate(divisions):
            for node in large:
                sums[row] += self._summed[node]
        return sums

    # Single nodes.

    def centroid(self, node: int) -> Values:
        """Return the centroid of a node as a grid vector."""
        return centroid(self.total(node), self._forest.size[node])

    def total(self, node: int) -> Sums:
        """Return the sum of the leaves below a node."""
        if (vector := self._summed.get(node)) is not None:
            return vector.copy()
        for group, row in self._rows(node):
            return group.sum_of(row).copy()
        return self._sums([node])[0]

    def _keys(self, node: int, parent: int) -> tuple[int, ...]:
        """Return the keys of the groups that may hold a node."""
        forest, children = self._forest, parent << _KINDS
        if not forest.end[node]:
            return children, children | _LATEST
        return children, children | _LATEST, forest.window(node) << _KINDS | _WINDOW

    def _rows(self, node: int) -> Iterator[tuple[NodeGroup, int]]:
        """Yield the groups that hold a node, with its row in each."""
        for key in self._keys(node, self._forest.parent[node]):
            group = self._groups.get(key)
            if group is not None and (row := group.row(node)) is not None:
                yield group, row

    # Updates.

    def __bool__(self) -> bool:
        return bool(self._groups)

    def clear(self) -> None:
        """Drop all groups."""
        self._groups.clear()
        self._kept = 0

    def shift(self, path: Sequence[int], vectors: Sums, *, sign: int = 1) -> None:
        """Add the leaves that came below a node, already counted, or (``sign`` -1) subtract those that left.

        ``path`` is that node and its ancestors, the root last.
        """
        size, find = self._forest.size, self._groups.get
        # Not the root: it is never compared.
        for node, parent in pairwise(path):
            for key in self._keys(node, parent):
                group = find(key)
                if group is not None:
                    group.add(node, vectors, size[node], sign=sign)

    def appear(self, node: int, parent: int) -> None:
        """Update the groups for a node that was attached."""
        if self._forest.size[node]:
            self.forget(node)
            return
        for key in self._keys(node, parent):
            group = self._groups.get(key)
            if group is None:
                continue
            if group.nodes and node < group.nodes[-1]:
                self._drop(key)
                continue
            before = len(group)
            group.append(node)
            self._kept += len(group) - before

    def vanish(self, node: int) -> None:
        """Update the groups for a node without leaves that is about to be detached."""
        self._drop_all((*self._keys(node, self._forest.parent[node]), *_child_groups(node)))

    def move(self, nodes: Sequence[int], old: int, new: int) -> None:
        """Update the groups after some children of a node were moved under another."""
        source, target = self._groups.get(old << _KINDS), self._groups.get(new << _KINDS)
        self._drop_all((*_child_groups(old), *_child_groups(new)))
        if source is None:
            return
        sums = dict(source.sums)
        pairs = [(node, sums.pop(node)) for node in nodes]
        self._renew(old, sorted(sums.items()))
        if target is not None:
            self._renew(new, sorted([*target.sums, *pairs]))
        elif len(pairs) == len(self._forest.children(new)):
            self._renew(new, sorted(pairs))

    def _renew(self, parent: int, sums: Sequence[tuple[int, Sums]]) -> None:
        """Keep the group of a node's children, given their sums."""
        if sums:
            nodes = [node for node, _ in sums]
            sizes = [self._forest.size[node] for node in nodes]
            self._keep(parent << _KINDS, NodeGroup(nodes, np.stack([total for _, total in sums]), sizes, NO_LIMIT))

    def forget(self, node: int) -> None:
        """Drop the groups that a change below a node may have made wrong."""
        self._drop_all(_child_groups(node))
        for ancestor in self._forest.up(node):
            self._drop_all(self._keys(ancestor, self._forest.parent[ancestor]))

    def _drop_all(self, keys: Iterable[int]) -> None:
        for key in keys:
            self._drop(key)

    def _drop(self, key: int) -> None:
        group = self._groups.pop(key, None)
        if group is not None:
            self._kept -= len(group) + 1


def _child_groups(node: int) -> tuple[int, int]:
    """Return the keys of the groups of a node's children."""
    return node << _KINDS, node << _KINDS | _LATEST
