"""`hmem bench`."""

import json
from pathlib import Path

import pytest
from tests.benchmark_files import LOCOMO
from tests.unit.interfaces.cli.conftest import Run


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    """A LoCoMo file of two turns."""
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(LOCOMO))
    return file


def test_ingest_is_measured(run: Run, locomo: Path) -> None:
    made = run("bench", "ingest", locomo, "--json").json
    assert made["ingest"]["turns"] == 2
    assert {"p50", "p95"} <= made["ingest"]["single_ms"].keys()


def test_scale_is_measured_and_written_to_a_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "scale.json"
    result = run("bench", "scale", "--records", 300, "--json", out)
    assert (result.code, result.out) == (0, "")
    assert json.loads(out.read_text())["records"] == 300


def test_routing_is_measured(run: Run) -> None:
    small = ("bench", "routing", "--records", 500, "--dimension", 16, "--queries", 3)
    made = run(*small, "--k", 4, "--beam", "per-parent", "--json").json
    assert (made["records"], made["k"], made["beam"]) == (500, 4, "per-parent")
    shown = run(*small).out
    assert "ops_ratio" in shown
    assert "k=100" in shown


def test_tiers_are_measured(run: Run) -> None:
    shown = run("bench", "tiers", "--records", 1_000, "--sessions", 2).out
    assert "time_ratio" in shown
    assert "archive" in shown


@pytest.mark.parametrize(
    "arguments",
    [("ingest",), ("scale", "--records", "0"), ("scale", "--records", "many"), ("routing", "--beam", "narrow")],
)
def test_a_wrong_use_is_refused(run: Run, arguments: tuple[str, ...]) -> None:
    assert run("bench", *arguments).code == 2


def test_a_missing_file_is_refused(run: Run, tmp_path: Path) -> None:
    result = run("bench", "ingest", tmp_path / "missing.json", "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "InvalidFile")
