"""`hmem stats`, `verify`, `rebuild` and `reembed`."""

import shutil
import sqlite3
from pathlib import Path

from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory


def test_stats_are_for_people_and_in_json_exact(run: Run, filled: Path) -> None:
    made = run("stats", "--memory", filled, "--json").json
    assert (made["turns"], made["sessions"], made["speakers"], made["embedder"]) == (3, 2, 2, "wordllama")
    assert made["first"] == "2023-08-11T08:00:00+00:00"
    shown = run("stats", "--memory", filled).out
    assert "3 in 2 sessions by 2 speakers" in shown
    assert "kB" in shown


def test_the_stats_of_an_empty_memory_have_no_times(run: Run, path: Path) -> None:
    Memory(path).close()
    assert run("stats", "--memory", path, "--json").json["first"] is None
    assert "0 in 0 sessions" in run("stats", "--memory", path).out


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


def test_rebuild_makes_indices_that_were_taken_away(run: Run, filled: Path) -> None:
    shutil.rmtree(f"{filled}-index", ignore_errors=True)
    assert run("rebuild", "--memory", filled, "--json").json["turns"] == 3
    assert Path(f"{filled}-index").is_dir()


def test_reembed_goes_over_to_another_embedder(run: Run, filled: Path) -> None:
    made = run("reembed", "--embedder", "wordllama:64", "--memory", filled, "--json").json
    assert (made["embedder"], made["vectors"]) == ("wordllama:64", 3)
    assert run("stats", "--memory", filled, "--json").json["embedder"] == "wordllama:64"
    assert run("verify", "--memory", filled).code == 0
    assert run("reembed", "--embedder", "wordllama:64", "--memory", filled).out.startswith("0 vectors made")


def test_reembed_refuses_an_unknown_embedder(run: Run, filled: Path) -> None:
    result = run("reembed", "--embedder", "nothing", "--memory", filled, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "UnknownName")


def lose_a_vector(path: Path) -> None:
    """Take one turn's vector away behind the memory's back."""
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM vector WHERE seq = (SELECT min(seq) FROM vector)")
    connection.commit()
    connection.close()
