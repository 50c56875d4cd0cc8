"""Roots of memories, transcripts as Claude Code writes them, and a worker in this process."""

import json
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from hmem.interfaces.claude_code.link import ask
from hmem.interfaces.claude_code.settings import HookSettings
from hmem.interfaces.claude_code.worker import HookWorker

Write = Callable[..., Path]


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
def settings(tmp_path: Path) -> HookSettings:
    """A root of its own, with time enough for a busy machine."""
    return HookSettings(root=tmp_path / "root", prompt_seconds=60, start_seconds=60, idle_seconds=60)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a project."""
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    return tmp_path / "shop"


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A transcript with two messages."""
    place = tmp_path / "S1.jsonl"
    place.write_text(
        line("user", "We use pnpm in this repository, never npm", "u1") + said("Understood, pnpm it is.", "a1"), "utf-8"
    )
    return place


@pytest.fixture
def worker(settings: HookSettings) -> Generator[HookWorker]:
    """A worker that answers."""
    made = HookWorker(settings)
    thread = threading.Thread(target=made.run)
    thread.start()
    until(lambda: ask(settings, {"do": "ping"}, 1) is not None)
    yield made
    ask(settings, {"do": "stop"}, 5)
    thread.join(60)
    assert not thread.is_alive()


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
