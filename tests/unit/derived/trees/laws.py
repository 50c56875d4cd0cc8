"""What must be true of every placement. Each one's test calls these."""

import json
from collections.abc import Callable

from hypothesis import strategies as st
from tests.unit.derived.plants import Garden, Shelf, check, picture

from hmem.derived.trees.placement import Placement
from hmem.derived.trees.tree import ROOT

Make = Callable[[], Placement]


def holds_every_leaf_once(garden: Garden, make: Make) -> None:
    tree, placement = garden.tree(), make()
    for i, leaf in enumerate(garden.leaves):
        node = placement.place(tree, leaf)
        assert tree.node_of(leaf.number) == node
        if i % 9 == 0:
            check(tree, [leaf.number for leaf in garden.leaves[: i + 1]])
    check(tree, list(garden.of))


def is_the_same_when_stored_and_loaded_on_the_way(garden: Garden, make: Make, data: st.DataObject) -> None:
    whole = garden.grown(make())
    shelf, tree = Shelf(), garden.tree()
    for leaf in garden.leaves:
        make().place(tree, leaf)
        if data.draw(st.booleans()):
            shelf.store(tree)
            tree = shelf.load(garden.tree())
    assert picture(tree) == picture(whole)


def is_the_same_in_two_processes(garden: Garden, make: Make, data: st.DataObject) -> None:
    """Two trees take turns, each loading only the chunks that the other stored."""
    whole = garden.grown(make())
    shelf, trees = Shelf(), [garden.tree(), garden.tree()]
    for leaf in garden.leaves:
        mine = data.draw(st.integers(0, 1))
        make().place(trees[mine], leaf)
        changed = shelf.store(trees[mine])
        shelf.load(trees[1 - mine], changed)
        assert not trees[1 - mine].changed
        assert picture(trees[1 - mine]) == picture(trees[mine])
    assert picture(trees[0]) == picture(whole)


def is_the_same_after_a_lost_race(garden: Garden, make: Make, data: st.DataObject) -> None:
    """One tree stores its leaves; another placed other leaves meanwhile, gives them up and takes up those stored."""
    shelf, winner, loser = Shelf(), garden.tree(), garden.tree()
    first, second = sorted(data.draw(st.tuples(*[st.integers(0, len(garden.leaves))] * 2)))
    for leaf in garden.leaves[:first]:
        make().place(winner, leaf)
    shelf.load(loser, shelf.store(winner))
    for node in loser.nodes():
        loser.child_centroids(node)
    for leaf in garden.leaves[second:]:
        make().place(loser, leaf)
    for number in data.draw(st.sets(st.sampled_from([leaf.number for leaf in garden.leaves[:first]]))) if first else ():
        loser.take(number)
    for leaf in garden.leaves[first:second]:
        make().place(winner, leaf)
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
            assert loser.named(node, anew.label(child)) == anew.named(node, anew.label(child))
    for leaf in garden.leaves[second:]:
        make().place(loser, leaf)
        make().place(winner, leaf)
    for leaf in garden.leaves:
        loser.take(leaf.number)
    assert loser.nodes() == [ROOT]


def leaves_nothing_behind_what_is_taken(garden: Garden, make: Make, data: st.DataObject) -> None:
    """Another process follows; now and then a leaf is put back and taken again."""
    tree, shelf, other = garden.grown(make()), Shelf(), garden.tree()
    shelf.load(other, shelf.store(tree))
    numbers = list(garden.of)
    for number in data.draw(st.permutations(numbers)):
        known, again = data.draw(st.booleans()), data.draw(st.integers(0, 4)) == 0
        tree.take(number, garden.of[number].vector if known else None)
        if again:
            make().place(tree, garden.of[number])
            tree.take(number, garden.of[number].vector)
        numbers.remove(number)
        if len(numbers) % 5 == 0:
            check(tree, numbers)
            shelf.load(other, shelf.store(tree))
            assert picture(other) == picture(tree)
    assert picture(tree).keys() == {ROOT}
    assert tree.under(ROOT) == []
    assert set(shelf.chunks.values()) - {"null"} == {shelf.chunks[0]}


def keeps_centroids_as_if_computed_anew(garden: Garden, make: Make) -> None:
    tree, shelf = garden.grown(make()), Shelf()
    shelf.store(tree)
    fresh = shelf.load(garden.tree())
    for node in tree.nodes():
        if node != ROOT:
            assert tree.centroid(node).tolist() == fresh.centroid(node).tolist()
