"""`hmem consolidate`."""

from pathlib import Path

from tests.support import chatter
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_consolidation_writes_what_is_told_and_a_second_one_has_nothing_to_do(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(60))
    first = run("consolidate", "--memory", path, "--json").json
    assert list(first) == ["turns", "summaries", "names", "profiles", "levels", "left", "forgotten", "seconds"]
    assert first["summaries"] > 0
    again = run("consolidate", "--memory", path, "--json").json
    assert {name: count for name, count in again.items() if name != "seconds"} == dict.fromkeys(list(again)[:-1], 0)


def test_a_timeline_has_summaries_after_consolidation(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(60))
    before = run("show", "timeline", "--memory", path, "--json").json
    run("consolidate", "--memory", path)
    after = run("show", "timeline", "--memory", path, "--json").json
    assert (before["children"][0]["summary"], bool(after["children"][0]["summary"])) == ("", True)


def test_consolidation_says_what_it_wrote(run: Run, path: Path) -> None:
    Memory(path).close()
    result = run("consolidate", "--memory", path)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("0 summaries, 0 names, 0 profiles written in ")


def test_a_budget_of_texts_leaves_the_rest_for_the_next_run(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(60))
    some = run("consolidate", "--memory", path, "--texts", 3, "--json").json
    assert some["summaries"] == 3
    assert some["left"] > 0
    none = run("consolidate", "--memory", path, "--budget", "0s")
    assert f"; {some['left']:,} left - run it again" in none.out
    rest = run("consolidate", "--memory", path, "--budget", "10 min", "--json").json
    assert rest["summaries"] + rest["names"] + rest["profiles"] == some["left"]
    assert rest["left"] == 0


def test_a_duration_that_is_none_is_told(run: Run, path: Path) -> None:
    Memory(path).close()
    result = run("consolidate", "--memory", path, "--budget", "soon")
    assert result.code == 2
    assert "'soon' is no duration - write 10s, 500ms or 2m" in result.err


def test_a_memory_that_was_idle_has_grown_up(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add("I adopted a puppy named Coco", speaker="Maria", at="2023-08-11T10:00:00Z")
    result = run("consolidate", "--memory", path, "--at", "2024-08-11")
    assert result.out.startswith("2 levels filled, ")
    assert run("consolidate", "--memory", path, "--json").json["levels"] == 0
