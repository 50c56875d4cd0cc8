"""Transcripts of agents: JSONL with an entry on each line, of Claude Code and of OpenClaw."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hmem.interfaces.claude_code.claude import transcript_message
from hmem.interfaces.formats.lines import json_lines
from hmem.interfaces.formats.opening import ImportFile
from hmem.interfaces.formats.reading import Fields, fields, given, moment, objects, text, without
from hmem.interfaces.formats.tree import ImportTree, Item
from hmem.language.prompt_text import without_frames

CLAUDE_CODE: Final = "claude-code"
OPENCLAW: Final = "openclaw"
_KINDS: Final = ("user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "progress")
# What OpenClaw puts around or before the words of the user.
_CONTEXT: Final = ("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>", "<<<END_OPENCLAW_INTERNAL_CONTEXT>>>")
_INSERTED: Final = re.compile(
    r"^(?:Conversation info|Sender) \(untrusted metadata\):\s{0,2}```json\n[^`]*```\s*", re.MULTILINE
)


def is_claude_code(line: Any) -> bool:
    """Tell if a line is an entry of a transcript of Claude Code."""
    held = fields(line)
    return held.get("type") in _KINDS and any(each in held for each in ("sessionId", "leafUuid", "snapshot", "uuid"))


def is_openclaw(line: Any) -> bool:
    """Tell if a line is the head of a session of OpenClaw."""
    held = fields(line)
    return held.get("type") == "session" and {"id", "timestamp"} <= held.keys()


def read_claude_code(tree: ImportTree) -> Iterator[Item]:
    """Yield what was said in sessions of Claude Code, under the ids under which its hooks capture it."""

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        for item in json_lines(file):
            entry = fields(item.message)
            message = transcript_message(json.dumps(entry).encode()) if item.error is None else None
            if message is not None:
                session = text(entry.get("sessionId")) or file.title.partition(".")[0]
                yield Item(item.line, {**message, "session": session})
            elif item.error is not None:
                yield item

    return tree.items(of_file, None if tree.alone else _is_lines)


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

    return tree.items(of_file, None if tree.alone else _is_lines)


def _openclaw(entry: Fields, session: str) -> dict[str, Any] | None:
    inner = fields(entry.get("message"))
    role = text(inner.get("role"))
    if entry.get("type") != "message" or role not in ("user", "assistant"):
        return None
    content = inner.get("content")
    parts = [text(each.get("text")) for each in objects(content) if each.get("type") == "text"] or [text(content)]
    said = without("\n\n".join(filter(None, parts)), *_CONTEXT).strip()
    said = without_frames(_INSERTED.sub("", said)).strip()
    if not said:
        return None
    return given(
        text=said,
        role=role,
        at=moment(entry.get("timestamp")),
        session=session,
        message_id=f"{OPENCLAW}:{session}:{text(entry.get('id'))}",
        agent=OPENCLAW,
    )


def _is_lines(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(".jsonl")
