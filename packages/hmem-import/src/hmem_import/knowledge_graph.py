"""JSONL of MCP's reference memory server: entities with observations, and relations between them."""

from collections.abc import Iterator
from typing import Any

from hmem_import.reading import Fields, digest, fields, items, nonempty, text

NAME = "mcp-memory"
_SPEAKER = "memory"


def looks_like(data: Any) -> bool:
    """Tell if a line is an entity or a relation of such a file."""
    line = fields(data)
    entity = line.get("type") == "entity" and "observations" in line
    return entity or (line.get("type") == "relation" and {"from", "to"} <= line.keys())


def messages(line: Any, time: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield each observation and relation of a line as a sentence, for ``Memory.add``; the file has no times."""
    entry = fields(line)
    if entry.get("type") == "entity":
        name = text(entry.get("name"))
        for sentence in _entity(entry, name):
            yield nonempty(
                text=sentence, speaker=_SPEAKER, at=time, session=f"{NAME}:{name}",
                message_id=f"{NAME}:{digest('entity', name, sentence)}",
            )  # fmt: skip
    elif entry.get("type") == "relation":
        source, relation, target = (text(entry.get(key)) for key in ("from", "relationType", "to"))
        if source and target:
            sentence = f"{_name(source)} {relation.replace('_', ' ') or 'relates to'} {_name(target)}."
            yield nonempty(
                text=sentence, speaker=_SPEAKER, at=time, session=f"{NAME}:relations",
                message_id=f"{NAME}:{digest('relation', source, relation, target)}",
            )  # fmt: skip


def _entity(entity: Fields, name: str) -> Iterator[str]:
    if not name:
        return
    title, kind = _name(name), text(entity.get("entityType")).replace("_", " ")
    if kind and kind.lower() != "default":
        yield f"{title} is {'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}."
    for observation in items(entity.get("observations")):
        # Later versions of the server keep an observation as an object.
        sentence = text(observation) or text(fields(observation).get("content"))
        if sentence:
            yield sentence if sentence.lower().startswith((title.lower(), name.lower())) else f"{title}: {sentence}"


def _name(name: str) -> str:
    return name.replace("_", " ")
