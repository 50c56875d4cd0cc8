import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.derived.plants import Garden, Shelf, check, gardens, leaves_of, picture, unit

from hmem.derived.chunks import number_in_turn
from hmem.derived.trees.calendar import CalendarPlacement
from hmem.derived.trees.topic import TopicOptions, TopicPlacement
from hmem.derived.trees.tree import ROOT, Tree
from hmem.errors import UnknownId
from hmem.language.embed.base import Calibration


def grown(garden: Garden) -> Tree:
    return garden.grown(TopicPlacement(TopicOptions(capacity=4, branching=3), Calibration()))


def small() -> tuple[Tree, Garden]:
    """Two nodes on level 1 below one on level 2, another on level 2 with one below; leaves 1 to 5."""
    garden = Garden(leaves_of([0, 5, 1, 2, 7], [1] * 5))
    tree = garden.tree()
    left, right = tree.add_node(ROOT, 2, "left"), tree.add_node(ROOT, 2, "right")
    nodes = [tree.add_node(left, 1, "a"), tree.add_node(left, 1, "b"), tree.add_node(right, 1, "c")]
    for leaf, node in zip(garden.leaves, [0, 0, 1, 2, 2], strict=True):
        tree.add_leaf(leaf.number, nodes[node], leaf.vector)
    return tree, garden


def labels(tree: Tree, nodes: list[int]) -> list[str]:
    return [tree.label(node) for node in nodes]


def test_an_empty_tree_is_its_root() -> None:
    tree = Garden([]).tree()
    assert (tree.nodes(), len(tree), tree.level(ROOT), tree.parent(ROOT)) == ([ROOT], 0, 1, None)
    assert tree.leaves_below(ROOT) == tree.leaves(ROOT) == tree.children(ROOT).tolist() == []
    assert tree.descend(unit([1])[0], 3) == []
    assert tree.common_ancestor([]) == ROOT
    assert tree.dump(0) is None


def test_a_path_goes_from_the_root_to_the_node_of_the_leaf() -> None:
    tree, _ = small()
    assert labels(tree, tree.path(1)) == ["", "left", "a"]
    assert labels(tree, tree.path(4)) == ["", "right", "c"]
    assert [tree.level(node) for node in tree.path(4)] == [3, 2, 1]
    check(tree, [1, 2, 3, 4, 5])


def test_descending_ends_at_the_lowest_nodes_most_similar_first() -> None:
    tree, garden = small()
    assert labels(tree, tree.descend(garden.of[1].vector, 2))[0] == "a"
    assert labels(tree, tree.descend(garden.of[4].vector, 1)) == ["c"]
    assert sorted(labels(tree, tree.descend(garden.of[4].vector, 9))) == ["a", "b", "c"]


def test_descending_keeps_what_was_put_in_since() -> None:
    tree, garden = small()
    query = unit([3])[0]
    tree.descend(query, 9)
    node = tree.add_node(tree.path(5)[1], 1, "new")
    garden.of[9] = leaves_of([3], [0], [9])[0]
    tree.add_leaf(9, node, garden.of[9].vector)
    assert labels(tree, tree.descend(query, 2))[0] == "new"


@given(gardens(), st.data())
def test_the_common_ancestor_is_the_lowest_node_above_all(garden: Garden, data: st.DataObject) -> None:
    tree = grown(garden)
    leaves = data.draw(st.lists(st.sampled_from(list(garden.of)), min_size=1, max_size=5))
    node = tree.common_ancestor(leaves)
    assert set(leaves) <= set(tree.leaves_below(node))
    assert all(not set(leaves) <= set(tree.leaves_below(child)) for child in tree.children(node).tolist())
    assert tree.common_ancestor(leaves[:1]) == tree.path(leaves[0])[-1]
    assert tree.common_ancestor(leaves[::-1]) == node


@given(gardens(), st.integers(1, 6), st.integers(0, 200))
def test_descending_finds_lowest_nodes_in_the_order_of_likeness(garden: Garden, k: int, seed: int) -> None:
    tree, query = grown(garden), unit([seed])[0]
    found = tree.descend(query, k)
    assert 1 <= len(found) <= k
    assert all(len(tree.children(node)) == 0 for node in found)
    values = [float(tree.centroid(node) @ np.rint(query * 4_000)) for node in found]
    assert values == sorted(values, reverse=True)
    everything = tree.descend(query, 10_000)
    assert sorted(everything) == [node for node in tree.nodes() if not len(tree.children(node))]


@given(gardens())
def test_leaves_may_come_in_any_order_of_their_numbers(garden: Garden) -> None:
    tree = garden.tree()
    placement = CalendarPlacement()
    for leaf in sorted(garden.leaves, key=lambda leaf: leaf.number * 7 % 31):
        placement.insert(tree, leaf)
    check(tree, list(garden.of))


@pytest.mark.parametrize("bits", [8, 14])
def test_leaves_are_stored_by_runs_of_numbers_and_nodes_by_128(bits: int) -> None:
    numbers = [1, 2, 300, number_in_turn(70_000, 3)]
    garden = Garden(leaves_of([1, 2, 3, 4], [0, 0, 0, 0], numbers))
    tree = Tree("tree", garden.vectors, bits)
    for leaf in garden.leaves:
        CalendarPlacement().insert(tree, leaf)
    assert tree.changed == {0, 2} | {2 * (number >> bits) + 1 for number in numbers}
    loaded = Tree("tree", garden.vectors, bits)
    for number in sorted(tree.changed, reverse=True):
        loaded.load(number, json.loads(json.dumps(tree.dump(number))))
    assert picture(loaded) == picture(tree)
    assert not loaded.changed


