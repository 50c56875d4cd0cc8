"""mem0's memories, from ``get_all`` or its export: a list, or an object with ``results`` or ``memories``."""

from collections.abc import Iterator
from typing import Any

from hmem_import.reading import digest, fields, given, items, moment, objects, text

NAME = "mem0"
_SESSION = "mem0"


def looks_like(data: Any) -> bool:
    """Tell if data is a list of mem0's memories."""
    first = fields(next(iter(_listed(data)), None))
    return isinstance(first.get("memory"), str) and ("id" in first or "created_at" in first)


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield each memory as a message of its user, for ``Memory.add``."""
    for held in objects(_listed(data)):
        said = text(held.get("memory"))
        if not said:
            continue
        own = dict(fields(held.get("metadata")))
        categories = [each for each in items(held.get("categories")) if isinstance(each, str)]
        user = text(held.get("user_id"))
        yield given(
            text=said,
            speaker=user or "user",
            # An update has the same id and another text; both versions are kept, and the later one holds.
            at=moment(held.get("updated_at")) or moment(held.get("created_at")),
            session=text(held.get("run_id")) or _SESSION,
            message_id=f"{NAME}:{text(held.get('id'))}:{digest(said)}",
            user=user or None,
            agent=text(held.get("agent_id")) or None,
            metadata=own | ({"categories": categories} if categories else {}),
        )


def _listed(data: Any) -> list[Any]:
    held = fields(data)
    return list(items(held.get("results")) or items(held.get("memories")) or items(data))
