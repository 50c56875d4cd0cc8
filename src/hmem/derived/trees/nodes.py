"""Nodes and leaves of a tree in columns: links, sizes, chunk encoding, and lookup by window and name.

Each operation of a placement takes constant time, and a large memory is loaded in bulk. There may be several roots
while chunks are taken up piece by piece, hence a forest.

A chunk holds columns of integers, mostly as differences to the previous one. Most columns are then runs of equal small
numbers, which deflate to almost nothing: a constant column is stored as one number, and zeros are left out.
"""

from array import array
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

ROOT: Final = 0
NONE: Final = -1

# Bits of a window's number that hold the level.
_LEVEL_BITS: Final = 7

# Number of nodes that room is made for at once, less one.
_ROOM: Final = 0xFF

Integers = NDArray[np.int64]


class NodeColumns(NamedTuple):
    """Nodes in ascending order, a column for each field. ``start`` and ``end`` are days, 0 for no window."""

    number: Integers
    level: Integers
    parent: Integers
    start: Integers
    end: Integers
    merges: Integers
    merged: Integers
    labels: dict[int, str]


class LeafColumns(NamedTuple):
    """Leaves in ascending order, and the parent node of each."""

    leaf: Integers
    node: Integers


def window_number(level: int, start: int) -> int:
    """Return the number of the window of a level that starts on a day."""
    return start << _LEVEL_BITS | level


