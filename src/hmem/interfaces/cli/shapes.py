"""What ``hmem show`` writes as JSON, where that is not a value's own fields."""

from collections.abc import Iterable
from typing import Any

from hmem.interfaces.cli.output import plain
from hmem.model.entity import KnowledgeGraph
from hmem.model.episode import Episode
from hmem.model.node import Branch
from hmem.model.persona import Persona
from hmem.model.span import Span


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
