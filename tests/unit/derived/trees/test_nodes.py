"""Nodes and leaves in columns, their chunks, and the lookup of nodes."""

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.chunks import encode
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
    load_leaves,
    load_nodes,
    plain,
    window_number,
)


def planted(parents: list[int]) -> Forest:
    """Nodes 1, 2, ..., each below one that was there before it."""
    forest = Forest()
    forest.grow(len(parents) + 1)
    for node, parent in enumerate(parents, 1):
        forest.level[node] = 100 - node
        forest.attach(node, parent % node)
    return forest


@given(
    st.lists(st.integers(0, 50), min_size=1, max_size=20),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 50)), max_size=80),
)
def test_leaves_come_and_go_in_any_order(parents: list[int], steps: list[tuple[int, int]]) -> None:
    forest, homes = planted(parents), dict[int, int]()
    for leaf, choice in steps:
        if leaf in homes:
            assert forest.take(leaf) == homes.pop(leaf)
        else:
            homes[leaf] = choice % (len(parents) + 1)
            forest.attach_leaf(leaf, homes[leaf])
        assert forest.size[ROOT] == len(homes)
    assert forest.leaves_below(ROOT) == sorted(homes)
    assert forest.leaves_between(10, 40) == sorted((leaf, home) for leaf, home in homes.items() if 10 <= leaf < 40)
    for node in range(len(parents) + 1):
        assert forest.leaves(node) == sorted(leaf for leaf, home in homes.items() if home == node)
        below = [leaf for leaf, home in homes.items() if node in forest.up(home)]
        assert forest.leaves_below(node) == sorted(below)
        assert forest.size[node] == len(below)
    assert all(forest.home(leaf) == homes.get(leaf, NONE) for leaf in range(61))


@given(st.lists(st.integers(0, 50), min_size=2, max_size=20), st.data())
def test_a_node_that_hangs_elsewhere_takes_its_leaves_along(parents: list[int], data: st.DataObject) -> None:
    forest = planted(parents)
    for node in range(1, len(parents) + 1):
        forest.attach_leaf(node, node)
    node = data.draw(st.integers(1, len(parents)))
    taken = forest.leaves_below(node)
    forest.detach(node)
    assert forest.size[ROOT] == len(parents) - len(taken)
    parent = data.draw(st.sampled_from([other for other in range(len(parents) + 1) if other not in taken]))
    forest.attach(node, parent)
    assert forest.parent[node] == parent
    assert node in forest.children(parent)
    assert forest.leaves_below(ROOT) == list(range(1, len(parents) + 1))
    assert set(taken) <= set(forest.leaves_below(parent))


def test_an_erased_node_is_no_more() -> None:
    forest = planted([0, 1])
    forest.labels[2] = "two"
    assert not forest.bare(1)
    assert forest.has_children(1)
    forest.detach(2)
    forest.erase(2)
    assert 2 not in forest
    assert forest.bare(1)
    assert forest.nodes() == [0, 1]
    assert not forest.labels


# Whatever a node may say of itself; the parent is a node before it, so that it hangs on the root in the end.
RECORDS = st.lists(
    st.tuples(
        st.integers(1, 90),
        st.integers(0, 700_000),
        st.integers(1, 400),
        st.integers(0, 1_000),
        st.integers(-(10**9), 2**40),
        st.sampled_from(["", "", "a", "Ü\u2028"]),
    ),
    min_size=1,
    max_size=60,
)


def forest_of(records: list[tuple[int, int, int, int, int, str]]) -> Forest:
    forest, node = Forest(), ROOT
    numbers = [ROOT]
    for step, start, days, merges, merged, label in records:
        node += step
        forest.grow(node + 1)
        forest.level[node], forest.merges[node], forest.merged[node] = 120 - len(numbers), merges, merged
        forest.start[node], forest.end[node] = start, start + days
        if label:
            forest.labels[node] = label
        forest.attach(node, numbers[start % len(numbers)])
        forest.attach_leaf(1_000 * node + days, node)
        numbers.append(node)
    return forest


