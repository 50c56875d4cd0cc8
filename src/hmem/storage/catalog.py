"""Contract of a catalog: the memories of one place, such as a folder of files or a database, each with its name.

Catalogs are found by entry points in the group ``hmem.catalogs``: the name is a scheme, and the object a function
``load(location)`` that returns the catalog of a ``Location``. SQLite's, a folder, is found so too.
"""

from abc import ABC, abstractmethod
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from hmem.errors import ExtraMissing, UnknownName
from hmem.storage.location import DATABASES, Location

if TYPE_CHECKING:
    from collections.abc import Callable

_GROUP: Final = "hmem.catalogs"


class WorkClaim(NamedTuple):
    """A memory with due work by its name, claimed until a time (µs since 1970 UTC)."""

    name: str
    until: int


class WorkBoard(ABC):
    """Memories that have work for a language model due, found without asking each. Thread-safe.

    A write that makes turns or reactions of a memory wait for a model makes the memory due at once, if it has the
    setting ``hmem.storage.model_queue.READ_FROM``. Times are in µs since 1970 UTC.
    """

    @abstractmethod
    def claim(self, moment: int, until: int, limit: int) -> list[WorkClaim]:
        """Claim at most ``limit`` memories whose work is due at a time and that nobody claims then, longest due first.

        No two callers get the same one. A claim that is not settled ends by itself at ``until``.
        """

    @abstractmethod
    def settle(self, claim: WorkClaim, due: int | None) -> None:
        """End a claim: the memory has work again at ``due``; None for no work.

        If work was added meanwhile, the memory stays due at once. A claim that ended already changes nothing.
        """


class Catalog(ABC):
    """Memories of one place by name. Thread-safe; each call asks the place anew, as other processes change it.

    Any method may raise ``StorageUnavailable`` or ``StorageError``. A memory is made by opening its location.
    """

    @property
    @abstractmethod
    def location(self) -> Location:
        """Location of the place itself."""

    @abstractmethod
    def locate(self, name: str) -> Location:
        """Return the location of the memory with a name, whether or not it exists."""

    @abstractmethod
    def names(self, *, after: str = "", limit: int | None = None) -> list[str]:
        """Return the names behind ``after``, by code points, at most ``limit``."""

    @abstractmethod
    def spelled(self, name: str) -> str | None:
        """Return the name of the memory that has this name, whatever its case; None if there is none."""

    @abstractmethod
    def count(self) -> int:
        """Return the number of memories."""

    def check(self, seconds: float) -> None:  # noqa: ARG002 - for a place that may not answer
        """Ask the place for an answer within some seconds.

        Raises:
            StorageUnavailable, StorageError: there was none.
        """
        self.names(limit=1)

    @property
    def away(self) -> bool:
        """True if the place did not answer the last call, without asking it."""
        return False

    @abstractmethod
    def drop(self, name: str) -> None:
        """Erase a memory with all that belongs to it. Processes that have it open get ``MemoryNotFound`` from then on.

        Raises:
            MemoryNotFound: there is none of this name.
        """

    @property
    def work(self) -> WorkBoard | None:
        """Memories with due work; None if the place keeps no account of it."""
        return None

    def close(self) -> None:
        """Close it. A closed catalog takes no more calls; closing twice is no error."""
        return


def open_catalog(location: str | Path | Location) -> Catalog:
    """Return the catalog of a folder or of a database.

    Raises:
        UnknownName: no installed package offers a catalog of its scheme.
        ExtraMissing: it is one of hmem-postgres, which is not installed.
        StorageUnavailable, StorageError: it cannot be used.
    """
    location = Location.parse(location)
    return _loader(location.scheme)(location)


@lru_cache(maxsize=8)
def _loader(scheme: str) -> "Callable[[Location], Catalog]":
    for entry in entry_points(group=_GROUP, name=scheme):
        return entry.load()
    if scheme in DATABASES:
        raise ExtraMissing(f"{scheme}:// needs hmem-postgres - pip install 'hmem[postgres]'")
    schemes = ", ".join(sorted({entry.name for entry in entry_points(group=_GROUP)}))
    raise UnknownName(
        f"no place of memories answers to {scheme}:// - give the path of a folder; installed packages offer {schemes}"
    )
