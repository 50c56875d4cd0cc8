import numpy as np
import pytest

from hmem.derived.changes import RENAME, given_names, level_text
from hmem.derived.trees.tree import ROOT, Tree
from hmem.model.ids import numbered
from hmem.storage.base import LogEntry

TURNS = {"turn_one": 1, "turn_two": 2, "turn_gone": 9}


@pytest.fixture
def tree() -> Tree:
    """Two levels: one node below the root, two below that, each with a leaf."""
    made = Tree("topic", lambda leaves: np.zeros((len(leaves), 4), np.float32))
    upper = made.add_node(ROOT, 2)
    for leaf in (1, 2):
        made.add_leaf(leaf, made.add_node(upper, 1), np.zeros((4,), np.float32))
    return made


def entry(target: str, name: str | None, level: int = 1, tree: str = "topic") -> LogEntry:
    return LogEntry(0, "user", RENAME, target, None, "before", name, level_text(tree, level))


def named(tree: Tree, *entries: LogEntry) -> dict[int, str]:
    return dict(given_names(entries, "topic", tree, TURNS.get))


def test_a_name_is_that_of_the_node_on_its_level_above_its_leaf(tree: Tree) -> None:
    below, above = tree.path(1)[2], tree.path(1)[1]
    assert named(tree, entry("turn_one", "dogs")) == {below: "dogs"}
    assert named(tree, entry("turn_one", "animals", 2)) == {above: "animals"}
    assert named(tree, entry(numbered("event", 5, 2), "cats")) == {tree.path(2)[2]: "cats"}


def test_of_one_node_the_last_name_counts(tree: Tree) -> None:
    assert list(named(tree, entry("turn_one", "dogs", 2), entry("turn_two", "animals", 2)).values()) == ["animals"]


def test_names_of_other_trees_of_forgotten_words_and_of_leaves_that_are_gone_name_nothing(tree: Tree) -> None:
    assert not named(
        tree,
        entry("turn_one", "dogs", tree="layers"),
        entry("turn_one", None),
        entry("turn_gone", "dogs"),
        entry("turn_unknown", "dogs"),
        entry("turn_one", "dogs", 7),
    )
