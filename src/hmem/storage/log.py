"""Log of changes: decisions by people and the engine about a memory. It only grows."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple


class LogEntry(NamedTuple):
    """An entry of the log, in the terms of ``hmem.model.change.Change``; ``at`` in µs since 1970 UTC.

    An entry with a ``key`` is kept once. ``number`` is given when it is kept, and only grows.
    """

    at: int
    by: str
    verb: str
    target: str
    why: str | None = None
    before: str | None = None
    after: str | None = None
    link: str | None = None
    key: str | None = None
    number: int = 0


class ChangeLog(ABC):
    """Entries of the log, by number."""

    @abstractmethod
    def record(self, entries: Sequence[LogEntry]) -> list[int]:
        """Add entries to the log, in one transaction; return the numbers of those that were new."""

    @abstractmethod
    def recorded(self, *, since: int = 0, about: str | None = None, limit: int | None = None) -> list[LogEntry]:
        """Return the entries after the number ``since``, oldest first.

        ``about`` limits them to those with this target or link.

        Raises:
            InputError: the limit is negative.
        """
