"""`hmem stats`, `verify`, `rebuild` and `reembed`."""

import sqlite3
from pathlib import Path

from tests.support import chatter
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_stats_are_for_people_and_in_json_exact(run: Run, filled: Path) -> None:
    made = run("stats", "--memory", filled, "--json").json
    assert (made["turns"], made["sessions"], made["speakers"], made["embedder"]) == (3, 2, 2, "wordllama")
    assert made["first"] == "2023-08-11T08:00:00+00:00"
    shown = run("stats", "--memory", filled).out
    assert "3 in 2 sessions by 2 speakers" in shown
    assert "kB" in shown


def test_stats_tell_languages_and_what_was_not_read(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(
            [
                "I moved to Rome with my sister.",
                "Am 5. März heirate ich Jana in Hamburg!\n```python\nclass Kitchen:\n    city = 1\n```",
            ]
        )
    made = run("stats", "--memory", path, "--json").json
    assert (made["languages"], made["unread"]) == ({"en": 1, "de": 1}, {"code": 1})
    shown = run("stats", "--memory", path).out
    assert "en 1, de 1" in shown
    assert "code 1" in shown


def test_verify_says_what_agrees(run: Run, filled: Path) -> None:
    result = run("verify", "--memory", filled)
    assert (result.code, result.out) == (0, "ok: 3 turns, 3 vectors, 3 formed agree with the indices\n")
    assert run("verify", "--memory", filled, "--json").json["ok"] is True


def test_verify_fails_with_the_problems_when_there_are_any(run: Run, filled: Path) -> None:
    lose_a_vector(filled)
    result = run("verify", "--memory", filled)
    assert result.code == 1
    assert "run `hmem rebuild`" in result.out
    made = run("verify", "--memory", filled, "--json")
    assert (made.code, made.json["ok"]) == (1, False)


def test_rebuild_restores_what_verify_misses(run: Run, filled: Path) -> None:
    lose_a_vector(filled)
    result = run("rebuild", "--memory", filled)
    assert (result.code, result.out.partition(" made")[0]) == (0, "indices")
    assert run("verify", "--memory", filled).code == 0


def test_reembed_goes_over_to_another_embedder(run: Run, filled: Path) -> None:
    made = run("reembed", "--embedder", "wordllama:64", "--memory", filled, "--json").json
    assert (made["embedder"], made["vectors"]) == ("wordllama:64", 3)
    assert run("stats", "--memory", filled, "--json").json["embedder"] == "wordllama:64"
    assert run("verify", "--memory", filled).code == 0
    assert run("reembed", "--embedder", "wordllama:64", "--memory", filled).out.startswith("0 vectors made")


def lose_a_vector(path: Path) -> None:
    """Take one turn's vector away behind the memory's back."""
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM vector WHERE seq = (SELECT min(seq) FROM vector)")
    connection.commit()
    connection.close()


def test_consolidation_writes_what_is_told_and_a_second_one_has_nothing_to_do(run: Run, path: Path) -> None:
    with Memory(path) as memory:
        memory.add(chatter(60))
    first = run("consolidate", "--memory", path, "--json").json
    assert list(first) == ["turns", "summaries", "names", "profiles", "levels", "left", "forgotten", "seconds"]
    assert first["summaries"] > 0
    again = run("consolidate", "--memory", path, "--json").json
    assert {name: count for name, count in again.items() if name != "seconds"} == dict.fromkeys(list(again)[:-1], 0)


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
