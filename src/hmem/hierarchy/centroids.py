"""Centroids of nodes that are compared with each other, computed in whole numbers and therefore exactly.

A unit vector is put on a grid of ``GRID`` steps: whole numbers whose products sum up to less than 2^24 whatever the
order, so that single precision holds every partial sum exactly. A centroid is the sum of its leaves' grid vectors, in
whole numbers too, stretched to the grid again. So a similarity does not depend on the order in which leaves came, on
how a matrix is laid out, or on the processor; and computing a sum anew from the leaves gives what was kept.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

# The products of two vectors sum up to (GRID + sqrt(d) / 2)^2 at most: below 2^24 for up to 36,000 dimensions.
GRID: Final = 4_000

# So many grid vectors sum up to less than 2^24 in each component.
EXACT: Final = 4_096

# The square of a sum of so many grid vectors is below 2^53, so that double precision holds it exactly.
_SMALL: Final = 16_384
_LARGE: Final = 500_000
_SQUARE: Final = GRID * GRID
_ROOM: Final = 8

Values = NDArray[np.float32]
Sums = NDArray[np.float64]


def on_grid(vectors: Values) -> Values:
    """Unit vectors in whole numbers, as single-precision floats."""
    stretched = vectors * np.float32(GRID)
    return np.rint(stretched, out=stretched)


def centroid(total: Sums, size: int) -> Values:
    """The grid vector in the direction of a sum of ``size`` grid vectors; zeros for zeros."""
    row = np.empty(len(total), np.float32)
    _point(row, total, size)
    return row


def _point(row: Values, total: Sums, size: int) -> None:
    """Make a row the centroid of ``size`` grid vectors with this sum."""
    if size == 1:
        row[:] = total
        return
    whole: NDArray[Any] = total
    if size <= _SMALL:
        square = float(total.dot(total))
    else:
        whole = total.astype(np.int64)
        if size > _LARGE:
            # The square might not fit.
            whole >>= 10
        square = int(whole @ whole)
    if square:
        np.rint(whole * (GRID / sqrt(square)), out=row, casting="same_kind")
    else:
        row[:] = 0


class Group:
    """Nodes that are compared with one vector, ascending, in a matrix: the latest ``limit`` of them.

    The row of a node with one leaf is that leaf, so only of the others sums are kept.
    """

    def __init__(self, nodes: Sequence[int], sums: Sums, sizes: Sequence[int], limit: int) -> None:
        self.nodes = list(nodes)
        self.limit = limit
        self._rows: Values = _roomy(sums.astype(np.float32), max(_ROOM, len(nodes) + len(nodes) // 2))
        # Rows that are not the centroid yet, and how many leaves that is of.
        self._stale = {row: size for row, size in enumerate(sizes) if size != 1}
        self._sums: dict[int, Sums] = {row: sums[row].copy() for row in self._stale}

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def _first(self) -> int:
        count = len(self.nodes)
        return count - self.limit if count > self.limit else 0

    @property
    def latest(self) -> list[int]:
        """The nodes that are compared."""
        return self.nodes[self._first :]

    @property
    def rows(self) -> Values:
        """The centroids of the nodes that are compared."""
        if self._stale:
            self._refresh()
        return self._rows[self._first : len(self.nodes)]

    def row(self, node: int) -> int | None:
        """Where a node lies in the matrix, if it does."""
        nodes = self.nodes
        if not nodes or node > nodes[-1]:
            return None
        # What changes is mostly what came last.
        at = len(nodes) - 1 if node == nodes[-1] else bisect_left(nodes, node)
        return at if nodes[at] == node else None

    def nearest(self, aim: Values) -> tuple[int, float] | None:
        """The node whose centroid is most similar to a grid vector, and the cosine; the earliest of equals."""
        nodes = self.nodes
        if not nodes:
            return None
        if self._stale:
            self._refresh()
        first = self._first
        products = self._rows[first : len(nodes)].dot(aim)
        best = int(products.argmax())
        return nodes[first + best], products.item(best) / _SQUARE

    def sum_of(self, row: int) -> Sums:
        """The sum of a node's leaves. Not to be changed."""
        total = self._sums.get(row)
        return self._rows[row].astype(np.float64) if total is None else total

    def append(self, node: int) -> None:
        """Take up a new node, without leaves yet."""
        if len(self.nodes) == len(self._rows):
            self._make_room()
        self.nodes.append(node)

    def add(self, node: int, more: Sums, size: int, *, sign: int = 1) -> None:
        """Leaves came to a node, or (``sign`` -1) left it, which has ``size`` of them now, if it is one of these."""
        row = self.row(node)
        if row is None:
            return
        total = self._sums.get(row)
        if total is None and size == 1 and sign > 0:
            self._rows[row] = more
            return
        if total is None:
            total = self._sums[row] = self._rows[row].astype(np.float64)
        if sign > 0:
            total += more
        else:
            total -= more
        if size > 1:
            self._stale[row] = size
            return
        self._rows[row] = total
        del self._sums[row]
        self._stale.pop(row, None)

    def _refresh(self) -> None:
        for row, size in self._stale.items():
            _point(self._rows[row], self._sums[row], size)
        self._stale.clear()

    def _make_room(self) -> None:
        """Make room for as many nodes as are compared, without those that are not compared any more."""
        self._refresh()
        first, end = self._first, len(self.nodes)
        self._rows = _roomy(self._rows[first:end], 2 * max(end - first, _ROOM))
        self._sums = {row - first: total for row, total in self._sums.items() if row >= first}
        del self.nodes[:first]


