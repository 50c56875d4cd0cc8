"""`hmem correct`, `hmem retract`, `hmem undo` and `hmem history`."""

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
    result = run("retract", coco, "--by", "Maria", "--memory", filled)
    assert result.out.startswith(f"retract {coco}\n")
    assert texts(run, filled) != before
    assert texts(run, filled, "--as-of", "2024-01-01") == before
    shown = run("history", "--memory", filled)
    assert "retract" in shown.out
    assert coco in shown.out
    assert run("history", "--memory", filled, "--json").json[0]["id"] in shown.out
    assert "Maria" in shown.out


def test_feedback_is_told_and_taken_back(run: Run, filled: Path, coco: str) -> None:
    made = run("feedback", coco, "reject", "--why", "old", "--memory", filled, "--json").json
    assert [(each["verb"], each["target"], each["after"], each["why"]) for each in made] == [
        ("feedback", coco, "reject", "old")
    ]
    assert "hmem undo change_" in run("feedback", coco, "1.5", "--memory", filled).out
    assert "2.0" not in run("history", "--memory", filled).out
    refused = run("feedback", coco, "meh", "--memory", filled, "--json")
    assert (refused.code, refused.json["error"]["name"]) == (2, "InvalidQuery")


def test_a_persona_is_edited_and_shows_its_versions(run: Run, filled: Path) -> None:
    speaker = run("show", "persona", "--memory", filled, "--json").json[0]["speaker"]
    edit = ("edit-persona", speaker, "--memory", filled)
    made = run(*edit, "--text", "Likes maps.", "--trait", "patient", "--by", "Ana", "--json").json
    assert (made["verb"], made["target"], made["after"]) == ("persona", speaker, "Likes maps.\ntraits: patient")
    versions = run("show", "persona", "--speaker", speaker, "--history", "--memory", filled, "--json").json
    assert (versions[-1]["text"], versions[-1]["traits"], versions[-1]["by"]) == ("Likes maps.", ["patient"], "Ana")
    shown = run("show", "persona", "--history", "--memory", filled).out
    assert "by Ana" in shown
    assert "Likes maps." in shown
    assert "hmem undo change_" in run(*edit, "--text", "Likes charts.").out
    assert run(*edit).code == 2


@pytest.mark.parametrize("command", ["search", "context", "ask"])
def test_a_recall_sees_nothing_of_later_times(run: Run, filled: Path, command: str) -> None:
    result = run(command, "puppy", "--as-of", "2001-01-01", "--valid-at", "2001-01-01", "--memory", filled, "--json")
    assert result.code == 0
    assert result.json["evidence"] == []


def test_an_unchanged_memory_has_no_history(run: Run, filled: Path) -> None:
    assert run("history", "--memory", filled).out == "nothing was changed\n"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (("retract", "turn_unknown"), "InvalidQuery"),
        (("retract", "turn_01H7J0KR800000000000000020"), "UnknownId"),
        (("undo", "change_unknown"), "UnknownId"),
        (("search", "puppy", "--as-of", "no time"), "InvalidTime"),
    ],
)
def test_what_cannot_be_done_is_one_line(run: Run, filled: Path, call: tuple[str, ...], name: str) -> None:
    result = run(*call, "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, name)
