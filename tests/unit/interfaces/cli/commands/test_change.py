"""`hmem correct`, `hmem edit retract`, `hmem undo` and `hmem history`."""

from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


@pytest.fixture
def coco(filled: Path) -> str:
    """The id of the turn about Coco."""
    with Memory(filled) as memory:
        return memory.search("Coco", 1)[0].id


def texts(run: Run, memory: Path, *options: str) -> list[str]:
    return [item["text"] for item in run("search", "puppy", *options, "--memory", memory, "--json").json["evidence"]]


def test_a_correction_is_made_told_and_taken_back(run: Run, filled: Path, coco: str) -> None:
    before = texts(run, filled)
    made = run("correct", coco, "I adopted a puppy named Kona", "--why", "a slip", "--memory", filled, "--json").json
    assert (made["verb"], made["target"], made["why"]) == ("correct", coco, "a slip")
    assert "I adopted a puppy named Kona" in texts(run, filled)
    assert not [text for text in texts(run, filled) if "Coco" in text]
    told = run("history", coco, "--memory", filled, "--json").json
    assert [each["id"] for each in told] == [made["id"]]
    result = run("undo", made["id"], "--memory", filled)
    assert (result.code, result.err) == (0, "")
    assert "hmem undo change_" in result.out
    assert texts(run, filled) == before
    assert run("history", "--memory", filled, "--json").json[0]["undone"]
    behind = run("history", "--since", made["id"], "--memory", filled, "--json").json
    assert [each["verb"] for each in behind] == ["undo"]
    assert run("history", "--since", "2999-01-01", "--memory", filled, "--json").json == []
    assert run("history", "--since", "lately", "--memory", filled, "--json").json["error"]["name"] == "InvalidTime"


def test_what_is_retracted_is_found_only_as_of_before(run: Run, filled: Path, coco: str) -> None:
    before = texts(run, filled)
    result = run("edit", "retract", coco, "--by", "Maria", "--memory", filled)
    assert result.out.startswith(f"retract {coco}\n")
    assert texts(run, filled) != before
    assert texts(run, filled, "--as-of", "2024-01-01") == before
    shown = run("history", "--memory", filled)
    assert "retract" in shown.out
    assert coco in shown.out
    assert run("history", "--memory", filled, "--json").json[0]["id"] in shown.out
    assert "Maria" in shown.out


def test_feedback_is_told_and_taken_back(run: Run, filled: Path, coco: str) -> None:
    made = run("edit", "feedback", coco, "reject", "--why", "old", "--memory", filled, "--json").json
    assert [(each["verb"], each["target"], each["after"], each["why"]) for each in made] == [
        ("feedback", coco, "reject", "old")
    ]
    assert "hmem undo change_" in run("edit", "feedback", coco, "1.5", "--memory", filled).out
    assert "2.0" not in run("history", "--memory", filled).out
    refused = run("edit", "feedback", coco, "meh", "--memory", filled, "--json")
    assert (refused.code, refused.json["error"]["name"]) == (2, "InvalidQuery")


def test_a_persona_is_edited_and_shows_its_versions(run: Run, filled: Path) -> None:
    speaker = run("show", "persona", "--memory", filled, "--json").json[0]["speaker"]
    edit = ("edit", "persona", speaker, "--memory", filled)
    made = run(*edit, "--text", "Likes maps.", "--trait", "patient", "--by", "Ana", "--json").json
    assert (made["verb"], made["target"], made["after"]) == ("persona", speaker, "Likes maps.\ntraits: patient")
    versions = run("show", "persona", "--speaker", speaker, "--history", "--memory", filled, "--json").json
    assert (versions[-1]["text"], versions[-1]["traits"], versions[-1]["by"]) == ("Likes maps.", ["patient"], "Ana")
    shown = run("show", "persona", "--history", "--memory", filled).out
    assert "by Ana" in shown
    assert "Likes maps." in shown
    assert "hmem undo change_" in run(*edit, "--text", "Likes charts.").out
    assert run(*edit).code == 2


def test_what_is_pinned_is_told_carried_and_taken_back(run: Run, filled: Path, coco: str) -> None:
    assert run("edit", "pins", "--memory", filled).out == "nothing is pinned\n"
    made = run("edit", "pin", coco, "--why", "a rule", "--memory", filled, "--json").json
    assert (made["verb"], made["target"], made["why"]) == ("pin", coco, "a rule")
    assert run("edit", "pins", "--memory", filled, "--json").json == [made]
    assert "Pinned:" in run("context", "What is for dinner?", "--memory", filled).out
    assert run("edit", "unpin", coco, "--memory", filled).out.startswith(
        f"undo {coco}\nto take it back: hmem undo change_"
    )
    assert run("edit", "unpin", coco, "--memory", filled).code == 2


