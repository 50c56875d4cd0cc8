"""Transcripts as Claude Code writes them."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def line(role: str, text: Any, uuid: str, **fields: Any) -> str:
    """A line of a transcript."""
    entry = {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/work/shop", "sessionId": "S1",
        "version": "2.1.0", "gitBranch": "main", "type": role, "uuid": uuid, "timestamp": "2026-03-01T10:00:00.000Z",
        "message": {"role": role, "content": text},
    }  # fmt: skip
    return json.dumps(entry | fields) + "\n"


def said(text: str, uuid: str, **fields: Any) -> str:
    """What the agent says, between a thought and the use of a tool."""
    content = [
        {"type": "thinking", "thinking": "let me see"},
        {"type": "text", "text": text},
        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}},
    ]
    return line("assistant", content, uuid, **fields)


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A transcript with two messages."""
    place = tmp_path / "S1.jsonl"
    place.write_text(
        line("user", "We use pnpm in this repository, never npm", "u1") + said("Understood, pnpm it is.", "a1"), "utf-8"
    )
    return place


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
