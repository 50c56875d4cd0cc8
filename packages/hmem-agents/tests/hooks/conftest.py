"""Roots of memories, and a worker in this process."""

import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.conftest import memory, path
from tests.transcripts import transcript, until
from tests.unit.interfaces.cli.conftest import run

from hmem_agents.hooks.client import ask
from hmem_agents.hooks.settings import HookSettings
from hmem_agents.hooks.worker import HookWorker

__all__ = ["memory", "path", "run", "transcript"]


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
def worker(settings: HookSettings, monkeypatch: pytest.MonkeyPatch) -> Generator[HookWorker]:
    """A worker that answers, and that ends as soon as it is told to."""
    monkeypatch.setattr("hmem_agents.hooks.worker._TICK_SECONDS", 0.02)
    made = HookWorker(settings)
    thread = threading.Thread(target=made.run)
    thread.start()
    until(lambda: ask(settings, {"do": "ping"}, 1) is not None)
    yield made
    ask(settings, {"do": "stop"}, 5)
    thread.join(60)
    assert not thread.is_alive()
