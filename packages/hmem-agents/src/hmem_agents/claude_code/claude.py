"""Hooks of Claude Code: capture its transcripts, and recall into its sessions.

A hook gets JSON and prints JSON, within its time. The same functions run in the hook's own process, which asks the
worker, and in the worker, which asks itself.
"""

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Final, cast

from hmem.api.memory import Memory
from hmem.errors import InvalidQuery, InvalidTurn
from hmem.language.prompt_text import framed, quote_text, utterance_line
from hmem.language.tokens import count_tokens
from hmem.model.persona import PROFILE_TOKENS
from hmem_agents.claude_code.capture_queue import Capture, captured, enqueue, read, session_file, write
from hmem_agents.claude_code.fast_path import EVENTS
from hmem_agents.claude_code.link import PING_SECONDS, ask, start_worker
from hmem_agents.claude_code.memories import from_files
from hmem_agents.claude_code.settings import HookSettings, Quietly, note
from hmem_import.transcripts import messages_since

_START: Final = "What earlier sessions in this project told, from hmem. Ask its tools for more (context, recall)."
_PROMPT: Final = "What earlier sessions told that this prompt calls to mind, from hmem."
_USER: Final = "Of the user, across projects:"

# Token budgets of the project's memory and of the user's.
START_TOKENS: Final = (900, 300)
PROMPT_TOKENS: Final = (500, 200)

_DAYS: Final = 5
_SESSIONS: Final = 3
_NOTES: Final = 12
_SUMMARY: Final = 300
_MIN_QUESTION: Final = 12
_LONGEST_QUESTION: Final = 2_000


def at_request(
    settings: HookSettings, request: Mapping[str, Any], project: Memory | None, user: Memory | None
) -> dict[str, Any]:
    """Return the answer to a request for context (``start``, ``prompt``) from the memories that there are."""
    if request["do"] == "start":
        return {"context": at_start(project, user, settings.characters)}
    start_time = read(session_file(settings, str(request["session"]), "began")).get("began")
    until = start_time if isinstance(start_time, str) else None
    return {"context": at_prompt(project, user, str(request["prompt"]), settings.characters, until)}


def at_start(project: Memory | None, user: Memory | None, characters: int) -> str:
    """Return the project's profile, last days and newest notes, and those of its user; empty without any."""
    project_text = _summarise(project, START_TOKENS[0]) if project is not None else ""
    user_text = _summarise(user, START_TOKENS[1]) if user is not None else ""
    return _bounded(_START, project_text, user_text, characters)


def at_prompt(
    project: Memory | None, user: Memory | None, prompt: str, characters: int, until: str | None = None
) -> str:
    """Return context for a prompt, from turns before ``until``; empty without any."""
    question = prompt.strip()[:_LONGEST_QUESTION]
    if len(question) < _MIN_QUESTION or question.startswith(("/", "!", "#")):
        return ""
    project_text = _reminded(project, question, PROMPT_TOKENS[0], until) if project is not None else ""
    user_text = _reminded(user, question, PROMPT_TOKENS[1], None) if user is not None else ""
    return _bounded(_PROMPT, project_text, user_text, characters)


def _reminded(memory: Memory, question: str, tokens: int, until: str | None) -> str:
    conditions: Any = {} if until is None else {"until": until}
    try:
        return memory.context(question, tokens, **conditions).text
    except InvalidQuery:
        return ""


def _summarise(memory: Memory, tokens: int) -> str:
    """Return the profile, the last days, the newest current notes and the last sessions, within a token budget."""
    if not memory.stats().turns:
        return ""
    profile = _profile(memory, min(tokens, PROFILE_TOKENS))
    month = datetime.now(UTC) - timedelta(days=31)
    notes = [
        f"- {quote_text(note.text)} ({note.recorded:%Y-%m-%d})"
        for note in memory.notes(limit=10_000)
        if note.status == "current" and note.recorded >= month
    ][-_NOTES:]
    days = [
        f"{node.label}: {quote_text(node.summary[:_SUMMARY])}"
        for node in _days(memory.tree("calendar", summaries=True))[-_DAYS:]
        if node.summary
    ]
    sessions = [
        f"{session.start:%Y-%m-%d}: {utterance_line(first.speaker, session.opening[:_SUMMARY])}"
        for session in memory.sessions()[-_SESSIONS:]
        if session.opening
        for first in memory.list(session=session.id, limit=1)
    ]
    blocks = (("", profile), ("Last days:", days[::-1]), ("Notes:", notes), ("Last sessions began:", sessions[::-1]))
    lines = [line for head, content in blocks if content for line in ([head, *content] if head else content)]
    return _lines_within(lines, tokens)


def _profile(memory: Memory, tokens: int) -> list[str]:
    """Return the lines of the profile of the person who said most; none of a memory of several users."""
    try:
        return memory.profile(tokens=tokens).text.splitlines()
    except InvalidQuery:
        return []


def _days(tree: Any) -> list[Any]:
    if tree.node.level == 1:
        return [tree.node]
    return [node for child in tree.children for node in _days(child)]


def _lines_within(lines: list[str], tokens: int) -> str:
    selected: list[str] = []
    for line in lines:
        tokens -= count_tokens(line) + 1
        if tokens < 0:
            break
        selected.append(line)
    return "\n".join(selected)


