"""What tests of trees share: leaves with vectors and times, and what must be true of every tree."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from hmem.derived.trees.placement import Leaf, Placement
from hmem.derived.trees.tree import ROOT, Tree
from hmem.language.analyst.base import Labels
from hmem.model.vector import from_bytes, to_bytes

DIMENSION = 16
BEGIN = datetime(2023, 8, 11, 10, tzinfo=UTC)

Values = NDArray[np.float32]


def unit(seeds: Sequence[int], spread: float = 0.5, clusters: int = 5) -> Values:
    """Unit vectors in a few clusters, as they are kept; each depends on its seed alone."""
    rows = np.empty((len(seeds), DIMENSION))
    for row, seed in zip(rows, seeds, strict=True):
        centre = np.random.default_rng(seed % clusters).standard_normal(DIMENSION)
        row[:] = centre + spread * np.random.default_rng(1_000 + seed).standard_normal(DIMENSION)
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return from_bytes(*to_bytes(rows.astype(np.float32)))


class Garden:
    """Leaves, and trees over them."""

    def __init__(self, leaves: Sequence[Leaf]) -> None:
        self.leaves = list(leaves)
        self.of = {leaf.number: leaf for leaf in leaves}

    def vectors(self, numbers: Sequence[int]) -> Values:
        if not len(numbers):
            return np.zeros((0, DIMENSION), np.float32)
        return np.stack([self.of[number].vector for number in numbers])

    def tree(self, name: str = "tree") -> Tree:
        return Tree(name, self.vectors)

    def grown(self, placement: Placement) -> Tree:
        tree = self.tree()
        for leaf in self.leaves:
            placement.insert(tree, leaf)
        return tree


class Shelf:
    """Where chunks are stored, as JSON."""

    def __init__(self) -> None:
        self.chunks: dict[int, str] = {}

    def store(self, tree: Tree) -> list[int]:
        """Store what changed; the numbers of those chunks."""
        changed = sorted(tree.changed)
        for number in changed:
            content = tree.dump(number)
            self.chunks[number] = json.dumps(content)
        tree.changed.clear()
        return changed

    def load(self, tree: Tree, numbers: Sequence[int] | None = None) -> Tree:
        for number in sorted(self.chunks) if numbers is None else numbers:
            tree.load(number, json.loads(self.chunks[number]))
        return tree


def picture(tree: Tree) -> dict[int, Any]:
    """All that a tree says about each of its nodes."""
    return {
        node: (
            tree.level(node),
            tree.parent(node),
            tree.label(node),
            tree.window(node),
            tree.size(node),
            tree.merges(node),
            tree.merged(node),
            tree.leaves(node),
            tree.children(node).tolist(),
        )
        for node in tree.nodes()
    }


def check(tree: Tree, leaves: Sequence[int]) -> None:
    """What is true of every tree, whatever put the leaves there."""
    assert tree.leaves_below(ROOT) == sorted(leaves)
    assert len(tree) == tree.size(ROOT) == len(leaves)
    nodes = tree.nodes()
    assert nodes[0] == ROOT
    hanging = [leaf for node in nodes for leaf in tree.leaves(node)]
    assert sorted(hanging) == sorted(leaves)
    for node in nodes:
        _check_node(tree, node)
    for leaf in leaves:
        path = tree.path(leaf)
        assert path[0] == ROOT
        assert path[-1] == tree.node_of(leaf)
        assert leaf in tree.leaves(path[-1])
        assert all(tree.parent(below) == above for above, below in pairwise(path))
        assert all(leaf in tree.leaves_below(node) for node in path)


def _check_node(tree: Tree, node: int) -> None:
    children = tree.children(node).tolist()
    assert children == sorted(children)
    assert all(tree.parent(child) == node for child in children)
    assert tree.size(node) == len(tree.leaves(node)) + sum(tree.size(child) for child in children)
    assert sorted(
        tree.leaves(node) + [leaf for child in children for leaf in tree.leaves_below(child)]
    ) == tree.leaves_below(node)
    if node == ROOT:
        assert tree.parent(node) is None
        return
    assert tree.size(node)
    assert tree.level(tree.parent(node) or ROOT) > tree.level(node)
    window, above = tree.window(node), tree.window(tree.parent(node) or ROOT)
    if window and above:
        assert above[0] <= window[0] < window[1] <= above[1]


def leaves_of(seeds: Sequence[int], minutes: Sequence[int], numbers: Sequence[int] | None = None) -> list[Leaf]:
    """Leaves with the vectors of seeds, each some minutes after the one before."""
    said, leaves = BEGIN, list[Leaf]()
    vectors = unit(seeds)
    for i, (seed, minute) in enumerate(zip(seeds, minutes, strict=True)):
        said += timedelta(minutes=minute)
        labels = Labels(f"domain {seed % 2}", f"Category {seed % 5}", f"trace {seed % 40}")
        leaves.append(Leaf(numbers[i] if numbers else i + 1, said, vectors[i], labels, "Maria"))
    return leaves


@st.composite
def gardens(draw: st.DrawFn, longest: int = 24) -> Garden:
    """Leaves over minutes, days or months; now and then one that was said before the one before it."""
    length = draw(st.integers(1, longest))
    step = draw(st.sampled_from([3, 60 * 5, 60 * 24 * 2, 60 * 24 * 12]))
    seeds = draw(st.lists(st.integers(0, 200), min_size=length, max_size=length))
    minutes = draw(st.lists(st.integers(-step // 4, step), min_size=length, max_size=length))
    gaps = draw(st.lists(st.integers(1, 400), min_size=length, max_size=length))
    return Garden(leaves_of(seeds, minutes, np.cumsum(gaps).tolist()))
