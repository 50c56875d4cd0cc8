"""The knowledge graph's parts: entities, their mentions, relations and profiles."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

EntityType = Literal["person", "organization", "location", "event", "product", "work", "date", "time", "other"]


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that is talked about, under its name and aliases."""

    id: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mention:
    """Where an entity is named: the turn, and the characters ``start`` to ``end`` of its text."""

    id: str
    entity: str
    turn: str
    surface: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Relation:
    """A labelled edge between two entities, with the turns that are its evidence."""

    id: str
    source: str
    target: str
    label: str
    evidence: tuple[str, ...]
    confidence: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of a salient entity: what lasts, and what is recent."""

    id: str
    entity: str
    persistent: str
    recent: str
    sources: tuple[str, ...]
    made_by: str = "rules"


@dataclass(frozen=True, slots=True)
class KnowledgeGraph:
    """A part of the graph: its entities by their number of mentions, the relations and overlaps between them.

    ``mentions`` counts the turns that name each entity, by its id. An overlap is a pair of ids whose names
    resemble each other; it does not say that the two are the same.
    """

    entities: tuple[Entity, ...]
    mentions: Mapping[str, int]
    relations: tuple[Relation, ...] = ()
    overlaps: tuple[tuple[str, str], ...] = ()
    profiles: tuple[Profile, ...] = ()
