"""What the interfaces write as JSON: a value by its own fields, and what is told otherwise."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from hmem.model.entity import KnowledgeGraph
from hmem.model.episode import Episode
from hmem.model.node import Branch
from hmem.model.persona import Persona
from hmem.model.span import Span


def plain(value: Any) -> Any:
    """A value as JSON knows it: dataclasses by their fields and properties, a span by its bounds, times in ISO 8601."""
    if isinstance(value, Span):
        return {"start": value.start.isoformat(), "end": value.end.isoformat()}
    if is_dataclass(value) and not isinstance(value, type):
        derived = [name for name, part in vars(type(value)).items() if isinstance(part, property)]
        return {name: plain(getattr(value, name)) for name in [*(part.name for part in fields(value)), *derived]}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(part) for part in cast("Sequence[Any]", value)]
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value


def branch(tree: Branch, depth: int | None = None) -> dict[str, Any]:
    """A node with what is below it; ``depth`` levels of nodes, or all."""
    node = tree.node
    below = None if depth is None else depth - 1
    cut = depth is not None and depth <= 0
    return {
        "id": node.id,
        "level": node.level,
        "label": node.label,
        **_bounds(node.span),
        "size": node.size,
        "summary": node.summary,
        "children": [] if cut else [branch(child, below) for child in tree.children],
        "leaves": [] if cut else list(tree.leaves),
    }


def episodes(held: Iterable[Episode]) -> list[dict[str, Any]]:
    """Episodes with their times side by side."""
    return [
        {
            "id": episode.id,
            "session": episode.session,
            **_bounds(episode.span),
            "cut": episode.cut,
            "turns": list(episode.turns),
            "summary": episode.summary,
            "notes": list(episode.notes),
        }
        for episode in held
    ]


def graph(shown: KnowledgeGraph) -> dict[str, Any]:
    """A graph, each entity with its number of mentions."""
    return {
        "entities": [{**plain(entity), "mentions": shown.mentions.get(entity.id, 0)} for entity in shown.entities],
        "relations": plain(shown.relations),
        "overlaps": plain(shown.overlaps),
        "profiles": plain(shown.profiles),
    }


def personas(held: Iterable[Persona]) -> list[dict[str, Any]]:
    """Personas without their vectors."""
    return [
        {
            "id": persona.id,
            "speaker": persona.speaker,
            "version": persona.version,
            "text": persona.text,
            "traits": list(persona.traits),
            "at": persona.at.isoformat(),
            "sources": list(persona.sources),
            "made_by": persona.made_by,
        }
        for persona in held
    ]


def _bounds(span: Span) -> dict[str, str]:
    return {"start": span.start.isoformat(), "end": span.end.isoformat()}