def test_entities_are_merged_from_the_command_line(run: Run, filled: Path) -> None:
    one, other = (each["name"] for each in run("show", "graph", "--memory", filled, "--json").json["entities"][:2])
    made = run("edit", "merge-entities", one, other, "--memory", filled, "--json").json
    assert (made["verb"], made["target"], made["after"]) == ("merge", one, one)
    assert run("edit", "merge-entities", one, other, "--memory", filled).code == 2
    split = run("edit", "split-entity", one, other, "--memory", filled).out
    assert split.startswith(f"split {one}\nto take it back: hmem undo change_")


def test_an_unchanged_memory_has_no_history(run: Run, filled: Path) -> None:
    assert run("history", "--memory", filled).out == "nothing was changed\n"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (("edit", "retract", "turn_unknown"), "InvalidQuery"),
        (("edit", "retract", "turn_01H7J0KR800000000000000020"), "UnknownId"),
        (("undo", "change_unknown"), "UnknownId"),
        (("search", "puppy", "--as-of", "no time"), "InvalidTime"),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Run, filled: Path, call: tuple[str, ...], name: str) -> None:
    result = run(*call, "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, name)


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A memory of somebody who moved."""
    path = tmp_path / "moved.hmem"
    with Memory(path) as memory:
        memory.add("I live in Porto.", speaker="Maria", at="2024-01-05T10:00:00Z", session="january")
        memory.add("I live in Lisbon now.", speaker="Maria", at="2024-03-12T10:00:00Z", session="march")
    return path


def statuses(run: Run, memory: Path) -> list[str]:
    """Statuses of the notes of where somebody lives."""
    notes = run("notes", "--memory", memory, "--json").json
    return [note["status"] for note in notes if note["slot"] == "home"]


def test_a_conflict_is_asked_for_shown_and_resolved(run: Run, moved: Path) -> None:
    assert run("edit", "conflicts", "--memory", moved).out == "nothing is contested\n"
    made = run("edit", "rule", "home", "ask", "--why", "two homes", "--memory", moved, "--json").json
    assert (made["verb"], made["target"], made["before"], made["after"]) == ("rule", "home", "newest", "ask")
    found = run("edit", "conflicts", "--memory", moved, "--json").json
    assert [(each["subject"], each["slot"], len(each["notes"])) for each in found] == [("Maria", "home", 2)]
    porto = found[0]["notes"][0]["id"]
    shown = run("edit", "conflicts", "--memory", moved).out
    assert porto in shown
    assert "hmem edit resolve NOTE keep" in shown
    assert run("edit", "resolve", porto, "keep", "--memory", moved).out.startswith(f"resolve {porto}: keep\n")
    assert statuses(run, moved) == ["current", "superseded"]
    change = run("history", porto, "--memory", moved, "--json").json[-1]
    run("undo", change["id"], "--memory", moved)
    assert statuses(run, moved) == ["contested", "contested"]


def test_the_rules_are_shown(run: Run, moved: Path) -> None:
    assert run("edit", "rule", "--memory", moved).out == "*: newest\n"
    run("edit", "rule", "Maria:home", "first", "--memory", moved)
    assert run("edit", "rule", "--memory", moved).out == "Maria:home: first\nall others: newest\n"
    assert run("edit", "rule", "Maria:home", "--memory", moved, "--json").json == {"Maria:home": "first"}
    assert run("edit", "rule", "pet", "--memory", moved, "--json").json == {"pet": "newest"}


def test_what_cannot_be_decided_is_one_line(run: Run, moved: Path) -> None:
    for words in (("edit", "rule", "home", "loudest"), ("edit", "resolve", "note_1", "keep")):
        refused = run(*words, "--memory", moved)
        assert refused.code
        assert len(refused.err.splitlines()) == 1


def test_an_outcome_is_found_for_the_next_task_like_it(run: Run, tmp_path: Path) -> None:
    place = tmp_path / "new.hmem"
    outcome = ("outcome", "Fix the flaky upload test", "--step", "waited", "--step", "polled", "--lesson", "Poll.")
    assert run(*outcome, "--memory", place).code == 2
    kept = run(*outcome, "--worked", "--memory", place, "--json").json
    shown = run("cases", "The download test is flaky", "--memory", place)
    text = "Task: Fix the flaky upload test\n1. waited\n2. polled\nWorked: yes\nLesson: Poll."
    assert shown.out == f"{kept['id']}\n{text}\n"
    assert run("cases", "The download test is flaky", "--memory", place, "--json").json[0]["worked"] is True
    assert run("cases", "What is the capital of Peru?", "--memory", place).out == "nothing is like it\n"
