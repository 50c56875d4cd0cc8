"""Transcripts of agents: JSONL with an entry on each line, of Claude Code, Codex, Copilot, Gemini CLI and OpenClaw."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from hmem.language.prompt_text import without_frames
from hmem.util.files import open_regular
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, cut_between, fields, moment, nonempty, objects, text
from hmem_import.tree import ImportTree, Item, json_lines

CLAUDE_CODE: Final = "claude-code"
CODEX: Final = "codex"
COPILOT: Final = "copilot"
GEMINI: Final = "gemini-cli"
OPENCLAW: Final = "openclaw"
_KINDS: Final = ("user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "progress")
# Elements that Claude Code inserts into messages.
_ELEMENTS: Final = re.compile(
    r"<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-name|command-message|"
    r"command-args|bash-input|bash-stdout|bash-stderr|ide_opened_file|ide_selection|task-notification)>.*?</\1>",
    re.DOTALL,
)
_UNSPOKEN: Final = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly")
_INTERRUPTED: Final = "[Request interrupted by user"
# What Codex CLI and Gemini CLI insert as messages of the user, or before one.
_INSERTED: Final = re.compile(
    r"<(environment_context|user_instructions|permissions instructions|turn_aborted|session_context|hook_context)>"
    r".*?</\1>\s*|^# AGENTS\.md instructions for .*\Z",
    re.DOTALL,
)
# Types of parts that are text; those of Gemini have none.
_TEXTS: Final = ("text", "input_text", "output_text")
_CODEX_TYPES: Final = ("session_meta", "response_item", "event_msg", "turn_context")
_ROLES: Final = {
    "user": "user", "assistant": "assistant", "gemini": "assistant",
    "user.message": "user", "assistant.message": "assistant",
}  # fmt: skip
# Bytes of a line that is read, and of one that is passed over.
_LONGEST_LINE: Final = 8_000_000
_LONGEST_PASSED_OVER: Final = 256_000_000
# What OpenClaw puts around or before the words of the user.
_CONTEXT: Final = ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>")
_SENDER: Final = re.compile(
    r"^(?:Conversation info|Sender) \(untrusted metadata\):\s{0,2}```json\n[^`]*```\s*", re.MULTILINE
)


def is_claude_code(line: Any) -> bool:
    """Tell if a line is an entry of a transcript of Claude Code."""
    entry = fields(line)
    return entry.get("type") in _KINDS and any(key in entry for key in ("sessionId", "leafUuid", "snapshot", "uuid"))


def is_codex(line: Any) -> bool:
    """Tell if a line is an entry of a session of Codex CLI."""
    entry = fields(line)
    return (entry.get("type") in _CODEX_TYPES and "payload" in entry) or _is_bare_codex(entry)


def _is_bare_codex(entry: Fields) -> bool:
    """Tell if a line is the head of a session of Codex CLI of before September 2025, whose messages stand bare."""
    return "type" not in entry and {"id", "timestamp", "instructions"} <= entry.keys()


def is_copilot(line: Any) -> bool:
    """Tell if a line is an event of a session of GitHub Copilot."""
    entry = fields(line)
    return entry.get("type") == "session.start" and "data" in entry


def is_gemini(line: Any) -> bool:
    """Tell if a line is the head of a session of Gemini CLI."""
    return {"sessionId", "projectHash", "startTime"} <= fields(line).keys()


def is_openclaw(line: Any) -> bool:
    """Tell if a line is the head of a session of OpenClaw."""
    entry = fields(line)
    return entry.get("type") == "session" and {"id", "timestamp"} <= entry.keys()


def read_transcripts(tree: ImportTree) -> Iterator[Item]:
    """Yield what was said in sessions of an agent, under the ids under which its hooks capture it."""

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        session, bare_start = file.title.partition(".")[0], ""
        for item in json_lines(file):
            entry = fields(item.message)
            session = _session_of(entry) or session
            if _is_bare_codex(entry):
                session, bare_start = text(entry.get("id")) or session, text(entry.get("timestamp"))
            elif bare_start and entry.get("type") == "message":
                # It has no time and no id of its own.
                identity = f"{session}-{item.line}"
                entry = {"type": "response_item", "timestamp": bare_start, "payload": {**entry, "id": identity}}
            message = transcript_message(entry)
            if message is not None:
                yield Item(item.line, {**message, "session": session})
            elif item.error is not None:
                yield item

    return tree.items(of_file, None if tree.is_single else _is_lines)


def _session_of(entry: Fields) -> str | None:
    """Return the id of the session that an entry is of, or begins."""
    if entry.get("type") == "session_meta":
        return text(fields(entry.get("payload")).get("id"))
    return text(entry.get("sessionId")) or text(fields(entry.get("data")).get("sessionId"))


class TranscriptMessage(NamedTuple):
    """Message and the file position after its line; None for a line without one.

    ``truncated``: what follows was not read, as a line has no end within reason.
    """

    end: int
    message: dict[str, Any] | None
    truncated: bool = False


def messages_since(transcript: Path, start: int = 0) -> Iterator[TranscriptMessage]:
    """Yield the messages of a transcript from a byte position on, in order, up to its present end.

    A last line without its end is left for the next time. A position beyond the end means another file: it is read from
    its beginning, which does no harm, since messages have ids.

    Raises:
        OSError: the file cannot be read, or is none: a pipe, a device, a link.
    """
    with open_regular(transcript) as file:
        # A transcript that grows while it is read would have no end.
        size = os.fstat(file.fileno()).st_size
        end = start if start <= size else 0
        file.seek(end)
        while end < size and (line := file.readline(_LONGEST_LINE)):
            is_complete = line.endswith(b"\n")
            if not is_complete and len(line) < _LONGEST_LINE:
                return
            end += len(line)
            read = len(line)
            while not is_complete and (continuation := file.readline(_LONGEST_LINE)):
                line = b""
                end += len(continuation)
                read += len(continuation)
                is_complete = continuation.endswith(b"\n")
                if read > _LONGEST_PASSED_OVER and not is_complete:
                    yield TranscriptMessage(max(end, size), None, truncated=True)
                    return
            yield TranscriptMessage(end, transcript_message(_parsed(line)))


def _parsed(line: bytes) -> Fields:
    """Return the object on a line; an empty one for anything else."""
    try:
        return fields(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def transcript_message(entry: Fields) -> dict[str, Any] | None:
    """Return an entry of a transcript as a message for ``Memory.add``; None for what nobody said.

    It has the form of Claude Code, Codex CLI, GitHub Copilot or Gemini CLI, or is a message already.
    """
    if isinstance(entry.get("message_id"), str):
        return dict(entry)
    agent, role, message_id, content = _entry_parts(entry)
    words = _content(content) if message_id and role else ""
    if not words or words.startswith(_INTERRUPTED):
        return None
    message = {"role": role, "content": words, "message_id": message_id, "agent": agent}
    time = entry.get("timestamp")
    return message | ({"at": time} if isinstance(time, str) else {})


def _entry_parts(entry: Fields) -> tuple[str, str, str, Any]:
    """Return agent, role, id and content of an entry; an empty role for an entry that is no message."""
    kind, payload = text(entry.get("type")) or "", fields(entry.get("payload"))
    if kind == "response_item":
        role = _ROLES.get(text(payload.get("role")) or "", "") if payload.get("type") == "message" else ""
        # Its model gives an id to an answer, and need not keep it unique.
        identity = f"{payload.get('id') or ''}-{entry.get('timestamp')}"
        return CODEX, role, identity, payload.get("content")
    role = _ROLES.get(kind, "")
    if kind in ("user.message", "assistant.message"):
        data = fields(entry.get("data"))
        # A sub-agent's messages name the call of the tool that it answers.
        return COPILOT, "" if data.get("parentToolCallId") else role, text(entry.get("id")) or "", data.get("content")
    if "uuid" not in entry:
        return GEMINI, role, text(entry.get("id")) or "", entry.get("displayContent") or entry.get("content")
    if any(entry.get(key) for key in _UNSPOKEN):
        role = ""
    return CLAUDE_CODE, role, text(entry.get("uuid")) or "", fields(entry.get("message")).get("content")


def _content(content: Any) -> str:
    """Return the text of a message's content, without tool results, thoughts, insertions and recalled text."""
    if not isinstance(content, str):
        texts = [block.get("text") for block in objects(content) if block.get("type", "text") in _TEXTS]
        content = "\n\n".join(text for text in texts if isinstance(text, str))
    return without_frames(_INSERTED.sub("", _ELEMENTS.sub("", content)))


