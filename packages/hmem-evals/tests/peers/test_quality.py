"""Recall, speed and size of peers."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hmem_evals.conversations import Conversation
from hmem_evals.peers.catalogue import Peer, select_peers
from hmem_evals.peers.quality import compare, on_the_wire


def test_a_peer_is_measured_on_the_questions_with_evidence(
    fake: Callable[..., Peer], conversation: Conversation, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    measured = compare(
        "locomo",
        [conversation, conversation],
        [fake()],
        home=tmp_path,
        embedder="wordllama",
        progress=lambda done, total: told.append((done, total)),
    )
    [row] = measured["rows"]
    assert (measured["turns"], measured["questions"], measured["conversations"]) == (6, 6, 2)
    # The words find both turns of the evidence first; the unanswerable question does not count.
    assert row["measured"] == 2
    assert row["recall"] == {"5": 1.0, "10": 1.0, "20": 1.0}
    assert row["session"]["recall_all"]["5"] == row["session"]["ndcg"]["5"] == 1.0
    assert row["add"]["turns"] == 6
    assert row["disk_bytes"] > 0
    assert row["search_ms"]["p50"] > 0
    assert set(row["versions"]) == {"numpy"}
    assert told == [(done, 6) for done in range(1, 7)]


def test_what_is_found_late_counts_at_its_depth(
    fake: Callable[..., Peer], conversation: Conversation, tmp_path: Path
) -> None:
    filler = [
        {**conversation.messages[1], "message_id": f"D2:{number}", "text": "who adopted a puppy"}
        for number in range(1, 8)
    ]
    longer = Conversation("c2", (*filler, *conversation.messages), conversation.questions[:1])
    [row] = compare("locomo", [longer], [fake()], home=tmp_path, embedder="wordllama")["rows"]
    assert row["recall"] == {"5": 0.0, "10": 1.0, "20": 1.0}


def test_a_peer_that_fails_costs_only_its_own_row(
    fake: Callable[..., Peer], conversation: Conversation, tmp_path: Path
) -> None:
    peers = [fake("broken", breaks="add"), fake()]
    kept: list[int] = []

    def keep(measured: Mapping[str, Any]) -> None:
        kept.append(len(measured["rows"]))

    measured = compare("locomo", [conversation], peers, home=tmp_path, embedder="wordllama", keep=keep)
    broken, sound = measured["rows"]
    assert kept == [1, 2]
    assert broken["failed"].startswith("broken failed (ValueError: it takes no turns)")
    assert "recall" not in broken
    assert sound["recall"]["5"] == 1.0


@pytest.mark.parametrize("recipe", ["fusion", "flat"])
def test_hmem_is_measured_under_the_same_protocol(recipe: str, conversation: Conversation, tmp_path: Path) -> None:
    [row] = compare("locomo", [conversation], select_peers([recipe]), home=tmp_path, embedder="wordllama")["rows"]
    assert row["recall"]["5"] == 1.0
    assert row["add"]["turns"] == 3


def test_the_text_of_a_turn_has_its_date_speaker_and_caption() -> None:
    at = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    message = {
        "message_id": "D1:1",
        "text": "Look! ",
        "speaker": "Maria",
        "at": at,
        "session": "s1",
        "caption": "a puppy",
    }
    turn = on_the_wire(message)
    assert turn["said"] == "[8 May 2023] Maria: Look! a puppy"
    assert turn["at"] == "2023-05-08T13:56:00+00:00"
    assert on_the_wire({**message, "speaker": None, "role": "assistant"})["said"].startswith("[8 May 2023] assistant:")
