"""Entities that people merge and split: in what was formed, in later turns, in a memory formed anew, and undone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hmem import Memory
from hmem.errors import InvalidQuery, UnknownId

STORY = [
    {"text": "I met Doc Holloway in Berlin.", "speaker": "Ann", "at": "2024-05-01T10:00:00Z", "session": "a"},
    {"text": "I visited Quim in Lisbon.", "speaker": "Ann", "at": "2024-05-02T10:00:00Z", "session": "b"},
    {"text": "My sister Lucy works at Acme.", "speaker": "Ann", "at": "2024-05-03T10:00:00Z", "session": "c"},
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.hmem") as made:
        made.add(STORY)
        yield made


def names(memory: Memory) -> dict[str, tuple[str, ...]]:
    """Return the entities by name, with their other names."""
    return {entity.name: entity.aliases for entity in memory.graph(limit=100).entities}


def related(memory: Memory) -> set[frozenset[str]]:
    """Return the pairs of names that sentences mention together."""
    graph = memory.graph(limit=100)
    called = {entity.id: entity.name for entity in graph.entities}
    return {frozenset((called[each.source], called[each.target])) for each in graph.relations}


def pair(one: str, other: str) -> frozenset[str]:
    return frozenset((one, other))


def test_merged_entities_are_one_with_the_names_and_relations_of_both(memory: Memory) -> None:
    made = memory.edit.merge_entities("Lucy", "Quim", why="a nickname")
    assert (made.verb, made.target, made.before, made.after, made.why) == (
        "merge", "Lucy", "Quim", "Lucy", "a nickname",
    )  # fmt: skip
    assert "Quim" not in names(memory)
    assert "Quim" in names(memory)["Lucy"]
    assert {pair("Lucy", "Acme"), pair("Lucy", "Lisbon")} <= related(memory)
    (entity,) = (each for each in memory.graph("Quim").entities if each.name == "Lucy")
    assert memory.graph().mentions[entity.id] == 2


def test_later_turns_and_a_memory_formed_anew_know_a_merge(memory: Memory) -> None:
    memory.edit.merge_entities("Lucy", "Quim")
    memory.add("My friend Quim works at Bosch.", speaker="Ann", at="2024-05-04T10:00:00Z", session="d")
    assert pair("Lucy", "Bosch") in related(memory)
    before = names(memory), related(memory)
    memory.rebuild()
    assert (names(memory), related(memory)) == before


def test_a_merge_survives_closing(tmp_path: Path) -> None:
    with Memory(tmp_path / "a.hmem") as memory:
        memory.add(STORY)
        memory.edit.merge_entities("Lucy", "Quim")
    with Memory(tmp_path / "a.hmem") as memory:
        assert "Quim" not in names(memory)
        memory.add("I called Quim.", speaker="Ann", at="2024-05-04T10:00:00Z", session="d")
        assert "Quim" not in names(memory)


def test_a_merge_is_undone_and_brought_back(memory: Memory) -> None:
    before = names(memory), related(memory)
    made = memory.edit.merge_entities("Lucy", "Quim")
    undo = memory.undo(made.id)
    assert (names(memory), related(memory)) == before
    memory.undo(undo.id)
    assert "Quim" not in names(memory)


def test_a_name_that_is_split_is_an_entity_of_its_own_for_good(memory: Memory) -> None:
    memory.add("My uncle Tom Smith works at Siemens.", speaker="Ann", at="2024-05-05T10:00:00Z", session="e")
    memory.add("My uncle Tom lives in Rome.", speaker="Ann", at="2024-05-06T10:00:00Z", session="f")
    assert pair("Tom Smith", "Rome") in related(memory)
    made = memory.edit.split_entity("Tom Smith", "Tom")
    assert (made.verb, made.before, made.after) == ("split", "Tom Smith", "Tom")
    assert {pair("Tom Smith", "Siemens"), pair("Tom", "Rome")} <= related(memory)
    memory.add("My uncle Tom moved to Paris.", speaker="Ann", at="2024-05-07T10:00:00Z", session="g")
    assert pair("Tom", "Paris") in related(memory)
    before = names(memory), related(memory)
    memory.rebuild()
    assert (names(memory), related(memory)) == before
    memory.undo(made.id)
    assert pair("Tom Smith", "Paris") in related(memory)


def test_forgetting_takes_the_names_from_the_log(memory: Memory) -> None:
    memory.edit.merge_entities("Lucy", "Quim")
    memory.forget(next(each.id for each in memory.list() if "Quim" in each.text))
    (entry,) = (each for each in memory.history() if each.verb == "merge")
    assert entry.before is None
    assert not any("Quim" in (name, *others) for name, others in names(memory).items())


def test_users_keep_their_entities_apart(memory: Memory) -> None:
    memory.add("I met Lucy in Rome.", speaker="Bob", user="bob", at="2024-05-04T10:00:00Z", session="d")
    with pytest.raises(InvalidQuery, match="several users"):
        memory.edit.merge_entities("Lucy", "Quim")
    (his,) = (each.id for each in memory.graph(limit=100, user="bob").entities if each.name == "Lucy")
    with pytest.raises(InvalidQuery, match="two users"):
        memory.edit.merge_entities(his, "Quim")


def test_what_cannot_be_merged_or_split_is_refused(memory: Memory) -> None:
    with pytest.raises(UnknownId):
        memory.edit.merge_entities("Lucy", "Zebedee")
    with pytest.raises(InvalidQuery, match="one entity already"):
        memory.edit.merge_entities("Lucy", "Lucy")
    with pytest.raises(InvalidQuery, match="no other name"):
        memory.edit.split_entity("Lucy", "Quim")
