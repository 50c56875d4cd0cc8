"""Edits of entities by people: which names mean one entity, and which do not, whatever the rules make of them.

An edit names entities by their names within an owner, so that it holds for a memory that is formed anew.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hmem.derived.graph.entity_resolution import normal
from hmem.model.scope import COMMON
from hmem.storage.base import LogEntry

# Between the names of one entity in an entry of the log; no name holds a line break.
NAME_SEPARATOR = "\n"


@dataclass(frozen=True, slots=True)
class EntityEdit:
    """One edit: ``name`` and the ``others`` mean one entity of an owner if ``together``, else they do not."""

    owner: str
    name: str
    others: tuple[str, ...]
    together: bool


@dataclass(frozen=True, slots=True)
class EntityEdits:
    """Edits in force, oldest first. Where two say the opposite of the same names, the later one holds."""

    edits: tuple[EntityEdit, ...] = ()
    _pairs: dict[tuple[str, str, str], bool] = field(init=False, default_factory=dict[tuple[str, str, str], bool])
    _names: dict[tuple[str, str], str] = field(init=False, default_factory=dict[tuple[str, str], str])

    def __post_init__(self) -> None:
        for edit in self.edits:
            name = normal(edit.name)
            for alias in map(normal, edit.others):
                self._pairs[edit.owner, name, alias] = self._pairs[edit.owner, alias, name] = edit.together
                if edit.together:
                    self._names[edit.owner, alias] = edit.name
                else:
                    self._names.pop((edit.owner, alias), None)

    def surviving_name(self, owner: str, name: str) -> str:
        """Return the name that an entity of this name was merged into, through any chain; else the name itself."""
        keys: set[str] = set()
        while (key := normal(name)) not in keys and (further := self._names.get((owner, key))) is not None:
            keys.add(key)
            name = further
        return name

    def merged(self, owner: str, name: str) -> bool:
        """Tell if an entity of this name was merged with another."""
        key = normal(name)
        return any(together and (scope, first) == (owner, key) for (scope, first, _), together in self._pairs.items())

    def split_names(self, owner: str, name: str) -> Iterator[str]:
        """Yield the names, in normal form, that were split from a name."""
        key = normal(name)
        for (scope, first, second), together in self._pairs.items():
            if not together and (scope, first) == (owner, key):
                yield second


def edits_of(entries: Iterable[LogEntry]) -> EntityEdits:
    """Return the edits that entries of the log say; one whose names were forgotten says nothing."""
    edits = (edit_of(entry) for entry in entries)
    return EntityEdits(tuple(edit for edit in edits if edit is not None))


def edit_of(entry: LogEntry) -> EntityEdit | None:
    """Return the edit that an entry of the log says, or None if its names were forgotten."""
    if entry.verb == "merge" and entry.after and entry.before:
        return EntityEdit(entry.link or COMMON, entry.after, tuple(entry.before.split(NAME_SEPARATOR)), together=True)
    if entry.verb == "split" and entry.after and entry.before:
        return EntityEdit(entry.link or COMMON, entry.before, (entry.after,), together=False)
    return None
