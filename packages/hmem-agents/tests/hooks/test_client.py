"""Each event of Claude Code, in the shape in which it was recorded."""

import json
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts import said, until

from hmem.language.prompt_text import NOTICE
from hmem_agents.hooks.client import answer, ask
from hmem_agents.hooks.fast_path import EVENTS
from hmem_agents.hooks.settings import HookSettings
from hmem_agents.hooks.worker import HookWorker

Hook = Callable[..., dict[str, Any]]


@pytest.fixture
def hook(
    settings: HookSettings, worker: HookWorker, folder: Path, transcript: Path, monkeypatch: pytest.MonkeyPatch
) -> Hook:
    """Call a hook as Claude Code does."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    common = {"session_id": "S1", "transcript_path": str(transcript), "cwd": str(folder / "src")}

    def call(name: str, **fields: Any) -> dict[str, Any]:
        event = {**common, "permission_mode": "default", "hook_event_name": EVENTS[name], **fields}
        return answer(settings, name, json.dumps(event).encode())

    return call


def captured(settings: HookSettings) -> None:
    until(lambda: not list((settings.folder / "spool").glob("*.json")))


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("stop", {"stop_hook_active": False}),
        ("session-end", {"reason": "prompt_input_exit"}),
        ("pre-compact", {"trigger": "auto", "custom_instructions": ""}),
    ],
)
def test_a_session_is_captured_and_the_next_one_begins_with_it(
    settings: HookSettings, hook: Hook, name: str, fields: dict[str, Any]
) -> None:
    assert hook(name, **fields) == {}
    captured(settings)
    told = hook("session-start", session_id="S2", source="startup")["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert NOTICE in told["additionalContext"]
    assert "pnpm" in told["additionalContext"]
    asked = hook("user-prompt-submit", session_id="S3", prompt="Do we use pnpm?")["hookSpecificOutput"]
    assert asked["hookEventName"] == "UserPromptSubmit"
    assert "never npm" in asked["additionalContext"]


def test_a_session_is_not_told_what_it_said_itself(settings: HookSettings, hook: Hook, transcript: Path) -> None:
    transcript.write_text(transcript.read_text().replace("2026-03-01", "2999-03-01"))
    hook("session-start", source="startup")
    hook("stop")
    captured(settings)
    assert hook("user-prompt-submit", prompt="Do we use pnpm?") == {}
    assert hook("user-prompt-submit", session_id="S3", prompt="Do we use pnpm?") != {}


def test_after_compaction_what_was_said_before_can_be_recalled(settings: HookSettings, hook: Hook) -> None:
    hook("session-start", source="startup")
    hook("pre-compact", trigger="manual")
    captured(settings)
    told = hook("session-start", source="compact")["hookSpecificOutput"]["additionalContext"]
    assert "We use pnpm in this repository, never npm" in told


BROKEN = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"3",
    b"\xff",
    b"{}",
    b'{"session_id": {}}',
    b'{"transcript_path": 3}',
    b"[" * 9_999,
)


@pytest.mark.parametrize("name", EVENTS)
def test_broken_json_is_noted_down_and_the_session_goes_on(
    settings: HookSettings, worker: HookWorker, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert [answer(settings, name, given) for given in BROKEN] == [{}] * len(BROKEN)


def test_turned_off_it_does_nothing(tmp_path: Path, transcript: Path) -> None:
    event = json.dumps({"session_id": "S1", "transcript_path": str(transcript)}).encode()
    for name in EVENTS:
        assert answer(HookSettings(root=tmp_path / "root", disabled=True), name, event) == {}
    assert not (tmp_path / "root").exists()


def test_a_root_that_cannot_be_written_does_not_stop_the_session(tmp_path: Path, transcript: Path) -> None:
    (tmp_path / "root").write_text("a file")
    event = json.dumps({"session_id": "S1", "transcript_path": str(transcript), "prompt": "Do we use pnpm?"}).encode()
    for name in EVENTS:
        assert answer(HookSettings(root=tmp_path / "root"), name, event) == {}


def test_what_a_prompt_calls_to_mind_is_echoed_and_not_learned_again(
    settings: HookSettings, hook: Hook, transcript: Path
) -> None:
    hook("stop")
    captured(settings)
    hook("user-prompt-submit", session_id="S2", prompt="Do we use pnpm in this repository?")
    transcript.write_text(said("You use pnpm in this repository, never npm.", "a9"), "utf-8")
    hook("stop", session_id="S2")
    captured(settings)
    assert ask(settings, {"do": "ping"}, 60) == {}
    from hmem import Memory
    from hmem.interfaces.paths import project_memory

    folder = transcript.parent / "shop"
    with Memory(project_memory(settings.root, folder), create=False) as memory:
        last = memory.list()[-1]
        assert last.message_id == "a9"
        assert last.echoes


# The line to the worker keeps to its time.


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
