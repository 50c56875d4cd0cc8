"""Small files of benchmarks."""

import json
from pathlib import Path

import pytest

LOCOMO = [
    {
        "sample_id": "conv-1",
        "qa": [],
        "conversation": {
            "speaker_a": "Maria",
            "speaker_b": "Ben",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Maria", "dia_id": "D1:1", "text": "I adopted a puppy"},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "", "blip_caption": "a small dog"},
            ],
        },
    }
]
LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What did I adopt?",
        "answer": "a puppy",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["answer_1"],
        "answer_session_ids": ["answer_1"],
        "haystack_sessions": [[{"role": "user", "content": "I adopted a puppy", "has_answer": True}]],
    }
]
QUESTION = {"question": "What did Maria adopt?", "answer": "a puppy", "category": 4, "evidence": ["D1:1"]}


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    """A LoCoMo file of a conversation of two turns, with a question."""
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([LOCOMO[0] | {"qa": [QUESTION]}]))
    return file