class Means(Group):
    """Nodes that are compared by the mean similarity of their leaves too: the sums are a matrix of their own."""

    def __init__(self, nodes: Sequence[int], sums: Sums, sizes: Sequence[int], limit: int) -> None:
        super().__init__(nodes, sums, [1] * len(nodes), limit)
        self._matrix: Sums = _roomy(sums, len(self._rows))
        self._sizes: Sums = np.ones(len(self._rows))
        self._sizes[: len(nodes)] = np.maximum(sizes, 1)
        self._stale = {row: size for row, size in enumerate(sizes) if size != 1}

    def nearest_by_mean(self, aim: Sums) -> tuple[int, float] | None:
        """The node whose leaves are most similar to a grid vector on average, and that average."""
        if not self.nodes:
            return None
        first, end = self._first, len(self.nodes)
        # Whole numbers up to 2^53 are exact in double precision.
        means = self._matrix[first:end].dot(aim)
        means /= self._sizes[first:end]
        best = int(means.argmax())
        return self.nodes[first + best], means.item(best) / _SQUARE

    def sum_of(self, row: int) -> Sums:
        return self._matrix[row]

    @property
    def sums(self) -> Iterator[tuple[int, Sums]]:
        """The nodes with the sums of their leaves, which are not to be changed."""
        return zip(self.nodes, self._matrix, strict=False)

    def add(self, node: int, more: Sums, size: int, *, sign: int = 1) -> None:
        row = self.row(node)
        if row is None:
            return
        total = self._matrix[row]
        if sign > 0:
            total += more
        else:
            total -= more
        self._sizes[row] = size or 1
        self._stale[row] = size

    def _refresh(self) -> None:
        for row, size in self._stale.items():
            _point(self._rows[row], self._matrix[row], size)
        self._stale.clear()

    def _make_room(self) -> None:
        first, end = self._first, len(self.nodes)
        super()._make_room()
        self._matrix = _roomy(self._matrix[first:end], len(self._rows))
        self._sizes = _roomy(self._sizes[first:end], len(self._rows))
        self._sizes[end - first :] = 1


def _roomy(matrix: NDArray[Any], room: int) -> NDArray[Any]:
    larger = np.zeros((room, *matrix.shape[1:]), matrix.dtype)
    larger[: len(matrix)] = matrix
    return larger
