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

_LARGE: Final = 500_000
_SQUARE: Final = GRID * GRID

Values = NDArray[np.float32]
Sums = NDArray[np.float64]


def on_grid(vectors: Values) -> Values:
    """Unit vectors in whole numbers, as single-precision floats."""
    return np.rint(vectors * np.float32(GRID))


def centroid(total: Sums, size: int) -> Values:
    """The grid vector in the direction of a sum of ``size`` grid vectors; zeros for zeros."""
    if size == 1:
        return total.astype(np.float32)
    whole = total.astype(np.int64)
    if size > _LARGE:
        # The square might not fit.
        whole >>= 10
    square = int(whole @ whole)
    if not square:
        return np.zeros(len(total), np.float32)
    return np.rint(whole * (GRID / sqrt(square))).astype(np.float32)


class Group:
    """Nodes that are compared with one vector, ascending, in matrices: the latest ``limit`` of them."""

    def __init__(self, nodes: Sequence[int], sums: Sums, sizes: Sequence[int], limit: int) -> None:
        self.nodes = list(nodes)
        self.limit = limit
        count, room = len(nodes), max(8, len(nodes) + len(nodes) // 2)
        self._sums: Sums = np.zeros((room, sums.shape[1]))
        self._rows: Values = np.zeros((room, sums.shape[1]), np.float32)
        self._sizes: Sums = np.ones(room)
        self._sums[:count] = self._rows[:count] = sums
        self._sizes[:count] = sizes
        self._stale = {row for row, size in enumerate(sizes) if size != 1}

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def _first(self) -> int:
        return max(0, len(self.nodes) - self.limit)

    @property
    def latest(self) -> list[int]:
        """The nodes that are compared."""
        return self.nodes[self._first :]

    @property
    def rows(self) -> Values:
        """The centroids of the nodes that are compared."""
        self._refresh()
        return self._rows[self._first : len(self.nodes)]

    def row(self, node: int) -> int | None:
        """Where a node lies in the matrices, if it does."""
        at = bisect_left(self.nodes, node)
        return at if at < len(self.nodes) and self.nodes[at] == node else None

    def nearest(self, aim: Values) -> tuple[int, float] | None:
        """The node whose centroid is most similar to a grid vector, and the cosine; the earliest of equals."""
        if not self.nodes:
            return None
        if self._stale:
            self._refresh()
        first, end = self._first, len(self.nodes)
        products = self._rows[first:end] @ aim
        best = int(products.argmax())
        return self.nodes[first + best], float(products[best]) / _SQUARE

    def nearest_by_mean(self, aim: Sums) -> tuple[int, float] | None:
        """The node whose leaves are most similar to a grid vector on average, and that average."""
        if not self.nodes:
            return None
        first, end = self._first, len(self.nodes)
        # Whole numbers up to 2^53 are exact in double precision.
        means = (self._sums[first:end] @ aim) / self._sizes[first:end]
        best = int(means.argmax())
        return self.nodes[first + best], float(means[best]) / _SQUARE

    def sum_of(self, row: int) -> Sums:
        """The sum of a node's leaves. Not to be changed."""
        return self._sums[row]

    @property
    def sums(self) -> Iterator[tuple[int, Sums]]:
        """The nodes with the sums of their leaves, which are not to be changed."""
        return zip(self.nodes, self._sums, strict=False)

    def append(self, node: int) -> None:
        """Take up a new node, without leaves yet."""
        if len(self.nodes) == len(self._sums):
            self._make_room()
        self._sizes[len(self.nodes)] = 1
        self.nodes.append(node)

    def add(self, row: int, more: Sums, size: int, *, sign: int = 1) -> None:
        """Leaves came to a node, or (``sign`` -1) left it, which has ``size`` of them now."""
        total = self._sums[row]
        (np.add if sign > 0 else np.subtract)(total, more, out=total)
        self._sizes[row] = size or 1
        if size == 1:
            self._rows[row] = total
            self._stale.discard(row)
        else:
            self._stale.add(row)

    def _refresh(self) -> None:
        for row in self._stale:
            self._rows[row] = centroid(self._sums[row], int(self._sizes[row]))
        self._stale.clear()

    def _make_room(self) -> None:
        self._refresh()
        first, end = self._first, len(self.nodes)
        room = 2 * max(end - first, 8)
        self._sums, self._rows = (_roomy(matrix[first:end], room) for matrix in (self._sums, self._rows))
        self._sizes = _roomy(self._sizes[first:end], room)
        del self.nodes[:first]


def _roomy(matrix: NDArray[Any], room: int) -> NDArray[Any]:
    larger = np.zeros((room, *matrix.shape[1:]), matrix.dtype)
    larger[: len(matrix)] = matrix
    return larger
