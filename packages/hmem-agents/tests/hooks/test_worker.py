"""The worker: it answers, captures behind the sessions, and ends."""

import os
import socket
import stat
import threading
from pathlib import Path
from typing import Any

from tests.transcripts import line, until
from tests.unit.interfaces.test_places import database

from hmem import Memory
from hmem.interfaces.paths import project_memory, user_memory
from hmem_agents.hooks.capture import Capture, enqueue
from hmem_agents.hooks.client import ask
from hmem_agents.hooks.settings import HookSettings
from hmem_agents.hooks.worker import HookWorker, locate_memories

__all__ = ["database"]


def hooked(settings: HookSettings, name: str, folder: Path, **event: Any) -> dict[str, Any]:
    """Return the worker's answer to an event of another session."""
    request = {"do": "hook", "name": name, "event": {"session_id": "S2", **event}}
    return ask(settings, {**request, "named": str(folder).encode().hex(), "here": ""}, 20) or {}


def test_it_captures_what_waits_and_recalls_it(
    settings: HookSettings, worker: HookWorker, folder: Path, transcript: Path
) -> None:
    enqueue(settings, Capture("S1", str(transcript), str(folder / "src")))
    assert ask(settings, {"do": "capture"}, 60) == {}
    until(lambda: not list((settings.folder / "spool").glob("*.json")))
    told = hooked(settings, "user-prompt-submit", folder, prompt="Do we use pnpm?")
    assert "never npm" in told["hookSpecificOutput"]["additionalContext"]
    with Memory(project_memory(settings.root, folder), create=False) as memory:
        assert memory.stats().turns == 2


def test_what_waited_before_it_started_is_captured(settings: HookSettings, folder: Path, transcript: Path) -> None:
    enqueue(settings, Capture("S1", str(transcript), str(folder)))
    short = HookSettings(root=settings.root, idle_seconds=1)
    assert HookWorker(short).run()
    assert not list((settings.folder / "spool").glob("*.json"))
    assert not settings.socket.exists()


def test_a_second_worker_ends_at_once(settings: HookSettings, worker: HookWorker) -> None:
    assert HookWorker(settings).run() is False
    assert ask(settings, {"do": "ping"}, 60) == {}


def test_only_its_user_can_reach_it(settings: HookSettings, worker: HookWorker) -> None:
    assert stat.S_IMODE(settings.socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(settings.folder.stat().st_mode) == 0o700


def test_nonsense_on_the_line_is_noted_down_and_it_goes_on(settings: HookSettings, worker: HookWorker) -> None:
    for nonsense in (b"\n", b"{]\n", b"[1]\n", b"null\n", b"", b"\xff\xfe\n"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
            wire.connect(str(settings.socket))
            wire.sendall(nonsense)
    until(lambda: settings.log.exists() and settings.log.read_text().count("worker: ") >= 5)
    assert ask(settings, {"do": "ping"}, 60) == {}


def test_a_memory_that_cannot_be_opened_is_an_answer(settings: HookSettings, worker: HookWorker, folder: Path) -> None:
    place = project_memory(settings.root, folder)
    place.parent.mkdir(parents=True)
    place.write_text("this is no memory" * 300)
    assert hooked(settings, "session-start", folder) == {"error": "NotAMemory"}
    assert "NotAMemory" in settings.log.read_text()


def test_a_transcript_that_is_gone_is_let_go(settings: HookSettings, worker: HookWorker, folder: Path) -> None:
    enqueue(settings, Capture("S1", str(folder / "gone.jsonl"), str(folder)))
    ask(settings, {"do": "capture"}, 60)
    until(lambda: not list((settings.folder / "spool").glob("*.json")))


def test_a_huge_transcript_is_captured_while_it_goes_on_answering(
    settings: HookSettings, worker: HookWorker, folder: Path, tmp_path: Path
) -> None:
    place = tmp_path / "huge.jsonl"
    with place.open("w") as file:
        for i in range(300):
            file.write(line("user", f"Step {i} of the migration went well", f"u{i}"))
            file.write(line("user", [{"type": "tool_result", "content": "x" * 20_000}], f"t{i}"))
    enqueue(settings, Capture("S1", str(place), str(folder)))
    ask(settings, {"do": "capture"}, 60)
    assert ask(settings, {"do": "ping"}, 60) == {}
    until(lambda: not list((settings.folder / "spool").glob("*.json")), 120)
    with Memory(project_memory(settings.root, folder), create=False) as memory:
        assert memory.stats().turns == 300


def test_the_user_has_a_memory_once_something_is_in_it(
    settings: HookSettings, worker: HookWorker, folder: Path
) -> None:
    hooked(settings, "session-start", folder)
    assert not user_memory(settings.root).exists()
    with Memory(user_memory(settings.root)) as memory:
        memory.add("I like short answers", speaker="user")
    told = hooked(settings, "session-start", folder)
    assert "short answers" in told["hookSpecificOutput"]["additionalContext"]


def test_another_version_ends_it(settings: HookSettings, worker: HookWorker) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
        wire.connect(str(settings.socket))
        wire.sendall(b'{"do": "ping", "version": "0.0.0"}\n')
        assert wire.recv(100) == b'{"stale": true}\n'
    until(lambda: not settings.socket.exists())


def test_a_worker_whose_folder_was_taken_away_ends(settings: HookSettings, worker: HookWorker) -> None:
    settings.socket.unlink()
    until(lambda: "hmem-capture" not in {thread.name for thread in threading.enumerate()})


def test_what_was_noted_down_long_ago_is_taken_away(settings: HookSettings) -> None:
    settings.make_folders()
    old, new = (settings.folder / "sessions" / f"{name}.offset.json" for name in ("old", "new"))
    for place in (old, new):
        place.write_text("{}")
    os.utime(old, (0, 0))
    HookWorker(HookSettings(root=settings.root, idle_seconds=0)).run()
    assert not old.exists()
    assert new.exists()


def test_it_finds_the_memories_of_hooks_by_their_environment(database: str, tmp_path: Path) -> None:
    settings = HookSettings.of_environment({"HMEM_DATABASE": database})
    assert "s3cr3t" not in repr(settings)
    project, own = locate_memories(settings, str(tmp_path))
    assert project.url.startswith(f"{database}?memory=projects.")
    assert own.url == f"{database}?memory=user"
    assert locate_memories(HookSettings(tmp_path), str(tmp_path))[1].path == user_memory(tmp_path)
