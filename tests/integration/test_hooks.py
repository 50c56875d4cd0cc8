"""The plugins of hosts: their files, and their hooks as processes, as Claude Code runs them."""

import json
import os
import re
import shlex
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.transcripts import until

from hmem import Memory, __version__
from hmem.interfaces.paths import project_memory, user_memory
from hmem_agents import hosts
from hmem_agents.hooks.client import ask
from hmem_agents.hooks.fast_path import EVENTS, PROMPT_SECONDS, START_SECONDS
from hmem_agents.hooks.settings import HookSettings

ROOT = Path(__file__).parents[2]
PLUGIN = Path(hosts.PLUGIN)
SCHEMAS = json.loads((Path(__file__).parent / "hooks_schemas.json").read_text("utf-8"))


def held(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text("utf-8"))


# The files.


@pytest.mark.parametrize(
    ("name", "schema"), [(".claude-plugin/plugin.json", "plugin"), ("hooks/hooks.json", "hooks"), (".mcp.json", "mcp")]
)
def test_a_file_of_the_plugin_has_documented_fields_only(name: str, schema: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS[schema])
    jsonschema.validate(held(name), SCHEMAS[schema])


def test_the_project_offers_the_plugin() -> None:
    offered = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text("utf-8"))
    jsonschema.validate(offered, SCHEMAS["marketplace"])
    (plugin,) = offered["plugins"]
    assert (ROOT / plugin["source"]).samefile(PLUGIN)
    assert plugin["name"] == held(".claude-plugin/plugin.json")["name"]


def test_the_plugin_has_the_version_of_the_package() -> None:
    assert held(".claude-plugin/plugin.json")["version"] == __version__


def test_every_event_calls_the_hook_of_its_name() -> None:
    called = {
        event: [shlex.split(hook["command"]) for group in groups for hook in group["hooks"]]
        for event, groups in held("hooks/hooks.json")["hooks"].items()
    }
    assert called == {event: [["hmem", "hook", name]] for name, event in EVENTS.items()}


def test_the_server_has_the_memories_of_the_hooks() -> None:
    (server,) = held(".mcp.json")["mcpServers"].values()
    assert [server["command"], *server["args"]] == ["hmem", "mcp", "--root", "${HMEM_ROOT:-~/.hmem}"]


@pytest.mark.parametrize("path", sorted((PLUGIN / "commands").glob("*.md")), ids=lambda path: path.stem)
def test_a_command_of_the_plugin_says_what_it_is_for(path: Path) -> None:
    head = re.match(r"---\n(.*?)\n---\n\n", path.read_text("utf-8"), re.DOTALL)
    assert head
    fields = dict(each.split(": ", 1) for each in head[1].splitlines())
    assert set(fields) == {"description", "argument-hint"}
    assert "$ARGUMENTS" in path.read_text("utf-8")


# The hooks, as processes.


@pytest.fixture
def root(tmp_path: Path) -> Generator[Path]:
    """The root of the memories; what serves it is stopped."""
    yield tmp_path / "root"
    stop(tmp_path / "root")


def stop(root: Path) -> None:
    """Stop the worker, if need be when it has started."""
    settings = HookSettings(root=root)
    started = settings.folder / "hooks.log"
    if started.exists():
        until(lambda: ask(settings, {"do": "ping"}, 1) is not None)
    ask(settings, {"do": "stop"}, 5)
    until(lambda: not settings.socket.exists())


class Session:
    """Claude Code, as far as hooks see it."""

    def __init__(self, root: Path, folder: Path, transcript: Path, **environment: str) -> None:
        folder.mkdir(exist_ok=True)
        self._folder, self._transcript = folder, transcript
        own = {name: value for name, value in os.environ.items() if not name.startswith(("HMEM_", "CLAUDE_"))}
        self._environment = own | {
            "HMEM_ROOT": str(root), "CLAUDE_PROJECT_DIR": str(folder), "HMEM_HOOK_START_SECONDS": "120",
            "HMEM_HOOK_PROMPT_SECONDS": "60", "HMEM_HOOK_IDLE_SECONDS": "20", **environment,
        }  # fmt: skip

    def hook(self, name: str, given: str | None = None, *, session: str = "S1", **fields: Any) -> dict[str, Any]:
        """Run a hook: it always succeeds, and says something only in the documented shape."""
        event = {
            "session_id": session, "transcript_path": str(self._transcript), "cwd": str(self._folder),
            "hook_event_name": EVENTS[name],
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "hmem", "hook", name],
            input=json.dumps(event | fields) if given is None else given,
            capture_output=True, text=True, env=self._environment, timeout=300, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        told = json.loads(done.stdout) if done.stdout else {}
        jsonschema.validate(told, SCHEMAS["output"])
        return told


