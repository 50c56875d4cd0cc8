"""Claude Code's transcript: a line for each message. What people and the agent said to each other is taken from it."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from hmem.interfaces.framing import without_frames

_LONGEST_LINE: Final = 8_000_000

# What the program puts into messages that nobody said.
_INSERTED: Final = re.compile(
    r"<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-name|command-message|"
    r"command-args|bash-input|bash-stdout|bash-stderr|ide_opened_file|ide_selection|task-notification)>.*?</\1>",
    re.DOTALL,
)
_NOT_SAID: Final = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage", "isVisibleInTranscriptOnly")
_INTERRUPTED: Final = "[Request interrupted by user"


class Said(NamedTuple):
    """A message with the position in the file behind its line; None for a line that says nothing."""

    end: int
    message: dict[str, Any] | None


def said_since(transcript: Path, start: int = 0) -> Iterator[Said]:
    """The messages of a transcript from a position on, in order.

    A last line that is not ended yet is left for the next time. A position behind the end means another file: it is
    read from its beginning, which does no harm, since messages have ids.

    Raises:
        OSError: the file cannot be read.
    """
    with transcript.open("rb") as file:
        if start > transcript.stat().st_size:
            start = 0
        file.seek(start)
        end = start
        while line := file.readline(_LONGEST_LINE):
            whole = line.endswith(b"\n")
            if not whole and len(line) < _LONGEST_LINE:
                return
            end += len(line)
            while not whole and (rest := file.readline(_LONGEST_LINE)):
                end += len(rest)
                whole = rest.endswith(b"\n")
                line = b""
            yield Said(end, _message(line))


def _message(line: bytes) -> dict[str, Any] | None:
    """A message as ``Memory.add`` takes it; None for what nobody said, and for what is no message."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    fields = cast("dict[str, Any]", entry)
    role, uuid = fields.get("type"), fields.get("uuid")
    if role not in ("user", "assistant") or not isinstance(uuid, str) or any(fields.get(each) for each in _NOT_SAID):
        return None
    inner = fields.get("message")
    text = _text(cast("Mapping[str, Any]", inner).get("content")) if isinstance(inner, Mapping) else ""
    if not text or text.startswith(_INTERRUPTED):
        return None
    at = fields.get("timestamp")
    message = {"role": role, "content": text, "message_id": uuid, "agent": "claude-code"}
    return message | ({"at": at} if isinstance(at, str) else {})


def _text(content: Any) -> str:
    """What is said in the content of a message: no tool's results, no thoughts, nothing inserted or recalled."""
    if isinstance(content, str):
        said = content
    elif isinstance(content, list):
        parts = [cast("Mapping[str, Any]", part) for part in cast("list[Any]", content) if isinstance(part, Mapping)]
        texts = [part.get("text") for part in parts if part.get("type") == "text"]
        said = "\n\n".join(text for text in texts if isinstance(text, str))
    else:
        return ""
    return without_frames(_INSERTED.sub("", said))
