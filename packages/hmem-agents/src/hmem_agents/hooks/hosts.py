"""Table of hosts: by what their events differ from those of Claude Code.

Codex CLI, GitHub Copilot and Gemini CLI follow Claude Code's interface: a command gets an event as JSON on stdin, and
prints JSON. ``docs/hosts.md`` has the table of their events.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from hmem_agents.hooks.fast_path import EVENTS


class Host(NamedTuple):
    """A host's events: a field that they have and one that they lack, and where the answer's text stands.

    ``inserted`` is what the host puts into a prompt that nobody typed.
    """

    name: str
    has: str = ""
    lacks: str = ""
    is_flat: bool = False
    inserted: re.Pattern[str] | None = None


# The first whose fields fit; Claude Code and Codex CLI have no time in an event.
HOSTS: Final = (
    Host("hermes", has="agent", lacks="hook_event_name"),
    Host("copilot", has="timestamp", lacks="transcript_path", is_flat=True),
    Host(
        "gemini-cli", has="timestamp",
        inserted=re.compile(r"<hook_context>.*?</hook_context>\s*", re.DOTALL),
    ),
    Host("claude-code"),
)  # fmt: skip


def host_of(event: Mapping[str, Any]) -> Host:
    """Return the host that an event comes from."""
    return next(host for host in HOSTS if (not host.has or host.has in event) and host.lacks not in event)


def prompt_of(event: Mapping[str, Any]) -> str:
    """Return what the user typed."""
    inserted, prompt = host_of(event).inserted, str(event.get("prompt", ""))
    return inserted.sub("", prompt) if inserted else prompt


def output(event: Mapping[str, Any], name: str, text: str) -> dict[str, Any]:
    """Return a hook's output that adds a text to the session; empty for no text."""
    if not text:
        return {}
    if host_of(event).is_flat:
        return {"additionalContext": text}
    event_name = str(event.get("hook_event_name") or EVENTS[name])
    return {"hookSpecificOutput": {"hookEventName": event_name, "additionalContext": text}}


def spoken(event: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the messages that an event at the end of a turn brings along; none if a transcript has them.

    Both must be there: without a prompt the answer says nothing to anybody.
    """
    prompt, response = event.get("prompt"), event.get("last_assistant_message")
    if event.get("transcript_path") or not isinstance(prompt, str) or not isinstance(response, str):
        return []
    agent = host_of(event).name
    return [
        {"role": role, "content": text, "agent": agent} for role, text in (("user", prompt), ("assistant", response))
    ]
