"""Memory provider of Hermes agent over the hooks of hmem: the program `hmem` answers, in an environment of its own."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from agent.memory_provider import MemoryProvider

_SECONDS = 15


class HmemProvider(MemoryProvider):
    """Memory of one agent: its profile in the system prompt, recall before each turn, capture after it."""

    def __init__(self) -> None:
        self._session = ""
        self._home = ""
        self._start = ""
        self._captures = True

    @property
    def name(self) -> str:
        """Name of the provider in Hermes' configuration."""
        return "hmem"

    def is_available(self) -> bool:
        """Tell if the program is installed."""
        return shutil.which("hmem") is not None

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        """Begin a session; what a scheduled prompt or a sub-agent says is not kept."""
        self._session, self._home = session_id, str(kwargs.get("hermes_home") or "")
        self._captures = kwargs.get("agent_context", "primary") == "primary"
        self._start = self._hook("session-start", source="startup")

    def system_prompt_block(self) -> str:
        """Return the profile and the newest notes, as they were when the session began."""
        return self._start

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        """Return what a message calls to mind, without what the session was told before."""
        return self._hook("user-prompt-submit", session_id, prompt=query)

    def sync_turn(self, user_content: str, assistant_content: str, *, session_id: str = "", **_: Any) -> None:
        """Have the worker of hmem keep both messages, word for word."""
        if self._captures:
            self._hook("stop", session_id, prompt=user_content, last_assistant_message=assistant_content)

    def on_session_switch(self, new_session_id: str, **_: Any) -> None:
        """Go on in another session."""
        self._session = new_session_id

    def on_pre_compress(self, messages: Sequence[Any]) -> str:  # noqa: ARG002 - Hermes calls it so
        """Let what the session was told be told again, since it is about to be summarised away."""
        self._hook("session-start", source="compact")
        return ""

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        """Return no tools: those of hmem are an MCP server."""
        return []

    def _hook(self, name: str, session_id: str = "", **fields: Any) -> str:
        event = {"agent": "hermes", "session_id": session_id or self._session, "cwd": self._home, **fields}
        try:
            done = subprocess.run(  # noqa: S603 - the name is one of three
                ["hmem", "hook", name],  # noqa: S607 - as it was installed
                input=json.dumps(event), capture_output=True, text=True, timeout=_SECONDS, check=False,
            )  # fmt: skip
            return str(json.loads(done.stdout or "{}").get("hookSpecificOutput", {}).get("additionalContext", ""))
        except (OSError, subprocess.SubprocessError, ValueError):
            return ""


def register(ctx: Any) -> None:
    """Give Hermes the provider."""
    ctx.register_memory_provider(HmemProvider())
