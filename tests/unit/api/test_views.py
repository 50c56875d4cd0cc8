import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.formation import example
from tests.support import chatter

from hmem import AsyncMemory, Branch, Memory
from hmem.api.views import Views
from hmem.errors import UnknownId

TREES = ("timeline", "topics", "layers", "evolution")
LISTS = ("episodes", "events", "notes", "personas")


@pytest.fixture(scope="module")
def lived() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        memory.add(example(120))
        memory.consolidate()
        yield memory


def branches(root: Branch) -> list[Branch]:
    return [root, *(each for child in root.children for each in branches(child))]


def test_a_memory_and_its_asynchronous_twin_have_every_view() -> None:
    names = {name for name, value in inspect.getmembers(Views, inspect.isfunction) if not name.startswith("_")}
    assert names == {*TREES, *LISTS, "conflicts", "graph", "persona", "persona_history", "tiers"}
    assert names <= set(dir(Memory)) & set(dir(AsyncMemory))


@pytest.mark.parametrize("view", TREES)
def test_a_tree_tells_summaries_when_they_are_asked_for(lived: Memory, view: str) -> None:
    told = [branch.node.summary for branch in branches(getattr(lived, view)(summaries=True))]
    assert any(told)
    plain = branches(getattr(lived, view)())
    assert len(plain) == len(told)
    assert [branch.node.id for branch in plain] == [branch.node.id for branch in branches(getattr(lived, view)())]


@pytest.mark.parametrize("view", ["episodes", "events", "notes"])
def test_pages_of_a_view_follow_each_other(lived: Memory, view: str) -> None:
    every = getattr(lived, view)(limit=10_000)
    pages = [item for start in range(0, len(every), 5) for item in getattr(lived, view)(limit=5, offset=start)]
    assert tuple(pages) == every
    assert len(every) > 10
    assert getattr(lived, view)(limit=0) == getattr(lived, view)(offset=10_000) == ()


def test_a_view_of_a_session_is_of_that_session(lived: Memory) -> None:
    session = lived.sessions()[1].id
    turns = {turn.id for turn in lived.list(session=session)}
    assert {turn for episode in lived.episodes(session=session) for turn in episode.turns} == turns
    assert {event.sources[-1] for event in lived.events(session=session)} <= turns
    assert lived.events(session="none such") == ()


def test_a_persona_is_of_who_spoke(lived: Memory) -> None:
    speakers = {speaker for session in lived.sessions() for speaker in session.speakers}
    personas = lived.personas()
    assert speakers == {"Assistant", "Nadia", "Tomas"}
    assert "Nadia" in {persona.speaker for persona in personas} <= speakers
    assert all(persona.text for persona in personas)
    for persona in personas:
        assert lived.persona(persona.speaker) == persona
    with pytest.raises(UnknownId, match="nobody"):
        lived.persona("nobody of this name")


def test_the_graph_of_an_unknown_entity_is_told(lived: Memory) -> None:
    assert len(lived.graph(limit=3).entities) == 3
    with pytest.raises(UnknownId, match="Rumpelstiltskin"):
        lived.graph("Rumpelstiltskin")


def test_a_view_shows_what_was_just_written_and_no_more_what_was_deleted(memory: Memory) -> None:
    memory.add(chatter(20))
    kept = memory.add("I adopted a greyhound named Biscuit in May.", speaker="Maria", at="2025-06-01T10:00Z")
    assert kept.id is not None
    assert any(event.sources[-1] == kept.id for event in memory.events(limit=100))
    assert kept.id in {leaf for branch in branches(memory.timeline()) for leaf in branch.leaves}
    assert sum(memory.tiers().counts.values()) == 21
    memory.delete(kept.id)
    assert not any(event.sources[-1] == kept.id for event in memory.events(limit=100))
    assert kept.id not in {leaf for branch in branches(memory.timeline()) for leaf in branch.leaves}
    assert sum(memory.tiers().counts.values()) == 20


@pytest.mark.parametrize("recipe", ["fusion", "flat"])
def test_every_view_of_an_empty_memory_is_empty(path: Path, recipe: str) -> None:
    with Memory(path, recipe=recipe) as memory:
        for view in TREES:
            assert getattr(memory, view)(summaries=True).children == ()
        for view in LISTS:
            assert getattr(memory, view)() == ()
        assert memory.graph().entities == memory.graph().relations == ()
        assert sum(memory.tiers().counts.values()) == 0


def test_a_memory_that_forms_nothing_shows_no_trees_and_no_notes(path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add(example(30))
        for view in TREES:
            assert getattr(memory, view)().children == ()
        assert memory.events() == memory.notes() == memory.personas() == ()
        assert memory.graph().entities == ()
        assert sum(memory.tiers().counts.values()) == 0
