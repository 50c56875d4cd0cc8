"""JSONL of MCP's reference memory server: entities with observations, and relations between them."""

from collections.abc import Iterator
from typing import Any

from hmem_import.reading import Fields, digest, fields, given, items, text

NAME = "mcp-memory"
_SPEAKER = "memory"


def looks_like(data: Any) -> bool:
    """Tell if a line is an entity or a relation of such a file."""
    line = fields(data)
    entity = line.get("type") == "entity" and "observations" in line
    return entity or (line.get("type") == "relation" and {"from", "to"} <= line.keys())


def messages(line: Any, at: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield each observation and relation of a line as a sentence, for ``Memory.add``; the file has no times."""
    held = fields(line)
    if held.get("type") == "entity":
        name = text(held.get("name"))
        for said in _entity(held, name):
            yield given(
                text=said, speaker=_SPEAKER, at=at, session=f"{NAME}:{name}",
                message_id=f"{NAME}:{digest('entity', name, said)}",
            )  # fmt: skip
    elif held.get("type") == "relation":
        one, how, other = (text(held.get(each)) for each in ("from", "relationType", "to"))
        if one and other:
            said = f"{_name(one)} {how.replace('_', ' ') or 'relates to'} {_name(other)}."
            yield given(
                text=said, speaker=_SPEAKER, at=at, session=f"{NAME}:relations",
                message_id=f"{NAME}:{digest('relation', one, how, other)}",
            )  # fmt: skip


def _entity(held: Fields, name: str) -> Iterator[str]:
    if not name:
        return
    shown, kind = _name(name), text(held.get("entityType")).replace("_", " ")
    if kind and kind.lower() != "default":
        yield f"{shown} is {'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}."
    for each in items(held.get("observations")):
        # Later versions of the server keep an observation as an object.
        said = text(each) or text(fields(each).get("content"))
        if said:
            yield said if said.lower().startswith((shown.lower(), name.lower())) else f"{shown}: {said}"


def _name(name: str) -> str:
    return name.replace("_", " ")
