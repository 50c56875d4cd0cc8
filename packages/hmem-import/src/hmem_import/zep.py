"""Zep: the messages of a thread or a session, and the facts of a graph, as its API returns them."""

from collections.abc import Iterator
from typing import Any, Final

from hmem_import.reading import Fields, digest, fields, items, moment, nonempty, objects, text

NAME: Final = "zep"
_ROLES: Final = ("user", "assistant", "system", "tool")
_SPEAKER: Final = "memory"


def looks_like(data: Any) -> bool:
    """Tell if data is a thread, threads, or facts of Zep."""
    return any(_is_thread(thread) for thread in _threads(data)) or any(_is_fact(fact) for fact in _facts(data))


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield messages, then facts, as ``Memory.add`` takes them."""
    for thread in _threads(data):
        if _is_thread(thread):
            yield from _thread(thread)
    for fact in _facts(data):
        if _is_fact(fact):
            yield _fact(fact)


def _threads(data: Any) -> list[Fields]:
    document = fields(data)
    threads = document.get("threads") or document.get("sessions") or data
    return list(objects(threads)) if isinstance(threads, list) else [document]


def _facts(data: Any) -> list[Fields]:
    document = fields(data)
    facts = document.get("edges") or document.get("facts") or document.get("relevant_facts") or data
    return list(objects(facts))


def _is_thread(thread: Fields) -> bool:
    first = fields(next(iter(items(thread.get("messages"))), None))
    has_message_fields = any(key in first for key in ("role_type", "processed", "created_at")) and "content" in first
    return has_message_fields and ("uuid" in first or "role_type" in first)


def _is_fact(fact: Fields) -> bool:
    return isinstance(fact.get("fact"), str) and ("uuid" in fact or "created_at" in fact)


def _thread(thread: Fields) -> Iterator[dict[str, Any]]:
    names = ("thread_id", "session_id", "thread_uuid", "uuid", "user_id")
    session = next(filter(None, (text(thread.get(key)) for key in names)), "thread")
    for number, message in enumerate(objects(thread.get("messages"))):
        body = text(message.get("content"))
        kind = text(message.get("role_type")) or text(message.get("role"))
        speaker = text(message.get("name")) or (text(message.get("role")) if message.get("role_type") else "")
        role = "tool" if kind == "function" else kind
        if body:
            yield nonempty(
                text=body,
                speaker=speaker or None,
                role=role if role in _ROLES else None,
                at=moment(message.get("reference_time")) or moment(message.get("created_at")),
                session=f"{NAME}:{session}",
                message_id=f"{NAME}:{text(message.get('uuid')) or f'{session}:{number}'}",
                user=text(thread.get("user_id")) or None,
                metadata=dict(fields(message.get("metadata"))),
            )


def _fact(fact: Fields) -> dict[str, Any]:
    """Return a fact of a graph as a sentence that the memory told, when it began to hold."""
    sentence = text(fact.get("fact"))
    until = moment(fact.get("invalid_at")) or moment(fact.get("expired_at"))
    return nonempty(
        text=sentence,
        speaker=_SPEAKER,
        at=moment(fact.get("valid_at")) or moment(fact.get("created_at")),
        session=f"{NAME}:facts",
        message_id=f"{NAME}:{text(fact.get('uuid'))}:{digest(sentence)}",
        metadata=nonempty(relation=text(fact.get("name")), invalid_at=until),
    )
