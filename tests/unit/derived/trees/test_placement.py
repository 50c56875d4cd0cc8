"""Placements: what is true of each of them, the division of nodes, and the scale of thresholds."""

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.derived.plants import Garden, Shelf, check, gardens, picture, unit

from hmem.derived.trees.calendar import CalendarPlacement
from hmem.derived.trees.centroids import on_grid
from hmem.derived.trees.evolution import EvolutionOptions, EvolutionPlacement
from hmem.derived.trees.layers import LayersOptions, LayersPlacement
from hmem.derived.trees.placement import Placement, cosine_at, halves
from hmem.derived.trees.topic import TopicOptions, TopicPlacement
from hmem.derived.trees.tree import ROOT
from hmem.language.embed import embedder
from hmem.language.embed.base import Calibration

Make = Callable[[], Placement]

# Small enough for nodes to be divided.
TOPIC = TopicOptions(theta=0.4, capacity=4, branching=3)
EVOLUTION = EvolutionOptions(compared=6, capacity=3, largest=0.3)
LAYERS = LayersOptions(layers=5, compared=6, capacity=4, least=2, branching=2)
PLACEMENTS: dict[str, Make] = {
    "calendar": CalendarPlacement,
    "topic": lambda: TopicPlacement(TOPIC, Calibration()),
    "evolution": lambda: EvolutionPlacement(EVOLUTION, Calibration()),
    "layers": lambda: LayersPlacement(LAYERS, Calibration()),
}
EACH = pytest.mark.parametrize("make", PLACEMENTS.values(), ids=PLACEMENTS)


@EACH
@given(gardens())
def test_every_leaf_hangs_under_one_path(make: Make, garden: Garden) -> None:
    tree, placement = garden.tree(), make()
    for i, leaf in enumerate(garden.leaves):
        node = placement.insert(tree, leaf)
        assert tree.node_of(leaf.number) == node
        if i % 9 == 0:
            check(tree, [leaf.number for leaf in garden.leaves[: i + 1]])
    check(tree, list(garden.of))


@EACH
@given(gardens(), st.data())
def test_storing_and_loading_on_the_way_changes_nothing(make: Make, garden: Garden, data: st.DataObject) -> None:
    whole = garden.grown(make())
    shelf, tree = Shelf(), garden.tree()
    for leaf in garden.leaves:
        make().insert(tree, leaf)
        if data.draw(st.booleans()):
            shelf.store(tree)
            tree = shelf.load(garden.tree())
    assert picture(tree) == picture(whole)


@EACH
@given(gardens(), st.data())
def test_two_processes_grow_one_tree(make: Make, garden: Garden, data: st.DataObject) -> None:
    """Two trees take turns, each loading only the chunks that the other stored."""
    whole = garden.grown(make())
    shelf, trees = Shelf(), [garden.tree(), garden.tree()]
    for leaf in garden.leaves:
        mine = data.draw(st.integers(0, 1))
        make().insert(trees[mine], leaf)
        changed = shelf.store(trees[mine])
        shelf.load(trees[1 - mine], changed)
        assert not trees[1 - mine].changed
        assert picture(trees[1 - mine]) == picture(trees[mine])
    assert picture(trees[0]) == picture(whole)


