from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.derived.plants import Garden, Shelf, check, gardens, leaves_of, picture
from tests.unit.derived.trees.test_placement import EVOLUTION

from hmem.derived.trees.evolution import (
    ALPHAS,
    MONTH,
    WEEK,
    YEAR,
    EvolutionOptions,
    EvolutionPlacement,
    week_of,
    window_above,
)
from hmem.derived.trees.placement import Leaf
from hmem.derived.trees.tree import ROOT, Tree
from hmem.language.embed.base import Calibration
from hmem.model.vector import from_bytes, to_bytes


def make() -> EvolutionPlacement:
    return EvolutionPlacement(EVOLUTION, Calibration())


@given(st.dates())
def test_each_window_covers_those_below_it(day: date) -> None:
    inner = week_of(day.toordinal())
    assert inner[0] <= day.toordinal() < inner[1]
    for level in (MONTH, YEAR):
        outer = window_above(level, inner)
        assert outer[0] <= inner[0] < inner[1] <= outer[1]
        inner = outer


def test_a_week_on_the_border_belongs_to_the_month_and_the_year_of_its_first_day() -> None:
    # 30 December 2024 is a Monday.
    week = week_of(date(2025, 1, 2).toordinal())
    assert week == (date(2024, 12, 30).toordinal(), date(2025, 1, 6).toordinal())
    month = window_above(MONTH, week)
    assert month == (date(2024, 12, 2).toordinal(), date(2025, 1, 6).toordinal())
    assert window_above(YEAR, month) == (date(2024, 1, 1).toordinal(), date(2025, 1, 6).toordinal())


def direction(cosine: float) -> np.ndarray:
    """A unit vector whose cosine with ``direction(1)`` is known, as it is kept."""
    return from_bytes(*to_bytes(np.array([[cosine, np.sqrt(1 - cosine * cosine)] + [0.0] * 14], np.float32)))[0]


def grown(*said: tuple[float, float], options: EvolutionOptions = EvolutionOptions()) -> Tree:  # noqa: B008
    """A tree over leaves, each a number of days after a Monday, with a cosine to the first."""
    begin = datetime(2023, 8, 7, 10, tzinfo=UTC)
    leaves = [Leaf(i, begin + timedelta(days=days), direction(cosine)) for i, (days, cosine) in enumerate(said)]
    return Garden(leaves).grown(EvolutionPlacement(options, Calibration()))


def together(tree: Tree, level: int) -> bool:
    """Whether the leaves 0 and 1 share a node of a level."""
    first, second = ([node for node in tree.path(leaf) if tree.level(node) == level] for leaf in (0, 1))
    return first == second != []


@pytest.mark.parametrize("schedule", list(ALPHAS))
def test_a_node_joins_a_cluster_from_the_threshold_of_its_level_on(schedule: str) -> None:
    options = EvolutionOptions(alpha=ALPHAS[schedule])
    week, month, year = ALPHAS[schedule]
    far = (60.0, -1.0)
    for days, level, alpha in ((1, WEEK, week), (8, MONTH, month), (40, YEAR, year)):
        assert together(grown((0, 1), (days, alpha + 0.02), far, options=options), level)
        assert not together(grown((0, 1), (days, alpha - 0.02), far, options=options), level)


def test_a_young_memory_has_weeks_then_months_then_years() -> None:
    def levels(*days: float) -> set[int]:
        tree = grown(*((day, 1.0) for day in days))
        return {tree.level(node) for node in tree.nodes() if node != ROOT}

    assert levels(0, 6.9) == {WEEK}
    assert levels(0, 7) == {WEEK, MONTH}
    assert levels(0, 30) == {WEEK, MONTH}
    assert levels(0, 30.1) == {WEEK, MONTH, YEAR}


def test_a_level_that_becomes_active_later_is_filled_from_what_is_there() -> None:
    tree = grown((0, 1.0), (1, 0.0), (8, 0.9))
    assert [tree.level(node) for node in tree.path(0)] == [MONTH + 1, MONTH, WEEK]
    assert tree.path(0)[1] == tree.path(2)[1] != tree.path(1)[1]
    assert tree.merges(tree.path(0)[1]) == 1


