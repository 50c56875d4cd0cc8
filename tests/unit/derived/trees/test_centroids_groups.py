import pytest
from tests.unit.derived.plants import Garden, leaves_of, unit

from hmem.derived.trees import centroids as groups
from hmem.derived.trees.centroids import on_grid
from hmem.derived.trees.tree import ROOT, Tree


def wide(count: int) -> tuple[Tree, Garden]:
    """A node for each two leaves, all of one week."""
    garden = Garden(leaves_of(range(2 * count), [1] * (2 * count)))
    tree = garden.tree()
    for i in range(count):
        node = tree.add_node(ROOT, 1, window=(700_001, 700_008))
        for leaf in garden.leaves[2 * i : 2 * i + 2]:
            tree.put(leaf.number, node, leaf.vector)
    return tree, garden


def test_groups_that_were_dropped_are_computed_again_and_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    aims = on_grid(unit(range(50)))
    tree, _ = wide(20)
    kept = [(tree.nearest_child(ROOT, aim), tree.nearest_in_window(1, 700_001, aim, 7)) for aim in aims]
    monkeypatch.setattr(groups, "_KEPT", 1)
    tree, _ = wide(20)
    assert kept == [(tree.nearest_child(ROOT, aim), tree.nearest_in_window(1, 700_001, aim, 7)) for aim in aims]


def test_all_groups_that_hold_a_node_follow_it() -> None:
    tree, garden = wide(6)
    aim = on_grid(unit([99]))[0]

    def found() -> list[object]:
        return [
            tree.nearest_child(ROOT, aim),
            tree.nearest_child(ROOT, aim, 100),
            tree.nearest_in_window(1, 700_001, aim, 100),
        ]

    assert len(set(found())) == 1
    garden.of[99] = leaves_of([99], [0], [99])[0]
    tree.put(99, 3, garden.of[99].vector)
    assert len(set(found())) == 1
    tree.take(99, garden.of[99].vector)
    tree.take(7)
    tree.take(8)
    assert 4 not in tree
    assert len(set(found())) == 1


def test_a_window_without_nodes_has_no_nearest() -> None:
    tree, _ = wide(2)
    assert tree.nearest_in_window(1, 5, on_grid(unit([1]))[0], 10) is None
    assert tree.nearest_child(1, on_grid(unit([1]))[0]) is None
