"""The line to the worker keeps to its time."""

import socket
import time
from pathlib import Path

import pytest

from hmem_agents.claude_code.link import ask
from hmem_agents.claude_code.settings import HookSettings


@pytest.fixture
def silent(settings: HookSettings) -> socket.socket:
    """Somebody who listens and never answers."""
    settings.make_folders()
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(str(settings.socket))
    listening.listen(1)
    return listening


def test_without_a_worker_there_is_no_answer(settings: HookSettings) -> None:
    assert ask(settings, {"do": "ping"}, 1) is None


def test_an_answer_that_does_not_come_is_not_waited_for(settings: HookSettings, silent: socket.socket) -> None:
    started = time.monotonic()
    assert ask(settings, {"do": "ping"}, 0.1) is None
    assert time.monotonic() - started < 30
    silent.close()


def test_a_socket_that_is_left_over_is_no_worker(settings: HookSettings, silent: socket.socket) -> None:
    silent.close()
    assert ask(settings, {"do": "ping"}, 1) is None


def test_a_root_with_a_long_path_has_its_socket_elsewhere(tmp_path: Path) -> None:
    settings = HookSettings(root=tmp_path / ("long" * 40))
    assert len(str(settings.socket)) < 104
    settings.make_folders()
    assert settings.socket.parent.stat().st_mode & 0o077 == 0
    assert settings.socket != HookSettings(root=tmp_path / ("long" * 41)).socket
    settings.socket.parent.rmdir()