def test_what_one_session_said_comes_to_the_next_one(root: Path, tmp_path: Path, transcript: Path) -> None:
    session = Session(root, tmp_path / "shop", transcript)
    assert session.hook("session-start", source="startup") == {}
    assert session.hook("stop", stop_hook_active=False) == {}
    assert session.hook("session-end", reason="other") == {}
    until(lambda: not list((root / "hooks" / "spool").glob("*.json")))
    told = session.hook("session-start", source="startup", session="S2")
    assert "pnpm" in told["hookSpecificOutput"]["additionalContext"]
    told = session.hook("user-prompt-submit", prompt="Do we use pnpm?", session="S4")
    assert "never npm" in told["hookSpecificOutput"]["additionalContext"]
    other = Session(root, tmp_path / "other", transcript)
    assert other.hook("user-prompt-submit", prompt="Do we use pnpm?", session="S3") == {}


def test_without_a_worker_the_hook_answers_from_the_files(root: Path, tmp_path: Path, transcript: Path) -> None:
    root.mkdir(mode=0o700)
    for place, text in (
        (project_memory(root, tmp_path / "shop"), "We use pnpm in this repository, never npm"),
        (user_memory(root), "I prefer short answers in this repository"),
    ):
        place.parent.mkdir(parents=True, exist_ok=True)
        with Memory(place) as memory:
            memory.add(text, speaker="user", at="2026-03-01T10:00:00+00:00")
    session = Session(root, tmp_path / "shop", transcript)
    told = session.hook("session-start", source="startup")["hookSpecificOutput"]["additionalContext"]
    assert "pnpm" in told
    assert "short answers" in told
    stop(root)
    prompt = "Do we use pnpm?"
    told = session.hook("user-prompt-submit", prompt=prompt, session="S2")["hookSpecificOutput"]["additionalContext"]
    assert "never npm" in told
    # The worker is started for the next hook, whose answer is the same, but for a session that was told it.
    again = session.hook("user-prompt-submit", prompt=prompt, session="S3")["hookSpecificOutput"]["additionalContext"]
    assert again == told
    assert session.hook("user-prompt-submit", prompt=prompt, session="S3") == {}
    assert not (root / "hooks" / "hooks.log").read_text()


@pytest.mark.parametrize("name", ["session-start", "user-prompt-submit"])
def test_a_worker_that_is_not_ready_in_time_leaves_no_session_without_memory(
    root: Path, tmp_path: Path, transcript: Path, name: str
) -> None:
    place = project_memory(root, tmp_path / "shop")
    place.parent.mkdir(parents=True)
    with Memory(place) as memory:
        memory.add({"role": "user", "content": "We use pnpm in this repository, never npm"}, session="S0")
    limits = {"HMEM_HOOK_START_SECONDS": "0", "HMEM_HOOK_PROMPT_SECONDS": "0"}
    session = Session(root, tmp_path / "shop", transcript, **limits)
    told = session.hook(name, source="startup", prompt="Do we use pnpm?")
    assert "never npm" in told["hookSpecificOutput"]["additionalContext"]
    # What was told from the files is not told again by the worker.
    if name == "user-prompt-submit":
        warm = Session(root, tmp_path / "shop", transcript)
        assert warm.hook(name, prompt="So, do we use pnpm?") == {}


@pytest.fixture
def busy(root: Path, tmp_path: Path) -> Generator[socket.socket]:
    """What hooks take for a worker, over the memory of a project."""
    settings, place = HookSettings(root=root), project_memory(root, tmp_path / "shop")
    settings.make_folders()
    place.parent.mkdir()
    with Memory(place) as memory:
        memory.add("We use pnpm in this repository, never npm", speaker="user")
    (settings.folder / "worker.lock").write_text(__version__)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(str(settings.socket))
        listening.listen(9)
        yield listening
    if ask(settings, {"do": "ping"}, 1) is None:
        settings.socket.unlink(missing_ok=True)


