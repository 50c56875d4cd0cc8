"""The entities of the graph: the name and the type of each, by number."""

from typing import Any, Final, get_args

from hmem.hierarchy.part import Part
from hmem.model.entity import EntityType

_BITS: Final = 6
_SIZE: Final = 1 << _BITS
_TYPES: Final[tuple[EntityType, ...]] = get_args(EntityType)
_PLACES: Final[dict[EntityType, int]] = {kind: place for place, kind in enumerate(_TYPES)}

Record = tuple[str, EntityType]


class Entities(Part):
    """Names and types. Numbers count up; that of an entity which is gone is taken again only if it was the last."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._records: list[Record | None] = []
        self.stale: set[int] = set()

    def new(self, name: str, type: EntityType) -> int:
        """Keep a new entity; its number."""
        number = len(self._records)
        self._records.append(None)
        self.set(number, name, type)
        return number

    def set(self, number: int, name: str, type: EntityType) -> None:
        """Give an entity a name and a type."""
        self._records[number] = (name, type)
        self._touch(number)

    def drop(self, number: int) -> None:
        """Forget an entity."""
        self._records[number] = None
        self._touch(number)
        self._trim()

    def _touch(self, number: int) -> None:
        self.changed.add(number >> _BITS)
        self.stale.add(number)

    def _trim(self) -> None:
        while self._records and self._records[-1] is None:
            self._records.pop()

    def get(self, number: int) -> Record | None:
        """The name and the type of an entity, None when there is none of this number."""
        return self._records[number] if 0 <= number < len(self._records) else None

    def numbers(self) -> list[int]:
        """All entities, ascending."""
        return [number for number, record in enumerate(self._records) if record is not None]

    def load(self, number: int, content: Any | None) -> None:
        """Make this the content of a chunk: 0 for an entity that is gone, else name and place of the type."""
        first = number << _BITS
        rows: list[Any] = content or []
        records: list[Record | None] = [(row[0], _TYPES[row[1]]) if row else None for row in rows]
        records += [None] * (_SIZE - len(records))
        self._records += [None] * (first + _SIZE - len(self._records))
        self._records[first : first + _SIZE] = records
        self._trim()
        self.stale.update(range(first, first + _SIZE))
        self.changed.discard(number)

    def dump(self, number: int) -> Any | None:
        """The content of a chunk."""
        records = self._records[number << _BITS : (number + 1) << _BITS]
        while records and records[-1] is None:
            records.pop()
        return [[record[0], _PLACES[record[1]]] if record else 0 for record in records] or None