def _bounded(head: str, project_text: str, user_text: str, characters: int) -> str:
    """Return both texts in one frame of at most ``characters`` characters; the last lines are dropped first."""
    lines = [head, *project_text.splitlines(), *([_USER, *user_text.splitlines()] if user_text else [])]
    if not project_text and not user_text:
        return ""
    while len(lines) > 1 and len(text := framed("\n".join(lines))) > characters:
        lines.pop()
        del text
    text = framed("\n".join(lines))
    return text if len(lines) > 1 and len(text) <= characters else ""


_BATCH: Final = 200


def capture(settings: HookSettings, memory: Memory, entry: Capture) -> int:
    """Keep the new messages of a session, and return the number of turns stored.

    The position in the transcript is saved after each batch; if it was not, the ids of messages prevent duplicates.

    Raises:
        OSError: the transcript cannot be read.
        MemoryBusy, StorageFull, StorageError: nothing more was kept; it can be tried again.
    """
    path = session_file(settings, entry.session, "offset")
    state = read(path)
    stored_count = 0
    start = state.get("offset") if state.get("transcript") == entry.transcript else 0
    lines = messages_since(Path(entry.transcript), start if isinstance(start, int) else 0)
    while batch := list(islice(lines, _BATCH)):
        messages = [line.message for line in batch if line.message is not None]
        receipts = memory.add(messages, session=entry.session) if messages else []
        stored_count += sum(receipt.fate == "stored" for receipt in receipts)
        for rejection in (receipt for receipt in receipts if not receipt):
            note(settings, f"capture: {InvalidTurn.__name__}: {rejection.error}")
        if batch[-1].truncated:
            note(settings, f"capture: {entry.transcript} has a line without an end - what follows it is left out")
        write(path, {"transcript": entry.transcript, "offset": batch[-1].end})
    return stored_count


# Sends a request to the worker. Arguments: request, seconds to wait for the answer.
Ask = Callable[[dict[str, Any], float], dict[str, Any] | None]

_ACKNOWLEDGED_SECONDS: Final = 0.1


def printed(name: str, payload: bytes, start_time: float) -> bytes:
    """Return a hook's output at an event, with settings from the environment."""
    response = answer(HookSettings.of_environment(), name, payload, start_time)
    # ASCII, so that no terminal's encoding can be in the way.
    return json.dumps(response).encode() + b"\n" if response else b""


def answer(settings: HookSettings, name: str, payload: bytes, start_time: float | None = None) -> dict[str, Any]:
    """Return the answer to an event for Claude Code, empty for none; errors go to the log only.

    The hook ``began`` then, in monotonic seconds; now by default.
    """
    if settings.disabled:
        return {}
    start = monotonic() if start_time is None else start_time

    def request_context(request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        remaining = start + seconds - monotonic()
        response = ask(settings, request, remaining) if remaining > 0 else None
        if response is not None:
            return response
        alive = ask(settings, {"do": "ping"}, PING_SECONDS) is not None
        try:
            return None if request["do"] == "capture" else _from_files(settings, request, start)
        finally:
            if not alive:
                start_worker(settings)

    with Quietly(settings, name):
        event = _event(payload)
        project = os.environ.get("HMEM_PROJECT") or os.environ.get("CLAUDE_PROJECT_DIR")
        if name in ("session-start", "user-prompt-submit"):
            return context_answer(settings, name, event, project or str(event.get("cwd") or "."), request_context)
        entry = captured(event, project or str(event.get("cwd") or "."))
        if entry is not None:
            enqueue(settings, entry)
            request_context({"do": "capture"}, _ACKNOWLEDGED_SECONDS)
    return {}


def _from_files(settings: HookSettings, request: dict[str, Any], start: float) -> dict[str, Any]:
    """Return the answer of the hook itself, in the time that is left of the one in which it has ``begun``."""
    seconds = max(start + settings.most_seconds(str(request["do"])) - monotonic(), 0.0)
    return from_files(settings, request, partial(at_request, settings, request), seconds)


def context_answer(
    settings: HookSettings, name: str, event: Mapping[str, Any], folder: str, ask: Ask
) -> dict[str, Any]:
    """Return the answer at the start of a session, or at a prompt, in a folder.

    Raises:
        OSError: the start of the session cannot be saved.
        HmemError: as ``ask`` raises.
    """
    session = str(event.get("session_id", ""))
    if name == "session-start":
        _note_start(settings, session, event)
        request = {"do": "start", "folder": folder, "session": session}
        response = ask(request, settings.worker_seconds("start"))
    else:
        request = {"do": "prompt", "folder": folder, "session": session, "prompt": str(event.get("prompt", ""))}
        response = ask(request, settings.worker_seconds("prompt"))
    text = str((response or {}).get("context", ""))
    return {"hookSpecificOutput": {"hookEventName": EVENTS[name], "additionalContext": text}} if text else {}


def _note_start(settings: HookSettings, session: str, event: Mapping[str, Any]) -> None:
    """Save when a session began: what was said since is in the session's own context."""
    settings.make_folders()
    path = session_file(settings, session, "began")
    if event.get("source") != "resume" or not path.exists():
        write(path, {"began": datetime.now(UTC).isoformat()})


def _event(payload: bytes) -> dict[str, Any]:
    event = json.loads(payload)
    if not isinstance(event, dict):
        raise ValueError(f"an event is an object, not {type(event).__name__}")  # noqa: TRY004 - it goes to the log
    return cast("dict[str, Any]", event)
