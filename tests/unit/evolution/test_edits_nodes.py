"""Names that people give to nodes of trees: shown, kept as the memory grows or is formed anew, undone, forgotten."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.formation import FormedExample
from tests.support import chatter

from hmem import Branch, Memory
from hmem.errors import InvalidQuery, UnknownId

NAME = "Zebrafish"


@pytest.fixture
def memory(tmp_path: Path, formed_example: FormedExample) -> Iterator[Memory]:
    formed_example(tmp_path / "a.hmem", 60)
    with Memory(tmp_path / "a.hmem") as made:
        yield made


def branches(root: Branch) -> list[Branch]:
    return [root, *(each for child in root.children for each in branches(child))]


def largest(memory: Memory, view: str) -> Branch:
    """The largest node below the root."""
    return max(memory.tree(view).children, key=lambda branch: branch.node.size)


def label(memory: Memory, view: str, id: str) -> str:
    return next(each.node.label for each in branches(memory.tree(view)) if each.node.id == id)


@pytest.mark.parametrize("view", ["topic", "layers", "evolution"])
def test_a_node_has_the_name_that_it_was_given_until_that_is_undone(memory: Memory, view: str) -> None:
    node = largest(memory, view).node
    made = memory.edit.rename_node(node.id, f"  {NAME}\n ", why="it is about fish", by="ann")
    assert (made.verb, made.before, made.after, made.by) == ("rename", node.label, NAME, "ann")
    assert label(memory, view, node.id) == NAME
    assert sum(each.node.label == NAME for each in branches(memory.tree(view))) == 1
    memory.undo(made.id)
    assert label(memory, view, node.id) == node.label


@pytest.mark.parametrize("view", ["topic", "layers"])
def test_a_name_stays_as_the_memory_grows_is_closed_and_is_formed_anew(
    tmp_path: Path, view: str, formed_example: FormedExample
) -> None:
    formed_example(tmp_path / "a.hmem", 60)
    with Memory(tmp_path / "a.hmem") as memory:
        memory.edit.rename_node(largest(memory, view).node.id, NAME)
        memory.add(chatter(20))
    with Memory(tmp_path / "a.hmem") as memory:
        grown = [each.node.label for each in branches(memory.tree(view))]
        assert grown.count(NAME) == 1
        memory.rebuild()
        assert [each.node.label for each in branches(memory.tree(view))].count(NAME) == 1


def test_evidence_tells_the_name_in_its_path(memory: Memory) -> None:
    branch = largest(memory, "topic")
    memory.edit.rename_node(branch.node.id, NAME)
    leaf = next(leaf for each in branches(branch) for leaf in each.leaves)
    text = memory.get(leaf).text
    found = next(item for item in memory.search(text, k=20).evidence if item.id == leaf)
    assert NAME in found.why.paths["topic"]


def test_as_of_before_it_a_node_has_its_former_name(memory: Memory) -> None:
    node = largest(memory, "layers").node
    made = memory.edit.rename_node(node.id, NAME)
    before = made.at.replace(year=made.at.year - 1)
    assert NAME not in {each.node.label for each in branches(memory.as_of(before).tree("layers"))}
    assert NAME in {each.node.label for each in branches(memory.as_of(made.at).tree("layers"))}


def test_a_name_is_forgotten_with_the_leaf_that_it_stands_on_and_with_its_words(memory: Memory) -> None:
    made = memory.edit.rename_node(largest(memory, "topic").node.id, NAME)
    memory.forget(made.target)
    (left,) = memory.history(made.target)
    assert (left.before, left.after, left.why) == (None, None, None)
    assert memory.verify([NAME]).ok
    (turn,) = memory.add([{"text": "My quokka is called Wobble.", "speaker": "Ann", "session": "q"}])
    memory.edit.rename_node(largest(memory, "topic").node.id, "All about Wobble")
    memory.forget(turn.id or "")
    assert "All about Wobble" not in {each.node.label for each in branches(memory.tree("topic"))}
    assert memory.verify(["Wobble"]).ok


def test_what_cannot_be_renamed_is_refused(memory: Memory) -> None:
    node = largest(memory, "topic").node
    for unknown in ("node_none", node.id[:-1], memory.list(limit=1)[0].id):
        with pytest.raises(UnknownId):
            memory.edit.rename_node(unknown, NAME)
    for given, name in (
        (node.id, " \n"),
        (node.id, "x" * 201),
        (node.id, node.label),
        (memory.tree("topic").node.id, NAME),
        (memory.tree("calendar").children[0].node.id, NAME),
    ):
        with pytest.raises(InvalidQuery):
            memory.edit.rename_node(given, name)
    assert all(change.verb != "rename" for change in memory.history())
