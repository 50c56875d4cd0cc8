"""`hmem eval record`, and what recorded notes add."""

import json
from pathlib import Path

import pytest
from tests.benchmark_files import LOCOMO
from tests.unit.interfaces.cli.conftest import Run

NOTES = {"session_1_observation": {"Maria": [["Maria has a puppy.", "D1:1"]]}}


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    """A LoCoMo file of one conversation, one question and one observation."""
    question = {"question": "What did Maria adopt?", "answer": "a puppy", "category": 4, "evidence": ["D1:1"]}
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([LOCOMO[0] | {"qa": [question], "observation": NOTES}]))
    return file


def test_the_notes_of_a_file_are_written_for_the_recorded_analyst(run: Run, locomo: Path, tmp_path: Path) -> None:
    result = run("eval", "record", locomo, tmp_path / "notes.jsonl")
    assert (result.code, result.out) == (0, f"1 notes and 0 summaries written to {tmp_path / 'notes.jsonl'}\n")
    [line] = (tmp_path / "notes.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["note"] == "Maria has a puppy."


def test_an_evaluation_tells_what_recorded_notes_add(run: Run, locomo: Path, tmp_path: Path) -> None:
    run("eval", "record", locomo, tmp_path / "notes.jsonl")
    made = run("eval", "locomo", locomo, "--analyst", f"recorded:{tmp_path / 'notes.jsonl'}", "--json").json
    assert {"recall@10", "in_context", "f1"} <= set(made["notes_add"])
    assert made["analyst"].startswith("recorded:")


def test_a_missing_recording_is_named(run: Run, locomo: Path, tmp_path: Path) -> None:
    result = run("eval", "locomo", locomo, "--analyst", f"recorded:{tmp_path / 'none.jsonl'}")
    assert result.code
    assert "there is no file" in result.err
