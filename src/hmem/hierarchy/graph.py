"""The knowledge graph (H-Mem, tree and graph): entities, where they are named, and what relates them.

Entities and turns go by number: an entity's is its own, a turn's is its sequence number. Nothing is pruned by
confidence. Names that resemble each other and stay apart are joined by an overlap, which is worked out from the
names as they are and therefore never stored.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import nsmallest
from typing import Final

from hmem.hierarchy.entities import Entities
from hmem.hierarchy.mentions import Claimed, Mentions, Place
from hmem.hierarchy.part import Part
from hmem.hierarchy.resolve import Names, Resolving
from hmem.language.analyst.base import Extraction, Tie
from hmem.model.entity import Entity, EntityType

_NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two entities: the turns that state it, its greatest confidence, its latest time."""

    source: int
    target: int
    label: str
    evidence: tuple[int, ...]
    confidence: float
    at: datetime


class Graph:
    """Entities, mentions and relations, kept up turn by turn. ``parts`` are what is stored of it."""

    def __init__(self, name: str = "graph", options: Resolving | None = None) -> None:
        self._records = Entities(f"{name}.entities")
        self._mentions = Mentions(f"{name}.mentions")
        self._names = Names(options or Resolving())

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is stored: the entities, then the mentions and ties by turn."""
        return self._records, self._mentions

    # Changing.

    def add(self, turn: int, extraction: Extraction, at: datetime) -> list[int]:
        """Take in what a turn names and ties, in place of what it did before; the entities that it names."""
        self.remove(turn)
        self._refresh()
        places: dict[tuple[int, str], Place] = {}
        for naming in extraction.namings:
            entity = self._entity(naming.surface, naming.type)
            self._name(places, entity, naming.surface, naming.start, naming.end - naming.start)
        ties = [tie for tie in (self._tie(places, tie) for tie in extraction.ties) if tie is not None]
        if places:
            distinct = dict.fromkeys((tie.source, tie.target, tie.label) for tie in ties)
            best = [
                Claimed(*key, max(tie.confidence for tie in ties if (tie.source, tie.target, tie.label) == key))
                for key in distinct
            ]
            self._mentions.put(turn, list(places.values()), best, int(at.timestamp()))
        return list(dict.fromkeys(place.entity for place in places.values()))

    def _name(self, places: dict[tuple[int, str], Place], entity: int, surface: str, start: int, length: int) -> None:
        record = self._records.get(entity)
        own = record is not None and record[0] == surface
        places.setdefault((entity, surface), Place(entity, start, length, None if own else surface))

    def _tie(self, places: dict[tuple[int, str], Place], tie: Tie) -> Claimed | None:
        source, target = self._entity(tie.source, tie.source_type), self._entity(tie.target, tie.target_type)
        self._name(places, source, tie.source, _NOWHERE, 0)
        self._name(places, target, tie.target, _NOWHERE, 0)
        return Claimed(source, target, tie.label, tie.confidence) if source != target else None

    def _entity(self, surface: str, type: EntityType) -> int:
        entity = self._names.resolve(surface, type)
        if entity is None:
            entity = self._records.new(surface, type)
            self._names.set(entity, type, (surface,))
            return entity
        record = self._records.get(entity)
        if record is not None and record[1] == "other" != type:
            self._records.set(entity, record[0], type)
            self._names.set(entity, type, (record[0], *self._mentions.surfaces(entity)))
        self._learn(entity, surface)
        return entity

    def _learn(self, entity: int, surface: str) -> None:
        """Know an entity by one more name at once: the next naming of the turn may use it."""
        record, known = self._records.get(entity), self._mentions.surfaces(entity)
        if record is not None and surface != record[0] and surface not in known:
            self._names.set(entity, record[1], (record[0], *known, surface))

    def remove(self, turn: int) -> list[int]:
        """Take away what a turn named and tied; the entities that are gone with it."""
        gone: list[int] = []
        for entity in self._mentions.drop(turn):
            turns = self._mentions.turns(entity)
            if not turns:
                self._records.drop(entity)
                gone.append(entity)
            elif not self._mentions.own_name_used(entity):
                self._rename(entity)
        self._refresh()
        return gone

    def _rename(self, entity: int) -> None:
        """Call an entity as the first turn that is left does: what is forgotten must not live on as a name."""
        record = self._records.get(entity)
        surface = next(
            place.surface
            for turn in self._mentions.turns(entity)
            for place in self._mentions.places(turn)
            if place.entity == entity and place.surface is not None
        )
        if record is not None and record[0] != surface:
            self._records.set(entity, surface, record[1])

    def _refresh(self) -> None:
        """Bring the names up to date with what was loaded or taken away."""
        stale = self._records.stale | self._mentions.stale
        if not stale:
            return
        for entity in sorted(stale):
            record = self._records.get(entity)
            names = () if record is None else (record[0], *self._mentions.surfaces(entity))
            self._names.set(entity, "other" if record is None else record[1], names)
        self._records.stale.clear()
        self._mentions.stale.clear()

    # Reading.

    def mentions(self, entity: int) -> list[int]:
        """The turns that name an entity or tie it to another, ascending."""
        return list(self._mentions.turns(entity))

    def entities_of(self, turn: int) -> list[int]:
        """The entities that a turn names or ties, in its order."""
        return self._mentions.entities(turn)

    def places(self, turn: int) -> list[tuple[int, str, int, int]]:
        """Where in its content a turn names what: entity, surface, start, end; ties alone have no place."""
        return [
            (place.entity, place.surface or self.name(place.entity), place.start, place.start + place.length)
            for place in self._mentions.places(turn)
            if place.start != _NOWHERE
        ]

    def entities(self) -> list[int]:
        """All entities, ascending."""
        return self._records.numbers()

    def name(self, entity: int) -> str:
        """An entity's name; empty when there is none of this number."""
        record = self._records.get(entity)
        return record[0] if record else ""

    def type(self, entity: int) -> EntityType:
        """An entity's type; "other" when there is none of this number."""
        record = self._records.get(entity)
        return record[1] if record else "other"

    def aliases(self, entity: int) -> tuple[str, ...]:
        """The other names that turns give an entity, the most frequent first."""
        counts = self._mentions.surfaces(entity)
        return tuple(
            name for name in sorted(counts, key=lambda name: (-counts[name], name)) if name != self.name(entity)
        )

    def value(self, entity: int, id_of: Callable[[int], str] = str) -> Entity | None:
        """An entity as a value, with the id that its number stands for."""
        if self._records.get(entity) is None:
            return None
        return Entity(id_of(entity), self.name(entity), self.type(entity), self.aliases(entity))

    def find(self, name: str) -> list[int]:
        """The entities that a name may mean: those known by it, then those that resemble it, the nearest first."""
        self._refresh()
        return self._names.find(name) if name.strip() else []

    def salient(self, limit: int, least: int = 1) -> list[int]:
        """The entities that most turns name, at least ``least`` each, the most frequent first."""
        counts = [(-count, entity) for entity, count in self._mentions.counts().items() if count >= least]
        return [entity for _, entity in nsmallest(limit, counts)]

    def relations(self, entity: int | None = None) -> list[Edge]:
        """The relations of an entity, or all, in the order of source, target and label."""
        return [self._edge(key) for key in self._mentions.keys(entity)]

    def _edge(self, key: tuple[int, int, str]) -> Edge:
        evidence = self._mentions.evidence(key)
        return Edge(
            *key,
            tuple(turn for turn, _, _ in evidence),
            max(confidence for _, confidence, _ in evidence),
            datetime.fromtimestamp(max(at for _, _, at in evidence), UTC),
        )

    def overlaps(self, entity: int | None = None) -> list[tuple[int, int]]:
        """Pairs of entities whose names resemble each other: those of an entity, or all. Lower number first."""
        self._refresh()
        if entity is not None:
            return sorted((min(entity, other), max(entity, other)) for other in self._names.overlaps(entity))
        pairs = {
            (min(one, other), max(one, other)) for one in self._records.numbers() for other in self._names.shorter(one)
        }
        return sorted(pairs)

    def neighbours(self, entity: int, hops: int = 1) -> list[int]:
        """The entities at most ``hops`` relations or overlaps away, the nearest first, then by number."""
        self._refresh()
        reached = {entity: None}
        edge = [entity]
        for _ in range(hops):
            beyond = {other for one in edge for other in self._adjacent(one)}
            edge = sorted(beyond - reached.keys())
            reached.update(dict.fromkeys(edge))
        return list(reached)[1:]

    def _adjacent(self, entity: int) -> list[int]:
        related = [other for source, target, _ in self._mentions.keys(entity) for other in (source, target)]
        return [*related, *self._names.overlaps(entity)]
