"""`hmem conflicts`, `hmem resolve` and `hmem rule`."""

from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A memory of somebody who moved."""
    path = tmp_path / "moved.hmem"
    with Memory(path) as memory:
        memory.add("I live in Porto.", speaker="Maria", at="2024-01-05T10:00:00Z", session="january")
        memory.add("I moved to Lisbon this week.", speaker="Maria", at="2024-03-12T10:00:00Z", session="march")
    return path


def statuses(run: Run, memory: Path) -> list[str]:
    return [note["status"] for note in run("show", "notes", "--memory", memory, "--json").json]


def test_a_conflict_is_asked_for_shown_and_resolved(run: Run, moved: Path) -> None:
    assert run("conflicts", "--memory", moved).out == "nothing is contested\n"
    made = run("rule", "home", "ask", "--why", "two homes", "--memory", moved, "--json").json
    assert (made["verb"], made["target"], made["before"], made["after"]) == ("rule", "home", "newest", "ask")
    found = run("conflicts", "--memory", moved, "--json").json
    assert [(each["subject"], each["slot"], len(each["notes"])) for each in found] == [("Maria", "home", 2)]
    porto = found[0]["notes"][0]["id"]
    shown = run("conflicts", "--memory", moved).out
    assert porto in shown
    assert "hmem resolve NOTE keep" in shown
    assert run("resolve", porto, "keep", "--memory", moved).out.startswith(f"resolve {porto}: keep\n")
    assert statuses(run, moved) == ["current", "superseded"]
    change = run("history", porto, "--memory", moved, "--json").json[-1]
    run("undo", change["id"], "--memory", moved)
    assert statuses(run, moved) == ["contested", "contested"]


def test_the_rules_are_shown(run: Run, moved: Path) -> None:
    assert run("rule", "--memory", moved).out == "*: newest\n"
    run("rule", "Maria:home", "first", "--memory", moved)
    assert run("rule", "--memory", moved).out == "Maria:home: first\nall others: newest\n"
    assert run("rule", "Maria:home", "--memory", moved, "--json").json == {"Maria:home": "first"}
    assert run("rule", "pet", "--memory", moved, "--json").json == {"pet": "newest"}


def test_what_cannot_be_decided_is_one_line(run: Run, moved: Path) -> None:
    for words in (("rule", "home", "loudest"), ("resolve", "note_1", "keep")):
        refused = run(*words, "--memory", moved)
        assert refused.code
        assert len(refused.err.splitlines()) == 1