@EACH
@given(gardens(), st.data())
def test_a_tree_that_lost_a_race_is_that_of_the_winner(make: Make, garden: Garden, data: st.DataObject) -> None:
    """One tree stores its leaves; another placed other leaves meanwhile, gives them up and takes up those stored."""
    shelf, winner, loser = Shelf(), garden.tree(), garden.tree()
    first, second = sorted(data.draw(st.tuples(*[st.integers(0, len(garden.leaves))] * 2)))
    for leaf in garden.leaves[:first]:
        make().insert(winner, leaf)
    shelf.load(loser, shelf.store(winner))
    for node in loser.nodes():
        loser.child_centroids(node)
    for leaf in garden.leaves[second:]:
        make().insert(loser, leaf)
    for number in data.draw(st.sets(st.sampled_from([leaf.number for leaf in garden.leaves[:first]]))) if first else ():
        loser.take(number)
    for leaf in garden.leaves[first:second]:
        make().insert(winner, leaf)
    for number in {*shelf.store(winner), *loser.changed}:
        loser.load(number, json.loads(shelf.chunks.get(number, "null")))
    anew = shelf.load(garden.tree())
    assert picture(loser) == picture(anew) == picture(winner)
    for node in anew.nodes():
        (children, rows), (others, those) = loser.child_centroids(node), anew.child_centroids(node)
        assert list(children) == list(others)
        assert (rows == those).all()
        if window := anew.window(node):
            assert loser.in_window(anew.level(node), window[0]) == anew.in_window(anew.level(node), window[0])
        for child in anew.children(node).tolist():
            assert loser.child_named(node, anew.label(child)) == anew.child_named(node, anew.label(child))
    for leaf in garden.leaves[second:]:
        make().insert(loser, leaf)
        make().insert(winner, leaf)
    for leaf in garden.leaves:
        loser.take(leaf.number)
    assert loser.nodes() == [ROOT]


@EACH
@given(gardens(), st.data())
def test_taking_leaves_leaves_nothing_behind(make: Make, garden: Garden, data: st.DataObject) -> None:
    """Another process follows; now and then a leaf is put back and taken again."""
    tree, shelf, other = garden.grown(make()), Shelf(), garden.tree()
    shelf.load(other, shelf.store(tree))
    numbers = list(garden.of)
    for number in data.draw(st.permutations(numbers)):
        known, again = data.draw(st.booleans()), data.draw(st.integers(0, 4)) == 0
        tree.take(number, garden.of[number].vector if known else None)
        if again:
            make().insert(tree, garden.of[number])
            tree.take(number, garden.of[number].vector)
        numbers.remove(number)
        if len(numbers) % 5 == 0:
            check(tree, numbers)
            shelf.load(other, shelf.store(tree))
            assert picture(other) == picture(tree)
    assert picture(tree).keys() == {ROOT}
    assert tree.leaves_below(ROOT) == []
    assert set(shelf.chunks.values()) - {"null"} == {shelf.chunks[0]}


@EACH
@given(gardens())
def test_centroids_are_those_of_the_leaves(make: Make, garden: Garden) -> None:
    tree, shelf = garden.grown(make()), Shelf()
    shelf.store(tree)
    fresh = shelf.load(garden.tree())
    for node in tree.nodes():
        if node != ROOT:
            assert tree.centroid(node).tolist() == fresh.centroid(node).tolist()


def test_halves_are_alike_within_and_differ_between() -> None:
    apart = halves(on_grid(unit([0, 1, 5, 6, 10, 11], 0.1)))
    assert apart.tolist() in ([False, True] * 3, [True, False] * 3)


@pytest.mark.parametrize("count", [2, 3, 17])
def test_what_is_all_the_same_is_halved(count: int) -> None:
    assert halves(on_grid(unit([7] * count, 0.0))).sum() == (count + 1) // 2
    assert halves(np.zeros((count, 4), np.float32)).sum() == (count + 1) // 2


@pytest.mark.parametrize("least", [1, 2, 3, 50])
def test_each_half_has_a_least_number(least: int) -> None:
    # One outlier beside seven of one kind.
    apart = halves(on_grid(unit([1, 5, 10, 15, 20, 25, 30, 35], 0.1)), least)
    assert apart[0] != apart[-1] or least > 1
    assert min(apart.sum(), (~apart).sum()) == min(least, 4)
    assert (apart == apart[0]).sum() >= min(least, 4)


@pytest.mark.parametrize("similarity", [0.0, 0.3, 0.6, 0.8, 0.9])
def test_a_value_of_the_common_scale_has_its_cosine(similarity: float) -> None:
    scale = embedder("wordllama").calibration
    cosine = cosine_at(scale, similarity)
    assert scale(cosine) >= similarity
    assert scale(cosine - 1e-9) < similarity
    assert cosine_at(Calibration(), similarity) == pytest.approx(similarity)


def test_a_value_beyond_the_scale_is_reached_by_nothing_but_the_same() -> None:
    assert cosine_at(Calibration(), 1.5) == 1.0
