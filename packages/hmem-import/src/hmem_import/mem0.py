"""mem0's memories, from ``get_all`` or its export: a list, or an object with ``results`` or ``memories``."""

from collections.abc import Iterator
from typing import Any

from hmem_import.reading import digest, fields, items, moment, nonempty, objects, text

NAME = "mem0"
_SESSION = "mem0"


def looks_like(data: Any) -> bool:
    """Tell if data is a list of mem0's memories."""
    first = fields(next(iter(_memories(data)), None))
    return isinstance(first.get("memory"), str) and ("id" in first or "created_at" in first)


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield each memory as a message of its user, for ``Memory.add``."""
    for memory in objects(_memories(data)):
        body = text(memory.get("memory"))
        if not body:
            continue
        metadata = dict(fields(memory.get("metadata")))
        categories = [category for category in items(memory.get("categories")) if isinstance(category, str)]
        user = text(memory.get("user_id"))
        yield nonempty(
            text=body,
            speaker=user or "user",
            # An update has the same id and another text; both versions are kept, and the later one holds.
            at=moment(memory.get("updated_at")) or moment(memory.get("created_at")),
            session=text(memory.get("run_id")) or _SESSION,
            message_id=f"{NAME}:{text(memory.get('id'))}:{digest(body)}",
            user=user or None,
            agent=text(memory.get("agent_id")) or None,
            metadata=metadata | ({"categories": categories} if categories else {}),
        )


def _memories(data: Any) -> list[Any]:
    document = fields(data)
    return list(items(document.get("results")) or items(document.get("memories")) or items(data))
