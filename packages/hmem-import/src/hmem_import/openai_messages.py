"""Messages in the style of OpenAI: a list, or an object with ``messages``; and turns with the field names of hmem."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from hmem.errors import InvalidFile
from hmem_import.reading import fields, items

NAME: Final = "messages"
# Fields that programs write as empty texts if absent.
_NAMES: Final = ("id", "speaker", "session", "user", "agent", "message_id")
# Fields of OpenAI-style messages that a turn lacks; they are kept as metadata.
_OF_OPENAI: Final = ("tool_calls", "tool_call_id", "function_call", "refusal", "annotations", "audio")
_CONTENT_FIELDS: Final = ("content", "text", "caption", "role")


def looks_like(data: Any) -> bool:
    """Tell if data is a list of messages, or an object with one."""
    message_list = _message_list(data)
    return message_list is not None and (
        not message_list
        or isinstance(message_list[0], str)
        or any(name in fields(message_list[0]) for name in _CONTENT_FIELDS)
    )


def messages(data: Any) -> Iterator[Any]:
    """Yield the messages as ``Memory.add`` takes them; one that only calls tools says nothing.

    Raises:
        InvalidFile: there is no list of messages.
    """
    message_list = _message_list(data)
    if message_list is None:
        raise InvalidFile("the file holds no list of messages - name its format")
    return (message for message in map(_message, message_list) if not _is_call(message))


def _message_list(data: Any) -> list[Any] | None:
    entries = cast("Mapping[str, Any]", data).get("messages") if isinstance(data, Mapping) else data
    return cast("list[Any]", entries) if isinstance(entries, list) else None


def _is_call(message: Any) -> bool:
    record = fields(message)
    return not any(record.get(name) for name in ("content", "text", "caption")) and any(
        items(fields(record.get("metadata")).get("tool_calls"))
    )


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


def _message(message: Any) -> Any:
    turn = with_message_id(message)
    if not isinstance(turn, dict):
        return turn
    record = cast("dict[str, Any]", turn)
    openai_fields = {name: record.pop(name) for name in _OF_OPENAI if name in record}
    extra_metadata = {name: value for name, value in openai_fields.items() if value}
    metadata: Any = record.get("metadata") or {}
    if extra_metadata and isinstance(metadata, Mapping):
        record["metadata"] = {**cast("Mapping[str, Any]", metadata), **extra_metadata}
    return record