def read_openclaw(tree: ImportTree) -> Iterator[Item]:
    """Yield what was said in sessions of OpenClaw, without tools and thoughts."""

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        session = file.title.partition(".")[0]
        for item in json_lines(file):
            entry = fields(item.message)
            if entry.get("type") == "session":
                session = text(entry.get("id")) or session
            message = _openclaw(entry, session)
            if message is not None or item.error is not None:
                yield item._replace(message=message)

    return tree.items(of_file, None if tree.is_single else _is_lines)


def _openclaw(entry: Fields, session: str) -> dict[str, Any] | None:
    inner = fields(entry.get("message"))
    role = text(inner.get("role"))
    if entry.get("type") != "message" or role not in ("user", "assistant"):
        return None
    content = inner.get("content")
    texts = [text(block.get("text")) for block in objects(content) if block.get("type") == "text"] or [text(content)]
    body = cut_between("\n\n".join(filter(None, texts)), *_CONTEXT).strip()
    body = without_frames(_SENDER.sub("", body)).strip()
    if not body:
        return None
    return nonempty(
        text=body,
        role=role,
        at=moment(entry.get("timestamp")),
        session=session,
        message_id=f"{OPENCLAW}:{session}:{text(entry.get('id'))}",
        agent=OPENCLAW,
    )


def _is_lines(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(".jsonl")
