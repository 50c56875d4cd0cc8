"""The log: what people and the engine decided about what is kept. It only grows."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple


class LogEntry(NamedTuple):
    """An entry of the log, as ``hmem.model.change.Change`` tells it; ``at`` in µs since 1970 UTC.

    One with a ``key`` is kept once. ``number`` is given when it is kept, and only grows.
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
    """Entries by number."""

    @abstractmethod
    def record(self, entries: Sequence[LogEntry]) -> list[int]:
        """Add entries to the log, in one transaction; return the numbers of those that were new."""

    @abstractmethod
    def recorded(self, *, since: int = 0, about: str | None = None, limit: int | None = None) -> list[LogEntry]:
        """Return the entries behind the number ``since``, oldest first: all, or those that have ``about`` as target or
        link.

        Raises:
            InputError: the limit is negative.
        """
