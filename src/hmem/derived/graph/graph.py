"""Knowledge graph (H-Mem, tree and graph): entities, the turns that mention them, and the relations between them.

Entities have numbers; a turn's number is its sequence number. Nothing is pruned by confidence. Entities whose names
resemble each other but stay apart are joined by an overlap, which is computed from the current names and never stored.

An entity belongs to an owner, as the turns that name it do; the same name in the turns of two owners is two entities.

``Entities`` holds names, types and owners by entity, ``Mentions`` what each turn names and ties together. A chunk holds
64 entities or turns, so its size does not grow with the number of times that an entity is named.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from heapq import nsmallest
from typing import Any, Final, NamedTuple, get_args

from hmem.derived.chunks import Part, content_of
from hmem.derived.graph.entity_edits import EntityEdit, EntityEdits
from hmem.derived.graph.entity_resolution import NameIndex, normal
from hmem.language.analyst.base import Extraction, Naming, Tie
from hmem.model.entity import Entity, EntityType
from hmem.model.scope import COMMON

_BITS: Final = 6
_SIZE: Final = 1 << _BITS
_TYPES: Final[tuple[EntityType, ...]] = get_args(EntityType)
_TYPE_INDICES: Final[dict[EntityType, int]] = {kind: place for place, kind in enumerate(_TYPES)}


class KeptEntity(NamedTuple):
    """Entity as it is kept: its name, its type, its owner; ``certain`` if a turn surely names it."""

    name: str
    type: EntityType
    owner: str
    certain: bool = True


class Entities(Part):
    """Names, types and owners by entity. Numbers count up; a dropped number is reused only if it was the last."""

    def __init__(self) -> None:
        super().__init__("graph.entities")
        self._records: list[KeptEntity | None] = []
        self.stale: set[int] = set()

    def new(self, record: KeptEntity) -> int:
        """Add an entity; return its number."""
        number = len(self._records)
        self._records.append(None)
        self.set(number, record)
        return number

    def set(self, number: int, record: KeptEntity) -> None:
        """Replace an entity."""
        self._records[number] = record
        self._touch(number)

    def drop(self, number: int) -> None:
        """Drop an entity."""
        self._records[number] = None
        self._touch(number)
        self._trim()

    def _touch(self, number: int) -> None:
        self.changed.add(number >> _BITS)
        self.stale.add(number)

    def _trim(self) -> None:
        while self._records and self._records[-1] is None:
            self._records.pop()

    def get(self, number: int) -> KeptEntity | None:
        """Return an entity, or None if the number is not in use."""
        return self._records[number] if 0 <= number < len(self._records) else None

    def numbers(self) -> list[int]:
        """Return all entities, ascending."""
        return [number for number, record in enumerate(self._records) if record is not None]

    def load(self, number: int, content: Any | None) -> None:
        """Load a chunk: of each entity the name, the index of the type, the user, if any, and if it is uncertain.

        0 stands for one that is gone.
        """
        first = number << _BITS
        rows: list[Any] = content or []
        records = [_record(*row) if row else None for row in rows]
        records += [None] * (_SIZE - len(records))
        self._records += [None] * (first + _SIZE - len(self._records))
        self._records[first : first + _SIZE] = records
        self._trim()
        self.stale.update(range(first, first + _SIZE))
        self.changed.discard(number)

    def dump(self, number: int) -> Any | None:
        """Return the content of a chunk, or None if it is empty."""
        records = self._records[number << _BITS : (number + 1) << _BITS]
        while records and records[-1] is None:
            records.pop()
        return [_row(record) if record else 0 for record in records] or None


def _row(record: KeptEntity) -> list[str | int]:
    row = [record.name, _TYPE_INDICES[record.type], record.owner, 1]
    return row[: 2 + (record.owner != COMMON)] if record.certain else row


def _record(name: str, type_index: int, owner: str = COMMON, uncertain: int = 0) -> KeptEntity:
    return KeptEntity(name, _TYPES[type_index], owner, not uncertain)


_MASK: Final = (1 << _BITS) - 1

# In a turn's flat row each mention takes three numbers: entity, start, length.
_STRIDE: Final = 3
_NO_SURFACES: Final[dict[int, str]] = {}
_NO_DOUBT: Final = (1, _TYPE_INDICES["other"])

Key = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Mention:
    """Entity named in a turn: characters ``start`` to ``start + length``.

    ``start`` is -1 if only a tie names it. ``surface`` is None where it is the entity's own name. ``type`` is what the
    turn tells of it, "other" for nothing. ``certain`` and ``likely_type`` are those of the naming.
    """

    entity: int
    start: int
    length: int
    surface: str | None = None
    type: EntityType = "other"
    certain: bool = True
    likely_type: EntityType = "other"


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """Relation between two entities that a turn states."""

    source: int
    target: int
    label: str
    confidence: float


class _StoredTurn(NamedTuple):
    """Mentions of a turn as they are stored: their row, then what some of them have, by their numbers; and its ties."""

    turn: int
    row: tuple[int, ...]
    surfaces: dict[int, str]
    types: dict[int, EntityType] | None
    doubts: dict[int, tuple[int, int]] | None
    ties: tuple[Any, ...] | None


class Mentions(Part):
    """Mentions and ties by turn, with the turns of each entity and the evidence of each relation."""

    def __init__(self) -> None:
        super().__init__("graph.mentions")
        # Tuples of numbers and words are nothing that the garbage collector follows.
        self._rows: dict[int, tuple[int, ...]] = {}
        self._surfaces: dict[int, dict[int, str]] = {}
        self._types: dict[int, dict[int, EntityType]] = {}
        # Of mentions that are uncertain, or of a type that is: if they are certain, and the index of the type.
        self._doubts: dict[int, dict[int, tuple[int, int]]] = {}
        self._ties: dict[int, tuple[Any, ...]] = {}
        self._turns: dict[int, list[int]] = {}
        self._counts: dict[int, dict[str, int]] = {}
        self._evidence: dict[Key, list[int]] = {}
        self._keys: dict[int, dict[Key, None]] = {}
        self.stale: set[int] = set()

    def replace(self, turn: int, mentions: Sequence[Mention], ties: Sequence[StatedRelation], timestamp: int) -> None:
        """Keep the mentions and ties of a turn in place of its earlier ones; ``timestamp`` is in seconds since 1970."""
        self.drop(turn)
        if not mentions:
            return
        surfaces = {number: mention.surface for number, mention in enumerate(mentions) if mention.surface is not None}
        row = tuple(number for mention in mentions for number in (mention.entity, mention.start, mention.length))
        types: dict[int, EntityType] = {
            number: mention.type for number, mention in enumerate(mentions) if mention.type != "other"
        }
        doubts = {
            number: (int(mention.certain), _TYPE_INDICES[mention.likely_type])
            for number, mention in enumerate(mentions)
            if not mention.certain or mention.likely_type != "other"
        }
        relations = ((tie.source, tie.target, tie.label, round(tie.confidence, 3)) for tie in ties)
        self._take(_StoredTurn(turn, row, surfaces, types, doubts, (timestamp, *relations) if ties else None))
        self.changed.add(turn >> _BITS)

    def drop(self, turn: int) -> list[int]:
        """Drop a turn; return the entities that it named."""
        row = self._rows.pop(turn, None)
        if row is None:
            return []
        entities = list(dict.fromkeys(row[::_STRIDE]))
        for entity in entities:
            turns = self._turns[entity]
            del turns[bisect_left(turns, turn)]
            if not turns:
                del self._turns[entity]
        for number, surface in self._surfaces.pop(turn, {}).items():
            self._uncount(row[number * _STRIDE], surface)
        self._types.pop(turn, None)
        self._doubts.pop(turn, None)
        for source, target, label, _ in self._ties.pop(turn, (0,))[1:]:
            self._unclaim((source, target, label), turn)
        self.changed.add(turn >> _BITS)
        return entities

    def _take(self, stored_turn: _StoredTurn) -> None:
        turn, row, surfaces, types, doubts, ties = stored_turn
        self._rows[turn] = row
        if types:
            self._types[turn] = types
        if doubts:
            self._doubts[turn] = doubts
        for entity in dict.fromkeys(row[::_STRIDE]):
            _insert(self._turns.setdefault(entity, []), turn)
        if surfaces:
            self._name_turn(turn, row, surfaces)
        if ties:
            self._ties[turn] = ties
            for source, target, label, _ in ties[1:]:
                self._claim((source, target, label), turn)

    def _name_turn(self, turn: int, row: tuple[int, ...], surfaces: dict[int, str]) -> None:
        """Keep the other names that a turn gives entities."""
        self._surfaces[turn] = surfaces
        for number, surface in surfaces.items():
            self._count(row[number * _STRIDE], surface)

    def _count(self, entity: int, surface: str) -> None:
        counts = self._counts.setdefault(entity, {})
        if surface not in counts:
            self.stale.add(entity)
        counts[surface] = counts.get(surface, 0) + 1

    def _uncount(self, entity: int, surface: str) -> None:
        counts = self._counts[entity]
        counts[surface] -= 1
        if not counts[surface]:
            del counts[surface]
            self.stale.add(entity)
        if not counts:
            del self._counts[entity]

    def _claim(self, key: Key, turn: int) -> None:
        evidence = self._evidence.setdefault(key, [])
        if not evidence:
            self._keys.setdefault(key[0], {})[key] = None
            self._keys.setdefault(key[1], {})[key] = None
        _insert(evidence, turn)

    def _unclaim(self, key: Key, turn: int) -> None:
        evidence = self._evidence[key]
        del evidence[bisect_left(evidence, turn)]
        if evidence:
            return
        del self._evidence[key]
        for entity in {key[0], key[1]}:
            del self._keys[entity][key]
            if not self._keys[entity]:
                del self._keys[entity]

    def merge(self, turn: int, entity: tuple[int, str], absorbed: tuple[int, str]) -> None:
        """Replace an entity of a turn by another, given by number and own name."""
        (number, main_name), (old_number, old_name) = entity, absorbed
        mentions = [
            replace(mention, entity=number, surface=None if surface == main_name else surface)
            if mention.entity == old_number
            else mention
            for mention in self.mentions(turn)
            for surface in [mention.surface or old_name]
        ]
        self._rewrite(turn, mentions, lambda end: number if end == old_number else end)

    def split(self, turn: int, entity: int, name: str, new_entity: int) -> None:
        """Move the mentions of an entity by one name in a turn to another entity, whose own name that is."""
        before = self.mentions(turn)
        mentions = [
            replace(mention, entity=new_entity, surface=None)
            if (mention.entity, mention.surface) == (entity, name)
            else mention
            for mention in before
        ]
        is_last = not any(mention.entity == entity for mention in mentions)
        self._rewrite(turn, mentions, lambda number: new_entity if is_last and number == entity else number)

    def _rewrite(self, turn: int, mentions: Sequence[Mention], renumber: Callable[[int], int]) -> None:
        timestamp, *rows = self._ties.get(turn, (0,))
        ties = [StatedRelation(renumber(source), renumber(target), label, sure) for source, target, label, sure in rows]
        # Relations to two entities that are one now may be the same.
        related = {(tie.source, tie.target, tie.label): tie for tie in ties if tie.source != tie.target}
        distinct = {(mention.entity, mention.surface, mention.start): mention for mention in mentions}
        self.replace(turn, list(distinct.values()), list(related.values()), timestamp)

    # Reading.

    def turns(self, entity: int) -> list[int]:
        """Return the turns that name an entity, ascending. Do not change the list."""
        return self._turns.get(entity, [])

    def counts(self) -> dict[int, int]:
        """Count the turns that name each entity."""
        return {entity: len(turns) for entity, turns in self._turns.items()}

    def entities(self, turn: int) -> list[int]:
        """Return the entities that a turn names, in its order."""
        return list(dict.fromkeys(self._rows.get(turn, ())[::_STRIDE]))

    def mentions(self, turn: int) -> list[Mention]:
        """Return the mentions of a turn, in its order."""
        row, surfaces, types = self._rows.get(turn, ()), self._surfaces.get(turn, {}), self._types.get(turn, {})
        doubts = self._doubts.get(turn, {})
        return [
            Mention(
                row[first],
                row[first + 1],
                row[first + 2],
                surfaces.get(number),
                types.get(number, "other"),
                bool(certain),
                _TYPES[likely_type],
            )
            for number, first in enumerate(range(0, len(row), _STRIDE))
            for certain, likely_type in [doubts.get(number, _NO_DOUBT)]
        ]

    def surfaces(self, entity: int) -> dict[str, int]:
        """Return the other names that turns give an entity, with their counts. Do not change the mapping."""
        return self._counts.get(entity, {})

    def own_name_used(self, entity: int) -> bool:
        """Tell if a turn still gives an entity its own name."""
        return any(
            mention.entity == entity and mention.surface is None
            for turn in self.turns(entity)
            for mention in self.mentions(turn)
        )

    def is_certain(self, entity: int) -> bool:
        """Tell if a turn surely names an entity."""
        return any(
            turn not in self._doubts
            or any(mention.certain for mention in self.mentions(turn) if mention.entity == entity)
            for turn in self.turns(entity)
        )

    def type(self, entity: int) -> EntityType:
        """Return the type of an entity as its turns tell it: the first one, but an animal with a person's name.

        A likely type is told by two turns that agree, if none before them tells another.
        """
        typed = (
            mention
            for turn in self.turns(entity)
            if turn in self._types or turn in self._doubts
            for mention in self.mentions(turn)
            if mention.entity == entity
        )
        likely_types: set[EntityType] = set()
        for mention in typed:
            first = mention.likely_type if likely_types == {mention.likely_type} else mention.type
            if mention.likely_type != "other":
                likely_types.add(mention.likely_type)
            if first != "other":
                return "animal" if first == "person" and any(later.type == "animal" for later in typed) else first
        return "other"

    def keys(self, entity: int | None = None) -> list[Key]:
        """Return the relations of an entity, or all, sorted: source, target, label."""
        return sorted(self._evidence if entity is None else self._keys.get(entity, ()))

    def evidence(self, key: Key) -> list[tuple[int, float, int]]:
        """Return the evidence of a relation by turn: turn, confidence, seconds since 1970."""
        return [
            (turn, confidence, self._ties[turn][0])
            for turn in self._evidence.get(key, ())
            for *tie, confidence in self._ties[turn][1:]
            if tuple(tie) == key
        ]

    # Chunks.

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        # Turns come in their order, so nothing has to be looked up to take them in.
        for number, encoded in chunks:
            for turn, row, surfaces, types, doubts, ties in _turns_in(number, content_of(encoded)):
                self._rows[turn] = row
                for entity in dict.fromkeys(row[::_STRIDE]):
                    self._turns.setdefault(entity, []).append(turn)
                if types:
                    self._types[turn] = types
                if doubts:
                    self._doubts[turn] = doubts
                if surfaces:
                    self._name_turn(turn, row, surfaces)
                if ties:
                    self._ties[turn] = ties
                    for source, target, label, _ in ties[1:]:
                        if (evidence := self._evidence.get(key := (source, target, label))) is not None:
                            evidence.append(turn)
                        else:
                            self._claim(key, turn)

    def load(self, number: int, content: Any | None) -> None:
        """Load a chunk: rows of mentions, other surfaces, ties, types, and doubts, by place in the chunk."""
        first = number << _BITS
        for turn in range(first, first + _MASK + 1):
            if turn in self._rows:
                self.drop(turn)
        for item in _turns_in(number, content):
            self._take(item)
        self.changed.discard(number)

    def dump(self, number: int) -> Any | None:
        """Return the content of a chunk, or None if it is empty."""
        first = number << _BITS
        turns = [turn for turn in range(first, first + _MASK + 1) if turn in self._rows]
        if not turns:
            return None
        return [
            [[turn & _MASK, *self._rows[turn]] for turn in turns],
            [
                [turn & _MASK, *([index, surface] for index, surface in self._surfaces[turn].items())]
                for turn in turns
                if turn in self._surfaces
            ],
            [[turn & _MASK, *self._ties[turn]] for turn in turns if turn in self._ties],
            [
                [turn & _MASK, *([number, _TYPE_INDICES[kind]] for number, kind in self._types[turn].items())]
                for turn in turns
                if turn in self._types
            ],
            [
                [turn & _MASK, *([number, *doubt] for number, doubt in self._doubts[turn].items())]
                for turn in turns
                if turn in self._doubts
            ],
        ]


def _turns_in(number: int, content: Any | None) -> Iterator[_StoredTurn]:
    """Yield the turns of a chunk."""
    columns: Sequence[Sequence[list[Any]]] = content or ((), (), ())
    # Chunks of earlier versions tell no types, or no doubts.
    rows, surfaces, ties, types, doubts = (*columns, (), ())[:5]
    surfaces_by_turn: dict[int, dict[int, str]] = {offset: dict(pairs) for offset, *pairs in surfaces}
    ties_by_turn: dict[int, tuple[Any, ...]] = {row[0]: (row[1], *map(tuple, row[2:])) for row in ties}
    types_by_turn: dict[int, dict[int, EntityType]] = {
        offset: {number: _TYPES[index] for number, index in pairs} for offset, *pairs in types
    }
    doubts_by_turn: dict[int, dict[int, tuple[int, int]]] = {
        offset: {number: (certain, index) for number, certain, index in triples} for offset, *triples in doubts
    }
    for row in rows:
        offset = row[0]
        yield _StoredTurn(
            (number << _BITS) + offset,
            tuple(row[1:]),
            surfaces_by_turn.get(offset, _NO_SURFACES),
            types_by_turn.get(offset),
            doubts_by_turn.get(offset),
            ties_by_turn.get(offset),
        )


def _insert(turns: list[int], turn: int) -> None:
    if not turns or turns[-1] < turn:
        turns.append(turn)
    elif turns[bisect_left(turns, turn)] != turn:
        insort(turns, turn)


_NOWHERE: Final = -1


@dataclass(frozen=True, slots=True)
class Edge:
    """Relation between two entities: the turns that state it, its greatest confidence, its latest time."""

    source: int
    target: int
    label: str
    evidence: tuple[int, ...]
    confidence: float
    at: datetime


def _related(ties: Sequence[Tie]) -> dict[str, list[str]]:
    """Return the names that a turn relates to each: they mean different entities."""
    related: dict[str, list[str]] = {}
    for tie in ties:
        related.setdefault(tie.source, []).append(tie.target)
        related.setdefault(tie.target, []).append(tie.source)
    return related


class Graph:
    """Entities, mentions and relations, updated turn by turn."""

    def __init__(self) -> None:
        self._records = Entities()
        self._mentions = Mentions()
        # Names are compared with those of the same owner alone.
        self._names: dict[str, NameIndex] = {}
        self._indexed: dict[int, str] = {}
        # What people decided of names; it holds for what is added from now on, and ``settle`` for the rest.
        self.edits = EntityEdits()

    @property
    def parts(self) -> tuple[Part, ...]:
        """Stored parts: the entities, then the mentions and ties by turn."""
        return self._records, self._mentions

    # Changes.

    def _index(self, owner: str) -> NameIndex:
        return self._names.setdefault(owner, NameIndex())

    def _index_names(self, entity: int, record: KeptEntity | None, *aliases: str) -> None:
        """Index the names of an entity; None for one that is gone. A number that is used again may have a new owner."""
        was = self._indexed.pop(entity, None)
        if was is not None and (record is None or was != record.owner):
            self._names[was].set(entity, "other", ())
        if record is not None:
            self._indexed[entity] = record.owner
            self._index(record.owner).set(entity, record.type, (record.name, *aliases))

    def add(self, turn: int, extraction: Extraction, time: datetime, owner: str = COMMON) -> list[int]:
        """Add the mentions and ties of a turn in place of its earlier ones, as entities of its owner.

        Return the entities that it names, and those that lost a name.
        """
        self.remove(turn)
        self._refresh()
        mentions: dict[tuple[int, str], Mention] = {}
        related = _related(extraction.ties)
        entities: dict[tuple[str, EntityType], int] = {}
        split_entities = self._part_related(related, owner)
        for naming in extraction.namings:
            key = naming.surface, naming.type
            if key not in entities:
                excluded = [entity for (name, _), entity in entities.items() if name in related.get(naming.surface, ())]
                entities[key] = self._entity(*key, owner, excluded)
            self._name(mentions, entities[key], naming)
        ties = [
            tie for tie in (self._tie(mentions, entities, tie, owner) for tie in extraction.ties) if tie is not None
        ]
        if mentions:
            distinct = dict.fromkeys((tie.source, tie.target, tie.label) for tie in ties)
            best = [
                StatedRelation(*key, max(tie.confidence for tie in ties if (tie.source, tie.target, tie.label) == key))
                for key in distinct
            ]
            self._mentions.replace(turn, list(mentions.values()), best, int(time.timestamp()))
        for mention in mentions.values():
            self._confirm(mention)
        return list(dict.fromkeys([*(mention.entity for mention in mentions.values()), *split_entities]))

    def _name(self, mentions: dict[tuple[int, str], Mention], entity: int, naming: Naming) -> None:
        record, key = self._records.get(entity), (entity, naming.surface)
        mention = Mention(
            entity,
            naming.start,
            naming.end - naming.start,
            None if record is not None and record.name == naming.surface else naming.surface,
            naming.type,
            naming.certain,
            naming.likely_type,
        )
        earlier = mentions.setdefault(key, mention)
        if earlier.type == "other" != naming.type:
            mentions[key] = earlier = replace(earlier, type=naming.type)
        if naming.certain and not earlier.certain:
            mentions[key] = replace(earlier, certain=True)

    def _confirm(self, mention: Mention) -> None:
        """Keep of an entity that it is certain, or its type, if a mention tells it, alone or with earlier ones."""
        record = self._records.get(mention.entity)
        if record is None:
            return
        confirmed = record._replace(certain=record.certain or mention.certain)
        # What one turn tells surely was kept when it was named.
        if record.type == "other" != mention.likely_type:
            confirmed = confirmed._replace(type=self._mentions.type(mention.entity))
        if confirmed != record:
            self._set(mention.entity, confirmed)

    def _set(self, entity: int, record: KeptEntity) -> None:
        self._records.set(entity, record)
        self._index_names(entity, record, *self._mentions.surfaces(entity))

    def _tie(
        self,
        mentions: dict[tuple[int, str], Mention],
        entities: dict[tuple[str, EntityType], int],
        tie: Tie,
        owner: str,
    ) -> StatedRelation | None:
        ends: tuple[tuple[str, EntityType], ...] = (tie.source, tie.source_type), (tie.target, tie.target_type)
        source, target = (entities[end] if end in entities else self._entity(*end, owner) for end in ends)
        for entity, end in zip((source, target), ends, strict=True):
            # A tie makes no name certain that stands in the turn.
            certain = (entity, end[0]) not in mentions
            self._name(mentions, entity, Naming(*end, _NOWHERE, _NOWHERE, certain))
        return StatedRelation(source, target, tie.label, tie.confidence) if source != target else None

    def _entity(self, surface: str, type: EntityType, owner: str, excluded: Collection[int] = ()) -> int:
        name = self.edits.surviving_name(owner, surface)
        split = {number for alias in self.edits.split_names(owner, name) for number in self._index(owner).exact(alias)}
        entity = self._index(owner).resolve(name, type, {*excluded, *split})
        if entity is None and self.edits.merged(owner, name):
            # Whatever its type: the kept name tells that.
            entity = next((number for number in self._index(owner).exact(name) if number not in split), None)
            record = self._records.get(entity) if entity is not None else None
            if entity is not None and record is not None and name == surface:
                self._set(entity, record._replace(type=type))
        if entity is None:
            record = KeptEntity(name, type, owner, certain=False)
            entity = self._records.new(record)
            self._index_names(entity, record)
            if name != surface:
                self._index_names(entity, record, surface)
            return entity
        record = self._records.get(entity)
        if record is not None and (record.type == "other" != type or (record.type, type) == ("person", "animal")):
            self._set(entity, record._replace(type=type))
        self._learn(entity, surface)
        return entity

    def _learn(self, entity: int, surface: str) -> None:
        """Index a new name of an entity at once: the next mention of the turn may use it."""
        record, surfaces = self._records.get(entity), self._mentions.surfaces(entity)
        if record is not None and surface != record.name and surface not in surfaces:
            self._index_names(entity, record, *surfaces, surface)

    def _part_related(self, related: Mapping[str, Collection[str]], owner: str) -> list[int]:
        """Part names of one entity that a turn relates to each other: Bob, taken for Robert, who meets Robert."""
        numbers: list[int] = []
        index = self._index(owner)
        for name, names in related.items():
            for second in names:
                for entity in sorted(set(index.exact(name)).intersection(index.exact(second))):
                    if self.name(entity) != name and normal(name) != normal(second):
                        fuller = [alias for alias in self.aliases(entity) if alias.startswith(f"{name} ")]
                        new_entities = [self.split(entity, surface) for surface in (name, *fuller)]
                        first, *duplicates = [number for number in new_entities if number is not None] or [entity]
                        for number in duplicates:
                            self.merge(first, number)
                        numbers.append(first)
        return numbers

    def merge(self, entity: int, absorbed: int) -> list[int]:
        """Make another entity part of one; return the turns that named it."""
        turns = self.mentions(absorbed)
        for turn in turns:
            self._mentions.merge(turn, (entity, self.name(entity)), (absorbed, self.name(absorbed)))
        self._records.drop(absorbed)
        self._renew_certainty(entity)
        self._refresh()
        return turns

    def split(self, entity: int, name: str) -> int | None:
        """Give one of an entity's names to an entity of its own; return it, or None if no turn names it so.

        A relation goes with the name in the turns that name the entity by this name alone.
        """
        record = self._records.get(entity)
        turns = [
            turn
            for turn in self.mentions(entity)
            if any(
                mention.entity == entity and (mention.surface or self.name(entity)) == name
                for mention in self._mentions.mentions(turn)
            )
        ]
        if record is None or not turns or name == record.name:
            return None
        new_entity = self._records.new(record._replace(name=name))
        for turn in turns:
            self._mentions.split(turn, entity, name, new_entity)
        for number in (entity, new_entity):
            self._renew_certainty(number)
        self._refresh()
        return new_entity

    def settle(self, edit: EntityEdit, *, in_force: bool) -> list[int]:
        """Carry out an edit in what was formed before it, or take it back; return the entities that changed."""
        self._refresh()
        index = self._index(edit.owner)
        entity = next(iter(index.exact(edit.name)), None)
        if entity is None:
            return []
        if edit.together == in_force:
            duplicates = {number for alias in edit.others for number in index.exact(alias)} - {entity}
            for number in sorted(duplicates):
                self.merge(entity, number)
            return [entity, *duplicates]
        new_entities = [new_entity for alias in edit.others if (new_entity := self.split(entity, alias)) is not None]
        for number in new_entities[1:]:
            self.merge(new_entities[0], number)
        return [entity, *new_entities[:1]]

    def remove(self, turn: int) -> list[int]:
        """Remove the mentions and ties of a turn; return the entities that are gone with it."""
        removed: list[int] = []
        mentions = self._mentions.mentions(turn)
        typed = {mention.entity for mention in mentions if (mention.type, mention.likely_type) != ("other", "other")}
        for entity in self._mentions.drop(turn):
            turns = self._mentions.turns(entity)
            if not turns:
                self._records.drop(entity)
                removed.append(entity)
                continue
            if not self._mentions.own_name_used(entity):
                self._rename(entity)
            if entity in typed:
                self._renew_type(entity)
            self._renew_certainty(entity)
        self._refresh()
        return removed

    def _renew_type(self, entity: int) -> None:
        """Give an entity the type that the remaining turns tell: what a forgotten turn told must not live on."""
        record, remaining_type = self._records.get(entity), self._mentions.type(entity)
        if record is not None and record.type != remaining_type:
            self._records.set(entity, record._replace(type=remaining_type))

    def _renew_certainty(self, entity: int) -> None:
        record, certain = self._records.get(entity), self._mentions.is_certain(entity)
        if record is not None and record.certain != certain:
            self._records.set(entity, record._replace(certain=certain))

    def _rename(self, entity: int) -> None:
        """Rename an entity to its name in the first remaining turn: a forgotten name must not live on."""
        record = self._records.get(entity)
        surface = next(
            mention.surface
            for turn in self._mentions.turns(entity)
            for mention in self._mentions.mentions(turn)
            if mention.entity == entity and mention.surface is not None
        )
        if record is not None and record.name != surface:
            self._records.set(entity, record._replace(name=surface))

    def _refresh(self) -> None:
        """Index the names that changed by loading or removal."""
        stale = self._records.stale | self._mentions.stale
        if not stale:
            return
        for entity in sorted(stale):
            self._index_names(entity, self._records.get(entity), *self._mentions.surfaces(entity))
        self._records.stale.clear()
        self._mentions.stale.clear()

    # Reading.

    def mentions(self, entity: int) -> list[int]:
        """Return the turns that name an entity or tie it to another, ascending."""
        return list(self._mentions.turns(entity))

    def entities_of(self, turn: int) -> list[int]:
        """Return the entities that a turn names or ties, in its order."""
        return self._mentions.entities(turn)

    def count(self) -> int:
        """Return the number of entities that are certain."""
        return len(self.entities())

    def entities(self, owner: str | None = None) -> list[int]:
        """Return the entities that are certain, all or those of an owner, ascending."""
        return [number for number in self._records.numbers() if self.is_certain(number, owner)]

    def is_certain(self, entity: int, owner: str | None = None) -> bool:
        """Tell if a turn surely names an entity, and it is of an owner, if one is given."""
        record = self._records.get(entity)
        return record is not None and record.certain and owner in (None, record.owner)

    def owner(self, entity: int) -> str:
        """Return an entity's owner; the common scope if the number is not in use."""
        record = self._records.get(entity)
        return record.owner if record else COMMON

    def name(self, entity: int) -> str:
        """Return an entity's name; empty if the number is not in use."""
        record = self._records.get(entity)
        return record.name if record else ""

    def type(self, entity: int) -> EntityType:
        """Return an entity's type; "other" if the number is not in use."""
        record = self._records.get(entity)
        return record.type if record else "other"

    def aliases(self, entity: int) -> tuple[str, ...]:
        """Return the other names that turns give an entity, the most frequent first."""
        counts = self._mentions.surfaces(entity)
        return tuple(
            name for name in sorted(counts, key=lambda name: (-counts[name], name)) if name != self.name(entity)
        )

    def value(self, entity: int, id_of: Callable[[int], str] = str) -> Entity | None:
        """Return an entity as a value, with the id that ``id_of`` makes of its number; None if it does not exist."""
        if self._records.get(entity) is None:
            return None
        owner = self.owner(entity)
        return Entity(id_of(entity), self.name(entity), self.type(entity), self.aliases(entity), owner or None)

    def find(self, name: str, owner: str | None = None) -> list[int]:
        """Return the entities that a name may mean: those known by it, then similar ones, the most similar first.

        They are those of an owner, or of any: then all that are known by the name come first.
        """
        self._refresh()
        if not name.strip():
            return []
        indices = [self._names[scope] for scope in sorted(self._names) if owner in (None, scope)]
        exact = [entity for index in indices for entity in index.exact(name)] if len(indices) > 1 else []
        return list(dict.fromkeys([*exact, *(entity for index in indices for entity in index.find(name))]))

    def best_matches(self, name: str, owner: str | None = None) -> list[int]:
        """Return what a name means: of each owner the entity that is known by it, else the most similar of all."""
        self._refresh()
        indices = (self._names[scope] for scope in sorted(self._names) if owner in (None, scope))
        exact = [entity for index in indices for entity in index.exact(name)[:1]] if name.strip() else []
        return exact or self.find(name, owner)[:1]

    def salient(self, limit: int, min_turns: int = 1, owner: str | None = None) -> list[int]:
        """Return the ``limit`` certain entities that most turns name, ``min_turns`` or more, the most frequent first.

        They are those of an owner, or of any.
        """
        frequent = ((entity, count) for entity, count in self._mentions.counts().items() if count >= min_turns)
        counts = [(-count, entity) for entity, count in frequent if self.is_certain(entity, owner)]
        return [entity for _, entity in nsmallest(limit, counts)]

    def known_names(self, extraction: Extraction, owner: str, before: int) -> Extraction:
        """Return what an extraction names and ties of that which turns before a number named too."""
        self._refresh()
        index = self._index(owner)

        def is_known(name: str) -> bool:
            return any(turn < before for entity in index.exact(name) for turn in self.mentions(entity)[:1])

        return Extraction(
            tuple(naming for naming in extraction.namings if is_known(naming.surface)),
            tuple(tie for tie in extraction.ties if is_known(tie.source) and is_known(tie.target)),
        )

    def relations(self, entity: int | None = None) -> list[Edge]:
        """Return the relations of an entity, or all, sorted by source, target and label."""
        return [self._edge(key) for key in self._mentions.keys(entity)]

    def relations_among(self, entities: Collection[int]) -> list[Edge]:
        """Return the relations between some entities, sorted by source, target and label."""
        keys = {key for entity in entities for key in self._mentions.keys(entity) if key[0] == entity}
        return [self._edge(key) for key in sorted(key for key in keys if key[1] in entities)]

    def _edge(self, key: tuple[int, int, str]) -> Edge:
        evidence = self._mentions.evidence(key)
        return Edge(
            *key,
            tuple(turn for turn, _, _ in evidence),
            max(confidence for _, confidence, _ in evidence),
            datetime.fromtimestamp(max(timestamp for _, _, timestamp in evidence), UTC),
        )

    def overlaps(self, entity: int | None = None) -> list[tuple[int, int]]:
        """Return the pairs of entities with similar names, of an entity or all. The lower number comes first."""
        self._refresh()
        if entity is not None:
            return sorted((min(entity, overlap), max(entity, overlap)) for overlap in self._alike(entity))
        pairs = {
            (min(number, overlap), max(number, overlap))
            for number in self._records.numbers()
            for overlap in self._index(self.owner(number)).shorter(number)
        }
        return sorted(pairs)

    def neighbours(self, entity: int, hops: int = 1) -> list[int]:
        """Return the entities at most ``hops`` relations or overlaps away, the nearest first, then by number."""
        self._refresh()
        reached = {entity: None}
        edge = [entity]
        for _ in range(hops):
            beyond = {neighbour for number in edge for neighbour in self._adjacent(number)}
            edge = sorted(beyond - reached.keys())
            reached.update(dict.fromkeys(edge))
        return list(reached)[1:]

    def _adjacent(self, entity: int) -> list[int]:
        related = [end for source, target, _ in self._mentions.keys(entity) for end in (source, target)]
        return [*related, *self._alike(entity)]

    def _alike(self, entity: int) -> list[int]:
        """Return the entities of the same owner whose names resemble that of an entity."""
        return self._index(self.owner(entity)).overlaps(entity)
