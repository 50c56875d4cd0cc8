"""`hmem eval`."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.benchmark_files import LONGMEMEVAL
from tests.unit.interfaces.cli.conftest import Run

from hmem_testing.fake_llm import ReplyRule, StandIn


@pytest.fixture
def longmemeval(tmp_path: Path) -> Path:
    """A LongMemEval file of one question."""
    file = tmp_path / "longmemeval.json"
    file.write_text(json.dumps(LONGMEMEVAL))
    return file


def test_the_figures_of_locomo_are_shown_with_their_categories(run: Run, locomo: Path) -> None:
    result = run("eval", "locomo", locomo)
    assert (result.code, result.err) == (0, "")
    assert "dataset" in result.out
    assert "single-hop" in result.out
    assert "recall@10" in result.out


@pytest.mark.parametrize("destination", [("--json", "-"), ("--json",)])
def test_the_figures_are_json_on_stdout_when_asked(run: Run, locomo: Path, destination: tuple[str, ...]) -> None:
    made: dict[str, Any] = run("eval", "locomo", locomo, *destination).json
    assert (made["dataset"], made["recipe"], made["questions"]) == ("locomo", "fusion", 1)
    assert made["recall"]["10"] == 1.0
    assert made["answer"]["f1"] is not None


def test_the_figures_are_written_to_a_file_when_asked(run: Run, locomo: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = run("eval", "locomo", locomo, "--json", out)
    assert (result.code, result.out) == (0, "")
    assert json.loads(out.read_text())["questions"] == 1


def test_a_file_that_cannot_be_written_is_told_of_before_the_work(run: Run, locomo: Path, tmp_path: Path) -> None:
    result = run("eval", "locomo", locomo, "--json", tmp_path / "missing" / "out.json")
    assert (result.code, result.out) == (2, "")
    assert "make its folder first" in result.err


def test_longmemeval_is_evaluated_by_session(run: Run, longmemeval: Path) -> None:
    made = run("eval", "longmemeval", longmemeval, "--json").json
    assert made["dataset"] == "longmemeval"
    assert made["session"]["recall_all"]["5"] == 1.0


def test_recipe_settings_embedder_and_replay_reach_the_evaluation(run: Run, locomo: Path) -> None:
    options = ("--recipe", "flat", "--set", "flat.weights.speaker=0", "--embedder", "wordllama:64", "--replay")
    made = run("eval", "locomo", locomo, *options, "--json").json
    assert (made["recipe"], made["embedder"], made["replay"]) == ("flat", "wordllama:64", True)


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (("--recipe", "soup"), "UnknownName"),
        (("--without", "gravity"), "UnknownName"),
        (("--set", "flat.weights.gravity=1"), "UnknownName"),
        (("--set", "nothing"), "UsageError"),
        (("--set", "evolution.alpha=0.9"), "UnknownName"),
        (("--recipe", "flat", "--set", "evolution.alpha=0.9,0.8,0.7"), "UnknownName"),
        (("--analyst", "model"), "UnknownName"),
        (("--judge", "model"), "UnknownName"),
        (("--embedder", "nothing"), "UnknownName"),
    ],
)
def test_an_unknown_name_is_refused(run: Run, locomo: Path, options: tuple[str, ...], name: str) -> None:
    result = run("eval", "locomo", locomo, *options, "--json")
    assert (result.code, result.json["error"]["name"]) == (2, name)


@pytest.mark.parametrize("dataset", ["locomo", "longmemeval", "realtalk"])
def test_a_missing_file_is_refused(run: Run, tmp_path: Path, dataset: str) -> None:
    result = run("eval", dataset, tmp_path / "missing", "--json")
    assert (result.code, result.json["error"]["name"]) == (2, "InvalidFile")


def test_answers_are_judged_and_the_run_is_kept_until_it_is_done(run: Run, locomo: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    with StandIn() as server:
        model = f"openai:m@{server.url}"
        asked = ("eval", "locomo", locomo, "--analyst", model, "--judge", model, "--json", out)
        assert run(*asked).code == 0
        made = json.loads(out.read_text())
        assert made["model"]["judge"] == "openai:m/4"
        assert made["model"]["judged_accuracy"] in (0.0, 1.0)
        assert not Path(f"{out}.run").exists()
        broken = [ReplyRule("error", task="judge_answer")]
        with StandIn(broken) as failing:
            judged = ("eval", "locomo", locomo, "--judge", f"openai:m@{failing.url}", "--json", out)
            assert run(*judged).code == 10
        assert Path(f"{out}.run").exists()


def test_a_dry_run_asks_nobody_and_tells_what_it_would_take(run: Run, locomo: Path) -> None:
    asked = ("eval", "locomo", locomo, "--analyst", "openai:gpt-4o-mini", "--judge", "openai:gpt-4o-mini", "--dry-run")
    made = run(*asked, "--json").json
    assert made["stages"]["answer"]["calls"] == 1
    assert made["cost"] > 0
    assert "formation: read" in run(*asked).out