class Forest:
    """Columns of nodes and leaves. Level 0 means that the node does not exist; a removed leaf has home ``NONE``."""

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
        # True until the first node or leaf is added.
        self.empty = True

    def __contains__(self, node: int) -> bool:
        return 0 <= node < len(self.level) and self.level[node] > 0

    def grow(self, length: int) -> None:
        """Make room for the node numbers below ``length``. The new nodes do not exist yet."""
        if length <= len(self.level):
            return
        extra = (length | _ROOM) + 1 - len(self.level)
        self.empty = False
        for column in (self.level, self.start, self.end, self.merges, self.merged, self.size):
            column.frombytes(bytes(extra * column.itemsize))
        for column in (self.parent, self._first, self._next, self._before, self._first_leaf):
            column.extend([NONE] * extra)

    # Nodes.

    def window(self, node: int) -> int:
        """Return the number of a node's window, 0 for none."""
        return self.start[node] << _LEVEL_BITS | self.level[node] if self.end[node] else 0

    def attach(self, node: int, parent: int) -> None:
        """Attach a detached node, with its subtree, to a parent."""
        head = self._first[parent]
        self.parent[node], self._next[node], self._before[node] = parent, head, NONE
        if head != NONE:
            self._before[head] = node
        self._first[parent] = node
        if self.size[node]:
            self._count(parent, self.size[node])

    def detach(self, node: int) -> None:
        """Detach a node, with its subtree, from its parent."""
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

    def _count(self, node: int, change: int) -> list[int]:
        """Add ``change`` to the sizes of a node and its ancestors; return these, the root last."""
        path: list[int] = []
        size, parent = self.size, self.parent
        while node != NONE:
            size[node] += change
            path.append(node)
            node = parent[node]
        return path

    def erase(self, node: int) -> None:
        """Delete a detached node that has no children and no leaves."""
        for column in (self.level, self.start, self.end, self.merges, self.merged):
            column[node] = 0
        self.labels.pop(node, None)

    def bare(self, node: int) -> bool:
        """Tell if a node has neither children nor leaves."""
        return self._first[node] == NONE and self._first_leaf[node] == NONE

    def has_children(self, node: int) -> bool:
        """Tell if a node has child nodes."""
        return self._first[node] != NONE

    def wider(self, node: int, limit: int) -> bool:
        """Tell if a node has more than ``limit`` children."""
        child = self._first[node]
        while child != NONE and limit:
            child = self._next[child]
            limit -= 1
        return child != NONE

    def children(self, node: int) -> list[int]:
        """Return the children of a node, ascending."""
        nodes: list[int] = []
        child = self._first[node]
        while child != NONE:
            nodes.append(child)
            child = self._next[child]
        return sorted(nodes)

    def up(self, node: int) -> Iterator[int]:
        """Yield a node and its ancestors, the root last."""
        while node != NONE:
            yield node
            node = self.parent[node]

    def nodes(self) -> list[int]:
        """Return all nodes, ascending."""
        levels = np.frombuffer(self.level, np.int8)
        return [int(node) for node in np.flatnonzero(levels)]

    # Leaves.

    def slot(self, leaf: int) -> int:
        """Return the position of a leaf in the columns; ``NONE`` if it was never added."""
        leaves = self._leaves
        if not leaves or leaf > leaves[-1]:
            return NONE
        index = len(leaves) - 1 if leaf == leaves[-1] else bisect_left(leaves, leaf)
        return index if leaves[index] == leaf else NONE

    def home(self, leaf: int) -> int:
        """Return the parent node of a leaf, or ``NONE``."""
        slot = self.slot(leaf)
        return NONE if slot == NONE else self._home[slot]

    def attach_leaf(self, leaf: int, node: int) -> list[int]:
        """Attach a leaf to a node; return that node and its ancestors, the root last."""
        slot = self._open(leaf)
        self.empty = False
        head = self._first_leaf[node]
        self._home[slot], self._next_leaf[slot], self._leaf_before[slot] = node, head, NONE
        if head != NONE:
            self._leaf_before[head] = slot
        self._first_leaf[node] = slot
        return self._count(node, 1)

    def _open(self, leaf: int) -> int:
        """Return the slot of a leaf; make one if needed. Leaves mostly come in order, which makes this an append."""
        leaves = self._leaves
        if not leaves or leaf > leaves[-1]:
            leaves.append(leaf)
            self._home.append(NONE)
            self._next_leaf.append(NONE)
            self._leaf_before.append(NONE)
            return len(leaves) - 1
        slot = bisect_left(leaves, leaf)
        if leaves[slot] != leaf:
            self._open_amid(slot, leaf)
        return slot

    def _open_amid(self, slot: int, leaf: int) -> None:
        """Insert a slot for a leaf; later slots move on by one."""
        for column in (self._first_leaf, self._next_leaf, self._leaf_before):
            links = np.frombuffer(column, np.int32)
            links += links >= slot
            del links
        self._leaves.insert(slot, leaf)
        for column in (self._home, self._next_leaf, self._leaf_before):
            column.insert(slot, NONE)

    def take(self, leaf: int) -> int:
        """Detach a leaf from its node and return the node."""
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
        """Return the leaves attached to a node itself, ascending."""
        numbers: list[int] = []
        slot = self._first_leaf[node]
        while slot != NONE:
            numbers.append(self._leaves[slot])
            slot = self._next_leaf[slot]
        return sorted(numbers)

    def leaves_below(self, node: int) -> list[int]:
        """Return all leaves below a node, ascending."""
        if node == ROOT:
            homes = np.frombuffer(self._home, np.int32)
            return [int(leaf) for leaf in np.frombuffer(self._leaves, np.int64)[homes != NONE]]
        return self.leaves_outside(node, ())[0]

    def leaves_outside(self, node: int, closed: Container[int]) -> tuple[list[int], list[int]]:
        """Return the leaves below a node but for those below ``closed`` nodes, ascending, and these nodes."""
        leaves: list[int] = []
        shut: list[int] = []
        open_nodes = [node]
        while open_nodes:
            node = open_nodes.pop()
            if node in closed:
                shut.append(node)
                continue
            slot, child = self._first_leaf[node], self._first[node]
            while slot != NONE:
                leaves.append(self._leaves[slot])
                slot = self._next_leaf[slot]
            while child != NONE:
                open_nodes.append(child)
                child = self._next[child]
        return sorted(leaves), shut

    def leaves_between(self, low: int, high: int) -> list[tuple[int, int]]:
        """Return the leaves numbered from ``low`` to below ``high``, ascending, each with its node."""
        slots = range(bisect_left(self._leaves, low), bisect_left(self._leaves, high))
        return [(self._leaves[slot], self._home[slot]) for slot in slots if self._home[slot] != NONE]

    # All at once.

    def fill(self, nodes: NodeColumns, leaves: LeafColumns) -> None:
        """Fill an empty forest with these nodes and leaves. The root needs no row.

        A leaf whose node does not exist is left out.
        """
        length = max(int(nodes.number[-1]) if len(nodes.number) else 0, int(leaves.node.max(initial=0))) + 1
        level = _spread(nodes.number, nodes.level, length, 0)
        parent = _spread(nodes.number, nodes.parent, length, NONE)
        level[ROOT], parent[ROOT] = max(1, int(level.max(initial=0)) + 1), NONE
        exists = level[leaves.node] > 0
        numbers, homes = leaves.leaf[exists], leaves.node[exists]
        self.empty = False
        columns = (nodes.start, nodes.end, nodes.merges, nodes.merged)
        start, end, merges, merged = (_spread(nodes.number, column, length, 0) for column in columns)
        self.level, self.parent = _column("b", level), _column("i", parent)
        self.start, self.end, self.merges = _column("i", start), _column("i", end), _column("i", merges)
        self.merged, self.labels = _column("q", merged), dict(nodes.labels)
        self.size = _column("i", _sizes(level, parent, homes))
        children = nodes.number[nodes.number != ROOT]
        self._first, self._next, self._before = _links(children, parent[children], length, length)
        self._leaves, self._home = _column("q", numbers), _column("i", homes)
        self._first_leaf, self._next_leaf, self._leaf_before = _links(
            np.arange(len(numbers)), homes, len(numbers), length
        )


