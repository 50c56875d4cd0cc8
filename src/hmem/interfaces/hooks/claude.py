"""The hooks of Claude Code: its JSON in, its JSON out, within their time; nothing heavy is loaded here.

The same is done in the hook's own process, with a question to the worker, and in the worker, which asks itself.
"""

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final, cast

from hmem.interfaces.hooks.link import ask_or_start
from hmem.interfaces.hooks.log import Quietly
from hmem.interfaces.hooks.quick import EVENTS
from hmem.interfaces.hooks.settings import Settings
from hmem.interfaces.hooks.spool import captured, put, session_file, write

# Asks the worker for something, within some seconds; and waits for one to start for so many.
Ask = Callable[[dict[str, Any], float, float], dict[str, Any] | None]

_ACKNOWLEDGED_SECONDS: Final = 0.1


def printed(name: str, given: bytes) -> bytes:
    """What a hook prints at an event, as the environment has it."""
    told = answer(Settings.of_environment(), name, given)
    # ASCII, so that no terminal's encoding can be in the way.
    return json.dumps(told).encode() + b"\n" if told else b""


def answer(settings: Settings, name: str, given: bytes) -> dict[str, Any]:
    """What Claude Code is told at an event, empty for nothing; whatever goes wrong is in the log and nowhere else."""
    if settings.off:
        return {}

    def asked(request: dict[str, Any], seconds: float, wait: float) -> dict[str, Any] | None:
        return ask_or_start(settings, request, seconds, wait)

    with Quietly(settings, name):
        event = _event(given)
        named = os.environ.get("HMEM_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR")
        if name in ("session-start", "user-prompt-submit"):
            return told_at(settings, name, event, named or str(event.get("cwd") or "."), asked)
        wanted = captured(event, named or str(event.get("cwd") or "."))
        if wanted is not None:
            put(settings, wanted)
            asked({"do": "capture"}, _ACKNOWLEDGED_SECONDS, 0)
    return {}


def told_at(settings: Settings, name: str, event: Mapping[str, Any], folder: str, ask: Ask) -> dict[str, Any]:
    """What is told at the start of a session or at a prompt, in a folder.

    Raises:
        OSError: it cannot be noted down when the session began.
        HmemError: what the asked one raises.
    """
    session = str(event.get("session_id", ""))
    if name == "session-start":
        _note_start(settings, session, event)
        request = {"do": "start", "folder": folder, "session": session}
        told = ask(request, settings.start_seconds, settings.start_seconds)
    else:
        request = {"do": "prompt", "folder": folder, "session": session, "prompt": str(event.get("prompt", ""))}
        told = ask(request, settings.prompt_seconds, 0)
    text = str((told or {}).get("context", ""))
    return {"hookSpecificOutput": {"hookEventName": EVENTS[name], "additionalContext": text}} if text else {}


def _note_start(settings: Settings, session: str, event: Mapping[str, Any]) -> None:
    """Note down when a session began: what was said before now is no longer in its own context."""
    settings.make_folders()
    place = session_file(settings, session, "began")
    if event.get("source") != "resume" or not place.exists():
        write(place, {"began": datetime.now(UTC).isoformat()})


def _event(given: bytes) -> dict[str, Any]:
    event = json.loads(given)
    if not isinstance(event, dict):
        raise ValueError(f"an event is an object, not {type(event).__name__}")  # noqa: TRY004 - it goes to the log
    return cast("dict[str, Any]", event)