def test_a_cluster_counts_how_often_it_was_consolidated_and_when_last() -> None:
    tree = grown((0, 1.0), (1, 1.0), (0.5, 1.0), (2, 0.0))
    node = tree.path(0)[-1]
    begin = datetime(2023, 8, 7, 10, tzinfo=UTC).timestamp()
    assert (tree.merges(node), tree.merged(node)) == (2, begin + 86_400)
    other = tree.path(3)[-1]
    assert (tree.merges(other), tree.merged(other)) == (0, begin + 2 * 86_400)


def test_a_changed_parent_is_refreshed_in_place() -> None:
    tree = grown((0, 1.0), (35, 0.0), (1, 1.0))
    above = tree.path(0)[2]
    assert tree.merges(above) == 0
    assert tree.size(above) == 2
    tree.take_touched()
    assert tree.take_touched() == set()


def test_only_the_latest_clusters_of_a_window_are_compared() -> None:
    said = [(0.0, 1.0), (0.1, 0.0), (0.2, -1.0), (0.3, 1.0)]
    assert together_of(grown(*said), 0, 3)
    assert not together_of(grown(*said, options=replace(EvolutionOptions(), compared=2)), 0, 3)


def together_of(tree: Tree, first: int, second: int) -> bool:
    return tree.node_of(first) == tree.node_of(second)


def test_a_week_with_too_many_events_is_divided_by_what_they_are_about() -> None:
    said = [(0.1 * i, 1.0 if i % 2 else 0.6) for i in range(12)]
    tree = grown(*said, options=replace(EvolutionOptions(), alpha=(0.0, 0.0, 0.0), capacity=10))
    first, second = tree.nodes(WEEK)
    assert {leaf % 2 for leaf in tree.leaves(first)} != {leaf % 2 for leaf in tree.leaves(second)}
    assert [tree.merges(node) for node in (first, second)] == [tree.size(node) - 1 for node in (first, second)]
    assert tree.window(first) == tree.window(second)


@given(gardens())
def test_no_node_has_more_than_its_share_unless_it_has_one_child(garden: Garden) -> None:
    tree = garden.grown(make())
    for node in tree.nodes()[1:]:
        most = (
            EVOLUTION.capacity
            if tree.level(node) == WEEK
            else max(EVOLUTION.capacity, EVOLUTION.largest * len(garden.leaves))
        )
        assert tree.size(node) <= most or (tree.level(node) > WEEK and len(tree.children(node)) == 1)


def test_vectors_of_zeros_stay_alone() -> None:
    leaves = leaves_of([1, 1], [0, 1])
    blank = [replace(leaf, vector=np.zeros_like(leaf.vector)) for leaf in leaves]
    tree = Garden(blank).grown(make())
    assert tree.node_of(1) != tree.node_of(2)


# Growing up while nothing is said.

DAY = 86_400


def seconds(leaf: Leaf) -> int:
    return int(leaf.time.timestamp())


def renumbered(tree: Tree) -> list[object]:
    """All that a tree says of its nodes, which are called by their places: numbers are not given twice."""
    places = {node: place for place, node in enumerate(tree.nodes())}
    return [
        (level, places.get(parent), window, merges, merged, leaves, [places[child] for child in children])
        for level, parent, _, window, _, merges, merged, leaves, children in picture(tree).values()
    ]


@given(gardens(), st.data())
def test_any_order_of_looks_at_the_age_gives_the_same_tree(garden: Garden, data: st.DataObject) -> None:
    """Looks between the events, at any times and in any order, stored and loaded on the way, are as good as one."""
    shelf, tree, latest = Shelf(), garden.tree(), 0
    for leaf in garden.leaves:
        make().insert(tree, leaf)
        for days in data.draw(st.lists(st.integers(0, 40), max_size=3)):
            latest = max(latest, seconds(leaf) + days * DAY)
            make().grow(tree, seconds(leaf) + days * DAY, data.draw(st.sampled_from([None, 1, 3])))
        if data.draw(st.booleans()):
            shelf.store(tree)
            tree = shelf.load(garden.tree())
    for now in data.draw(st.permutations([latest, seconds(garden.leaves[-1])])):
        while make().grow(tree, now, 2).remaining:
            assert tree.nodes()
    whole = garden.grown(make())
    make().grow(whole, max(latest, seconds(garden.leaves[-1])))
    assert renumbered(tree) == renumbered(whole)
    check(tree, list(garden.of))


