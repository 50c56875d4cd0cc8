"""The hooks of Claude Code: its JSON in, its JSON out, within their time; nothing heavy is loaded here."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

from hmem.interfaces.hooks.link import ask_or_start
from hmem.interfaces.hooks.log import Quietly
from hmem.interfaces.hooks.settings import Settings
from hmem.interfaces.hooks.spool import Capture, put, session_file, write

# By the name on the command line, the event's own.
EVENTS: Final[Mapping[str, str]] = {
    "session-start": "SessionStart",
    "user-prompt-submit": "UserPromptSubmit",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
_ACKNOWLEDGED_SECONDS: Final = 0.1


def answer(settings: Settings, name: str, given: bytes) -> dict[str, Any]:
    """What Claude Code is told at an event, empty for nothing; whatever goes wrong is in the log and nowhere else."""
    if settings.off:
        return {}
    with Quietly(settings, name):
        event = _event(given)
        if name == "session-start":
            return _context(EVENTS[name], _at_start(settings, event))
        if name == "user-prompt-submit":
            return _context(EVENTS[name], _at_prompt(settings, event))
        _capture(settings, event)
    return {}


def _event(given: bytes) -> dict[str, Any]:
    event = json.loads(given)
    if not isinstance(event, dict):
        raise ValueError(f"an event is an object, not {type(event).__name__}")  # noqa: TRY004 - it goes to the log
    return cast("dict[str, Any]", event)


def _context(event: str, text: str) -> dict[str, Any]:
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _at_start(settings: Settings, event: Mapping[str, Any]) -> str:
    """What is known of the project; what was said before now is no longer in the session's own context."""
    session = str(event.get("session_id", ""))
    settings.make_folders()
    place = session_file(settings, session, "began")
    if event.get("source") != "resume" or not place.exists():
        write(place, {"began": datetime.now(UTC).isoformat()})
    request = {"do": "start", "folder": _folder(event), "session": session}
    told = ask_or_start(settings, request, settings.start_seconds, settings.start_seconds)
    return str((told or {}).get("context", ""))


def _at_prompt(settings: Settings, event: Mapping[str, Any]) -> str:
    request = {"do": "prompt", "folder": _folder(event), "session": str(event.get("session_id", ""))}
    request["prompt"] = str(event.get("prompt", ""))
    told = ask_or_start(settings, request, settings.prompt_seconds)
    return str((told or {}).get("context", ""))


def _capture(settings: Settings, event: Mapping[str, Any]) -> None:
    """Note down that the session has something new, and tell the worker."""
    transcript = event.get("transcript_path")
    if not isinstance(transcript, str) or not transcript:
        return
    path = str(Path(transcript).expanduser())
    put(settings, Capture(str(event.get("session_id") or Path(path).stem), path, _folder(event)))
    ask_or_start(settings, {"do": "capture"}, _ACKNOWLEDGED_SECONDS)


def _folder(event: Mapping[str, Any]) -> str:
    """The folder of the project: what Claude Code was started in, else where it is now."""
    return os.environ.get("HMEM_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR") or str(event.get("cwd") or ".")
