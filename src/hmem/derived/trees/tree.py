"""Tree: a named hierarchy over leaves, which a placement policy fills (see ``placement``).

Leaves and nodes are numbers. Node 0 is the root; the number of a deleted node is not used again. Levels grow towards
the root: 1 is the lowest inner level. A leaf has exactly one parent node. The parents of the leaves determine the tree,
apart from its placement's memo: sizes and centroids follow from them and are not stored.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.chunks import Part, content_of
from hmem.derived.trees.centroids import NodeGroups, Values, Vectors, on_grid
from hmem.derived.trees.nodes import (
    NODE_BITS,
    NONE,
    ROOT,
    Directory,
    Forest,
    LeafColumns,
    NodeColumns,
    dump_leaves,
    dump_nodes,
    has_labels,
    load_leaves,
    load_nodes,
    window_number,
)
from hmem.derived.trees.sums import NodeSums, Sums
from hmem.errors import UnknownId

Window = tuple[int, int]  # local calendar days as ordinals of ``datetime.date``, the end excluded

# 256 leaves a chunk, for leaves that are turns; for events add ``EVENT_BITS``.
LEAF_BITS: Final = 8

# Chunk numbers: the placement's memo, then leaves and nodes alternating.
_MEMO: Final = 0
_NEXT: Final = "next"
_LEVELS: Final = "levels"


def _decoded(content: Any) -> Any:
    """Return the content of a chunk that was loaded or is as it is stored."""
    return content_of(content) if isinstance(content, bytes) else content


class Tree(Part):
    """Named hierarchy. ``vectors`` gives the unit vectors of leaves, rows of zeros for leaves without one.

    ``vectors`` must return for each leaf the very vector that it was put with, even before that is stored. ``summed``
    has the sums of large nodes kept; a placement that compares no vectors needs none.
    """

    def __init__(self, name: str, vectors: Vectors, leaf_bits: int = LEAF_BITS, *, summed: bool = True) -> None:
        super().__init__(name)
        self._vectors = vectors
        self._bits = leaf_bits
        self._trees = Forest()
        self._memo: dict[str, int] = {}
        self._directory = Directory(self._trees)
        self._sums = NodeSums(f"{name}-sums", self._size_of, self._total_of) if summed else None
        self._groups = NodeGroups(self._trees, vectors, self._sums)
        # Chunks that are not taken up yet, decoded or as they are stored, and if any node has a label in all of them.
        self._pending: dict[int, Any] = {}
        self._labelled: bool | None = None
        self.touched: set[int] = set()

    @property
    def parts(self) -> tuple[Part, ...]:
        """Stored parts of the tree."""
        return (self,) if self._sums is None else (self, self._sums)

    @property
    def _forest(self) -> Forest:
        if self._pending:
            self._take_up()
        return self._trees

    # Contents.

    def __len__(self) -> int:
        """Count the leaves."""
        return self._forest.size[ROOT]

    def __contains__(self, node: int) -> bool:
        return node in self._forest

    def nodes(self, level: int | None = None) -> list[int]:
        """Return all nodes with the root, or those of a level; ascending."""
        forest = self._forest
        return [node for node in forest.nodes() if level is None or forest.level[node] == level]

    def level(self, node: int) -> int:
        """Return the level of a node: 1 for the lowest inner level; the root's is one above the highest."""
        return self._forest.level[node]

    def parent(self, node: int) -> int | None:
        """Return the parent of a node; None for the root."""
        parent = self._forest.parent[node]
        return None if parent == NONE else parent

    def label(self, node: int) -> str:
        """Return the label of a node, empty if it has none."""
        return self._forest.labels.get(node, "")

    @property
    def is_labelled(self) -> bool:
        """True if any node has a label; leaves are not read for that."""
        if not (self._pending and self._trees.empty):
            return bool(self._forest.labels)
        if self._labelled is None:
            nodes = [content for number, content in self._pending.items() if number != _MEMO and not number & 1]
            self._labelled = any(has_labels(_decoded(content)) for content in nodes if content)
        return self._labelled

    def window(self, node: int) -> Window | None:
        """Return the days that a node covers, or None if it has no window."""
        forest = self._forest
        return (forest.start[node], forest.end[node]) if forest.end[node] else None

    def size(self, node: int) -> int:
        """Count the leaves below a node."""
        return self._forest.size[node]

    def wider(self, node: int, limit: int) -> bool:
        """Tell if a node has more than ``limit`` children."""
        return self._forest.wider(node, limit)

    def merges(self, node: int) -> int:
        """Return how often a node was consolidated (H-Mem, tree and graph: n)."""
        return self._forest.merges[node]

    def merged(self, node: int) -> int:
        """Return when a node was last consolidated, or else made: seconds since 1970 (H-Mem, tree and graph: r)."""
        return self._forest.merged[node]

    def children(self, node: int) -> NDArray[np.int64]:
        """Return the children of a node, ascending."""
        return np.array(self._forest.children(node), np.int64)

    def leaves(self, node: int) -> list[int]:
        """Return the leaves attached to a node itself, ascending."""
        return self._forest.leaves(node)

    def leaves_below(self, node: int) -> list[int]:
        """Return all leaves below a node, ascending."""
        return self._forest.leaves_below(node)

    def first_leaf(self, node: int) -> int:
        """Return a leaf below a node, the first of its first children; 0 without any."""
        while not (leaves := self.leaves(node)):
            children = self.children(node)
            if not len(children):
                return 0
            node = int(children[0])
        return leaves[0]

    def node_of(self, leaf: int) -> int | None:
        """Return the parent node of a leaf; None if the tree does not hold the leaf."""
        home = self._forest.home(leaf)
        return None if home == NONE else home

    def nodes_of(self, low: int, high: int) -> list[int]:
        """Return the parent node of each leaf numbered from ``low`` to below ``high``, ascending by leaf."""
        return [home for _, home in self._forest.leaves_between(low, high)]

    def path(self, leaf: int) -> list[int]:
        """Return the nodes from the root down to the parent of a leaf.

        Raises:
            UnknownId: the tree does not hold the leaf.
        """
        forest = self._forest
        return list(forest.up(self._home(leaf)))[::-1]

    def up(self, node: int) -> list[int]:
        """Return a node and its ancestors but the root, the lowest first."""
        return [number for number in self._forest.up(node) if number != ROOT]

    def _home(self, leaf: int) -> int:
        home = self._forest.home(leaf)
        if home == NONE:
            raise UnknownId(f"the tree {self.name!r} holds no leaf {leaf} - run `hmem rebuild`")
        return home

    def common_ancestor(self, leaves: Iterable[int]) -> int:
        """Return the lowest node that all leaves are below; the root for none.

        Raises:
            UnknownId: the tree does not hold one of the leaves.
        """
        homes = sorted({self._home(leaf) for leaf in leaves})
        common: list[int] = list(self._forest.up(homes[0])) if homes else [ROOT]
        for home in homes[1:]:
            ancestors = set(self._forest.up(home))
            common = [node for node in common if node in ancestors]
        return common[0]

    def descend(self, query: Values, k: int) -> list[int]:
        """Return the ``k`` lowest nodes most similar to a unit vector, best first, by beam search from the root.

        Each step keeps at most ``k`` nodes.
        """
        forest, aim = self._forest, on_grid(query)
        beam: list[tuple[float, int]] = [(0.0, ROOT)]
        while any(forest.has_children(node) for _, node in beam):
            lowest = [(value, node) for value, node in beam if not forest.has_children(node)]
            children = [child for _, node in beam for child in self._scored_children(node, aim)]
            beam = sorted(lowest + children)[:k]
        return [node for _, node in beam if node != ROOT]

    def _scored_children(self, node: int, aim: Values) -> list[tuple[float, int]]:
        """Return the children of a node, each with its negative product with a grid vector."""
        if not self._forest.has_children(node):
            return []
        group = self._groups.children(node)
        return list(zip((-(group.rows @ aim)).tolist(), group.latest, strict=True))

    # Comparison, for placements.

    def in_window(self, level: int, start: int) -> list[int]:
        """Return the nodes of a level whose windows start on a day, ascending. Do not change the list."""
        _ = self._forest
        return self._directory.in_window(window_number(level, start))

    def child_named(self, parent: int, label: str) -> int | None:
        """Return the first child of a node with this name, ignoring case and spacing; None if there is none."""
        _ = self._forest
        return self._directory.child_named(parent, label)

    def nearest_in_window(self, level: int, start: int, aim: Values, limit: int) -> tuple[int, float] | None:
        """Return, of a window's latest ``limit`` nodes, the one most similar to a grid vector, and its cosine."""
        _ = self._forest
        return self._groups.window(window_number(level, start), limit, self._directory.in_window).nearest(aim)

    def nearest_child(self, node: int, aim: Values, limit: int) -> tuple[int, float] | None:
        """Return, of a node's latest ``limit`` children, the one most similar to a grid vector, and its cosine."""
        _ = self._forest
        return self._groups.latest(node, limit).nearest(aim)

    def nearest_child_by_mean(self, node: int, aim: Sums) -> tuple[int, float] | None:
        """Return the child whose leaves are on average most similar to a grid vector, and that average."""
        return self._groups.children(node).nearest_by_mean(aim) if self._forest.has_children(node) else None

    def leaf_vectors(self, leaves: Sequence[int]) -> Values:
        """Return the vectors of leaves as grid vectors, a row each."""
        return on_grid(self._vectors(leaves))

    def child_centroids(self, node: int) -> tuple[list[int], Values]:
        """Return the children of a node, ascending, and their centroids as grid rows. Do not change these."""
        group = self._groups.children(node)
        return group.latest, group.rows

    def centroid(self, node: int) -> Values:
        """Return the centroid of a node as a grid vector."""
        _ = self._forest
        return self._groups.centroid(node)

    # Changes.

    def add_node(
        self, parent: int, level: int, label: str = "", window: Window | None = None, timestamp: int = 0
    ) -> int:
        """Add a node below another; return its number. ``timestamp`` is when it began, in seconds since 1970."""
        forest = self._forest
        node = self._memo.get(_NEXT, 1)
        self._memo[_NEXT] = node + 1
        self.changed.add(_MEMO)
        forest.grow(node + 1)
        forest.level[node], forest.merged[node] = level, timestamp
        if level >= forest.level[ROOT]:
            forest.level[ROOT] = level + 1
            self.remember(_LEVELS, level)
        if window:
            forest.start[node], forest.end[node] = window
        if label:
            forest.labels[node] = label
        forest.attach(node, parent)
        if window or label:
            self._directory.enter(node)
        if self._groups:
            self._groups.appear(node, parent)
        self._mark(node)
        return node

    def add_leaf(self, leaf: int, node: int, vector: Values, aim: Values | Sums | None = None) -> None:
        """Attach a leaf to a node. ``vector`` is its unit vector, the same that ``vectors`` gives for it.

        ``aim`` is ``vector`` as a grid vector, for callers that already have it.

        Raises:
            UnknownId: the tree already holds the leaf.
        """
        forest = self._forest
        if forest.home(leaf) != NONE:
            raise UnknownId(f"the tree {self.name!r} holds the leaf {leaf} already - run `hmem rebuild`")
        path = forest.attach_leaf(leaf, node)
        self.changed.add(self._leaf_chunk(leaf))
        self.touched.update(path)
        vectors = (on_grid(vector) if aim is None else aim).astype(np.float64, copy=False)
        if self._groups:
            self._groups.shift(path, vectors)
        if self._sums is not None:
            self._sums.change(path, vectors)

    def take(self, leaf: int, vector: Values | None = None) -> None:
        """Remove a leaf and every node left empty. Without its vector, sums are computed again when needed.

        Raises:
            UnknownId: the tree does not hold the leaf.
        """
        self._home(leaf)
        forest = self._forest
        node = forest.take(leaf)
        self.changed.add(self._leaf_chunk(leaf))
        if vector is None:
            self._groups.forget(node)
            if self._sums is not None:
                self._sums.change(forest.up(node), None)
        self._shift(node, None if vector is None else on_grid(vector).astype(np.float64), sign=-1)
        self._prune(node)

    def move(self, nodes: Sequence[int], parent: int) -> None:
        """Move children of one node, with their subtrees, under another; a node left empty is deleted."""
        forest = self._forest
        old = forest.parent[nodes[0]]
        total = np.sum([self._groups.total(node) for node in nodes], axis=0) if any(map(self.size, nodes)) else None
        for node in nodes:
            self._directory.strike_name(node)
            forest.detach(node)
        self._shift(old, total, sign=-1)
        for node in nodes:
            forest.attach(node, parent)
            self._directory.enter_name(node)
            self._mark(node)
        self._groups.move(nodes, old, parent)
        self._shift(parent, total)
        self._prune(old)

    def move_leaves(self, leaves: Sequence[int], node: int, rows: Values | None = None) -> None:
        """Move leaves of one node under another; a node left empty is deleted.

        ``rows`` are the grid vectors of the leaves, for callers that already have them.
        """
        forest = self._forest
        old = self._home(leaves[0])
        total = (self.leaf_vectors(leaves) if rows is None else rows).sum(axis=0, dtype=np.float64)
        for leaf in leaves:
            forest.take(leaf)
            self.changed.add(self._leaf_chunk(leaf))
        self._shift(old, total, sign=-1)
        for leaf in leaves:
            forest.attach_leaf(leaf, node)
        self._shift(node, total)
        self._prune(old)

    def consolidate(self, node: int, timestamp: int) -> None:
        """Count that another node or leaf joined a node, at a time in seconds since 1970."""
        forest = self._forest
        forest.merges[node] += 1
        forest.merged[node] = max(forest.merged[node], timestamp)
        self._mark(node)

    def recount(self, node: int, merges: int) -> None:
        """Set how often a node was consolidated, for a node that was divided."""
        self._forest.merges[node] = merges
        self._mark(node)

    def lower(self, level: int) -> None:
        """Remove the levels above one: their children go back under the root."""
        for node in self.nodes(level + 1):
            # A tree without nodes there has the root on this level.
            if node != ROOT:
                self.move(self.children(node).tolist(), ROOT)
        if self._memo.get(_LEVELS, 0) > level:
            self.remember(_LEVELS, level)
            self._trees.level[ROOT] = level + 1

    def rename(self, node: int, label: str) -> None:
        """Give a node another label."""
        _ = self._forest
        self._directory.strike_name(node)
        _set_label(self._trees, node, label)
        self._directory.enter_name(node)
        self._mark(node)

    def memo(self, name: str) -> int | None:
        """Return the number that a placement remembers under a name, or None."""
        _ = self._forest
        return self._memo.get(name)

    def remember(self, name: str, value: int) -> None:
        """Remember a number under a name, and store it with the tree."""
        if self._memo.get(name) != value:
            self._memo[name] = value
            self.changed.add(_MEMO)

    def take_touched(self) -> set[int]:
        """Return the nodes below which something changed since the last call, with those deleted."""
        touched, self.touched = self.touched, set()
        return touched

    def _mark(self, node: int) -> None:
        if node != ROOT:
            self.changed.add(_node_chunk(node >> NODE_BITS))
            self.touched.add(node)

    def _leaf_chunk(self, leaf: int) -> int:
        return 2 * (leaf >> self._bits) + 1

    def _shift(self, node: int, vectors: Sums | None, *, sign: int = 1) -> None:
        """Mark a node and its ancestors as touched, and update their centroids by leaves that came or (-1) left."""
        path = list(self._trees.up(node))
        self.touched.update(path)
        if vectors is not None:
            self._groups.shift(path, vectors, sign=sign)
            if self._sums is not None:
                self._sums.change(path, vectors, sign)

    def _size_of(self, node: int) -> int:
        """Count the leaves below a node, 0 for one that is gone."""
        return self._forest.size[node] if node in self._forest else 0

    def _total_of(self, node: int) -> Sums:
        """Compute the sum of a node."""
        _ = self._forest
        return self._groups.total(node)

    def _prune(self, node: int) -> None:
        """Delete a node that is left empty, and then its ancestors that are."""
        forest = self._trees
        while node != ROOT and forest.bare(node):
            parent = forest.parent[node]
            self._mark(node)
            self._directory.strike(node)
            self._groups.vanish(node)
            forest.detach(node)
            forest.erase(node)
            node = parent

    # Chunks.

    def dump(self, number: int) -> Any | None:
        if number == _MEMO:
            return dict(sorted(self._memo.items())) or None
        if number & 1:
            return dump_leaves(self._forest, number >> 1, self._bits)
        return dump_nodes(self._forest, (number >> 1) - 1)

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._pending = dict(chunks)

    def load(self, number: int, content: Any | None) -> None:
        self._pending[number] = content
        self.changed.discard(number)
        self._labelled = None

    def _take_up(self) -> None:
        """Apply the chunks that were loaded since the last access."""
        pending = {number: _decoded(content) for number, content in self._pending.items()}
        self._pending = {}
        if _MEMO in pending:
            self._memo = dict(pending.pop(_MEMO) or {})
        nodes = sorted(((number >> 1) - 1, content) for number, content in pending.items() if not number & 1)
        leaves = sorted(((number >> 1), content) for number, content in pending.items() if number & 1)
        new_nodes = load_nodes([(number, content) for number, content in nodes if content])
        new_leaves = load_leaves([(number, content) for number, content in leaves if content], self._bits)
        if self._trees.empty:
            self._groups.clear()
            self._trees.fill(new_nodes, new_leaves)
            self._directory.enter_all()
        else:
            self._revise([number for number, _ in nodes], new_nodes, [number for number, _ in leaves], new_leaves)
        self._trees.level[ROOT] = self._memo.get(_LEVELS, 0) + 1

    def _revise(
        self, node_chunks: Sequence[int], nodes: NodeColumns, leaf_chunks: Sequence[int], leaves: LeafColumns
    ) -> None:
        """Replace the content of chunks: detach everything that changed first, then attach it again."""
        forest = self._trees
        new_homes = dict(zip(leaves.leaf.tolist(), leaves.node.tolist(), strict=True))
        for number in leaf_chunks:
            for leaf, home in forest.leaves_between(number << self._bits, (number + 1) << self._bits):
                if new_homes.get(leaf) == home:
                    del new_homes[leaf]
                else:
                    self._groups.forget(forest.take(leaf))
        rows = {node: row for row, node in enumerate(nodes.number.tolist())}
        old = [
            node
            for number in node_chunks
            for node in range(number << NODE_BITS, (number + 1) << NODE_BITS)
            if node != ROOT and node in forest
        ]
        records = list(
            zip(*(column.tolist() for column in (nodes.parent, nodes.level, nodes.start, nodes.end)), strict=True)
        )
        for node in old:
            row = rows.get(node)
            # Another process may have given the number to another node, with the same parent and another window.
            record = (forest.parent[node], forest.level[node], forest.start[node], forest.end[node])
            if row is None or records[row] != record:
                self._groups.forget(node)
                self._directory.strike(node)
                forest.detach(node)
        for node in old:
            if node not in rows:
                forest.erase(node)
        self._hang(nodes)
        self._hang_leaves(new_homes)

    def _hang(self, nodes: NodeColumns) -> None:
        """Apply the records of nodes, and attach those that are detached."""
        forest = self._trees
        forest.grow(int(nodes.number.max(initial=0)) + 1)
        forest.grow(int(nodes.parent.max(initial=0)) + 1)
        columns = (nodes.level, nodes.start, nodes.end, nodes.merges, nodes.merged)
        for node, *values in zip(nodes.number.tolist(), *(column.tolist() for column in columns), strict=True):
            forest.level[node], forest.start[node], forest.end[node], forest.merges[node], forest.merged[node] = values
        numbers: list[int] = nodes.number.tolist()
        parents: list[int] = nodes.parent.tolist()
        for node, parent in zip(numbers, parents, strict=True):
            loose = forest.parent[node] == NONE
            if not loose:
                self._directory.strike_name(node)
            _set_label(forest, node, nodes.labels.get(node, ""))
            if loose:
                forest.attach(node, parent)
                self._groups.appear(node, parent)
                self._directory.enter(node)
            else:
                self._directory.enter_name(node)

    def _hang_leaves(self, homes: dict[int, int]) -> None:
        vectors = self._vectors(list(homes)) if homes and self._groups else None
        for i, (leaf, home) in enumerate(homes.items()):
            path = self._trees.attach_leaf(leaf, home)
            if vectors is not None:
                self._groups.shift(path, on_grid(vectors[i]).astype(np.float64))


def _node_chunk(number: int) -> int:
    return 2 * number + 2


def _set_label(forest: Forest, node: int, label: str) -> None:
    if label:
        forest.labels[node] = label
    else:
        forest.labels.pop(node, None)
