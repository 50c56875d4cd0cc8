"""Sums of the vectors below large nodes: those that are kept are those of the leaves, whatever happened to the tree."""

from random import Random

import numpy as np
import pytest
from tests.unit.derived.plants import Garden, Shelf, leaves_of, picture

from hmem.derived.trees.centroids import on_grid
from hmem.derived.trees.evolution import EvolutionOptions, EvolutionPlacement
from hmem.derived.trees.layers import LayersOptions, LayersPlacement
from hmem.derived.trees.placement import Placement
from hmem.derived.trees.sums import NodeSums
from hmem.derived.trees.topic import TopicOptions, TopicPlacement
from hmem.derived.trees.tree import ROOT, Tree
from hmem.language.embed.base import Calibration

LARGE = 4
PLACEMENTS: list[Placement] = [
    TopicPlacement(TopicOptions(capacity=4, branching=3), Calibration()),
    EvolutionPlacement(EvolutionOptions(capacity=4), Calibration()),
    LayersPlacement(LayersOptions(capacity=4), Calibration()),
]


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmem.derived.trees.sums.LARGE", LARGE)


def sums_of(tree: Tree) -> NodeSums:
    (found,) = (part for part in tree.parts if isinstance(part, NodeSums))
    return found


def expected(tree: Tree, garden: Garden) -> dict[int, bytes]:
    """The chunks of a tree's sums, of its leaves."""
    made: dict[int, bytes] = {}
    for node in tree.nodes():
        if node != ROOT and (size := tree.size(node)) >= LARGE:
            total = on_grid(garden.vectors(tree.leaves_below(node))).sum(axis=0, dtype=np.float64)
            made[node] = size.to_bytes(8, "little") + total.astype("<i4").tobytes()
    return made


class Store:
    """Chunks of a tree and of its sums."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        self.sums: dict[int, bytes] = {}

    def store(self, tree: Tree) -> tuple[list[int], set[int]]:
        sums = sums_of(tree)
        for node in sums.changed:
            if (content := sums.dump(node)) is None:
                self.sums.pop(node, None)
            else:
                self.sums[node] = content
        changed = set(sums.changed)
        sums.changed.clear()
        return self.shelf.store(tree), changed

    def load(self, tree: Tree, changed: tuple[list[int], set[int]] | None = None) -> Tree:
        nodes, sums = ((), self.sums) if changed is None else changed
        for node in sums:
            sums_of(tree).load(node, self.sums.get(node))
        self.shelf.load(tree, None if changed is None else nodes)
        return tree


@pytest.mark.parametrize("placement", PLACEMENTS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("seed", range(4))
def test_what_is_kept_is_the_sum_of_the_leaves(placement: Placement, seed: int) -> None:
    """Two processes take turns; leaves come, go, and go without their vectors."""
    random = Random(seed)
    garden = Garden(leaves_of([random.randrange(60) for _ in range(80)], [random.choice([3, 9_000])] * 80))
    store, trees, there = Store(), [garden.tree(), garden.tree()], list[int]()
    for leaf in garden.leaves:
        mine = random.randrange(2)
        placement.insert(trees[mine], leaf)
        there.append(leaf.number)
        if random.random() < 0.2:
            gone = there.pop(random.randrange(len(there)))
            trees[mine].take(gone, garden.of[gone].vector if random.random() < 0.5 else None)
        store.load(trees[1 - mine], store.store(trees[mine]))
        assert store.sums == expected(trees[mine], garden)
        assert picture(trees[0]) == picture(trees[1])
    assert len(store.sums) > 3
    fresh, bare = store.load(garden.tree()), store.shelf.load(garden.tree())
    assert fresh.nodes() == bare.nodes()
    for node in fresh.nodes():
        assert fresh.child_centroids(node)[1].tolist() == bare.child_centroids(node)[1].tolist()
        assert fresh.centroid(node).tolist() == bare.centroid(node).tolist()


def test_a_node_is_summed_from_what_is_known_below_it_and_its_other_leaves() -> None:
    garden = Garden(leaves_of(range(30), [60] * 30))
    tree = garden.tree()
    for leaf in garden.leaves:
        PLACEMENTS[0].insert(tree, leaf)
    store = Store()
    store.store(tree)
    asked: list[int] = []
    loaded = store.load(Tree("tree", lambda leaves: asked.extend(leaves) or garden.vectors(leaves)))
    assert len(loaded) == len(garden.leaves)
    assert len(loaded.child_centroids(ROOT)[0]) > 1
    assert all(loaded.size(node) < LARGE for leaf in asked for node in loaded.path(leaf)[1:])


def test_a_sum_that_does_not_fit_into_four_bytes_comes_back() -> None:
    total = np.array([3e9, -5e9, 7.0])
    sums = NodeSums("sums", lambda _: 600_000, lambda _: total)
    loaded = NodeSums("sums", lambda _: 600_000, lambda _: np.zeros(3))
    loaded.load(5, sums.dump(5))
    assert loaded.totals[5].tolist() == total.tolist()