@given(gardens(), st.data())
def test_two_processes_see_each_other_look_at_the_age(garden: Garden, data: st.DataObject) -> None:
    shelf, trees = Shelf(), [garden.tree(), garden.tree()]
    for leaf in garden.leaves:
        mine = data.draw(st.integers(0, 1))
        make().insert(trees[mine], leaf)
        if data.draw(st.booleans()):
            make().grow(trees[mine], seconds(leaf) + data.draw(st.integers(0, 40)) * DAY, 2)
        shelf.load(trees[1 - mine], shelf.store(trees[mine]))
        assert picture(trees[1 - mine]) == picture(trees[mine])
        for node in trees[mine].nodes():
            if node != ROOT:
                assert trees[1 - mine].centroid(node).tolist() == trees[mine].centroid(node).tolist()


@given(gardens(), st.data())
def test_taking_leaves_out_of_a_grown_tree_leaves_nothing_behind(garden: Garden, data: st.DataObject) -> None:
    tree = garden.grown(make())
    make().grow(tree, seconds(garden.leaves[-1]) + 400 * DAY)
    numbers = list(garden.of)
    for number in data.draw(st.permutations(numbers)):
        tree.take(number, garden.of[number].vector)
        numbers.remove(number)
        make().grow(tree, seconds(garden.leaves[-1]) + 400 * DAY)
    assert tree.nodes() == [ROOT]


def levels(tree: Tree) -> set[int]:
    return {tree.level(node) for node in tree.nodes() if node != ROOT}


def test_a_memory_that_is_idle_grows_up() -> None:
    placement = EvolutionPlacement(EvolutionOptions(), Calibration())
    begin = datetime(2023, 8, 7, 10, tzinfo=UTC)
    tree = grown((0, 1.0), (1, 0.0), (2, 0.9))
    for days, filled, wanted in (
        (6.9, 0, {1}),
        (7, 1, {1, 2}),
        (30, 0, {1, 2}),
        (31, 1, {1, 2, 3}),
        (400, 0, {1, 2, 3}),
    ):
        assert placement.grow(tree, int((begin + timedelta(days=days)).timestamp())).levels == filled
        assert levels(tree) == wanted
    assert placement.grow(tree, int(begin.timestamp())) == (0, 0, 0)
    assert levels(tree) == {1, 2, 3}


def test_a_year_of_idleness_at_once_is_the_same_as_day_by_day() -> None:
    placement = EvolutionPlacement(EvolutionOptions(), Calibration())
    begin = int(datetime(2023, 8, 7, 10, tzinfo=UTC).timestamp())
    one, other = (grown((0, 1.0), (1, 0.0), (2, 0.9)) for _ in range(2))
    assert placement.grow(one, begin + 365 * DAY).levels == 2
    for day in range(366):
        placement.grow(other, begin + day * DAY)
    assert picture(one) == picture(other)


def test_an_event_of_the_past_takes_levels_back_that_only_time_brought() -> None:
    placement = EvolutionPlacement(EvolutionOptions(), Calibration())
    begin = datetime(2023, 8, 7, 10, tzinfo=UTC)
    garden = Garden([Leaf(i, begin + timedelta(days=i), direction(0.4 * i)) for i in range(3)])
    tree, now = garden.tree(), int((begin + timedelta(days=400)).timestamp())
    placement.insert(tree, garden.leaves[0])
    placement.insert(tree, garden.leaves[1])
    assert placement.grow(tree, now).levels == 2
    placement.insert(tree, garden.leaves[2])
    assert levels(tree) == {WEEK}
    assert tree.level(ROOT) == MONTH
    assert placement.grow(tree, now).levels == 2


def test_a_tree_that_nothing_was_put_into_does_not_grow() -> None:
    assert make().grow(Garden([]).tree(), 10**9) == (0, 0, 0)


def test_an_event_comes_after_all_was_taken_from_a_tree_that_then_grew_old() -> None:
    placement = EvolutionPlacement(EvolutionOptions(), Calibration())
    begin = datetime(2023, 8, 7, 10, tzinfo=UTC)
    garden = Garden([Leaf(i, begin + timedelta(days=i), direction(0.4 * i)) for i in range(2)])
    tree, now = garden.tree(), int((begin + timedelta(days=400)).timestamp())
    placement.insert(tree, garden.leaves[0])
    tree.take(0, garden.leaves[0].vector)
    assert placement.grow(tree, now) == (0, 0, 0)
    placement.insert(tree, garden.leaves[1])
    assert levels(tree) == {WEEK}
    assert tree.level(ROOT) == MONTH