def test_a_prompt_is_answered_from_the_files_while_the_worker_is_busy(
    root: Path, tmp_path: Path, transcript: Path, busy: socket.socket
) -> None:
    session = Session(root, tmp_path / "shop", transcript, HMEM_HOOK_PROMPT_SECONDS="0.1")
    told = session.hook("user-prompt-submit", prompt="Do we use pnpm?")
    assert "never npm" in told["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("name", ["session-start", "user-prompt-submit"])
def test_a_worker_that_dies_over_its_answer_leaves_no_session_without_memory(
    root: Path, tmp_path: Path, transcript: Path, busy: socket.socket, name: str
) -> None:
    def die() -> None:
        line, _ = busy.accept()
        (root / "hooks" / "worker.lock").write_text("")
        busy.close()
        line.close()

    dying = threading.Thread(target=die)
    dying.start()
    told = Session(root, tmp_path / "shop", transcript).hook(name, prompt="Do we use pnpm?", source="startup")
    dying.join()
    assert "pnpm" in told["hookSpecificOutput"]["additionalContext"]


def test_sessions_leave_no_lines_in_the_log(root: Path, tmp_path: Path, transcript: Path) -> None:
    session = Session(root, tmp_path / "shop", transcript)
    for number in range(3):
        session.hook("session-start", source="startup", session=f"S{number}")
        until(lambda: ask(HookSettings(root=root), {"do": "ping"}, 1) is not None)
        session.hook("user-prompt-submit", prompt="Do we use pnpm?", session=f"S{number}")
        session.hook("stop", session=f"S{number}")
        session.hook("session-end", session=f"S{number}")
    until(lambda: not list((root / "hooks" / "spool").glob("*.json")))
    assert not (root / "hooks" / "hooks.log").read_text()


def test_the_limits_are_within_those_of_claude_code() -> None:
    seconds = {
        event: hook["timeout"] for event, groups in held("hooks/hooks.json")["hooks"].items()
        for group in groups for hook in group["hooks"]
    }  # fmt: skip
    assert seconds["SessionStart"] > START_SECONDS
    assert seconds["UserPromptSubmit"] > max(PROMPT_SECONDS, START_SECONDS)


def test_a_capture_does_not_wait_for_a_memory_that_is_locked(root: Path, tmp_path: Path, transcript: Path) -> None:
    session = Session(root, tmp_path / "shop", transcript)
    started = time.monotonic()
    session.hook("session-start", source="startup")
    usual = time.monotonic() - started
    until(lambda: ask(HookSettings(root=root), {"do": "ping"}, 1) is not None)
    session.hook("session-start", source="resume")
    place = project_memory(root, tmp_path / "shop")
    other = sqlite3.connect(place, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    started = time.monotonic()
    session.hook("stop")
    # A memory that is locked is waited for for ten seconds.
    assert time.monotonic() - started < usual + 8
    assert list((root / "hooks" / "spool").glob("*.json"))
    other.execute("ROLLBACK")
    other.close()
    session.hook("stop")
    until(lambda: not list((root / "hooks" / "spool").glob("*.json")), 60)
    with Memory(place, create=False) as memory:
        assert memory.stats().turns == 2


def test_broken_input_and_a_missing_transcript_do_not_fail_a_session(root: Path, tmp_path: Path) -> None:
    session = Session(root, tmp_path / "shop", tmp_path / "gone.jsonl")
    for name in EVENTS:
        assert session.hook(name, "{") == {}
    assert session.hook("stop") == {}
    assert "JSONDecodeError" in (root / "hooks" / "hooks.log").read_text()


def test_what_was_to_be_captured_when_the_worker_was_killed_is_captured_later(
    root: Path, tmp_path: Path, transcript: Path
) -> None:
    session = Session(root, tmp_path / "shop", transcript)
    session.hook("session-start", source="startup")
    ask(HookSettings(root=root), {"do": "stop"}, 5)
    until(lambda: not HookSettings(root=root).socket.exists())
    session.hook("session-end")
    until(lambda: not list((root / "hooks" / "spool").glob("*.json")), 60)
    with Memory(project_memory(root, tmp_path / "shop"), create=False) as memory:
        assert memory.stats().turns == 2
