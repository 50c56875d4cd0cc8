"""Zep: the messages of a thread or a session, and the facts of a graph, as its API returns them."""

from collections.abc import Iterator
from typing import Any, Final

from hmem_import.reading import Fields, digest, fields, given, items, moment, objects, text

NAME: Final = "zep"
_ROLES: Final = ("user", "assistant", "system", "tool")
_SPEAKER: Final = "memory"


def looks_like(data: Any) -> bool:
    """Tell if data is a thread, threads, or facts of Zep."""
    return any(_is_thread(each) for each in _threads(data)) or any(_is_fact(each) for each in _facts(data))


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield messages, then facts, as ``Memory.add`` takes them."""
    for thread in _threads(data):
        if _is_thread(thread):
            yield from _thread(thread)
    for fact in _facts(data):
        if _is_fact(fact):
            yield _fact(fact)


def _threads(data: Any) -> list[Fields]:
    held = fields(data)
    listed = held.get("threads") or held.get("sessions") or data
    return list(objects(listed)) if isinstance(listed, list) else [held]


def _facts(data: Any) -> list[Fields]:
    held = fields(data)
    listed = held.get("edges") or held.get("facts") or held.get("relevant_facts") or data
    return list(objects(listed))


def _is_thread(thread: Fields) -> bool:
    first = fields(next(iter(items(thread.get("messages"))), None))
    named = any(each in first for each in ("role_type", "processed", "created_at")) and "content" in first
    return named and ("uuid" in first or "role_type" in first)


def _is_fact(fact: Fields) -> bool:
    return isinstance(fact.get("fact"), str) and ("uuid" in fact or "created_at" in fact)


def _thread(thread: Fields) -> Iterator[dict[str, Any]]:
    names = ("thread_id", "session_id", "thread_uuid", "uuid", "user_id")
    session = next(filter(None, (text(thread.get(each)) for each in names)), "thread")
    for place, message in enumerate(objects(thread.get("messages"))):
        said = text(message.get("content"))
        kind = text(message.get("role_type")) or text(message.get("role"))
        written = text(message.get("name")) or (text(message.get("role")) if message.get("role_type") else "")
        role = "tool" if kind == "function" else kind
        if said:
            yield given(
                text=said,
                speaker=written or None,
                role=role if role in _ROLES else None,
                at=moment(message.get("reference_time")) or moment(message.get("created_at")),
                session=f"{NAME}:{session}",
                message_id=f"{NAME}:{text(message.get('uuid')) or f'{session}:{place}'}",
                user=text(thread.get("user_id")) or None,
                metadata=dict(fields(message.get("metadata"))),
            )


def _fact(fact: Fields) -> dict[str, Any]:
    """Return a fact of a graph as a sentence that the memory told, when it began to hold."""
    said = text(fact.get("fact"))
    until = moment(fact.get("invalid_at")) or moment(fact.get("expired_at"))
    return given(
        text=said,
        speaker=_SPEAKER,
        at=moment(fact.get("valid_at")) or moment(fact.get("created_at")),
        session=f"{NAME}:facts",
        message_id=f"{NAME}:{text(fact.get('uuid'))}:{digest(said)}",
        metadata=given(relation=text(fact.get("name")), invalid_at=until),
    )
