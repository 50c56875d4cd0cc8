"""The worker's protocol, in this process."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from hmem_evals.peers.adapters.worker import PeerWorker, load

FAKE = str(Path(__file__).parents[1] / "fake")


def served(told: dict[str, Any], *requests: dict[str, Any]) -> list[dict[str, Any]]:
    """The replies to some requests."""
    replies = StringIO()
    PeerWorker(
        {"adapter": FAKE, "options": {}, "embedder": None} | told,
        StringIO("".join(f"{json.dumps(each)}\n" for each in requests)),
        replies,
    ).serve()
    return [json.loads(line) for line in replies.getvalue().splitlines()]


def test_each_request_has_a_reply_with_its_times(tmp_path: Path) -> None:
    turn = {"id": "D1:1", "said": "a puppy"}
    replies = served(
        {},
        {"do": "open", "folder": str(tmp_path / "deep" / "peer")},
        {"do": "add", "turns": [turn]},
        {"do": "finish"},
        {"do": "search", "query": "puppy", "k": 1, "at": None},
    )
    assert [reply["result"] for reply in replies] == [None, None, None, ["D1:1"]]
    assert all(reply["ms"] >= 0 and reply["cpu_ms"] >= 0 for reply in replies)
    assert json.loads((tmp_path / "deep" / "peer" / "turns.json").read_text()) == [turn]


def test_vectors_are_asked_for_between_a_request_and_its_reply(tmp_path: Path) -> None:
    opened, asked, replied = served(
        {"embedder": {"name": "fake", "dimension": 2}},
        {"do": "open", "folder": str(tmp_path)},
        {"do": "search", "query": "puppy", "k": 1, "at": None},
        {"vectors": [[0.0, 1.0]]},
    )
    assert opened["result"] is None
    assert asked == {"embed": ["puppy"]}
    assert replied["result"] == []


def test_what_is_no_module_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportError, match="is no module"):
        load(tmp_path / "notes.txt")
