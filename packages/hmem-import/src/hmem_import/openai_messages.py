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
_SAID: Final = ("content", "text", "caption", "role")


def looks_like(data: Any) -> bool:
    """Tell if data is a list of messages, or an object with one."""
    held = _listed(data)
    return held is not None and (not held or isinstance(held[0], str) or any(each in fields(held[0]) for each in _SAID))


def messages(data: Any) -> Iterator[Any]:
    """Yield the messages as ``Memory.add`` takes them; one that only calls tools says nothing.

    Raises:
        InvalidFile: there is no list of messages.
    """
    held = _listed(data)
    if held is None:
        raise InvalidFile("the file holds no list of messages - name its format")
    return (message for message in map(_message, held) if not _is_call(message))


def _listed(data: Any) -> list[Any] | None:
    found = cast("Mapping[str, Any]", data).get("messages") if isinstance(data, Mapping) else data
    return cast("list[Any]", found) if isinstance(found, list) else None


def _is_call(message: Any) -> bool:
    held = fields(message)
    return not any(held.get(each) for each in ("content", "text", "caption")) and any(
        items(fields(held.get("metadata")).get("tool_calls"))
    )


def with_message_id(message: Any) -> Any:
    """Return a message whose ``id`` becomes its ``message_id``, without empty names."""
    if not isinstance(message, Mapping):
        return message
    known = cast("Mapping[str, Any]", message)
    made = {name: value for name, value in known.items() if value != "" or name not in _NAMES}
    own = made.pop("id", None)
    if made.get("message_id") is None and own is not None:
        made["message_id"] = own
    return made


def _message(message: Any) -> Any:
    made = with_message_id(message)
    if not isinstance(made, dict):
        return made
    parts = cast("dict[str, Any]", made)
    theirs = {name: parts.pop(name) for name in _OF_OPENAI if name in parts}
    kept = {name: value for name, value in theirs.items() if value}
    metadata: Any = parts.get("metadata") or {}
    if kept and isinstance(metadata, Mapping):
        parts["metadata"] = {**cast("Mapping[str, Any]", metadata), **kept}
    return parts
