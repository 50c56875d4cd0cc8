import numpy as np
from hypothesis import given
from tests.unit.derived.plants import BEGIN, Garden, gardens, leaves_of, unit
from tests.unit.derived.trees.test_placement import TOPIC

from hmem.derived.trees.placement import Leaf
from hmem.derived.trees.topic import LOWEST, TopicOptions, TopicPlacement
from hmem.derived.trees.tree import ROOT, Tree
from hmem.language.embed.base import Calibration


@given(gardens(longest=60))
def test_no_category_is_too_large_and_no_node_too_wide(garden: Garden) -> None:
    tree = garden.grown(TopicPlacement(TOPIC, Calibration()))
    for node in tree.nodes():
        children = tree.children(node)
        assert len(children) <= TOPIC.branching
        assert not (len(children) and tree.leaves(node))
        if tree.level(node) == LOWEST:
            assert len(tree.leaves(node)) <= TOPIC.capacity
        assert all(tree.level(child) == tree.level(node) - 1 for child in children.tolist())


def grown(seeds: list[int], options: TopicOptions | None = None, spread: float = 0.2) -> Tree:
    vectors = unit(seeds, spread)
    leaves = [Leaf(i, BEGIN, vectors[i]) for i in range(len(seeds))]
    return Garden(leaves).grown(TopicPlacement(options or TopicOptions(), Calibration()))


def test_facts_that_are_alike_share_a_category_and_others_do_not() -> None:
    tree = grown([0, 1, 5, 6, 10])
    assert tree.node_of(0) == tree.node_of(2) == tree.node_of(4)
    assert tree.node_of(1) == tree.node_of(3) != tree.node_of(0)


def test_the_papers_threshold_taken_literally_makes_a_category_of_each_fact() -> None:
    assert len(grown(list(range(12)), TopicOptions(theta=0.98), spread=1.0).nodes(LOWEST)) == 12


def test_the_tree_grows_by_a_level_when_the_root_is_too_wide() -> None:
    tree = grown(list(range(300)), TopicOptions(capacity=6, branching=4), spread=1.0)
    assert tree.level(ROOT) > 3
    assert tree.level(ROOT) < 12


def test_facts_without_a_vector_share_a_category() -> None:
    blank = [Leaf(leaf.number, leaf.time, np.zeros_like(leaf.vector)) for leaf in leaves_of([1] * 5, [1] * 5)]
    tree = Garden(blank).grown(TopicPlacement(TopicOptions(), Calibration()))
    assert len(tree.nodes(LOWEST)) == 1
