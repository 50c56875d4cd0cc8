"""What the tests of peers share."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hmem_evals.conversations import Conversation, Question
from hmem_evals.peers.catalogue import Peer


@pytest.fixture
def fake() -> Callable[..., Peer]:
    """A function that makes a fake peer, which runs in our own environment."""

    def make(name: str = "fake", *, embeds: bool = False, **options: Any) -> Peer:
        # An absolute path names an adapter outside of the package.
        adapter = str(Path(__file__).with_name("fake"))
        return Peer(name, adapter, (), ("numpy",), "none", embeds=embeds, options=options)

    return make


def said(number: int, text: str, session: str = "s1") -> dict[str, Any]:
    at = datetime(2023, 5, number, tzinfo=UTC)
    return {"message_id": f"D1:{number}", "text": text, "speaker": "Maria", "at": at, "session": session}


@pytest.fixture
def conversation() -> Conversation:
    """Three turns in two sessions, with a question that is answered, one that is not, and one without evidence."""
    return Conversation(
        "c1",
        (said(1, "adopted a puppy"), said(2, "bought a kite"), said(3, "sold the puppy basket", "s2")),
        (
            Question("q1", "who adopted a puppy", "Maria", "single-hop", ("D1:1", "D1:3")),
            Question("q2", "who sold the puppy basket", "Maria", "adversarial", ("D1:3",), unanswerable=True),
            Question("q3", "why", "", "open-domain", ()),
        ),
    )
