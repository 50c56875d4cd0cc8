"""`hmem eval compare`."""

import json
from pathlib import Path

import pytest
from tests.benchmark_files import LOCOMO, LONGMEMEVAL
from tests.unit.interfaces.cli.conftest import Run


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    """A LoCoMo file of two conversations with a question each."""
    question = {"question": "What did Maria adopt?", "answer": "a puppy", "category": 4, "evidence": ["D1:1"]}
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([LOCOMO[0] | {"qa": [question]}, LOCOMO[0] | {"sample_id": "two", "qa": [question]}]))
    return file


def test_recipes_and_their_ablations_stand_in_one_table(run: Run, locomo: Path) -> None:
    result = run("eval", "compare", locomo, "--recipes", "layered,bm25")
    assert (result.code, result.err) == (0, "")
    lines = [line.split("  ")[0] or line[2:].split("  ")[0] for line in result.out.splitlines()]
    assert lines[2:] == [
        "layered",
        "without routing",
        "without layers",
        "routing.beam=per-parent",
        "routing.similarity=semantic",
        "bm25",
    ]
    for heading in ("@10", "single-hop", "budget", "tokens", "F1", "sarial", "search", "ask", "turns"):
        assert heading in result.out
    # There is no adversarial question, so nothing was measured of it.
    assert result.out.splitlines()[2].split()[-4] == "-"


def test_the_json_of_a_comparison_has_its_rows(run: Run, locomo: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = run("eval", "compare", locomo, "--recipes", "flat,bm25", "--json", out)
    assert (result.code, result.out) == (0, "")
    made = json.loads(out.read_text())
    assert [row["name"] for row in made["rows"]] == ["flat", "bm25"]
    assert made["rows"][0]["questions"] == 2


def test_conversations_and_rows_can_be_limited(run: Run, locomo: Path) -> None:
    options = ("--recipes", "layered", "--no-ablations", "--limit", 1, "--embedder", "wordllama:64", "--json")
    [row] = run("eval", "compare", locomo, *options).json["rows"]
    assert (row["questions"], row["embedder"]) == (1, "wordllama:64")


def test_a_dataset_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "longmemeval.json"
    file.write_text(json.dumps(LONGMEMEVAL))
    made = run("eval", "compare", file, "--dataset", "longmemeval", "--recipes", "bm25", "--json").json
    assert made["dataset"] == made["rows"][0]["dataset"] == "longmemeval"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (("--recipes", "soup"), "UnknownName"),
        (("--embedder", "nothing"), "UnknownName"),
        (("--dataset", "soup"), "UsageError"),
        (("--limit", "0"), "UsageError"),
    ],
)
def test_what_cannot_be_compared_is_refused(run: Run, locomo: Path, options: tuple[str, ...], name: str) -> None:
    result = run("eval", "compare", locomo, *options, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, name)


def test_a_missing_file_is_refused(run: Run, tmp_path: Path) -> None:
    result = run("eval", "compare", tmp_path / "missing.json", "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "InvalidFile")
