import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.derived.plants import Garden, leaves_of, unit

from hmem.derived.trees import centroids as groups
from hmem.derived.trees.centroids import EXACT, GRID, NodeGroup, centroid, on_grid
from hmem.derived.trees.tree import ROOT, Tree


@given(st.lists(st.integers(0, 500), min_size=1, max_size=60), st.randoms())
def test_a_centroid_does_not_depend_on_the_order_of_its_leaves(seeds: list[int], chance) -> None:
    rows = on_grid(unit(seeds)).astype(np.float64)
    one = np.zeros(rows.shape[1])
    order = list(range(len(seeds)))
    chance.shuffle(order)
    for row in order:
        one += rows[row]
    assert one.tolist() == rows.sum(axis=0).tolist()
    assert centroid(one, len(seeds)).tolist() == centroid(rows.sum(axis=0), len(seeds)).tolist()


@given(st.lists(st.integers(0, 500), min_size=1, max_size=60))
def test_taking_a_leaf_away_again_changes_nothing(seeds: list[int]) -> None:
    rows = on_grid(unit([*seeds, 77])).astype(np.float64)
    group = NodeGroup([1], rows[:-1].sum(axis=0)[None, :], [len(seeds)], 5)
    before = group.rows.tolist()
    group.add(1, rows[-1], len(seeds) + 1)
    assert group.row(1) == 0
    group.add(1, rows[-1], len(seeds), sign=-1)
    assert group.rows.tolist() == before


def test_products_are_exact_in_single_precision_at_the_widest() -> None:
    for dimension in (16, 256, 4_096):
        row = on_grid(np.full((1, dimension), 1 / np.sqrt(dimension), np.float32))[0]
        assert float(row @ row) == float((row.astype(np.int64) ** 2).sum())
    assert EXACT * GRID < 2**24


def test_the_centroid_of_one_leaf_is_the_leaf_and_of_none_nothing() -> None:
    leaf = on_grid(unit([3]))[0]
    assert centroid(leaf.astype(np.float64), 1).tolist() == leaf.tolist()
    assert not centroid(np.zeros(16), 3).any()


def test_a_million_like_leaves_have_their_direction() -> None:
    leaf = on_grid(unit([3]))[0].astype(np.float64)
    assert np.abs(centroid(leaf * 1_000_000, 1_000_000) - centroid(leaf, 2)).max() <= 1


def test_the_nearest_is_the_earliest_of_the_latest() -> None:
    rows = on_grid(unit([1, 2, 1, 2])).astype(np.float64)
    group = NodeGroup([3, 5, 8, 9], rows, [1] * 4, 4)
    aim = on_grid(unit([1]))[0]
    assert group.nearest(aim) == (3, 1.0) or (group.nearest(aim) or (0,))[0] == 3
    late = NodeGroup([3, 5, 8, 9], rows, [1] * 4, 3)
    assert (late.nearest(aim) or (0,))[0] == 8
    assert late.latest == [5, 8, 9]
    late = NodeGroup([3, 5, 8, 9], rows, [1] * 4, 3)
    assert (late.nearest_by_mean(aim.astype(np.float64)) or (0,))[0] == 8


def test_a_group_forgets_the_oldest_as_it_grows() -> None:
    group = NodeGroup([], np.zeros((0, 16)), [], 4)
    assert group.nearest(on_grid(unit([1]))[0]) is None
    assert group.nearest_by_mean(np.zeros(16)) is None
    for node, row in enumerate(on_grid(unit(range(100))).astype(np.float64)):
        group.append(node)
        group.add(node, row, 1)
    assert group.latest == [96, 97, 98, 99]
    assert len(group) < 30
    assert group.row(1) is None
    assert group.rows.tolist() == on_grid(unit(range(96, 100))).tolist()


def test_the_mean_favours_no_node_for_its_size() -> None:
    rows = on_grid(unit([0, 5, 10, 1]))
    group = NodeGroup([1, 2], np.stack([rows[:3].sum(axis=0), rows[3]]).astype(np.float64), [3, 1], 9)
    node, mean = group.nearest_by_mean(rows[0].astype(np.float64)) or (0, 0.0)
    assert node == 1
    assert abs(mean - float((rows[:3] @ rows[0]).mean()) / GRID**2) < 1e-6


def wide(count: int) -> tuple[Tree, Garden]:
    """A node for each two leaves, all of one week."""
    garden = Garden(leaves_of(range(2 * count), [1] * (2 * count)))
    tree = garden.tree()
    for i in range(count):
        node = tree.add_node(ROOT, 1, window=(700_001, 700_008))
        for leaf in garden.leaves[2 * i : 2 * i + 2]:
            tree.add_leaf(leaf.number, node, leaf.vector)
    return tree, garden


def test_groups_that_were_dropped_are_computed_again_and_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    aims = on_grid(unit(range(50)))
    tree, _ = wide(20)
    kept = [(tree.nearest_child(ROOT, aim, 512), tree.nearest_in_window(1, 700_001, aim, 7)) for aim in aims]
    monkeypatch.setattr(groups, "_CACHED_NODES", 1)
    tree, _ = wide(20)
    assert kept == [(tree.nearest_child(ROOT, aim, 512), tree.nearest_in_window(1, 700_001, aim, 7)) for aim in aims]


def test_all_groups_that_hold_a_node_follow_it() -> None:
    tree, garden = wide(6)
    aim = on_grid(unit([99]))[0]

    def found() -> list[object]:
        return [
            tree.nearest_child(ROOT, aim, 512),
            tree.nearest_child(ROOT, aim, 100),
            tree.nearest_in_window(1, 700_001, aim, 100),
        ]

    assert len(set(found())) == 1
    garden.of[99] = leaves_of([99], [0], [99])[0]
    tree.add_leaf(99, 3, garden.of[99].vector)
    assert len(set(found())) == 1
    tree.take(99, garden.of[99].vector)
    tree.take(7)
    tree.take(8)
    assert 4 not in tree
    assert len(set(found())) == 1


def test_a_window_without_nodes_has_no_nearest() -> None:
    tree, _ = wide(2)
    assert tree.nearest_in_window(1, 5, on_grid(unit([1]))[0], 10) is None
    assert tree.nearest_child(1, on_grid(unit([1]))[0], 512) is None
