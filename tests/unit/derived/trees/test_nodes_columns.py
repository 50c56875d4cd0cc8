import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmem.derived.chunks import encode
from hmem.derived.trees.nodes import (
    NODE_BITS,
    ROOT,
    Forest,
    LeafColumns,
    NodeColumns,
    dump_leaves,
    dump_nodes,
    load_leaves,
    load_nodes,
)

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
        forest.put(1_000 * node + days, node)
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
    assert forest.under(ROOT) == []


def test_nodes_that_are_alike_take_little_room() -> None:
    forest = Forest()
    for i in range(1, 129):
        forest.grow(i + 1)
        forest.level[i] = 1
        forest.start[i], forest.end[i], forest.merged[i] = 738_000, 738_007, 1_700_000_000 + 40 * i
        forest.attach(i, ROOT)
        forest.put(64 * i, i)
    stored = len(encode(dump_nodes(forest, 0))) + len(encode(dump_leaves(forest, 0, 14)))
    assert stored < 3 * 128
