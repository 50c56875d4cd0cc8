"""What each turn names and ties together: the part of the graph that stays with the turns.

A chunk holds 64 turns, so that its size does not grow with the number of times that an entity is named.
"""

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from hmem.hierarchy.part import Part

_BITS: Final = 6
_MASK: Final = (1 << _BITS) - 1

# In a turn's flat row each mention takes three numbers: entity, start, length.
_STRIDE: Final = 3

Key = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Place:
    """An entity named in a turn: characters ``start`` to ``start + length``; ``start`` is -1 where only a tie names it.

    ``surface`` is None where it is the entity's own name.
    """

    entity: int
    start: int
    length: int
    surface: str | None = None


@dataclass(frozen=True, slots=True)
class Claimed:
    """A tie between two entities that a turn states."""

    source: int
    target: int
    label: str
    confidence: float


class Mentions(Part):
    """Mentions and ties by turn, with the turns of each entity and the evidence of each relation."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._rows: dict[int, list[int]] = {}
        self._surfaces: dict[int, dict[int, str]] = {}
        self._ties: dict[int, list[Any]] = {}
        self._turns: dict[int, list[int]] = {}
        self._counts: dict[int, dict[str, int]] = {}
        self._evidence: dict[Key, list[int]] = {}
        self._keys: dict[int, dict[Key, None]] = {}
        self.stale: set[int] = set()

    def put(self, turn: int, places: Sequence[Place], ties: Sequence[Claimed], at: int) -> None:
        """Keep what a turn names and ties, in place of what it did before; ``at`` is in seconds since 1970."""
        self.drop(turn)
        if not places:
            return
        surfaces = {number: place.surface for number, place in enumerate(places) if place.surface is not None}
        row = [number for place in places for number in (place.entity, place.start, place.length)]
        stated = [[tie.source, tie.target, tie.label, round(tie.confidence, 3)] for tie in ties]
        self._take(turn, row, surfaces, [at, *stated] if stated else None)
        self.changed.add(turn >> _BITS)

    def drop(self, turn: int) -> list[int]:
        """Forget a turn; the entities that it named."""
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
        for source, target, label, _ in self._ties.pop(turn, [0])[1:]:
            self._unclaim((source, target, label), turn)
        self.changed.add(turn >> _BITS)
        return entities

    def _take(self, turn: int, row: list[int], surfaces: dict[int, str], ties: list[Any] | None) -> None:
        self._rows[turn] = row
        for entity in dict.fromkeys(row[::_STRIDE]):
            _put_in(self._turns.setdefault(entity, []), turn)
        if surfaces:
            self._surfaces[turn] = surfaces
            for number, surface in surfaces.items():
                self._count(row[number * _STRIDE], surface)
        if ties:
            self._ties[turn] = ties
            for source, target, label, _ in ties[1:]:
                self._claim((source, target, label), turn)

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
        _put_in(evidence, turn)

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

    # Reading.

    def turns(self, entity: int) -> list[int]:
        """The turns that name an entity, ascending. Not to be changed."""
        return self._turns.get(entity, [])

    def counts(self) -> dict[int, int]:
        """How many turns name each entity."""
        return {entity: len(turns) for entity, turns in self._turns.items()}

    def entities(self, turn: int) -> list[int]:
        """The entities that a turn names, in its order."""
        return list(dict.fromkeys(self._rows.get(turn, [])[::_STRIDE]))

    def places(self, turn: int) -> list[Place]:
        """Where a turn names what."""
        row, surfaces = self._rows.get(turn, []), self._surfaces.get(turn, {})
        return [
            Place(row[first], row[first + 1], row[first + 2], surfaces.get(first // _STRIDE))
            for first in range(0, len(row), _STRIDE)
        ]

    def surfaces(self, entity: int) -> dict[str, int]:
        """The other names that turns give an entity, and how often. Not to be changed."""
        return self._counts.get(entity, {})

    def own_name_used(self, entity: int) -> bool:
        """Whether a turn still gives an entity its own name."""
        return any(
            place.entity == entity and place.surface is None
            for turn in self.turns(entity)
            for place in self.places(turn)
        )

    def keys(self, entity: int | None = None) -> list[Key]:
        """The relations of an entity, or all: source, target, label, in order."""
        return sorted(self._evidence if entity is None else self._keys.get(entity, ()))

    def evidence(self, key: Key) -> list[tuple[int, float, int]]:
        """What states a relation: turn, confidence, seconds since 1970; by turn."""
        return [
            (turn, confidence, self._ties[turn][0])
            for turn in self._evidence.get(key, ())
            for *tie, confidence in self._ties[turn][1:]
            if tuple(tie) == key
        ]

    # Keeping.

    def load(self, number: int, content: Any | None) -> None:
        """Make this the content of a chunk: rows of mentions, of other surfaces, of ties, by place in the chunk."""
        first = number << _BITS
        for turn in range(first, first + _MASK + 1):
            if turn in self._rows:
                self.drop(turn)
        given: Sequence[Sequence[list[Any]]] = content or ((), (), ())
        rows, surfaces, ties = given
        named: dict[int, dict[int, str]] = {place: dict(pairs) for place, *pairs in surfaces}
        tied: dict[int, list[Any]] = {place: rest for place, *rest in ties}
        for place, *row in rows:
            self._take(first + place, row, named.get(place, {}), tied.get(place))
        self.changed.discard(number)

    def dump(self, number: int) -> Any | None:
        """The content of a chunk."""
        first = number << _BITS
        turns = [turn for turn in range(first, first + _MASK + 1) if turn in self._rows]
        if not turns:
            return None
        return [
            [[turn & _MASK, *self._rows[turn]] for turn in turns],
            [
                [turn & _MASK, *([place, surface] for place, surface in self._surfaces[turn].items())]
                for turn in turns
                if turn in self._surfaces
            ],
            [[turn & _MASK, *self._ties[turn]] for turn in turns if turn in self._ties],
        ]


def _put_in(turns: list[int], turn: int) -> None:
    if not turns or turns[-1] < turn:
        turns.append(turn)
    elif turns[bisect_left(turns, turn)] != turn:
        insort(turns, turn)
