from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.errors import InvalidQuery, UnknownName
from hmem.papers.position_index import BEAMS, best, route
from hmem_evals.bench.routing import PositionIndex, unit

DIMENSION = 8


@st.composite
def indices(draw: st.DrawFn) -> PositionIndex:
    """Layers of any shape, with vectors in whole numbers of which many are equal."""
    depth, width = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    firsts = [np.array([0, width])]
    for _ in range(depth - 1):
        sizes = draw(st.lists(st.integers(0, 4), min_size=width, max_size=width))
        width = sum(sizes)
        firsts.append(np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))]))
    random = np.random.default_rng(draw(st.integers(0, 1_000)))
    vectors = [random.integers(-2, 3, (int(first[-1]), DIMENSION)).astype(np.float32) for first in firsts]
    return PositionIndex(vectors, firsts)


def aim_of(seed: int) -> np.ndarray:
    return np.random.default_rng([seed, 1]).integers(-2, 3, DIMENSION).astype(np.float32)


def drawn(fans: list[int], seed: int = 0) -> PositionIndex:
    """Layers with these fan-outs; each entry is drawn around the one above it."""
    random, width = np.random.default_rng(seed), 1
    around, firsts = np.zeros((1, 32)), []
    for fan in fans:
        firsts.append(np.arange(0, width * fan + 1, fan))
        width *= fan
        around = np.repeat(around, fan, axis=0) + random.standard_normal((width, 32))
    return PositionIndex.from_leaves(unit(around), firsts)


@given(indices(), st.integers(0, 100), st.integers(1, 20), st.sampled_from(BEAMS))
def test_a_beam_as_wide_as_every_layer_finds_what_a_search_of_all_leaves_finds(index, seed, last, beam):
    aim, wide = aim_of(seed), max(len(rows) for rows in index.vectors) + 1
    made = route(index, aim, k=wide, last=last, beam=beam)
    products = index.vectors[-1] @ aim
    # Equals come in their parents' order.
    assert made.similarities.tolist() == np.sort(products)[::-1][:last].tolist()
    assert products[made.leaves].tolist() == made.similarities.tolist()
    assert made.exhaustive
    assert made.comparisons == tuple(len(rows) for rows in index.vectors)


@given(indices(), st.integers(0, 100), st.integers(1, 6), st.sampled_from(BEAMS))
def test_operations_are_the_entries_compared_times_the_dimension(index, seed, k, beam):
    compared = []

    class Counted:
        depth = index.depth

        def children(self, layer, parents):
            blocks = index.children(layer, parents)
            compared.append(sum(len(rows) for _, rows in blocks))
            return blocks

    made = route(Counted(), aim_of(seed), k=k, beam=beam)
    assert made.comparisons == tuple(compared)
    assert made.operations == sum(compared) * DIMENSION


@given(indices(), st.integers(0, 100), st.integers(1, 4))
def test_keeping_k_below_each_parent_finds_all_that_keeping_k_of_a_layer_finds(index, seed, k):
    aim, every = aim_of(seed), len(index.vectors[-1]) + 1
    whole, each = (route(index, aim, k=k, last=every, beam=beam) for beam in BEAMS)
    assert set(whole.leaves.tolist()) <= set(each.leaves.tolist())
    assert whole.operations <= each.operations


@given(indices(), st.integers(0, 100), st.integers(1, 4), st.sampled_from(BEAMS))
def test_a_path_leads_from_the_top_to_its_leaf(index, seed, k, beam):
    made = route(index, aim_of(seed), k=k, beam=beam)
    for leaf, path in zip(made.leaves.tolist(), made.paths.tolist(), strict=True):
        steps = [0, *path, leaf]
        assert len(steps) == index.depth + 1
        for layer, (parent, child) in enumerate(pairwise(steps)):
            assert index.firsts[layer][parent] <= child < index.firsts[layer][parent + 1]


@given(indices(), st.integers(0, 100), st.integers(1, 6), st.integers(1, 6))
def test_a_leaf_that_may_not_be_found_is_not_found_and_keeps_no_other_out(index, seed, k, last):
    aim = aim_of(seed)
    every = route(index, aim, k=k, last=len(index.vectors[-1]) + 1).leaves
    even = route(index, aim, k=k, last=last, may=lambda leaves: leaves % 2 == 0)
    assert even.leaves.tolist() == [leaf for leaf in every.tolist() if leaf % 2 == 0][:last]


def test_routing_compares_few_entries_and_finds_most_of_the_nearest():
    index = drawn([10, 10, 10, 10])
    random = np.random.default_rng(5)
    hits = []
    for _ in range(30):
        aim = unit(index.vectors[-1][random.integers(0, 10_000)] + 0.05 * random.standard_normal((1, 32)))[0]
        made = route(index, aim)
        assert made.comparisons == (10, 100, 100, 100)
        assert not made.exhaustive
        hits.append(np.isin(best(index.vectors[-1] @ aim, 10), made.leaves).mean())
    assert np.mean(hits) > 0.8


def test_an_entry_is_the_mean_direction_of_the_leaves_below_it():
    index = drawn([2, 3, 4])
    leaves = index.vectors[-1]
    assert [len(rows) for rows in index.vectors] == [2, 6, 24]
    for rows, below in ((index.vectors[0], 12), (index.vectors[1], 4)):
        means = unit(leaves.reshape(len(rows), below, -1).sum(axis=1))
        assert np.allclose(rows, means, atol=1e-6)


def test_the_same_question_is_routed_the_same_way():
    index, aim = drawn([5, 5, 5]), np.ones(32, np.float32)
    one, other = route(index, aim, k=3), route(index, aim, k=3)
    assert one.leaves.tolist() == other.leaves.tolist()
    assert one.paths.tolist() == other.paths.tolist()


@given(st.lists(st.integers(0, 5), max_size=30), st.integers(1, 35))
def test_of_equals_the_first_is_best(values, number):
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    assert best(np.array(values, np.float32), number).tolist() == order[:number]


def test_no_layers_lead_to_nothing():
    made = route(PositionIndex([], []), np.ones(4, np.float32))
    assert (made.leaves.tolist(), made.operations, made.comparisons) == ([], 0, ())


@pytest.mark.parametrize("limits", [{"k": 0}, {"last": 0}])
def test_a_beam_of_nothing_is_refused(limits):
    with pytest.raises(InvalidQuery, match="at least 1 entry"):
        route(drawn([2, 2]), np.ones(32, np.float32), **limits)


def test_an_unknown_beam_is_refused():
    with pytest.raises(UnknownName, match="whole, per-parent"):
        route(drawn([2, 2]), np.ones(32, np.float32), beam="narrow")
