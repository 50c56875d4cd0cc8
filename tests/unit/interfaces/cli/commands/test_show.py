"""`hmem show timeline`."""

from pathlib import Path

from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_the_timeline_shows_days_and_their_sessions(run: Run, filled: Path) -> None:
    lines = run("show", "timeline", "--memory", filled).out.splitlines()
    assert "Fri 11 Aug 2023" in lines[1]
    assert "10:00 s1: Maria, Ben, 2 turns  I adopted a puppy named Coco" in lines[2]
    assert "Mon 14 Aug 2023" in lines[3]
    assert "09:00 s2: Ben, 1 turn  We painted the fence green" in lines[4]


def test_the_json_of_the_timeline_is_a_list_of_sessions(run: Run, filled: Path) -> None:
    made = run("show", "timeline", "--memory", filled, "--json").json
    assert [session["id"] for session in made] == ["s1", "s2"]
    assert set(made[0]) == {"id", "start", "end", "turns", "speakers", "opening"}
    assert made[0]["start"] == "2023-08-11T10:00:00+02:00"


def test_the_timeline_comes_in_pages(run: Run, filled: Path) -> None:
    made = run("show", "timeline", "--memory", filled, "--json", "--limit", 1, "--offset", 1).json
    assert [session["id"] for session in made] == ["s2"]


def test_an_empty_memory_has_no_sessions(run: Run, path: Path) -> None:
    Memory(path).close()
    assert run("show", "timeline", "--memory", path).out == "no sessions\n"
    assert run("show", "timeline", "--memory", path, "--json").json == []
