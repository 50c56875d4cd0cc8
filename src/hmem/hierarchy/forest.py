"""Nodes and leaves with their links, in columns: what hangs under what, and how many leaves are below.

Everything that one step of a placement needs takes constant time, and a memory of many nodes is read in bulk. While
chunks are taken up piece by piece there may be several roots for a moment, hence a forest.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT: Final = 0
NONE: Final = -1

# Of the number of a window, so many bits are the level.
_LEVEL_BITS: Final = 7

# Room is made for so many nodes at once, less one.
_ROOM: Final = 0xFF

Integers = NDArray[np.int64]


class NodeColumns(NamedTuple):
    """Nodes, ascending: what each is, a column each. ``start`` and ``end`` are days, 0 for no window."""

    number: Integers
    level: Integers
    parent: Integers
    start: Integers
    end: Integers
    merges: Integers
    merged: Integers
    labels: dict[int, str]


class LeafColumns(NamedTuple):
    """Leaves, ascending, and the node that each hangs under."""

    leaf: Integers
    node: Integers


def window_number(level: int, start: int) -> int:
    """The number of the window of a level that starts on a day."""
    return start << _LEVEL_BITS | level


class Forest:
    """The columns. A node of level 0 is not there; a leaf's home is ``NONE`` when it was taken."""

    def __init__(self) -> None:
        self.level = array("b")
        self.parent = array("i")
        self.start = array("i")
        self.end = array("i")
        self.merges = array("i")
        self.merged = array("q")
        self.size = array("i")
        self.labels: dict[int, str] = {}
        self._first = array("i")
        self._next = array("i")
        self._before = array("i")
        self._first_leaf = array("i")
        self._leaves = array("q")
        self._home = array("i")
        self._next_leaf = array("i")
        self._leaf_before = array("i")
        self.grow(ROOT + 1)
        self.level[ROOT] = 1
        # Whether nothing was ever in it.
        self.empty = True

    def __contains__(self, node: int) -> bool:
        return 0 <= node < len(self.level) and self.level[node] > 0

    def grow(self, length: int) -> None:
        """Make room for nodes below a number, none of them there yet."""
        if length <= len(self.level):
            return
        more = (length | _ROOM) + 1 - len(self.level)
        self.empty = False
        for column in (self.level, self.start, self.end, self.merges, self.merged, self.size):
            column.frombytes(bytes(more * column.itemsize))
        for column in (self.parent, self._first, self._next, self._before, self._first_leaf):
            column.extend([NONE] * more)

    # Nodes.

    def window(self, node: int) -> int:
        """The number of the window that a node stands for, 0 for none."""
        return self.start[node] << _LEVEL_BITS | self.level[node] if self.end[node] else 0

    def attach(self, node: int, parent: int) -> None:
        """Hang a node that hangs nowhere, with all that is below it, under another."""
        head = self._first[parent]
        self.parent[node], self._next[node], self._before[node] = parent, head, NONE
        if head != NONE:
            self._before[head] = node
        self._first[parent] = node
        if self.size[node]:
            self._count(parent, self.size[node])

    def detach(self, node: int) -> None:
        """Take a node, with all that is below it, from its parent."""
        parent, before, after = self.parent[node], self._before[node], self._next[node]
        if before == NONE:
            self._first[parent] = after
        else:
            self._next[before] = after
        if after != NONE:
            self._before[after] = before
        self.parent[node] = NONE
        if self.size[node]:
            self._count(parent, -self.size[node])

    def _count(self, node: int, more: int) -> list[int]:
        """Count leaves that came below a node, or left it; that node and all above it, the root last."""
        path: list[int] = []
        size, parent = self.size, self.parent
        while node != NONE:
            size[node] += more
            path.append(node)
            node = parent[node]
        return path

    def erase(self, node: int) -> None:
        """Let a node that hangs nowhere, and under which nothing hangs, be no more."""
        for column in (self.level, self.start, self.end, self.merges, self.merged):
            column[node] = 0
        self.labels.pop(node, None)

    def bare(self, node: int) -> bool:
        """Whether nothing hangs under a node."""
        return self._first[node] == NONE and self._first_leaf[node] == NONE

    def parted(self, node: int) -> bool:
        """Whether other nodes hang under a node."""
        return self._first[node] != NONE

    def wider(self, node: int, limit: int) -> bool:
        """Whether more than ``limit`` nodes hang under a node."""
        child = self._first[node]
        while child != NONE and limit:
            child = self._next[child]
            limit -= 1
        return child != NONE

    def children(self, node: int) -> list[int]:
        """The nodes that hang under a node, ascending."""
        found: list[int] = []
        child = self._first[node]
        while child != NONE:
            found.append(child)
            child = self._next[child]
        return sorted(found)

    def up(self, node: int) -> Iterator[int]:
        """A node and all above it, the root last."""
        while node != NONE:
            yield node
            node = self.parent[node]

    def nodes(self) -> list[int]:
        """All nodes, ascending."""
        levels = np.frombuffer(self.level, np.int8)
        return [int(node) for node in np.flatnonzero(levels)]

    # Leaves.

    def slot(self, leaf: int) -> int:
        """Where a leaf lies in the columns; ``NONE`` when it was never there."""
        leaves = self._leaves
        if not leaves or leaf > leaves[-1]:
            return NONE
        at = len(leaves) - 1 if leaf == leaves[-1] else bisect_left(leaves, leaf)
        return at if leaves[at] == leaf else NONE

    def home(self, leaf: int) -> int:
        """The node that a leaf hangs under, or ``NONE``."""
        slot = self.slot(leaf)
        return NONE if slot == NONE else self._home[slot]

    def put(self, leaf: int, node: int) -> list[int]:
        """Hang a leaf that hangs nowhere under a node; that node and all above it, the root last."""
        slot = self._open(leaf)
        self.empty = False
        head = self._first_leaf[node]
        self._home[slot], self._next_leaf[slot], self._leaf_before[slot] = node, head, NONE
        if head != NONE:
            self._leaf_before[head] = slot
        self._first_leaf[node] = slot
        return self._count(node, 1)

    def _open(self, leaf: int) -> int:
        """The slot of a leaf, made when it has none. Leaves mostly come in order, and then this is an append."""
        leaves = self._leaves
        if not leaves or leaf > leaves[-1]:
            leaves.append(leaf)
            self._home.append(NONE)
            self._next_leaf.append(NONE)
            self._leaf_before.append(NONE)
            return len(leaves) - 1
        at = bisect_left(leaves, leaf)
        if leaves[at] != leaf:
            self._open_amid(at, leaf)
        return at

    def _open_amid(self, at: int, leaf: int) -> None:
        """Make a slot before others, which all move on by one."""
        for column in (self._first_leaf, self._next_leaf, self._leaf_before):
            links = np.frombuffer(column, np.int32)
            links += links >= at
            del links
        self._leaves.insert(at, leaf)
        for column in (self._home, self._next_leaf, self._leaf_before):
            column.insert(at, NONE)

    def take(self, leaf: int) -> int:
        """Take a leaf from the node that it hangs under, which is returned."""
        slot = self.slot(leaf)
        node, before, after = self._home[slot], self._leaf_before[slot], self._next_leaf[slot]
        if before == NONE:
            self._first_leaf[node] = after
        else:
            self._next_leaf[before] = after
        if after != NONE:
            self._leaf_before[after] = before
        self._home[slot] = NONE
        self._count(node, -1)
        return node

    def leaves(self, node: int) -> list[int]:
        """The leaves that hang under a node directly, ascending."""
        found: list[int] = []
        slot = self._first_leaf[node]
        while slot != NONE:
            found.append(self._leaves[slot])
            slot = self._next_leaf[slot]
        return sorted(found)

    def under(self, node: int) -> list[int]:
        """All leaves below a node, ascending."""
        if node == ROOT:
            homes = np.frombuffer(self._home, np.int32)
            return [int(leaf) for leaf in np.frombuffer(self._leaves, np.int64)[homes != NONE]]
        found: list[int] = []
        open_nodes = [node]
        while open_nodes:
            node = open_nodes.pop()
            slot, child = self._first_leaf[node], self._first[node]
            while slot != NONE:
                found.append(self._leaves[slot])
                slot = self._next_leaf[slot]
            while child != NONE:
                open_nodes.append(child)
                child = self._next[child]
        return sorted(found)

    def between(self, low: int, high: int) -> list[tuple[int, int]]:
        """The leaves from one number to below another, ascending, each with its node."""
        slots = range(bisect_left(self._leaves, low), bisect_left(self._leaves, high))
        return [(self._leaves[slot], self._home[slot]) for slot in slots if self._home[slot] != NONE]

    # All at once.

    def fill(self, nodes: NodeColumns, leaves: LeafColumns) -> None:
        """Make these all there is, in a forest that was empty. The root needs no row.

        A leaf whose node is not there is left out.
        """
        length = max(int(nodes.number[-1]) if len(nodes.number) else 0, int(leaves.node.max(initial=0))) + 1
        level = _spread(nodes.number, nodes.level, length, 0)
        parent = _spread(nodes.number, nodes.parent, length, NONE)
        level[ROOT], parent[ROOT] = max(1, int(level.max(initial=0)) + 1), NONE
        there = level[leaves.node] > 0
        numbers, homes = leaves.leaf[there], leaves.node[there]
        self.empty = False
        columns = (nodes.start, nodes.end, nodes.merges, nodes.merged)
        start, end, merges, merged = (_spread(nodes.number, column, length, 0) for column in columns)
        self.level, self.parent = _column("b", level), _column("i", parent)
        self.start, self.end, self.merges = _column("i", start), _column("i", end), _column("i", merges)
        self.merged, self.labels = _column("q", merged), dict(nodes.labels)
        self.size = _column("i", _sizes(level, parent, homes))
        linked = nodes.number[nodes.number != ROOT]
        self._first, self._next, self._before = _links(linked, parent[linked], length, length)
        self._leaves, self._home = _column("q", numbers), _column("i", homes)
        self._first_leaf, self._next_leaf, self._leaf_before = _links(
            np.arange(len(numbers)), homes, len(numbers), length
        )


