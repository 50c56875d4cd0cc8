"""Groups of a tree's nodes whose centroids are kept while they are compared: the children of a node, or a window's.

A centroid that is not kept is computed from the leaves when it is needed, and is then the same (see ``centroids``).
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.hierarchy.centroids import EXACT, Group, Sums, Values, centroid, on_grid
from hmem.hierarchy.forest import NONE, Forest

Vectors = Callable[[Sequence[int]], NDArray[np.float32]]
Key = tuple[int, int]

EVERYTHING: Final = 1 << 30

# Centroids of at most so many nodes are kept, 3 KB each in 256 dimensions.
_KEPT: Final = 32_768

# A group's key is the window that its nodes share, (level, start), or (one of these, their parent).
_LATEST: Final = 0
_ALL: Final = -1


class Groups:
    """The groups in use. ``vectors`` gives the unit vectors of leaves."""

    def __init__(self, forest: Forest, vectors: Vectors) -> None:
        self._forest = forest
        self._vectors = vectors
        self._groups: OrderedDict[Key, Group] = OrderedDict()
        self._kept = 0

    def children(self, node: int, limit: int = EVERYTHING) -> Group:
        """The children of a node, or the latest of them."""
        key = (_ALL if limit == EVERYTHING else _LATEST, node)
        return self._found(key, limit) or self._new(key, self._forest.children(node), limit)

    def window(self, level: int, start: int, nodes: Sequence[int], limit: int) -> Group:
        """The latest of the nodes of a window, all of which ``nodes`` are, ascending."""
        key = (level, start)
        return self._found(key, limit) or self._new(key, nodes, limit)

    def _found(self, key: Key, limit: int) -> Group | None:
        group = self._groups.get(key)
        if group is None or group.limit != limit:
            return None
        self._groups.move_to_end(key)
        return group

    def _new(self, key: Key, nodes: Sequence[int], limit: int) -> Group:
        self._drop(key)
        latest = nodes[-limit:]
        group = Group(latest, self._sums(latest), [self._forest.size[node] for node in latest], limit)
        self._groups[key] = group
        self._kept += len(group)
        while self._kept > _KEPT and len(self._groups) > 1:
            self._drop(next(iter(self._groups)))
        return group

    def _sums(self, nodes: Sequence[int]) -> Sums:
        """The sums of the leaves below nodes, a row each."""
        below = [self._forest.under(node) for node in nodes]
        leaves = [leaf for some in below for leaf in some]
        owners = np.repeat(np.arange(len(nodes)), [len(some) for some in below])
        sums = np.zeros((len(nodes), 0))
        for first in range(0, max(len(leaves), 1), EXACT):
            block, owner = on_grid(self._vectors(leaves[first : first + EXACT])), owners[first : first + EXACT]
            if not first:
                sums = np.zeros((len(nodes), block.shape[1]))
            if len(owner):
                starts = np.flatnonzero(np.diff(owner, prepend=-1))
                sums[owner[starts]] += np.add.reduceat(block, starts, axis=0)
        return sums

    # Single nodes.

    def centroid(self, node: int) -> Values:
        """The centroid of a node as a grid vector."""
        return centroid(self.total(node), self._forest.size[node])

    def total(self, node: int) -> Sums:
        """The sum of the leaves below a node."""
        for group, row in self._rows(node):
            return group.sum_of(row).copy()
        return self._sums([node])[0]

    def _keys(self, node: int) -> tuple[Key, ...]:
        """Those of the groups that may hold a node."""
        parent, start = self._forest.parent[node], self._forest.start[node]
        by_parent = (_ALL, parent), (_LATEST, parent)
        return (*by_parent, (self._forest.level[node], start)) if start else by_parent

    def _rows(self, node: int) -> Iterator[tuple[Group, int]]:
        """The groups that hold a node, and where they do."""
        for key in self._keys(node):
            group = self._groups.get(key)
            if group is not None and (row := group.row(node)) is not None:
                yield group, row

    # Following what changes.

    def __bool__(self) -> bool:
        return bool(self._groups)

    def shift(self, node: int, more: Sums, *, sign: int = 1) -> None:
        """Leaves came below a node, which counts them already, or (``sign`` -1) left it."""
        forest, groups = self._forest, self._groups
        # Not the root: it is compared with nothing.
        while (parent := forest.parent[node]) != NONE:
            for key in self._keys(node):
                group = groups.get(key)
                if group is not None and (row := group.row(node)) is not None:
                    group.add(row, more, forest.size[node], sign=sign)
            node = parent

    def appear(self, node: int) -> None:
        """A node was hung up."""
        if self._forest.size[node]:
            self.forget(node)
            return
        for key in self._keys(node):
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
        """A node is about to be taken off, without leaves."""
        for key in (*self._keys(node), (_ALL, node), (_LATEST, node)):
            self._drop(key)

    def move(self, nodes: Sequence[int], old: int, new: int) -> None:
        """Some children of a node were hung under another one."""
        source, target = self._groups.get((_ALL, old)), self._groups.get((_ALL, new))
        for parent in (old, new):
            self._drop((_ALL, parent))
            self._drop((_LATEST, parent))
        if source is None:
            return
        sums = dict(source.sums)
        moved = [(node, sums.pop(node)) for node in nodes]
        self._keep((_ALL, old), sorted(sums.items()))
        if target is not None or len(moved) == len(self._forest.children(new)):
            self._keep((_ALL, new), sorted([*(target.sums if target else ()), *moved]))

    def _keep(self, key: Key, sums: Sequence[tuple[int, Sums]]) -> None:
        if sums:
            nodes = [node for node, _ in sums]
            sizes = [self._forest.size[node] for node in nodes]
            self._groups[key] = Group(nodes, np.stack([total for _, total in sums]), sizes, EVERYTHING)
            self._kept += len(nodes)

    def forget(self, node: int) -> None:
        """It is not known what came below a node or left it."""
        self._drop((_ALL, node))
        self._drop((_LATEST, node))
        for above in self._forest.up(node):
            for key in self._keys(above):
                self._drop(key)

    def _drop(self, key: Key) -> None:
        group = self._groups.pop(key, None)
        if group is not None:
            self._kept -= len(group)
