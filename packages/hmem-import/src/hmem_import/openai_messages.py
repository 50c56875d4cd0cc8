"""Messages of SDKs: a list, an object with ``messages``, conversations of ShareGPT; and turns with the names of hmem.

What a message holds is read by ``Memory.add``; here it is found, and gets a session and an id.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from hmem.errors import InvalidFile
from hmem.formation.messages import read_message
from hmem_import.reading import digest, fields, text

NAME: Final = "messages"
# Fields that programs write as empty texts if absent.
_NAMES: Final = ("id", "speaker", "session", "user", "agent", "message_id")
_LISTS: Final = ("messages", "conversations", "conversation", "history", "items", "input", "output")
_CONTENT_FIELDS: Final = ("content", "text", "caption", "role", "parts", "value")
_ITEMS: Final = ("message", "function_call", "function_call_output", "reasoning")


def looks_like(data: Any) -> bool:
    """Tell if data is a list of messages, an object with one, or a list of such objects."""
    entries = _entries(data)
    if not entries:
        return entries is not None and (isinstance(data, list) or "messages" in fields(data))
    return _is_message(entries[0]) or is_conversation(entries[0])


def is_conversation(line: Any) -> bool:
    """Tell if a line holds a list of messages."""
    entries = [] if _is_message(line) else _entries(fields(line)) or []
    return bool(entries) and isinstance(entries[0], Mapping) and _is_message(entries[0])


def _is_message(entry: Any) -> bool:
    record = fields(entry)
    return isinstance(entry, str) or record.get("type") in _ITEMS or any(name in record for name in _CONTENT_FIELDS)


def _entries(data: Any) -> list[Any] | None:
    record = fields(data)
    value = next((record[name] for name in _LISTS if name in record), None) if record else data
    return cast("list[Any]", value) if isinstance(value, list) else None


def messages(data: Any) -> Iterator[Any]:
    """Yield the messages as ``Memory.add`` takes them; those in which nobody says anything are left out.

    Raises:
        InvalidFile: there is no list of messages.
    """
    entries = _entries(data)
    if entries is None:
        raise InvalidFile("the file holds no list of messages - name its format")
    for entry in entries:
        if is_conversation(entry):
            yield from conversation(entry)
        elif not _is_silent(entry):
            yield with_message_id(entry)


def conversation(line: Any) -> Iterator[Any]:
    """Yield the messages of a conversation in a session of its own; each gets an id from what it says."""
    entries = _entries(line) or []
    name = text(fields(line).get("id")) or digest(str(entries))
    for number, entry in enumerate(entries):
        if isinstance(entry, Mapping) and not _is_silent(entry):
            turn = {"session": f"{NAME}:{name}", **with_message_id(entry)}
            yield {"message_id": f"{NAME}:{name}:{number}", **turn}
        elif not isinstance(entry, Mapping):
            yield entry


def _is_silent(message: Any) -> bool:
    return bool(fields(message)) and not read_message(with_message_id(message)).turns


def with_message_id(message: Any) -> Any:
    """Return a message whose ``id`` becomes its ``message_id``, without empty names."""
    if not isinstance(message, Mapping):
        return message
    record = cast("Mapping[str, Any]", message)
    turn = {name: value for name, value in record.items() if value != "" or name not in _NAMES}
    message_id = turn.pop("id", None)
    if turn.get("message_id") is None and message_id is not None:
        turn["message_id"] = message_id
    return turn
