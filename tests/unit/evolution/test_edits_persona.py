"""A persona that people edit."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formation import derived, example

from hmem import Memory
from hmem.errors import InvalidQuery, UnknownId
from hmem.model.scope import COMMON, scoped

TEXT = "Maria is a cartographer."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.hmem"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory(path) as opened:
        opened.add("I adopted a puppy named Coco.", speaker="Maria", at="2023-08-11T10:00Z", session="s1")
        opened.add("I live in Lisbon.", speaker="Maria", at="2023-08-12T10:00Z", session="s2")
        opened.add("Nice.", speaker="Tom", at="2023-08-13T10:00Z", session="s3")
        yield opened


def said(memory: Memory) -> str:
    persona = memory.persona("Maria")
    assert persona is not None
    return persona.text


def later(memory: Memory, text: str, day: int) -> None:
    memory.add(text, speaker="Maria", at=f"2023-09-{day:02}T10:00Z", session=f"late-{day}")
    memory.add("Nice.", speaker="Tom", at=f"2023-09-{day:02}T11:00Z", session=f"next-{day}")


def test_an_edited_persona_stands_and_what_is_learned_later_comes_behind(memory: Memory) -> None:
    before = memory.persona("Maria")
    change = memory.edit.persona("Maria", text=TEXT, traits=["patient"], why="she said so", by="Ana")
    assert (change.verb, change.target, change.by, change.why) == ("persona", "Maria", "Ana", "she said so")
    edited = memory.persona("Maria")
    assert edited is not None
    assert before is not None
    assert (edited.text, edited.traits) == (TEXT, ("patient",))
    assert edited.version > before.version
    assert not np.allclose(edited.vector, before.vector)
    later(memory, "My daughter's name is Ana.", 1)
    grown = memory.persona("Maria")
    assert grown is not None
    assert grown.text.startswith(TEXT)
    assert "Ana" in grown.text
    assert grown.traits[0] == "patient"
    assert "Lisbon" not in grown.text


def test_an_edit_is_kept_through_a_rebuild_and_seen_by_another_process(path: Path, memory: Memory) -> None:
    with Memory(path) as other:
        assert TEXT not in said(other)
        memory.edit.persona("Maria", text=TEXT)
        assert said(other) == TEXT
        memory.rebuild()
        assert said(memory) == said(other) == TEXT


def test_undo_restores_the_persona_and_an_undo_of_it_the_edit(memory: Memory) -> None:
    before = memory.persona("Maria")
    change = memory.edit.persona("Maria", text=TEXT)
    undone = memory.undo(change.id)
    restored = memory.persona("Maria")
    assert before is not None
    assert restored is not None
    assert (restored.text, restored.traits) == (before.text, before.traits)
    assert restored.version > before.version
    memory.undo(undone.id)
    assert said(memory) == TEXT


def test_the_last_of_several_edits_stands_and_traits_alone_leave_the_text(memory: Memory) -> None:
    memory.edit.persona("Maria", text=TEXT)
    memory.edit.persona("Maria", traits=["patient", "curious", "patient"])
    persona = memory.persona("Maria")
    assert persona is not None
    assert (persona.text, persona.traits) == (TEXT, ("patient", "curious"))


def test_what_was_known_before_the_edit_is_not_in_a_view_of_then(memory: Memory) -> None:
    before = said(memory)
    memory.edit.persona("Maria", text=TEXT)
    then = memory.as_of("2023-08-20")
    assert then.persona("Maria").text == before  # type: ignore[union-attr]
    assert TEXT not in [version.text for version in then.persona_history("Maria")]


def test_a_persona_that_nobody_told_anything_of_can_be_written(memory: Memory) -> None:
    assert memory.persona("Tom") is None
    memory.edit.persona("Tom", text="Tom listens.")
    assert memory.persona("Tom").text == "Tom listens."  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"speaker": "Nobody", "text": TEXT}, UnknownId),
        ({"text": "  "}, InvalidQuery),
        ({"text": "long " * 500}, InvalidQuery),
        ({"text": 5}, InvalidQuery),
        ({"traits": ["a; b"]}, InvalidQuery),
        ({"traits": [""]}, InvalidQuery),
        ({"traits": "patient"}, InvalidQuery),
        ({}, InvalidQuery),
    ],
)
def test_what_is_no_persona_is_refused_and_nothing_is_kept(
    memory: Memory, change: dict[str, Any], error: type[Exception]
) -> None:
    before, changes = said(memory), memory.history()
    with pytest.raises(error):
        memory.edit.persona(**{"speaker": "Maria", **change})
    assert (said(memory), memory.history()) == (before, changes)


# Versions.


def test_every_version_is_told_with_its_time_and_the_notes_that_came(memory: Memory) -> None:
    later(memory, "My daughter's name is Ana.", 1)
    memory.edit.persona("Maria", text=TEXT, by="Ana", why="she said so")
    later(memory, "I am allergic to peanuts.", 2)
    history = memory.persona_history("Maria")
    texts = [version.text for version in history]
    assert [("Coco" in text, "Lisbon" in text, "Ana" in text, "peanuts" in text) for text in texts] == [
        (True, False, False, False),
        (True, True, False, False),
        (True, True, True, False),
        (False, False, False, False),
        (False, False, False, True),
    ]
    assert [version.by.partition("/")[0] for version in history] == [
        "verbatim",
        "verbatim",
        "verbatim",
        "Ana",
        "verbatim",
    ]
    assert history[3].why == "she said so"
    assert [f"{version.at:%m-%d}" for version in history[:3]] == ["08-11", "08-12", "09-01"]
    notes = {note.id: note.text for note in memory.notes()}
    assert [[notes[note] for note in version.notes] for version in history][1] == ["I live in Lisbon."]
    assert history[3].notes == ()
    assert texts[-1] == said(memory)
    assert all(version.change for version in history)


def test_forming_again_tells_nothing_twice_and_an_undone_version_says_so(memory: Memory) -> None:
    change = memory.edit.persona("Maria", text=TEXT)
    before = memory.persona_history("Maria")
    memory.rebuild()
    memory.consolidate()
    assert memory.persona_history("Maria") == before
    memory.undo(change.id)
    after = memory.persona_history("Maria")
    assert [version.text for version in after if version.undone] == [TEXT]
    assert [version.text for version in after if not version.undone][-1] == said(memory)


def test_the_newest_versions_are_as_they_are_among_all(memory: Memory) -> None:
    memory.edit.persona("Maria", text=TEXT)
    versions = memory.persona_history("Maria")
    assert [version.number for version in versions] == list(range(1, len(versions) + 1))
    for limit in (0, 1, 2, len(versions), 1_000):
        assert memory.persona_history("Maria", limit=limit) == versions[max(len(versions) - limit, 0) :]


def test_what_is_deleted_is_in_no_version(memory: Memory) -> None:
    later(memory, "My daughter's name is Ana.", 1)
    turn = next(turn for turn in memory.list() if "Lisbon" in turn.text)
    memory.edit.persona("Maria", traits=["patient"], text=TEXT)
    memory.delete(turn.id)
    versions = memory.persona_history("Maria")
    assert not any("Lisbon" in version.text for version in versions)
    assert [version.text for version in versions] == [TEXT]
    assert not any("Lisbon" in f"{change.before}{change.after}" for change in memory.history())


def test_nobody_has_no_versions_and_who_said_nothing_none(memory: Memory) -> None:
    assert memory.persona_history("Tom") == ()
    with pytest.raises(UnknownId):
        memory.persona_history("Nobody")


def test_the_tiers_go_by_the_edited_persona(memory: Memory) -> None:
    memory.add(example(60))
    before = {record.id: record.similarity for record in memory.tiers().cache}
    speaker = memory.personas()[-1].speaker
    memory.edit.persona(speaker, text="Counts copper kettles in a lighthouse.")
    after = {record.id: record for record in memory.tiers().cache}
    changed = {record.speaker for name, record in after.items() if record.similarity != before.get(name)}
    assert changed == {speaker}
    person = derived(memory).names.find(scoped(COMMON, speaker))
    assert person is not None
    kept = derived(memory).personas.get(person)
    assert kept is not None
    assert kept.text == "Counts copper kettles in a lighthouse."
