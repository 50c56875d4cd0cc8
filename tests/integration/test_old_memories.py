"""A memory that the rules of an earlier version formed opens, recalls, goes on, and is formed anew on request."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.models import MODEL, Derived, open_with
from tests.unit.interfaces.cli.conftest import Run, run

from hmem import Memory
from hmem.language.analyst import analyst

__all__ = ["run"]

# Made by `old_memory.py`.
OLD = Path(__file__).with_name("memory-ecb443f.sql")
TURNS = 41
BEFORE, PRESENT = "rules/2", analyst("verbatim").made_by
REMARK = f"{BEFORE} formed {TURNS} of the turns - `hmem rebuild` forms them anew by {PRESENT}"

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


def test_forgetting_leaves_nothing_of_it(opened: Memory) -> None:
    add_autumn(opened)
    opened.tree("calendar", summaries=True)
    gone = opened.forget(speaker="Paul")
    assert {"waffle", "biscuit", "bakery", "shoe", "pastry"} <= set(gone.words)
    verified = opened.verify(gone.words)
    assert verified.problems == ()
    assert verified.checked["words"] == len(gone.words)
    assert {turn.speaker for turn in opened.list(limit=TURNS)} == {"Ines"}
    assert "Waffle" not in str((opened.events(), opened.notes(), opened.graph(), opened.history(), opened.personas()))


def test_a_memory_of_the_present_version_is_not_remarked_on(memory: Memory) -> None:
    add_autumn(memory)
    assert memory.stats().formed_by == {PRESENT: len(AUTUMN)}
    assert memory.verify().remarks == ()


def test_what_a_model_read_is_not_remarked_on(path: Path) -> None:
    with open_with(path, Derived()) as memory:
        add_autumn(memory)
        memory.model.run_jobs()
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