def _column(code: str, values: Integers) -> "array[int]":
    column: array[int] = array(code)
    column.frombytes(values.astype(np.dtype(code)).tobytes())
    return column


def _spread(positions: Integers, values: Integers, length: int, empty: int) -> Integers:
    """Return a column of ``length`` with values at the given places."""
    column = np.full(length, empty, np.int64)
    column[positions] = values
    return column


def _sizes(level: Integers, parent: Integers, homes: Integers) -> Integers:
    """Count the leaves below each node."""
    size = np.bincount(homes, minlength=len(level)).astype(np.int64)
    # A parent's level is above its children's, so that lower levels are complete when they are added to higher ones.
    for height in range(1, int(level.max(initial=1)) + 1):
        nodes = np.flatnonzero((level == height) & (parent != NONE))
        size += np.bincount(parent[nodes], weights=size[nodes], minlength=len(level)).astype(np.int64)
    return size


def _links(
    items: Integers, owners: Integers, length: int, owners_length: int
) -> "tuple[array[int], array[int], array[int]]":
    """Return each owner's first item, each item's next one of the same owner, and the one before it."""
    order = np.argsort(owners, kind="stable")
    items, owners = items[order], owners[order]
    is_same = owners[1:] == owners[:-1]
    first, after, before = (np.full(size, NONE, np.int64) for size in (owners_length, length, length))
    after[items[:-1][is_same]] = items[1:][is_same]
    before[items[1:][is_same]] = items[:-1][is_same]
    heads = np.concatenate([[True], ~is_same])[: len(items)]
    first[owners[heads]] = items[heads]
    return _column("i", first), _column("i", after), _column("i", before)


# 128 nodes a chunk: small enough to be written again for one of them, large enough to deflate well.
NODE_BITS: Final = 7

Chunks = Sequence[tuple[int, Any]]  # (the number of the chunk among its like, its content), by number


def dump_nodes(forest: Forest, number: int) -> Any | None:
    """Return the content of a chunk of nodes, or None if there are none. The root has no record."""
    low = number << NODE_BITS
    nodes = [
        node for node in range(max(low, ROOT + 1), min(low + (1 << NODE_BITS), len(forest.level))) if node in forest
    ]
    if not nodes:
        return None
    columns = {
        "node": _steps(node - low for node in nodes),
        "level": [forest.level[node] for node in nodes],
        # The root is the parent of many and far from most: it is written as 0, as no node is its own parent.
        "parent": [forest.parent[node] and forest.parent[node] - node for node in nodes],
        "start": _steps(forest.start[node] for node in nodes),
        "days": [forest.end[node] - forest.start[node] for node in nodes],
        "n": [forest.merges[node] for node in nodes],
        "r": _steps(forest.merged[node] for node in nodes),
    }
    content: dict[str, Any] = {"count": len(nodes)} | {name: _short(values) for name, values in columns.items()}
    labels = [forest.labels.get(node, "") for node in nodes]
    return {name: value for name, value in content.items() if value} | ({"label": labels} if any(labels) else {})


def has_labels(content: Any) -> bool:
    """Tell if any node of a chunk has a label."""
    return "label" in content