def test_a_number_of_a_node_that_is_gone_is_not_given_again() -> None:
    tree, garden = small()
    last = tree.node_of(5)
    tree.take(4)
    tree.take(5)
    shelf = Shelf()
    shelf.store(tree)
    assert shelf.load(garden.tree()).add_node(ROOT, 1) == tree.add_node(ROOT, 1)
    assert last not in tree.nodes()
    assert max(tree.nodes()) > (last or 0)


def test_a_chunk_that_is_gone_takes_its_nodes_and_leaves_with_it() -> None:
    tree, garden = small()
    other = Shelf()
    other.store(tree)
    follower = other.load(garden.tree())
    assert len(follower) == 5
    for number in other.chunks:
        follower.load(number, None)
    assert picture(follower) == picture(garden.tree())


def test_touched_are_the_nodes_above_what_changed_and_those_that_vanished() -> None:
    tree, garden = small()
    tree.take_touched()
    tree.add_leaf(6, tree.path(3)[-1], garden.of[3].vector)
    assert sorted(labels(tree, sorted(tree.take_touched()))) == ["", "b", "left"]
    gone = tree.path(4)[1:]
    tree.take(4, garden.of[4].vector)
    tree.take(5, garden.of[5].vector)
    assert tree.take_touched() == {ROOT, *gone}
    assert all(node not in tree for node in gone)
    assert tree.take_touched() == set()


def test_moved_nodes_take_their_leaves_along() -> None:
    tree, garden = small()
    left, right = tree.path(1)[1], tree.path(4)[1]
    before = [tree.centroid(node).tolist() for node in (tree.path(1)[2], right)]
    tree.descend(garden.of[1].vector, 5)
    tree.move([tree.path(1)[2]], right)
    assert labels(tree, tree.path(1)) == ["", "right", "a"]
    assert (tree.size(left), tree.size(right)) == (1, 4)
    assert tree.centroid(tree.path(1)[2]).tolist() == before[0]
    assert tree.centroid(right).tolist() != before[1]
    tree.move(tree.children(left).tolist(), right)
    assert left not in tree
    check(tree, [1, 2, 3, 4, 5])


def test_moved_leaves_change_both_nodes() -> None:
    tree, _ = small()
    a, b = tree.path(1)[2], tree.path(3)[2]
    tree.move_leaves([2], b)
    assert (tree.leaves(a), tree.leaves(b)) == ([1], [2, 3])
    tree.move_leaves([1], b)
    assert a not in tree
    check(tree, [1, 2, 3, 4, 5])


def test_a_node_can_be_renamed_and_found_by_its_name() -> None:
    tree, _ = small()
    node = tree.path(1)[1]
    assert tree.child_named(ROOT, " LEFT ") == node
    tree.rename(node, "Other Side")
    assert tree.child_named(ROOT, "left") is None
    assert tree.child_named(ROOT, "other  side") == node
    tree.rename(node, "")
    assert tree.label(node) == ""
    assert tree.child_named(ROOT, "other side") is None


def test_a_placement_can_remember_numbers() -> None:
    tree, garden = small()
    tree.remember("oldest", -5)
    shelf = Shelf()
    shelf.store(tree)
    tree.remember("oldest", -5)
    assert not tree.changed
    assert shelf.load(garden.tree()).memo("oldest") == -5
    assert tree.memo("newest") is None


def test_the_nodes_of_some_leaves_come_in_the_order_of_the_leaves() -> None:
    tree, _ = small()
    assert labels(tree, tree.nodes_of(1, 4)) == ["a", "a", "b"]
    tree.take(2)
    assert labels(tree, tree.nodes_of(2, 9)) == ["b", "c", "c"]


def test_a_tree_that_was_stored_tells_if_it_has_labels_before_and_after_it_is_looked_at() -> None:
    tree, garden = small()
    shelf = Shelf()
    shelf.store(tree)
    loaded = shelf.load(garden.tree())
    assert (loaded.is_labelled, loaded.node_of(1), loaded.is_labelled) == (True, tree.node_of(1), True)
    bare = garden.tree()
    bare.add_leaf(1, bare.add_node(ROOT, 1, ""), garden.of[1].vector)
    shelf = Shelf()
    shelf.store(bare)
    loaded = shelf.load(garden.tree())
    assert (loaded.is_labelled, loaded.node_of(1), loaded.is_labelled) == (False, bare.node_of(1), False)


def test_what_the_tree_does_not_hold_is_named() -> None:
    tree, garden = small()
    for use in (tree.path, tree.take, lambda leaf: tree.common_ancestor([leaf])):
        with pytest.raises(UnknownId, match="holds no leaf 77 - run `hmem rebuild`"):
            use(77)
    with pytest.raises(UnknownId, match="holds the leaf 1 already"):
        tree.add_leaf(1, tree.path(1)[-1], garden.of[1].vector)
    assert tree.node_of(77) is None
