"""Parts of the knowledge graph: entities, relations and profiles."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

EntityType = Literal[
    "person", "organization", "location", "event", "product", "work", "date", "time", "other", "animal"
]


@dataclass(frozen=True, slots=True)
class Entity:
    """A person or thing that turns mention, with its name and aliases, and the user whose turns these are."""

    id: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A labelled edge between two entities, and the turns that are its evidence."""

    id: str
    source: str
    target: str
    label: str
    evidence: tuple[str, ...]
    confidence: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Profile:
    """Knowledge about a salient entity: a lasting part and a recent part."""

    id: str
    entity: str
    persistent: str
    recent: str
    sources: tuple[str, ...]
    made_by: str = "rules"


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """A part of the graph: entities by their number of mentions, and the relations and overlaps between them.

    ``mentions`` maps the id of each entity to the number of turns that name it. An overlap is a pair of ids whose names
    resemble each other; it does not say that the two are the same.
    """

    entities: tuple[Entity, ...]
    mentions: Mapping[str, int]
    relations: tuple[Relation, ...] = ()
    overlaps: tuple[tuple[str, str], ...] = ()
    profiles: tuple[Profile, ...] = ()
