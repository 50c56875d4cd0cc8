from dataclasses import replace

import pytest
from hypothesis import given
from tests.unit.derived.plants import BEGIN, Garden, gardens, unit
from tests.unit.derived.trees.test_placement import LAYERS

from hmem.derived.trees.layers import LayersOptions, LayersPlacement, path_of
from hmem.derived.trees.placement import Leaf
from hmem.derived.trees.tree import Tree
from hmem.errors import UnknownName
from hmem.language.analyst.base import Labels
from hmem.language.embed.base import Calibration

PUPPY = Labels("Home", "Pets", "")


def grown(*labels: tuple[Labels | None, int], options: LayersOptions | None = None) -> Tree:
    """A tree over leaves, each with its labels and the seed of its vector."""
    leaves = [Leaf(i, BEGIN, unit([seed])[0], each) for i, (each, seed) in enumerate(labels)]
    return Garden(leaves).grown(LayersPlacement(options or LayersOptions(), Calibration()))


def names(tree: Tree, leaf: int) -> list[str]:
    return [tree.label(node) for node in tree.path(leaf)[1:]]


def test_an_event_hangs_below_its_domain_category_and_trace() -> None:
    tree = grown((PUPPY, 1))
    assert names(tree, 0) == ["Home", "Pets", ""]
    assert [tree.level(node) for node in tree.path(0)] == [4, 3, 2, 1]


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        (2, ["Home"]),
        (3, ["Home", "Pets"]),
        (4, ["Home", "Pets", ""]),
        (5, ["Home", "Pets", "", ""]),
        (6, ["Home", "Pets", "", "", ""]),
    ],
)
def test_the_number_of_layers_can_be_set(layers: int, expected: list[str]) -> None:
    assert path_of(PUPPY, layers) == tuple(filter(None, expected))
    assert names(grown((PUPPY, 1), options=LayersOptions(layers=layers)), 0) == expected


@pytest.mark.parametrize("layers", [1, 7])
def test_a_number_of_layers_that_makes_no_sense_is_refused(layers: int) -> None:
    with pytest.raises(UnknownName, match=f"{layers} layers - choose 2 to 6"):
        LayersPlacement(LayersOptions(layers=layers), Calibration())


def test_a_label_is_found_again_whatever_its_case_and_spacing() -> None:
    tree = grown((PUPPY, 1), (Labels("HOME", " pets ", ""), 2))
    assert tree.node_of(0) == tree.node_of(1)
    assert names(tree, 1) == ["Home", "Pets", ""]


def test_a_new_label_goes_with_the_sibling_that_is_like_it() -> None:
    like = grown((PUPPY, 1), (Labels("Home", "Animals", ""), 1))
    assert like.node_of(0) == like.node_of(1)
    unlike = grown((PUPPY, 1), (Labels("Home", "Animals", ""), 3))
    assert names(unlike, 1) == ["Home", "Animals", ""]


def test_the_name_goes_before_the_likeness() -> None:
    tree = grown((PUPPY, 1), (replace(PUPPY, category="Repairs"), 3), (replace(PUPPY, category="Repairs"), 1))
    assert names(tree, 2)[1] == "Repairs"


def test_the_same_name_under_another_parent_is_another_node() -> None:
    tree = grown((PUPPY, 1), (replace(PUPPY, domain="Work"), 3))
    assert tree.path(0)[2] != tree.path(1)[2]


@pytest.mark.parametrize("labels", [None, Labels("", " ", "")])
def test_an_event_without_labels_has_its_place(labels: Labels | None) -> None:
    assert names(grown((labels, 1)), 0) == ["other", "other", ""]


def test_a_trace_with_too_many_events_is_divided_by_what_they_are_about() -> None:
    tree = grown(*((PUPPY, seed) for seed in [0, 1] * 6), options=LayersOptions(capacity=10, least=3))
    first, second = tree.nodes(1)
    assert {leaf % 2 for leaf in tree.leaves(first)} != {leaf % 2 for leaf in tree.leaves(second)}
    assert tree.parent(first) == tree.parent(second)


def test_each_trace_keeps_a_least_number_of_events_when_it_is_divided() -> None:
    options = LayersOptions(similarity=(0.7, 0.75, -1.0), capacity=20, least=8)
    tree = grown(*((PUPPY, seed) for seed in [1, *range(0, 100, 5)]), options=options)
    assert min(tree.size(trace) for trace in tree.nodes(1)) >= 8


def test_events_unlike_a_trace_have_their_own_where_that_is_asked_for() -> None:
    options = LayersOptions(similarity=(0.7, 0.75, 0.9))
    assert len(grown((PUPPY, 1), (PUPPY, 3)).nodes(1)) == 1
    assert len(grown((PUPPY, 1), (PUPPY, 3), options=options).nodes(1)) == 2


@given(gardens())
def test_groups_of_traces_do_not_become_too_wide(garden: Garden) -> None:
    tree = garden.grown(LayersPlacement(LAYERS, Calibration()))
    assert all(len(tree.children(node)) <= 2 for node in tree.nodes(2))
    assert all(tree.size(node) <= 4 for node in tree.nodes(1))
