"""Groups of a tree's nodes whose centroids are kept while they are compared: the children of a node, or a window's.

A centroid that is not kept is computed from the leaves when it is needed, and is then the same (see ``centroids``).
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from hmem.hierarchy.centroids import EXACT, Group, Means, Sums, Values, centroid, on_grid
from hmem.hierarchy.forest import Forest

Vectors = Callable[[Sequence[int]], NDArray[np.float32]]
Kind = TypeVar("Kind", bound=Group)
EVERYTHING: Final = 1 << 30

# Centroids of at most so many nodes are kept, 3 KB each in 256 dimensions.
_KEPT: Final = 32_768

# A group's key is the number of what its nodes share, a parent or a window, and which of the three groups it is.
_KINDS: Final = 2
_ALL: Final = 0
_LATEST: Final = 1
_WINDOW: Final = 2


class Groups:
    """The groups in use. ``vectors`` gives the unit vectors of leaves."""

    def __init__(self, forest: Forest, vectors: Vectors) -> None:
        self._forest = forest
        self._vectors = vectors
        self._groups: OrderedDict[int, Group] = OrderedDict()
        # How many nodes these have, and one for each group.
        self._kept = 0
        self._none: Sums | None = None

    def children(self, node: int) -> Means:
        """The children of a node."""
        key = node << _KINDS | _ALL
        group = self._found(key, EVERYTHING)
        if not isinstance(group, Means):
            group = self._new(Means, key, self._forest.children(node), EVERYTHING)
        return group

    def latest(self, node: int, limit: int) -> Group:
        """The latest children of a node."""
        key = node << _KINDS | _LATEST
        group = self._found(key, limit)
        return self._new(Group, key, self._forest.children(node), limit) if group is None else group

    def window(self, window: int, limit: int, nodes: Callable[[int], Sequence[int]]) -> Group:
        """The latest of the nodes of a window, all of which ``nodes`` gives, ascending."""
        key = window << _KINDS | _WINDOW
        group = self._found(key, limit)
        return self._new(Group, key, nodes(window), limit) if group is None else group

    def _found(self, key: int, limit: int) -> Group | None:
        group = self._groups.get(key)
        if group is None or group.limit != limit:
            return None
        self._groups.move_to_end(key)
        return group

    def _new(self, kind: type[Kind], key: int, nodes: Sequence[int], limit: int) -> Kind:
        self._drop(key)
        latest = nodes[-limit:]
        sums = self._sums(latest) if latest else self._no_sums()
        group = kind(latest, sums, [self._forest.size[node] for node in latest], limit)
        self._keep(key, group)
        while self._kept > _KEPT and len(self._groups) > 1:
            self._drop(next(iter(self._groups)))
        return group

    def _keep(self, key: int, group: Group) -> None:
        self._groups[key] = group
        self._kept += len(group) + 1

    def _no_sums(self) -> Sums:
        if self._none is None:
            self._none = np.zeros((0, self._vectors([]).shape[1]))
        return self._none

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

    def _keys(self, node: int, parent: int) -> tuple[int, ...]:
        """Those of the groups that may hold a node."""
        forest, below = self._forest, parent << _KINDS
        if not forest.end[node]:
            return below, below | _LATEST
        return below, below | _LATEST, forest.window(node) << _KINDS | _WINDOW

    def _rows(self, node: int) -> Iterator[tuple[Group, int]]:
        """The groups that hold a node, and where they do."""
        for key in self._keys(node, self._forest.parent[node]):
            group = self._groups.get(key)
            if group is not None and (row := group.row(node)) is not None:
                yield group, row

    # Following what changes.

    def __bool__(self) -> bool:
        return bool(self._groups)

    def clear(self) -> None:
        """Keep none."""
        self._groups.clear()
        self._kept = 0

    def shift(self, path: Sequence[int], more: Sums, *, sign: int = 1) -> None:
        """Leaves came below a node, which counts them already, or (``sign`` -1) left it.

        ``path`` is that node and all above it, the root last.
        """
        size, find = self._forest.size, self._groups.get
        # Not the root: it is compared with nothing.
        for node, parent in pairwise(path):
            for key in self._keys(node, parent):
                group = find(key)
                if group is not None:
                    group.add(node, more, size[node], sign=sign)

    def appear(self, node: int, parent: int) -> None:
        """A node was hung up."""
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
        """A node is about to be taken off, without leaves."""
        self._drop_all((*self._keys(node, self._forest.parent[node]), *_below(node)))

    def move(self, nodes: Sequence[int], old: int, new: int) -> None:
        """Some children of a node were hung under another one."""
        source, target = self._groups.get(old << _KINDS), self._groups.get(new << _KINDS)
        self._drop_all((*_below(old), *_below(new)))
        if not isinstance(source, Means):
            return
        sums = dict(source.sums)
        moved = [(node, sums.pop(node)) for node in nodes]
        self._renew(old, sorted(sums.items()))
        if isinstance(target, Means):
            self._renew(new, sorted([*target.sums, *moved]))
        elif len(moved) == len(self._forest.children(new)):
            self._renew(new, sorted(moved))

    def _renew(self, parent: int, sums: Sequence[tuple[int, Sums]]) -> None:
        """Keep the children of a node, of which the sums are known."""
        if sums:
            nodes = [node for node, _ in sums]
            sizes = [self._forest.size[node] for node in nodes]
            self._keep(parent << _KINDS, Means(nodes, np.stack([total for _, total in sums]), sizes, EVERYTHING))

    def forget(self, node: int) -> None:
        """It is not known what came below a node or left it."""
        self._drop_all(_below(node))
        for above in self._forest.up(node):
            self._drop_all(self._keys(above, self._forest.parent[above]))

    def _drop_all(self, keys: Iterable[int]) -> None:
        for key in keys:
            self._drop(key)

    def _drop(self, key: int) -> None:
        group = self._groups.pop(key, None)
        if group is not None:
            self._kept -= len(group) + 1


def _below(node: int) -> tuple[int, int]:
    """The groups of a node's children."""
    return node << _KINDS, node << _KINDS | _LATEST