@given(RECORDS)
def test_nodes_and_leaves_are_read_as_they_were_written(records: list[tuple[int, int, int, int, int, str]]) -> None:
    forest = forest_of(records)
    last = forest.nodes()[-1]
    nodes = [(number, dump_nodes(forest, number)) for number in range((last >> NODE_BITS) + 2)]
    leaves = [(number, dump_leaves(forest, number, 10)) for number in range((1_000 * (last + 1) >> 10) + 2)]
    stored_nodes = json.loads(json.dumps([(number, content) for number, content in nodes if content]))
    stored_leaves = json.loads(json.dumps([(number, content) for number, content in leaves if content]))
    again = Forest()
    again.fill(load_nodes(stored_nodes), load_leaves(stored_leaves, 10))
    for node in forest.nodes():
        if node != ROOT:
            for column in ("level", "parent", "start", "end", "merges", "merged", "size"):
                assert getattr(again, column)[node] == getattr(forest, column)[node], column
            assert again.leaves(node) == forest.leaves(node)
        assert again.children(node) == forest.children(node)
    assert again.labels == forest.labels
    assert again.nodes() == forest.nodes()
    assert again.size[ROOT] == len(records)


def test_nothing_is_written_for_nothing() -> None:
    assert dump_nodes(Forest(), 0) is None
    assert dump_leaves(Forest(), 0, 8) is None


def test_nothing_is_read_from_nothing() -> None:
    forest = Forest()
    forest.fill(load_nodes([]), load_leaves([], 8))
    assert forest.nodes() == [ROOT]


def test_a_leaf_whose_node_is_not_there_is_left_out() -> None:
    none = np.array([], np.int64)
    forest = Forest()
    forest.fill(NodeColumns(none, none, none, none, none, none, none, {}), LeafColumns(np.array([5]), np.array([3])))
    assert forest.leaves_below(ROOT) == []


def test_nodes_that_are_alike_take_little_room() -> None:
    forest = Forest()
    for i in range(1, 129):
        forest.grow(i + 1)
        forest.level[i] = 1
        forest.start[i], forest.end[i], forest.merged[i] = 738_000, 738_007, 1_700_000_000 + 40 * i
        forest.attach(i, ROOT)
        forest.attach_leaf(64 * i, i)
    stored = len(encode(dump_nodes(forest, 0))) + len(encode(dump_leaves(forest, 0, 14)))
    assert stored < 3 * 128


def filled() -> Forest:
    """Nodes 1 to 4 below the root: 1 and 3 of one week, 2 of the next; 1 and 4 have a name, which is the same."""
    forest = Forest()
    forest.grow(5)
    for node, start in ((1, 8), (2, 15), (3, 8), (4, 0)):
        forest.level[node] = 1
        forest.start[node], forest.end[node] = start, start and start + 7
        forest.attach(node, ROOT)
    forest.labels.update({1: "Pets", 4: "pets"})
    return forest


def found(directory: Directory) -> list[object]:
    return [
        directory.in_window(window_number(1, 8)),
        directory.in_window(window_number(1, 15)),
        directory.in_window(window_number(2, 8)),
        directory.child_named(ROOT, "PETS"),
    ]


def test_nodes_are_found_alike_whether_entered_one_by_one_or_all_at_once() -> None:
    at_once, one_by_one = Directory(filled()), Directory(filled())
    at_once.enter_all()
    for node in (3, 2, 4, 1):
        one_by_one.enter(node)
    assert found(at_once) == found(one_by_one) == [[1, 3], [2], [], 1]


def test_what_was_struck_is_not_found() -> None:
    directory = Directory(filled())
    directory.enter_all()
    directory.strike(1)
    directory.strike(2)
    assert found(directory) == [[3], [], [], 4]
    directory.strike_name(4)
    assert directory.child_named(ROOT, "pets") is None


def test_an_empty_forest_has_nothing_to_find() -> None:
    directory = Directory(Forest())
    directory.enter_all()
    assert found(directory) == [[], [], [], None]


def test_names_are_compared_without_case_and_spacing() -> None:
    assert plain("  Große\tFreude ") == plain("grosse freude")
