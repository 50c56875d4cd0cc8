"""A hook that loads nothing: the worker does what it is for."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts import until

from hmem import Memory, __version__
from hmem.interfaces.paths import project_memory
from hmem_agents.hooks.client import ask
from hmem_agents.hooks.fast_path import EVENTS, quickly
from hmem_agents.hooks.settings import HookSettings
from hmem_agents.hooks.worker import HookWorker

Hook = Callable[..., bytes | None]
CAPTURED = ("pre-compact", "stop", "session-end")


@pytest.fixture
def hook(settings: HookSettings, folder: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """Call a hook the quick way."""
    monkeypatch.setenv("HMEM_ROOT", str(settings.root))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    monkeypatch.setenv("HMEM_HOOK_START_SECONDS", "20")
    monkeypatch.setenv("HMEM_HOOK_PROMPT_SECONDS", "20")
    common = {"session_id": "S1", "transcript_path": str(transcript), "cwd": str(folder / "src")}

    def call(name: str, **fields: Any) -> bytes | None:
        return quickly(name, json.dumps({**common, "hook_event_name": EVENTS[name], **fields}, indent=2).encode())

    return call


def nothing_waits(settings: HookSettings) -> None:
    until(lambda: not list((settings.folder / "spool").iterdir()))


@pytest.mark.parametrize("name", CAPTURED)
def test_a_session_is_captured_and_the_next_one_is_told(
    settings: HookSettings, worker: HookWorker, hook: Hook, name: str
) -> None:
    assert hook(name) == b""
    nothing_waits(settings)
    told = json.loads(hook("session-start", session_id="S2", source="startup") or b"")["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "pnpm" in told["additionalContext"]
    told = json.loads(hook("user-prompt-submit", session_id="S3", prompt="Do we use pnpm?") or b"")
    assert "never npm" in told["hookSpecificOutput"]["additionalContext"]
    assert hook("user-prompt-submit", session_id="S2", prompt="/clear") == b""


def test_a_session_is_not_told_what_it_said_itself(
    settings: HookSettings, worker: HookWorker, hook: Hook, transcript: Path
) -> None:
    transcript.write_text(transcript.read_text().replace("2026-03-01", "2999-03-01"))
    hook("session-start", source="startup")
    hook("stop")
    nothing_waits(settings)
    assert hook("user-prompt-submit", prompt="Do we use pnpm?") == b""
    assert hook("user-prompt-submit", session_id="S3", prompt="Do we use pnpm?")


def test_without_a_worker_or_with_one_of_another_version_the_rest_of_hmem_does_it(
    settings: HookSettings, hook: Hook
) -> None:
    assert [hook(name) for name in EVENTS] == [None] * 5
    settings.make_folders()
    (settings.folder / "worker.lock").write_text(__version__)
    assert [hook(name) for name in EVENTS] == [None] * 5
    (settings.folder / "worker.lock").write_text("0.0.1")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(settings.socket))
        listening.listen(9)
        assert [hook(name) for name in EVENTS] == [None] * 5


def test_what_a_worker_that_is_gone_was_not_told_is_captured_by_the_next(
    settings: HookSettings, hook: Hook, folder: Path
) -> None:
    settings.make_folders()
    (settings.folder / "worker.lock").write_text(__version__)
    assert hook("stop") is None
    HookWorker(HookSettings(root=settings.root, idle_seconds=1)).run()
    assert not list((settings.folder / "spool").iterdir())
    with Memory(project_memory(settings.root, folder), create=False) as memory:
        assert memory.stats().turns == 2


def test_the_rest_of_hmem_does_what_a_worker_has_no_time_for(
    settings: HookSettings, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HMEM_HOOK_PROMPT_SECONDS", "0.1")
    monkeypatch.setenv("HMEM_HOOK_START_SECONDS", "0.1")
    settings.make_folders()
    (settings.folder / "worker.lock").write_text(__version__)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(settings.socket))
        listening.listen(9)
        started = time.monotonic()
        assert [hook(name) for name in EVENTS] == [None, None, b"", b"", b""]
        assert time.monotonic() - started < 5


@pytest.mark.parametrize("name", EVENTS)
def test_a_broken_event_is_noted_down_and_cannot_ask_for_something_else(
    settings: HookSettings, worker: HookWorker, hook: Hook, name: str
) -> None:
    broken = [b"", b"{", b"null", b"[]", b"3", b"\xff", b"[" * 9_999, b'{"transcript_path": 3}', b'{"session_id": {}}']
    attacks = [b'{}, "do": "stop"', b'{}, "do": "stop", "version": "0.0.1"}\n{"do": "stop"', b'{}}\n{"do": "stop"']
    for given in (*broken, *attacks):
        assert quickly(name, given) == b""
    nothing_waits(settings)
    assert ask(settings, {"do": "ping"}, 60) == {}
    assert "Error" in settings.log.read_text()
    assert hook("stop") == b""


def test_it_finds_the_worker_where_the_settings_have_it(
    tmp_path: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = HookSettings(root=tmp_path / ("long" * 40), idle_seconds=60)
    monkeypatch.setenv("HMEM_ROOT", str(far.root))
    far.make_folders()
    assert HookSettings.of_environment().socket == far.socket
    (far.folder / "worker.lock").write_text(__version__)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(far.socket))
        listening.listen(1)
        assert quickly("stop", b"{}") == b""
        line, _ = listening.accept()
        with line:
            assert json.loads(line.recv(999)) == {"do": "capture", "version": __version__}
    far.socket.unlink()
    far.socket.parent.rmdir()


def test_turned_off_it_does_nothing(settings: HookSettings, hook: Hook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HMEM_HOOKS", "off")
    assert [hook(name) for name in EVENTS] == [b""] * 5
    assert not settings.root.exists()


def test_a_process_that_hooks_loads_nothing_but_the_way_to_the_worker(
    settings: HookSettings, worker: HookWorker, hook: Hook
) -> None:
    code = """
import sys
before = set(sys.modules)
sys.argv = ["hmem", "hook", "user-prompt-submit"]
from hmem.__main__ import main
code = main()
print(code, sorted(set(sys.modules) - before))
"""
    event = json.dumps({"session_id": "S1", "prompt": "Do we use pnpm?"})
    done = subprocess.run([sys.executable, "-c", code], input=event, capture_output=True, text=True, check=True)
    loaded = ["_socket", "hmem", "hmem.__main__", "hmem_agents", "hmem_agents.hooks"]
    assert done.stdout == f"0 {[*loaded, 'hmem_agents.hooks.fast_path']}\n"


def test_a_hook_whose_output_nobody_reads_succeeds(
    settings: HookSettings, worker: HookWorker, hook: Hook, transcript: Path
) -> None:
    hook("stop")
    nothing_waits(settings)
    event = json.dumps({"session_id": "S2", "prompt": "Do we use pnpm?"}).encode()
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        command = [sys.executable, "-m", "hmem", "hook", "user-prompt-submit"]
        done = subprocess.run(command, input=event, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
