"""Files of turns, read into messages for ``Memory.add``, each with its position in the file.

Formats: ``jsonl`` (a turn a line), ``messages`` (a JSON list in the style of OpenAI, or an object with
``messages``), exports of other programs (``hmem.interfaces.formats``), ``locomo`` and ``longmemeval``. A file may be
compressed with gzip; of a ZIP archive ``conversations.json`` is read.
"""

import gzip
import json
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, cast

from hmem.errors import InvalidFile
from hmem.interfaces import bundle
from hmem.interfaces.formats import chatgpt, claude, knowledge_graph, locomo, longmemeval, markdown, mem0
from hmem.interfaces.formats.conversations import Conversation

_BENCHMARKS: Final[Mapping[str, Callable[[Path], Sequence[Conversation]]]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
}
_EXPORTS: Final = {each.NAME: each for each in (chatgpt, claude, mem0)}
FORMATS: Final = (
    "jsonl", "messages", bundle.NAME, *_EXPORTS, knowledge_graph.NAME, markdown.NAME, *_BENCHMARKS
)  # fmt: skip

_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK"
_CONVERSATIONS: Final = "conversations.json"
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
    """File to import. ``count`` returns the number of items, and may read the file once."""

    format: str
    items: Iterable[Item]
    count: Callable[[], int]


def read(path: Path, format: str | None = None) -> Source:
    """Return the items of a file, in one of ``FORMATS`` or, for None, in the detected one.

    Raises:
        InvalidFile: it cannot be read, or not in this format.
    """
    if format == markdown.NAME or (format is None and (path.is_dir() or path.suffix.lower() in markdown.SUFFIXES)):
        return _markdown(path)
    if format in ("jsonl", bundle.NAME, knowledge_graph.NAME) or (format is None and _is_lines(path)):
        return _by_lines(path, format)
    if format in _BENCHMARKS:
        return _benchmark(path, format)
    data = _whole(path)
    looks = _looks_like(data) if format is None else format
    if looks in _BENCHMARKS:
        return _benchmark(path, looks)
    if looks is not None and looks in _EXPORTS:
        return _listed(looks, list(_EXPORTS[looks].messages(data)))
    if _looks_like(data) != "messages":
        raise InvalidFile(f"{path} holds no list of messages - name its format: --format {' | '.join(FORMATS)}")
    messages = cast("Sequence[Any]", data["messages"] if isinstance(data, Mapping) else data)
    return _listed("messages", [_of_openai(message) for message in messages])


def _listed(format: str, messages: Sequence[Any]) -> Source:
    return Source(format, (Item(place, message) for place, message in enumerate(messages, 1)), lambda: len(messages))


def _by_lines(path: Path, format: str | None) -> Source:
    """Return the lines of a file: turns, an export of hmem, or a knowledge graph."""
    if format is None:
        first = next((item.message for item in _lines(path) if item.error is None), None)
        looks = next((each.NAME for each in (bundle, knowledge_graph) if each.looks_like(first)), "jsonl")
        return _by_lines(path, looks)
    if format != knowledge_graph.NAME:
        return Source(format, _lines(path, turns=format == "jsonl"), lambda: _count_lines(path))
    at = datetime.fromtimestamp(int(path.stat().st_mtime), UTC).isoformat() if path.exists() else None
    found = [
        Item(item.line, message, item.error)
        for item in _lines(path)
        for message in ([None] if item.error else knowledge_graph.messages(item.message, at))
    ]
    return Source(format, found, lambda: len(found))


def _markdown(path: Path) -> Source:
    if not path.exists():
        raise InvalidFile(f"there is no file {path} - check the path")
    if path.is_dir() and not markdown.files(path):
        raise InvalidFile(f"{path} is a folder without Markdown notes - check the path, or name a file")
    found = [Item(line, message) for line, message in markdown.messages(path)]
    return Source(markdown.NAME, found, lambda: len(found))


# Reading.


@contextmanager
def _reading(path: Path) -> Generator[IO[bytes]]:
    """Open the bytes of a file, unpacked from gzip or ZIP."""
    try:
        with path.open("rb") as raw:
            packed = raw.read(2)
            raw.seek(0)
            if packed == _ZIP:
                with zipfile.ZipFile(raw) as archive, archive.open(_member(archive, path)) as inner:
                    yield inner
                return
            packed = packed == _GZIP
            yield cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if packed else raw
    except FileNotFoundError as error:
        raise InvalidFile(f"there is no file {path} - check the path") from error
    except (gzip.BadGzipFile, zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise InvalidFile(f"{path} is not a whole archive ({error}) - fetch it again") from error
    except OSError as error:
        raise InvalidFile(f"{path} cannot be read ({error.strerror}) - check the path and its rights") from error


def _member(archive: zipfile.ZipFile, path: Path) -> str:
    """Return the name of the conversations in a downloaded archive."""
    for name in archive.namelist():
        if name.rpartition("/")[2] == _CONVERSATIONS:
            return name
    raise InvalidFile(f"{path} has no {_CONVERSATIONS} in it - unpack it, and name the file that you mean")


def _whole(path: Path) -> Any:
    with _reading(path) as file:
        data = file.read()
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InvalidFile(f"{path} is not JSON ({error}) - one turn a line is --format jsonl") from error


def _lines(path: Path, *, turns: bool = True) -> Iterator[Item]:
    """Yield the items of a file with one on each line; an invalid line becomes an error."""
    number = 0
    try:
        with _reading(path) as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _line(number, line, turns=turns)
    except InvalidFile as error:
        # The file is truncated: keep what was read before.
        if number == 0:
            raise
        yield Item(number + 1, error=str(error))


def _line(number: int, line: bytes, *, turns: bool) -> Item:
    try:
        read: Any = json.loads(line)
        return Item(number, _with_message_id(read) if turns else read)
    except (ValueError, RecursionError) as error:
        return Item(number, error=f'not JSON ({error}) - each line is one turn, such as {{"text": "Hello"}}')


def _count_lines(path: Path) -> int:
    return sum(1 for _ in _lines(path))


# Telling formats apart.


def _is_lines(path: Path) -> bool:
    """Tell if a file has one turn a line: by its name, else by its first line."""
    if path.name.lower().removesuffix(".gz").endswith(_LINES):
        return True
    with _reading(path) as file:
        first = next((line for line in file if line.strip()), b"")
    if not first.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith(b"{"):
        return not first
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


def _benchmark(path: Path, format: str) -> Source:
    """Return the messages of all conversations of a benchmark; ids get the conversation's id as a prefix."""
    conversations = _BENCHMARKS[format](path)
    return _listed(format, [message for conversation in conversations for message in _prefixed(conversation)])


def _prefixed(conversation: Conversation) -> Iterator[dict[str, Any]]:
    for message in conversation.messages:
        names = {name: f"{conversation.id}/{message[name]}" for name in ("session", "message_id")}
        yield {**message, **names}
