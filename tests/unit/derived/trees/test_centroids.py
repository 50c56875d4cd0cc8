import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.derived.plants import unit

from hmem.derived.trees.centroids import EXACT, GRID, GroupMeans, NodeGroup, centroid, on_grid


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
    late = GroupMeans([3, 5, 8, 9], rows, [1] * 4, 3)
    assert (late.nearest_by_mean(aim.astype(np.float64)) or (0,))[0] == 8


def test_a_group_forgets_the_oldest_as_it_grows() -> None:
    group = GroupMeans([], np.zeros((0, 16)), [], 4)
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
    group = GroupMeans([1, 2], np.stack([rows[:3].sum(axis=0), rows[3]]).astype(np.float64), [3, 1], 9)
    node, mean = group.nearest_by_mean(rows[0].astype(np.float64)) or (0, 0.0)
    assert node == 1
    assert abs(mean - float((rows[:3] @ rows[0]).mean()) / GRID**2) < 1e-6