def load_nodes(chunks: Chunks) -> NodeColumns:
    """Decode the nodes of chunks."""
    counts = np.array([content["count"] for _, content in chunks], np.int64)
    node, level, parent, start, days, n, r = (
        _read_column(chunks, name) for name in ("node", "level", "parent", "start", "days", "n", "r")
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
    # The root is written as 0, and a detached node is not written at all.
    parents = np.where(parent == 0, ROOT, parent + number)
    return NodeColumns(number, level, parents, start, start + days, n, _sums(r, counts), labels)


def dump_leaves(forest: Forest, number: int, bits: int) -> Any | None:
    """Return the content of a chunk of up to 2 to the power of ``bits`` leaves, or None if there are none."""
    low = number << bits
    leaves = forest.leaves_between(low, low + (1 << bits))
    if not leaves:
        return None
    numbers, homes = _steps(leaf - low for leaf, _ in leaves), _steps(home for _, home in leaves)
    return {"count": len(leaves), "leaf": _short(numbers), "home": _short(homes)}


def load_leaves(chunks: Chunks, bits: int) -> LeafColumns:
    """Decode the leaves of chunks."""
    counts = np.array([content["count"] for _, content in chunks], np.int64)
    lows = np.repeat(np.array([number << bits for number, _ in chunks], np.int64), counts)
    return LeafColumns(_sums(_read_column(chunks, "leaf"), counts) + lows, _sums(_read_column(chunks, "home"), counts))


def _steps(values: Iterable[int]) -> list[int]:
    """Return the first value, then the difference of each value to the one before."""
    return [value - before for before, value in pairwise((0, *values))]


def _short(values: list[int]) -> list[int] | int:
    return values if any(value != values[0] for value in values) else values[0]


def _read_column(chunks: Chunks, name: str) -> Integers:
    values: list[int] = []
    for _, content in chunks:
        column: list[int] | int = content.get(name, 0)
        values.extend([column] * content["count"] if isinstance(column, int) else column)
    return np.array(values, np.int64)


def _sums(steps: Integers, counts: Integers) -> Integers:
    """Restore the values from the differences within each chunk."""
    sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(steps)])
    return sums[1:] - np.repeat(sums[np.cumsum(counts) - counts], counts)


Key = TypeVar("Key", int, tuple[int, str])


class Directory:
    """Lookup of a forest's nodes by window and by name."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._windows: dict[int, list[int]] = {}
        self._named: dict[tuple[int, str], list[int]] = {}

    def in_window(self, window: int) -> list[int]:
        """Return the nodes of a window, by its number, ascending. Do not change the list."""
        return self._windows.get(window) or []

    def child_named(self, parent: int, label: str) -> int | None:
        """Return the first child of a node with this name, or None."""
        nodes = self._named.get((parent, plain(label)))
        return nodes[0] if nodes else None

    def enter(self, node: int) -> None:
        """Index a node."""
        forest = self._forest
        if window := forest.window(node):
            _insert(self._windows, window, node)
        if node in forest.labels:
            self.enter_name(node)

    def strike(self, node: int) -> None:
        """Remove a node from the index."""
        forest = self._forest
        if window := forest.window(node):
            _remove(self._windows, window, node)
        self.strike_name(node)

    def enter_name(self, node: int) -> None:
        """Index a node by its name, after it got a name or another parent."""
        forest = self._forest
        if node in forest.labels:
            _insert(self._named, (forest.parent[node], plain(forest.labels[node])), node)

    def strike_name(self, node: int) -> None:
        """Remove a node from the index of names, before its name or parent changes."""
        forest = self._forest
        if node in forest.labels:
            _remove(self._named, (forest.parent[node], plain(forest.labels[node])), node)

    def enter_all(self) -> None:
        """Index all nodes of a forest of which none is indexed yet."""
        forest = self._forest
        level, start, end = (np.array(column, np.int64) for column in (forest.level, forest.start, forest.end))
        nodes = np.flatnonzero(end)
        keys = level[nodes] << 40 | start[nodes]
        order = np.argsort(keys, kind="stable")
        firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        for group in np.split(nodes[order], firsts[1:]) if len(firsts) else []:
            self._windows[forest.window(int(group[0]))] = group.tolist()
        for node in sorted(forest.labels):
            self.enter_name(node)


@lru_cache(maxsize=8_192)
def plain(label: str) -> str:
    """Normalise the case and spacing of a label."""
    return " ".join(label.casefold().split())


def _insert(table: dict[Key, list[int]], key: Key, node: int) -> None:
    nodes = table.get(key)
    if nodes is None:
        table[key] = [node]
    elif node > nodes[-1]:
        nodes.append(node)
    else:
        index = bisect_left(nodes, node)
        if nodes[index] != node:
            nodes.insert(index, node)


def _remove(table: dict[Key, list[int]], key: Key, node: int) -> None:
    nodes = table[key]
    del nodes[bisect_left(nodes, node)]
    if not nodes:
        del table[key]
