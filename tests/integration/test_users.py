"""What is formed of one user's turns is what would be formed of them alone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.formation import example

from hmem import Memory
from hmem.errors import InvalidQuery, UnknownId
from hmem.model.note import Note

USERS = ("alice", "bob")
FACTS = (
    "I live in Porto.", "I live in Rome.", "I moved to Lisbon last week.", "I work as a nurse.", "I love hiking.",
    "I quit my job as a nurse.", "My dog Coco is ill.", "I'm allergic to nuts.", "I hate hiking.", "I have a dog, Max.",
    "My sister Anna lives in Rome.", "Where do you live?", "Yes, exactly.", "No, that's wrong.", "ok",
)  # fmt: skip
Say = tuple[str, str, str, str]

said = st.tuples(
    st.sampled_from(USERS), st.sampled_from(("user", "User", "Anna", "assistant")), st.sampled_from(FACTS),
    st.sampled_from(("one", "two")),
)  # fmt: skip


def messages(says: Sequence[Say]) -> list[dict[str, Any]]:
    return [
        {"user": user, "speaker": speaker, "text": text, "session": session, "at": 1_700_000_000 + 3_600 * i,
         "message_id": str(i)}
        for i, (user, speaker, text, session) in enumerate(says)
    ]  # fmt: skip


def turn_of(memory: Memory) -> dict[str, str]:
    return {turn.id: turn.message_id or "" for turn in memory.list(limit=1_000)}


def as_told(note: Note, turns: dict[str, str], texts: dict[str, str]) -> tuple[Any, ...]:
    """Return all of a note but its ids."""
    return (
        note.kind, note.subject, note.slot, note.value, note.text, note.positive, note.status, note.why,
        note.valid_from, note.valid_to, note.reinforcements, note.recorded,
        sorted(turns[each] for each in note.sources), sorted(texts.get(each, "") for each in note.predecessors),
        [(each.text, each.recorded, turns[each.source]) for each in note.earlier],
        texts.get(note.successor or ""),
    )  # fmt: skip


def seen(memory: Memory, user: str) -> dict[str, Any]:
    """Return what a memory tells of a user, without ids."""
    turns, notes = turn_of(memory), memory.notes(user=user, limit=1_000)
    # A search is a use, which tiers count.
    tiers = memory.tiers(user=user)
    texts = {note.id: note.text for note in notes}
    graph = memory.graph(user=user, limit=1_000)
    names = {entity.id: (entity.name, entity.type) for entity in graph.entities}
    found = memory.search("Where does Anna live?", 100, kinds=("note",), user=user, at="2024-06-01T10:00Z")
    return {
        "notes": [as_told(note, turns, texts) for note in notes],
        "personas": [(each.speaker, each.text, each.traits, each.version) for each in memory.personas(user=user)],
        "entities": sorted((entity.name, entity.type, entity.aliases) for entity in graph.entities),
        "relations": sorted(
            (names[each.source], names[each.target], each.label, [turns[seq] for seq in each.evidence], each.confidence)
            for each in graph.relations
        ),
        "profiles": sorted((names[each.entity], each.persistent, each.recent) for each in graph.profiles),
        "found": sorted((item.text, item.speaker) for item in found.evidence),
        "events": [(event.text, [turns[each] for each in event.sources]) for event in memory.events(user=user)],
        "episodes": [([turns[each] for each in run.turns], run.cut, run.summary) for run in memory.episodes(user=user)],
        "tiers": [[turns[record.id] for record in tier] for tier in (tiers.cache, tiers.buffer)],
    }


@contextmanager
def memory_of(says: Sequence[dict[str, Any]], *, one_by_one: bool = False) -> Iterator[Memory]:
    with Memory(":memory:", settings={"segment.max_turns": "6"}) as memory:
        for some in [[each] for each in says] if one_by_one else [says]:
            memory.add(some)
        yield memory


@settings(max_examples=12, deadline=None)
@given(st.lists(said, min_size=2, max_size=16), st.booleans())
def test_two_users_in_one_memory_have_what_they_have_in_two(says: list[Say], one_by_one: bool) -> None:
    told = messages(says)
    with memory_of(told, one_by_one=one_by_one) as shared:
        for user in USERS:
            with memory_of([each for each in told if each["user"] == user]) as own:
                assert seen(shared, user) == seen(own, user)


def test_two_long_talks_in_one_memory_are_formed_as_in_two() -> None:
    talk = example(120)
    told = [each | {"user": USERS[i % 3 > 0], "message_id": str(i)} for i, each in enumerate(talk)]
    with memory_of(told) as shared:
        for user in USERS:
            with memory_of([each for each in told if each["user"] == user]) as own:
                # Of many turns a search looks at the best, by the rarity of words in the whole memory.
                assert seen(shared, user) | {"found": []} == seen(own, user) | {"found": []}


@settings(max_examples=6, deadline=None)
@given(st.lists(said, min_size=2, max_size=12))
def test_forgetting_a_user_leaves_the_other_as_they_were(says: list[Say]) -> None:
    told = messages(says)
    with memory_of(told) as memory:
        before = seen(memory, "bob")
        gone = memory.forget(user="alice")
        assert gone.turns == sum(each["user"] == "alice" for each in told)
        assert seen(memory, "bob") == before
        assert memory.notes(user="alice") == () == memory.personas(user="alice")
        assert memory.verify().problems == ()


def test_no_user_retires_or_colours_what_another_said(memory: Memory) -> None:
    memory.add("I live in Porto.", speaker="user", user="alice")
    memory.add("I live in Rome.", speaker="user", user="bob")
    notes = {note.user: (note.text, note.status) for note in memory.notes()}
    assert notes == {
        "alice": ("I live in Porto.", "current"), "bob": ("I live in Rome.", "current")
    }  # fmt: skip
    for user, home, other in (("alice", "Porto", "Rome"), ("bob", "Rome", "Porto")):
        persona = memory.persona("User", user=user)
        assert persona is not None
        assert home in persona.text
        assert other not in persona.text
        assert home in memory.ask("Where do I live?", user=user).text
        trees = [memory.tree(name, summaries=True, user=user) for name in ("calendar", "topic", "layers", "evolution")]
        assert not any(other.lower() in str(tree).lower() for tree in trees)
    assert [note.text for note in memory.notes(subject="USER")] == [text for text, _ in notes.values()]


def test_whose_persona_is_meant_is_to_be_said_where_it_is_not_clear(memory: Memory) -> None:
    memory.add("I live in Porto.", speaker="user", user="alice")
    assert memory.persona("user") == memory.persona("user", user="alice") is not None
    memory.add("I live in Rome.", speaker="user", user="bob")
    with pytest.raises(InvalidQuery, match="several users"):
        memory.persona("user")
    memory.add("I live in Faro.", speaker="user")
    persona = memory.persona("user")
    assert persona is not None
    assert (persona.user, persona.text) == (None, "home: Faro")
    with pytest.raises(UnknownId):
        memory.persona("user", user="carol")
    with pytest.raises(InvalidQuery, match="a user is a name"):
        memory.notes(user=" ")


def test_an_edit_of_a_persona_is_its_users(memory: Memory) -> None:
    for user, home in (("alice", "Porto"), ("bob", "Rome")):
        memory.add(f"I live in {home}.", speaker="user", user=user)
    change = memory.edit.persona("User", text="Likes short answers.", user="alice")
    assert change.target == "alice/user"
    versions = {user: [each.text for each in memory.persona_history("user", user=user)] for user in USERS}
    assert versions["alice"][-1] == "Likes short answers."
    assert versions["bob"] == ["home: Rome"]
    memory.undo(change.id)
    assert memory.persona("user", user="alice").text == "home: Porto"  # type: ignore[union-attr]


def test_a_reply_of_another_user_is_none_to_a_recall(memory: Memory) -> None:
    with Memory(":memory:", settings={"strength.judged": "true"}) as judging:
        judging.add("I live in Porto.", speaker="user", user="alice", at="2024-01-01T10:00Z")
        judging.ask("Where do I live?", user="alice", at="2024-01-01T10:01Z")
        judging.add("No, that's wrong.", speaker="user", user="bob", at="2024-01-01T10:02Z")
        assert [change.verb for change in judging.history()] == []
        judging.add("No, that's wrong.", speaker="user", user="alice", at="2024-01-01T10:03Z")
        assert [change.verb for change in judging.history()] == ["feedback"]


def test_what_another_user_was_shown_is_no_echo(memory: Memory) -> None:
    memory.add("I live in Porto, near the river.", speaker="Anna", user="alice")
    memory.search("Where does Anna live?")
    memory.add("I live in Porto, near the river.", speaker="Ben", user="bob")
    assert [note.text for note in memory.notes(user="bob")] == ["I live in Porto, near the river."]


def test_a_speaker_is_meant_in_any_spelling(memory: Memory) -> None:
    for i, (name, home) in enumerate((("maria", "Porto"), ("Maria", "Rome"), (" MARIA ", "Faro"))):
        memory.add(f"I live in {home}.", speaker=name, session="s", at=1_700_000_000 + i)
    assert [turn.speaker for turn in memory.list(speaker="MARIA")] == ["maria", "Maria", " MARIA "]
    assert [turn.speaker for turn in memory.list(speaker="MARIA", session="s", limit=2)] == ["maria", "Maria"]
    assert memory.list(speaker="MARIA", session="t") == []
    assert len({note.subject for note in memory.notes()}) == 1
    assert sum(note.status == "current" for note in memory.notes(subject="mArIa", slot="home")) == 1
    assert len(memory.personas()) == 1
    assert len(memory.search("Where?", speaker="mARIA").evidence) == 3
    assert memory.forget(speaker="Maria").turns == 3
