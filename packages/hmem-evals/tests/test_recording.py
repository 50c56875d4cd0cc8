import json
from pathlib import Path
from typing import Any

import pytest

from hmem.errors import InvalidFile
from hmem_evals.recording import records

SAMPLE: dict[str, Any] = {
    "sample_id": "conv-1",
    "conversation": {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ann", "dia_id": "D1:1", "text": "The lake was quiet."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "How far is it?"},
        ],
    },
    "qa": [],
    "observation": {
        "session_1_observation": {
            "Ann": [["Ann likes the lake.", "D1:1"], ["Ann walks.", ["D1:1", "D1:2"]], ["?", "D"]]
        }
    },
    "session_summary": {"session_1_summary": "Ann told Ben of the lake."},
}


def made(folder: Path, sample: dict[str, Any]) -> list[dict[str, Any]]:
    file = folder / "locomo.json"
    file.write_text(json.dumps([sample]), "utf-8")
    return list(records(file))


def test_observations_become_notes_with_their_sources(tmp_path: Path) -> None:
    first, second, _ = made(tmp_path, SAMPLE)
    source = {"message_id": "D1:1", "text": "The lake was quiet."}
    assert first == {"note": "Ann likes the lake.", "about": "Ann", "sources": [source]}
    assert [each["message_id"] for each in second["sources"]] == ["D1:1", "D1:2"]


def test_the_summary_of_a_session_has_its_time_and_speakers(tmp_path: Path) -> None:
    *_, summary = made(tmp_path, SAMPLE)
    assert summary == {
        "summary": "Ann told Ben of the lake.",
        "since": "2023-05-08T13:56:00+00:00",
        "until": "2023-05-08T13:56:00+00:00",
        "speakers": ["Ann", "Ben"],
    }


def test_a_file_without_observations_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="observations"):
        made(
            tmp_path, {name: value for name, value in SAMPLE.items() if name not in ("observation", "session_summary")}
        )
