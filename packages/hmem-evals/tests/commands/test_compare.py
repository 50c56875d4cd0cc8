"""`hmem eval compare`."""

import json
from pathlib import Path

import pytest
from tests.benchmark_files import LOCOMO, LONGMEMEVAL, QUESTION
from tests.unit.interfaces.cli.conftest import Run


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    """A LoCoMo file of two conversations with a question each."""
    file = tmp_path / "locomo.json"
    one = LOCOMO[0] | {"qa": [QUESTION]}
    file.write_text(json.dumps([one, one | {"sample_id": "two"}]))
    return file


def test_recipes_and_their_ablations_stand_in_one_table(run: Run, locomo: Path) -> None:
    result = run("eval", "compare", locomo, "--recipes", "layered,bm25")
    assert (result.code, result.err) == (0, "")
    lines = [line.split("  ")[0] or line[2:].split("  ")[0] for line in result.out.splitlines()]
    assert lines[1:] == [
        "layered",
        "without routing",
        "without layers",
        "routing.beam=per-parent",
        "as published",
        "bm25",
    ]
    for heading in ("recall@10", "in 600", "in 1272", "in 4000"):
        assert heading in result.out
    assert "[" in result.out.splitlines()[2]


def test_the_json_of_a_comparison_has_its_rows(run: Run, locomo: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = run("eval", "compare", locomo, "--recipes", "flat,bm25", "--json", out)
    assert (result.code, result.out) == (0, "")
    made = json.loads(out.read_text())
    assert [row["name"] for row in made["rows"]] == ["flat", "bm25"]
    assert made["rows"][0]["questions"] == 2


def test_conversations_and_rows_can_be_chosen(run: Run, locomo: Path) -> None:
    options = ("--recipes", "layered", "--no-ablations", "--conversations", "two", "--embedder", "wordllama:64")
    made = run("eval", "compare", locomo, *options, "--json").json
    assert (made["conversations"], made["rows"][0]["questions"]) == (["two"], 1)


def test_without_a_file_it_asks_our_own_conversations(run: Run) -> None:
    options = ("--recipes", "bm25", "--conversations", "texting")
    shown = run("eval", "compare", *options, "--kinds")
    kinds = {line.split()[0]: int(line.split()[1]) for line in shown.out.splitlines()[2:]}
    assert {"implicit", "temporal"} <= set(kinds)
    assert "adversarial" not in kinds
    some = run("eval", "compare", *options, "--undrawn", "--json").json
    assert some["dataset"] == "talks"
    assert 0 < some["rows"][0]["questions"] < sum(kinds.values())
    assert run("eval", "compare", "--conversations", "weather", "--json").json["error"]["name"] == "InvalidFile"


def test_a_dataset_is_named(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "longmemeval.json"
    file.write_text(json.dumps(LONGMEMEVAL))
    made = run("eval", "compare", file, "--dataset", "longmemeval", "--recipes", "bm25", "--json").json
    assert made["dataset"] == "longmemeval"


def test_a_recording_that_lacks_answers_gives_no_figure(run: Run, locomo: Path, tmp_path: Path) -> None:
    for name in ("one", "two", "conv-1"):
        (tmp_path / "recorded" / name).mkdir(parents=True)
        (tmp_path / "recorded" / name / "responses.jsonl").touch()
    result = run("eval", "compare", locomo, "--recipes", "fusion", "--recorded", tmp_path / "recorded", "--json")
    assert result.json["error"]["name"] == "InvalidFile"
    assert "lacks the readings of" in result.json["error"]["message"]


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (("--recipes", "soup"), "UnknownName"),
        (("--embedder", "nothing"), "UnknownName"),
        (("--dataset", "soup"), "UsageError"),
        (("--recorded", "/nowhere"), "UsageError"),
    ],
)
def test_what_cannot_be_compared_is_refused(run: Run, locomo: Path, options: tuple[str, ...], name: str) -> None:
    result = run("eval", "compare", locomo, *options, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, name)


def test_a_missing_file_is_refused(run: Run, tmp_path: Path) -> None:
    result = run("eval", "compare", tmp_path / "missing.json", "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "InvalidFile")
