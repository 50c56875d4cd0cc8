"""A memory that the rules of an earlier version formed opens, recalls, goes on, and is formed anew on request."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.formation import formed
from tests.models import MODEL, Derived, open_with
from tests.unit.interfaces.cli.conftest import Run, run

from hmem import Memory
from hmem.language.analyst import analyst

__all__ = ["run"]

# Made by `old_memory.py`.
OLD = Path(__file__).with_name("memory-ecb443f.sql")
TURNS, EVENTS = 41, 42
BEFORE, PRESENT = "rules/2", analyst("rules").made_by
REMARK = f"{BEFORE} formed {TURNS} of the turns - `hmem rebuild` forms them anew by {PRESENT}"
# What people decided about the memory, oldest first; the first is a note that was revised.
DECISIONS = ["revise", "feedback", "correct", "retract", "persona"]

AUTUMN = [
    {"speaker": "Ines", "text": "I moved to Sintra in July."},
    {"speaker": "Paul", "text": "I adopted a second puppy named Biscuit in August."},
    {"speaker": "Ines", "text": "I sold my boat to a doctor from Setubal."},
]


@pytest.fixture
def old(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLD.read_text("utf-8"))
    return path


@pytest.fixture
def opened(old: Path) -> Iterator[Memory]:
    with Memory(old) as memory:
        yield memory


def add_autumn(memory: Memory) -> None:
    memory.add(AUTUMN, session="autumn", at="2025-09-01T10:00:00+02:00")


def test_it_opens_as_it_was_formed(opened: Memory) -> None:
    assert (opened.stats().turns, opened.stats().events, opened.stats().unformed) == (TURNS, EVENTS + 1, 0)
    events, notes = opened.events(), opened.notes()
    # One event was retracted.
    assert len(events) == EVENTS
    assert {each.made_by for each in (*events, *notes)} == {BEFORE}
    assert "Clara lives in Porto." in {event.text for event in events}
    jobs = {note.value: note.status for note in notes if note.slot == "job"}
    assert jobs == {"nurse": "superseded", "midwife": "current", "pastry chef": "current"}
    assert "shoe" not in str(events)
    assert [change.verb for change in opened.history()] == DECISIONS
    ines = opened.persona("Ines")
    assert ines is not None
    assert ines.traits == ("likes short answers",)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What is the name of Paul's puppy?", "I adopted a puppy named Waffle yesterday."),
        ("When is the wedding?", "The wedding is on 6 September in Sintra."),
        ("a brown puppy asleep in a bread basket", "I adopted a puppy named Waffle yesterday."),
        ("What is Figo allergic to?", "Yes, Figo came with me. He is allergic to fish, can you believe it?"),
    ],
)
def test_its_turns_are_recalled(opened: Memory, question: str, told: str) -> None:
    assert told in [item.text for item in opened.search(question, k=3)]


def test_new_turns_are_formed_beside_the_old_ones(old: Path) -> None:
    with Memory(old) as memory:
        before = {event.id: event for event in memory.events()}
        add_autumn(memory)
        after = {event.id: event for event in memory.events()}
        assert {key: after[key] for key in before} == before
        fresh = [event for key, event in after.items() if key not in before]
        assert {event.made_by for event in fresh} == {PRESENT}
        assert any("Biscuit" in event.text for event in fresh)
        homes = [note for note in memory.notes() if (note.subject, note.slot) == ("Ines", "home")]
        assert {(note.value, note.status, note.made_by) for note in homes} == {
            ("Lisbon", "superseded", BEFORE), ("Alfama", "superseded", BEFORE), ("Sintra", "current", PRESENT),
        }  # fmt: skip
        assert memory.stats().formed_by == {BEFORE: TURNS, PRESENT: len(AUTUMN)}
        assert memory.search("Who bought the boat?", k=1)[0].text == AUTUMN[2]["text"]
        kept = formed(memory)
    with Memory(old) as memory:
        memory.consolidate()
        assert formed(memory)["judgements"] == kept["judgements"]
        assert {event.id for event in memory.events()} == after.keys()
        assert memory.verify().problems == ()


def test_a_change_of_what_was_formed_before_counts(opened: Memory) -> None:
    note = next(note for note in opened.notes() if note.slot == "partner")
    opened.retract(note.id)
    assert note.id not in {each.id for each in opened.notes()}
    shoe = next(change for change in opened.history() if change.verb == "retract" and "shoe" in (change.before or ""))
    opened.undo(shoe.id)
    assert "shoe" in str(opened.events())


def test_forgetting_leaves_nothing_of_it(opened: Memory) -> None:
    add_autumn(opened)
    opened.timeline(summaries=True)
    gone = opened.forget(speaker="Paul")
    assert {"waffle", "biscuit", "bakery", "shoe", "pastry"} <= set(gone.words)
    verified = opened.verify(gone.words)
    assert verified.problems == ()
    assert verified.checked["words"] == len(gone.words)
    assert {turn.speaker for turn in opened.list(limit=TURNS)} == {"Ines"}
    assert "Waffle" not in str((opened.events(), opened.notes(), opened.graph(), opened.history(), opened.personas()))
    assert sum(opened.stats().formed_by.values()) == opened.stats().turns


def test_stats_and_verify_name_the_version_that_formed_it(opened: Memory) -> None:
    assert opened.stats().formed_by == {BEFORE: TURNS}
    verified = opened.verify()
    assert (verified.ok, verified.problems, verified.remarks) == (True, (), (REMARK,))
    assert verified.checked["formed"] == TURNS


def test_a_memory_of_the_present_version_is_not_remarked_on(memory: Memory) -> None:
    add_autumn(memory)
    assert memory.stats().formed_by == {PRESENT: len(AUTUMN)}
    assert memory.verify().remarks == ()


def test_what_a_model_read_is_not_remarked_on(path: Path) -> None:
    with open_with(path, Derived()) as memory:
        add_autumn(memory)
        memory.work()
        assert memory.stats().formed_by == {MODEL: len(AUTUMN)}
    with Memory(path, analyst="rules") as memory:
        assert memory.verify().remarks == ()


def test_the_commands_name_the_version(old: Path, run: Run) -> None:
    assert f"{BEFORE} {TURNS}" in run("stats", "--memory", old).out
    shown = run("verify", "--memory", old)
    assert (shown.code, shown.out.splitlines()[-1]) == (0, REMARK)
    checks = {check["name"]: check for check in run("doctor", "--memory", old, "--json").json["checks"]}
    assert (checks["verify"]["found"], checks["verify"]["ok"]) == (REMARK, True)


def test_a_rebuild_forms_it_anew(old: Path, run: Run) -> None:
    assert run("rebuild", "--memory", old).code == 0
    with Memory(old) as memory:
        assert memory.stats().formed_by == {PRESENT: TURNS}
        verified = memory.verify()
        assert (verified.problems, [each for each in verified.remarks if BEFORE in each]) == ((), [])
        assert {each.made_by for each in (*memory.events(), *memory.notes())} == {PRESENT}
        assert len(memory.list(limit=TURNS + 1)) == TURNS
        assert memory.search("When is the wedding?", k=1)[0].text == "The wedding is on 6 September in Sintra."


def test_verify_names_the_decisions_whose_targets_read_otherwise_after_a_rebuild(opened: Memory) -> None:
    decided = [change for change in opened.history() if change.verb in ("correct", "retract")]
    opened.rebuild()
    assert [each.partition(" ")[0] for each in opened.verify().remarks] == [change.id for change in decided]
    for change in decided:
        opened.undo(change.id)
    event = next(event for event in opened.events() if "shoe" in event.text)
    opened.retract(event.id)
    assert "shoe" not in str(opened.events())
    opened.rebuild()
    assert "shoe" not in str(opened.events())
    assert opened.verify().remarks == ()
