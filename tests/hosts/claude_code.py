"""The real Claude Code over a stand-in: a home of its own, sessions of several prompts, and what its model received."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Final, Self

from tests.hosts.environments import ROOT, npm_environment

from hmem import Memory
from hmem.interfaces.paths import project_memory, user_memory
from hmem_agents import hosts
from hmem_agents.hooks.client import ask
from hmem_agents.hooks.settings import HookSettings
from hmem_testing.fake_llm import ReplyRule, StandIn

PACKAGE: Final = "@anthropic-ai/claude-code@2.1.197"
PLUGIN: Final = Path(hosts.PLUGIN)
# The names that Claude Code gives to the tools of the plugin's server.
TOOL: Final = "mcp__plugin_hmem_hmem__"
_PATIENCE: Final = 120.0
# Claude Code puts what hooks add, and much else, into messages of the role "system".
_HOOK: Final = re.compile(r"(\w+) hook additional context: (<hmem-recalled>.*?</hmem-recalled>)", re.DOTALL)


def program() -> Path:
    """Return the command of Claude Code, or skip the test."""
    return npm_environment("claude-code", [PACKAGE]) / "node_modules" / ".bin" / "claude"


def eventually(holds: Any, seconds: float = _PATIENCE) -> Any:
    """Return the first true value of a function; fail if there is none in time."""
    until = monotonic() + seconds
    while not (found := holds()):
        assert monotonic() < until, "it does not come about"
        sleep(0.2)
    return found


class Home:
    """A user's home folder with Claude Code, whose model is a stand-in, and the root of the user's memories."""

    def __init__(self, folder: Path, standin: StandIn, **environment: str) -> None:
        self.folder = folder
        self.root = folder / ".hmem"
        self.root.mkdir(mode=0o700)
        self.settings = HookSettings(root=self.root)
        self._standin = standin
        own = {name: each for name, each in os.environ.items() if not name.startswith(_LEFT_OUT)}
        self.environment = own | {
            "HOME": str(folder),
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{own.get('PATH', '')}",
            "HMEM_ROOT": str(self.root),
            "ANTHROPIC_BASE_URL": standin.url.removesuffix("/v1"),
            "ANTHROPIC_API_KEY": "any",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            # Root may pass over permissions only where nothing can be harmed.
            "IS_SANDBOX": "1",
            # The machine may be busy; the limits of Claude Code itself stay.
            "HMEM_HOOK_START_SECONDS": "14",
            "HMEM_HOOK_PROMPT_SECONDS": "7",
            **environment,
        }

    def command(self, *arguments: str, cwd: Path = ROOT) -> str:
        """Run a command of Claude Code that needs no model, and return what it printed."""
        done = subprocess.run(
            [program(), *arguments], cwd=cwd, env=self.environment, capture_output=True, text=True,
            timeout=_PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def project(self, name: str) -> Path:
        """Return a folder under version control."""
        made = self.folder / name
        made.mkdir()
        subprocess.run(["git", "init", "--quiet", made], check=True)
        return made

    def session(self, project: Path, *arguments: str) -> "Session":
        """Start a session in a project, with the plugin."""
        return Session(self, self._standin, project, arguments)

    def turns(self, project: Path) -> list[tuple[str, str]]:
        """Return role and text of what the project's memory holds, in order."""
        place = project_memory(self.root, project)
        if not place.exists():
            return []
        with Memory(place, read_only=True) as memory:
            return [(str(turn.role), turn.text) for turn in memory.list(limit=1_000)]

    def remember(self, text: str, project: Path | None = None, role: str = "user") -> None:
        """Put a turn of an earlier day into a project's memory, or the user's."""
        place = user_memory(self.root) if project is None else project_memory(self.root, project)
        place.parent.mkdir(mode=0o700, exist_ok=True)
        with Memory(place) as memory:
            memory.add({"role": role, "content": text}, session="earlier", at="2026-03-02T10:00:00Z")

    def log(self) -> str:
        """Return the log of the hooks."""
        return self.settings.log.read_text("utf-8") if self.settings.log.exists() else ""

    def worker(self) -> int | None:
        """Return the process number of the worker of the hooks, None if none runs."""
        if ask(self.settings, {"do": "ping"}, 1.0) is None:
            return None
        lock = (self.settings.folder / "worker.lock").stat().st_ino
        locks = Path("/proc/locks").read_text("ascii").splitlines()
        return next((int(line.split()[4]) for line in locks if line.split()[5].endswith(f":{lock}")), None)

    def kill_worker(self) -> None:
        """Kill the worker of the hooks, as a machine without memory does."""
        number = eventually(self.worker)
        os.kill(number, signal.SIGKILL)
        eventually(lambda: self.worker() is None)

    def stop_worker(self) -> None:
        """Have the worker end, if one runs."""
        ask(self.settings, {"do": "stop"}, 5.0)
        eventually(lambda: not self.settings.socket.exists() or self.worker() is None)


_LEFT_OUT: Final = ("HMEM_", "CLAUDE", "ANTHROPIC_", "OPENAI_")


class Session:
    """A session of Claude Code in its own process. A context manager."""

    def __init__(self, home: Home, standin: StandIn, project: Path, arguments: Sequence[str]) -> None:
        streams = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        self._standin = standin
        self.id = ""
        self._process = subprocess.Popen(
            [program(), "-p", *streams, "--dangerously-skip-permissions", "--plugin-dir", str(PLUGIN), *arguments],
            cwd=project, env=home.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def say(self, text: str) -> str:
        """Send a prompt and return the answer of the session."""
        assert self._process.stdin is not None
        line = {"type": "user", "message": {"role": "user", "content": text}}
        self._process.stdin.write(json.dumps(line) + "\n")
        self._process.stdin.flush()
        for event in self._events():
            if event.get("type") == "result":
                self.id = str(event["session_id"])
                return str(event.get("result", ""))
        raise AssertionError("the session ended")

    def _events(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("{"):
                yield json.loads(line)

    def received(self) -> list[Mapping[str, Any]]:
        """Return the messages of the last request to the model."""
        (*_, last) = [call for call in self._standin.calls if call.request.get("tools")]
        return list(last.request["messages"])

    def told_by(self, event: str) -> list[str]:
        """Return what the model received of the hooks of an event, in order."""
        texts = [_text(message) for message in self.received() if message["role"] == "system"]
        return [told for text in texts for name, told in _HOOK.findall(text) if name == event]

    def told(self) -> str:
        """Return all that the model received of hooks."""
        return "\n".join(self.told_by("SessionStart") + self.told_by("UserPromptSubmit"))

    def results(self) -> list[Any]:
        """Return the contents of the results of tools that the model received, in order."""
        contents = [message["content"] for message in self.received() if isinstance(message["content"], list)]
        return [block["content"] for blocks in contents for block in blocks if block["type"] == "tool_result"]


def _text(message: Mapping[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(str(block.get("text", "")) for block in content)


def calling(name: str, containing: str, **arguments: Any) -> ReplyRule:
    """Return a rule by which the model calls a tool of the plugin once, when a prompt has some words."""
    return ReplyRule("tool", containing=containing, calls="1", name=f"{TOOL}{name}", content=arguments)
