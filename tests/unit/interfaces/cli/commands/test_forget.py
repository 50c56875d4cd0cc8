"""`hmem forget`, `hmem retain`, and the words that `hmem verify` looks for."""

import json
from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def held(path: Path) -> int:
    with Memory(path, create=False) as memory:
        return memory.stats().turns


def test_forget_erases_what_meets_the_conditions_when_told_not_to_ask(run: Run, filled: Path) -> None:
    result = run("forget", "--speaker", "Maria", "--session", "s1", "--yes", "--memory", filled)
    assert result.code == 0
    assert result.out.startswith("forgot 1 turn, ")
    assert "before," in result.out
    assert held(filled) == 2
    assert run("verify", "--forgotten", "Maria", "--forgotten", "Coco", "--memory", filled).code == 0


def test_forget_shows_what_would_go_and_asks_on_stderr(run: Run, filled: Path) -> None:
    result = run("forget", "--entity", "Coco", "--memory", filled, "--json", typed="y\n")
    assert result.json["turns"] >= 1
    assert "Maria: I adopted a puppy named Coco" in result.err
    assert "[y/N]" in result.err


@pytest.mark.parametrize("typed", ["n\n", ""])
def test_forget_leaves_everything_without_a_yes(run: Run, filled: Path, typed: str) -> None:
    result = run("forget", "--before", "2024-01-01", "--memory", filled, typed=typed)
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("nothing was forgotten\n")
    assert held(filled) == 3


def test_a_preview_forgets_nothing(run: Run, filled: Path) -> None:
    shown = run("forget", "--query", "puppy", "--preview", "--memory", filled, "--json").json
    assert (shown["preview"], shown["turns"], shown["samples"]) == (True, 1, ["Maria: I adopted a puppy named Coco"])
    assert run("forget", "--after", "2023-08-12", "--preview", "--memory", filled).out.startswith("would forget 1 turn")
    assert held(filled) == 3


def test_nothing_that_meets_the_conditions_is_no_error(run: Run, filled: Path) -> None:
    result = run("forget", "--speaker", "Nobody", "--memory", filled)
    assert (result.code, result.err) == (0, "nothing meets the conditions\n")
    assert result.out == "forgot 0 turns\n"


def test_what_cannot_be_meant_is_refused(run: Run, filled: Path) -> None:
    assert run("forget", "--yes", "--memory", filled, "--json").json["error"]["name"] == "InvalidQuery"
    result = run("forget", "--id", "turn_unknown", "--yes", "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "UnknownId")
    assert run("forget", "--speaker", "Ben", "--report", "/no/such/r.json", "--yes", "--memory", filled).code == 2
    assert held(filled) == 3


def test_a_report_is_what_verify_looks_for(run: Run, filled: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    run("forget", "--speaker", "Maria", "--yes", "--why", "asked", "--by", "me", "--report", report, "--memory", filled)
    assert {"coco", "puppy"} <= set(json.loads(report.read_text("utf-8"))["words"])
    told = run("verify", "--forgotten-report", report, "--memory", filled, "--json")
    assert (told.code, told.json["ok"]) == (0, True)
    with Memory(filled) as memory:
        memory.add("Coco is back", speaker="Ben")
    told = run("verify", "--forgotten-report", report, "--memory", filled)
    assert told.code == 1
    assert "'coco' stands in turn.text" in told.out


@pytest.mark.parametrize("content", ["[]", "{}", '{"words": 3}', "no JSON", '{"words": [1]}'])
def test_what_is_no_report_is_refused(run: Run, filled: Path, tmp_path: Path, content: str) -> None:
    report = tmp_path / "report.json"
    report.write_text(content, "utf-8")
    result = run("verify", "--forgotten-report", report, "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "InvalidFile")


def test_a_rule_is_set_shown_and_taken_back(run: Run, filled: Path) -> None:
    assert run("retain", "--memory", filled).out == "turns are kept for good\n"
    assert run("retain", "--days", 30, "--memory", filled).out == "turns are kept for 30 days\n"
    assert "turns are kept for 30 days" in run("stats", "--memory", filled).out
    assert run("retain", "--forever", "--memory", filled, "--json").json == {"retain_days": None}
    assert run("retain", "--days", 30, "--forever", "--memory", filled).code == 2
    assert run("retain", "--days", 30, "--memory", filled).code == 0
    assert run("consolidate", "--memory", filled).out.startswith("3 turns forgotten, ")
    assert held(filled) == 0


def test_a_turn_can_be_added_for_a_time(run: Run, filled: Path) -> None:
    run("add", "The code is 471199", "--ttl", "1h", "--at", "2023-01-01", "--memory", filled)
    assert run("stats", "--memory", filled, "--json").json["expiring"] == 1
    assert run("consolidate", "--memory", filled, "--json").json["forgotten"] == 1
    assert run("add", "Hello", "--ttl", "soon", "--memory", filled).code == 2
