"""Files of turns, read into messages for ``Memory.add``, each with its position in the file.

Formats: ``jsonl`` (a turn a line), ``messages`` (a JSON list in the style of OpenAI, or an object with
``messages``), exports of other programs (``hmem.interfaces.formats``), ``locomo`` and ``longmemeval``. A file may be
compressed with gzip; of a ZIP archive ``conversations.json`` is read. The path ``-`` is stdin.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from hmem.errors import InvalidFile
from hmem.interfaces import bundle
from hmem.interfaces.formats import chatgpt, claude, knowledge_graph, locomo, longmemeval, markdown, mem0
from hmem.interfaces.formats.conversations import Conversation
from hmem.interfaces.formats.opening import ImportFile, ImportLimits
from hmem.util.nesting import deeper_than

_BENCHMARKS: Final[Mapping[str, Callable[[Any, str], Sequence[Conversation]]]] = {
    "locomo": locomo.conversations,
    "longmemeval": longmemeval.conversations,
}
_EXPORTS: Final = {each.NAME: each for each in (chatgpt, claude, mem0)}
FORMATS: Final = (
    "jsonl", "messages", bundle.NAME, *_EXPORTS, knowledge_graph.NAME, markdown.NAME, *_BENCHMARKS
)  # fmt: skip

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_LINES: Final = (".jsonl", ".ndjson")

# Fields that programs write as empty texts if absent.
_NAMES: Final = ("id", "speaker", "session", "user", "agent", "message_id")
# Fields of OpenAI-style messages that a turn lacks; they are kept as metadata.
_OF_OPENAI: Final = ("tool_calls", "tool_call_id", "function_call", "refusal", "annotations", "audio")


class Item(NamedTuple):
    """Message with its line or position, from 1; or the error that replaces it."""

    line: int
    message: Any = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """File to import. ``count`` returns the number of items, None if that is not known; it may read the file once."""

    format: str
    items: Iterable[Item]
    count: Callable[[], int | None]


def read(path: Path, format: str | None = None, limits: ImportLimits | None = None) -> Source:
    """Return the items of a file, or of stdin for ``-``, in one of ``FORMATS`` or, for None, in the detected one.

    Raises:
        InvalidFile: it cannot be read, is not in this format, or is beyond the limits.
    """
    file = ImportFile(path, limits or ImportLimits())
    notes = path.is_dir() or path.suffix.lower() in markdown.SUFFIXES
    if format == markdown.NAME or (format is None and notes):
        return _markdown(file)
    if format in ("jsonl", bundle.NAME, knowledge_graph.NAME) or (format is None and _is_lines(file)):
        return _by_lines(file, format)
    data = file.whole()
    looks = _looks_like(data) if format is None else format
    if looks in _BENCHMARKS:
        return _listed(looks, [message for each in _BENCHMARKS[looks](data, file.name) for message in _prefixed(each)])
    if looks is not None and looks in _EXPORTS:
        return _listed(looks, list(_EXPORTS[looks].messages(data)))
    if _looks_like(data) != "messages":
        raise InvalidFile(f"{file.name} holds no list of messages - name its format: --format {' | '.join(FORMATS)}")
    messages = cast("Sequence[Any]", data["messages"] if isinstance(data, Mapping) else data)
    return _listed("messages", [_of_openai(message) for message in messages])


def _listed(format: str, messages: Sequence[Any]) -> Source:
    return Source(format, (Item(place, message) for place, message in enumerate(messages, 1)), lambda: len(messages))


def _by_lines(file: ImportFile, format: str | None) -> Source:
    """Return the lines of a file: turns, an export of hmem, or a knowledge graph."""
    if format is None:
        first = next((item.message for item in _lines(file) if item.error is None), None)
        looks = next((each.NAME for each in (bundle, knowledge_graph) if each.looks_like(first)), "jsonl")
        return _by_lines(file, looks)
    file.last = True
    if format != knowledge_graph.NAME:
        count = _unknown if file.is_stdin else lambda: _count_lines(file)
        return Source(format, _lines(file, turns=format == "jsonl"), count)
    found = [
        Item(item.line, message, item.error)
        for item in _lines(file)
        for message in ([None] if item.error else knowledge_graph.messages(item.message, file.changed))
    ]
    return Source(format, found, lambda: len(found))


def _unknown() -> None:
    return None


def _markdown(file: ImportFile) -> Source:
    found = [
        Item(line, error=str(message)) if isinstance(message, InvalidFile) else Item(line, message)
        for line, message in markdown.messages(file)
    ]
    return Source(markdown.NAME, found, lambda: len(found))


# Reading.


def _lines(file: ImportFile, *, turns: bool = True) -> Iterator[Item]:
    """Yield the items of a file with one on each line; an invalid line becomes an error."""
    number = 0
    try:
        for number, line in file.lines():
            if line is None:
                yield Item(number, error=f"the line is longer than {file.limits.line:,} bytes - split what it holds")
            elif line.strip():
                yield _line(number, line, file.limits, turns=turns)
    except InvalidFile as error:
        # The file is truncated: keep what was read before.
        if number == 0:
            raise
        yield Item(number + 1, error=str(error))


def _line(number: int, line: bytes, limits: ImportLimits, *, turns: bool) -> Item:
    try:
        read: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Item(number, error=f'not JSON ({error}) - each line is one turn, such as {{"text": "Hello"}}')
    if deeper_than(read, limits.depth):
        return Item(number, error=f"the line is nested more than {limits.depth} deep - raise --max-depth")
    return Item(number, _with_message_id(read) if turns else read)


def _count_lines(file: ImportFile) -> int:
    return sum(1 for _ in _lines(file))


# Telling formats apart.


def _is_lines(file: ImportFile) -> bool:
    """Tell if a file has one turn a line: by its name, else by its first line."""
    if file.path.name.lower().removesuffix(".gz").endswith(_LINES):
        return True
    first = next((line for _, line in file.lines() if line is None or line.strip()), b"")
    if first is None or not first.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith(b"{"):
        return first == b""
    try:
        alone = json.loads(first)
        return "messages" not in alone and not mem0.looks_like(alone)
    except (ValueError, RecursionError):
        return False


def _looks_like(data: Any) -> str | None:
    for name, each in _EXPORTS.items():
        if each.looks_like(data):
            return name
    if isinstance(data, Mapping):
        return "messages" if isinstance(cast("Mapping[str, Any]", data).get("messages"), list) else None
    if not isinstance(data, list):
        return None
    first: Any = next(iter(cast("list[Any]", data)), None)
    if isinstance(first, Mapping) and "haystack_sessions" in first:
        return "longmemeval"
    return "locomo" if isinstance(first, Mapping) and {"conversation", "sample_id"} <= first.keys() else "messages"


# Messages.


def _with_message_id(message: Any) -> Any:
    """Return a message whose ``id`` becomes its ``message_id``, without empty names."""
    if not isinstance(message, Mapping):
        return message
    known = cast("Mapping[str, Any]", message)
    fields = {name: value for name, value in known.items() if value != "" or name not in _NAMES}
    own = fields.pop("id", None)
    if fields.get("message_id") is None and own is not None:
        fields["message_id"] = own
    return fields


def _of_openai(message: Any) -> Any:
    fields = _with_message_id(message)
    if not isinstance(fields, dict):
        return fields
    parts = cast("dict[str, Any]", fields)
    theirs = {name: parts.pop(name) for name in _OF_OPENAI if name in parts}
    kept = {name: value for name, value in theirs.items() if value}
    metadata: Any = parts.get("metadata") or {}
    if kept and isinstance(metadata, Mapping):
        parts["metadata"] = {**cast("Mapping[str, Any]", metadata), **kept}
    return parts


def _prefixed(conversation: Conversation) -> Iterator[dict[str, Any]]:
    """Yield the messages of a benchmark's conversation; their ids get its own as a prefix."""
    for message in conversation.messages:
        names = {name: f"{conversation.id}/{message[name]}" for name in ("session", "message_id")}
        yield {**message, **names}
