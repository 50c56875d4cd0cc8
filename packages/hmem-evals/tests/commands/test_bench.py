"""`hmem bench`."""

import json
from pathlib import Path

import pytest
from tests.unit.interfaces.cli.conftest import Run

from hmem_evals.bench import ingest


def test_ingest_is_measured(run: Run, locomo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingest, "SINGLES", 5)
    made = run("bench", "ingest", locomo, "--json").json
    assert made["ingest"]["turns"] == 2
    assert {"p50", "p95"} <= made["ingest"]["single_ms"].keys()


def test_scale_is_measured_and_written_to_a_file(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "scale.json"
    result = run("bench", "scale", "--records", 40, "--json", out)
    assert (result.code, result.out) == (0, "")
    assert json.loads(out.read_text())["records"] == 40


def test_routing_is_measured(run: Run) -> None:
    small = ("bench", "routing", "--records", 500, "--dimension", 16, "--queries", 3)
    shown = run(*small, "--k", 4, "--beam", "per-parent").out
    assert all(part in shown for part in ("ops_ratio", "per-parent", "k=4", "k=100"))


def test_tiers_are_measured(run: Run) -> None:
    shown = run("bench", "tiers", "--records", 100, "--sessions", 2).out
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
