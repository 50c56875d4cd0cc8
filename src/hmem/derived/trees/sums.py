"""Sums of the vectors below the large nodes of a tree, stored beside it: who opens a memory need not read the leaves.

A sum is of whole numbers, so the one that was kept equals the one that is computed from the leaves.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.chunks import Part
from hmem.derived.trees.nodes import ROOT

# Leaves from which the sum of a node is kept.
LARGE: Final = 256
# Leaves whose sums may not fit into four bytes: each component of a vector is at most ``GRID``.
_LARGEST_IN_FOUR_BYTES: Final = 500_000
# Bytes of a chunk that hold the number of leaves.
_HEAD: Final = 8

Sums = NDArray[np.float64]


class NodeSums(Part):
    """Sums of the grid vectors below the nodes that have at least ``LARGE`` leaves. A chunk is that of one node.

    Args:
        name: name of the part.
        size: counts the leaves below a node, 0 for one that is gone.
        total: computes the sum of a node.
    """

    def __init__(self, name: str, size: Callable[[int], int], total: Callable[[int], Sums]) -> None:
        super().__init__(name)
        self._size = size
        self._total = total
        # By node, with the number of its leaves. Do not change a sum.
        self.totals: dict[int, Sums] = {}
        self._sizes: dict[int, int] = {}

    def change(self, nodes: Iterable[int], vectors: Sums | None, sign: int = 1) -> None:
        """Add the leaves that came below nodes, already counted, or (``sign`` -1) subtract those that left.

        Without ``vectors`` the sums are computed again when they are stored.
        """
        for node in nodes:
            size, total = self._size(node), self.totals.get(node)
            if node == ROOT or (size < LARGE and total is None):
                continue
            self.changed.add(node)
            if total is not None and (size < LARGE or vectors is None):
                self._drop(node)
            elif total is not None and vectors is not None:
                total += vectors if sign > 0 else -vectors
                self._sizes[node] = size

    def _drop(self, node: int) -> None:
        self.totals.pop(node, None)
        self._sizes.pop(node, None)

    def load(self, number: int, content: Any | None) -> None:
        self._drop(number)
        if content is not None:
            size = int.from_bytes(content[:_HEAD], "little")
            self._keep(number, size, np.frombuffer(content[_HEAD:], _kind(size)).astype(np.float64))

    def _keep(self, node: int, size: int, total: Sums) -> None:
        self.totals[node], self._sizes[node] = total, size

    def dump(self, number: int) -> Any | None:
        size = self._size(number)
        if size < LARGE:
            return None
        if number not in self.totals:
            self._keep(number, size, self._total(number))
        return size.to_bytes(_HEAD, "little") + self.totals[number].astype(_kind(size)).tobytes()


def _kind(size: int) -> str:
    return "<i4" if size < _LARGEST_IN_FOUR_BYTES else "<i8"
