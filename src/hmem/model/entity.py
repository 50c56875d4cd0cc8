"""Parts of the knowledge graph: entities, relations and profiles."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from hmem.model.plain import written_as
from hmem.model.value import Value

EntityType = Literal[
    "person", "organization", "location", "event", "product", "work", "date", "time", "other", "animal"
]


@dataclass(frozen=True, slots=True, repr=False)
class Entity(Value):
    """A person or thing that turns mention, with its name and aliases, and the user whose turns these are."""

    id: str
    name: str
    type: EntityType
    aliases: tuple[str, ...] = ()
    user: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Relation(Value):
    """A labelled edge between two entities, and the turns that are its evidence.

    ``past`` is true if what these turns tell of it was superseded or retracted, all of it.
    """

    id: str
    source: str
    target: str
    label: str
    evidence: tuple[str, ...]
    confidence: float
    at: datetime
    past: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class EntityProfile(Value):
    """Knowledge about a salient entity: a lasting part and a recent part."""

    id: str
    entity: str
    persistent: str
    recent: str
    sources: tuple[str, ...]
    made_by: str = "verbatim"


@dataclass(frozen=True, slots=True)
class EntityShape:
    """Entity, with the number of turns that name it."""

    id: str
    name: str
    type: EntityType
    aliases: list[str]
    mentions: int
    user: str | None = None


@dataclass(frozen=True, slots=True)
class GraphShape:
    """Entities and the relations between them."""

    entities: list[EntityShape]
    relations: list[Relation]
    overlaps: list[tuple[str, str]]
    profiles: list[EntityProfile]

    @classmethod
    def from_graph(cls, graph: "KnowledgeGraph") -> "GraphShape":
        """Return the form of a graph."""
        entities = [
            EntityShape(e.id, e.name, e.type, list(e.aliases), graph.mentions.get(e.id, 0), e.user)
            for e in graph.entities
        ]
        return cls(entities, list(graph.relations), list(graph.overlaps), list(graph.profiles))

    def value(self) -> "KnowledgeGraph":
        """Return the graph."""
        return KnowledgeGraph(
            tuple(Entity(e.id, e.name, e.type, tuple(e.aliases), e.user) for e in self.entities),
            {e.id: e.mentions for e in self.entities},
            tuple(self.relations), tuple(self.overlaps), tuple(self.profiles),
        )  # fmt: skip


@written_as(GraphShape.from_graph)
@dataclass(frozen=True, slots=True, repr=False)
class KnowledgeGraph(Value):
    """A part of the graph: entities by their number of mentions, and the relations and overlaps between them.

    ``mentions`` maps the id of each entity to the number of turns that name it. An overlap is a pair of ids whose names
    resemble each other; it does not say that the two are the same.
    """

    entities: tuple[Entity, ...]
    mentions: Mapping[str, int]
    relations: tuple[Relation, ...] = ()
    overlaps: tuple[tuple[str, str], ...] = ()
    profiles: tuple[EntityProfile, ...] = ()