def _column(code: str, values: Integers) -> "array[int]":
    column: array[int] = array(code)
    column.frombytes(values.astype(np.dtype(code)).tobytes())
    return column


def _spread(places: Integers, values: Integers, length: int, empty: int) -> Integers:
    """A column of a length with values at places."""
    column = np.full(length, empty, np.int64)
    column[places] = values
    return column


def _sizes(level: Integers, parent: Integers, homes: Integers) -> Integers:
    """How many leaves are below each node."""
    size = np.bincount(homes, minlength=len(level)).astype(np.int64)
    # A parent's level is above its children's, so that lower levels are complete when they are added to higher ones.
    for height in range(1, int(level.max(initial=1)) + 1):
        nodes = np.flatnonzero((level == height) & (parent != NONE))
        size += np.bincount(parent[nodes], weights=size[nodes], minlength=len(level)).astype(np.int64)
    return size


def _links(
    items: Integers, owners: Integers, length: int, owners_length: int
) -> "tuple[array[int], array[int], array[int]]":
    """Each owner's first item, each item's next of the same owner, and the one before it."""
    order = np.argsort(owners, kind="stable")
    items, owners = items[order], owners[order]
    same = owners[1:] == owners[:-1]
    first, after, before = (np.full(size, NONE, np.int64) for size in (owners_length, length, length))
    after[items[:-1][same]] = items[1:][same]
    before[items[1:][same]] = items[:-1][same]
    heads = np.concatenate([[True], ~same])[: len(items)]
    first[owners[heads]] = items[heads]
    return _column("i", first), _column("i", after), _column("i", before)
