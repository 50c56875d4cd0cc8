"""Names of memories, of which none leaves the root, and the catalog of a server's memories, or of a single one."""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from hmem.errors import InvalidName, MemoryExists, MemoryNotFound, NotAllowed
from hmem.interfaces.arguments import LONGEST
from hmem.interfaces.rest.settings import Settings
from hmem.storage.catalog import Catalog, open_catalog
from hmem.storage.location import Location

_AT_ONCE: Final = 1_000
# File names have at most 255 bytes nearly everywhere, and the index folder has the longest suffix.
_LONGEST_BYTES: Final = 200
_MARKS: Final = frozenset("-_.")
_FORM: Final = f"use up to {LONGEST} letters, digits, '-', '_' and '.', beginning and ending with a letter or a digit"
# Names of devices on Windows, with any suffix.
_RESERVED: Final = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}

_NAMELESS: Final = "memory"
_NO_NAME: Final = re.compile(r"[^\w.-]+|\.{2,}")
_OF_URL: Final = re.compile(r"[?&]memory=([^&#]+)")


def normalise(spelling: str) -> str:
    """Return a memory's name in Unicode's normal form NFKC.

    Raises: InvalidName: no memory may have it.
    """
    name = unicodedata.normalize("NFKC", spelling) if len(spelling) <= 4 * LONGEST else spelling
    if not name or len(name) > LONGEST or len(name.encode("utf-8", "replace")) > _LONGEST_BYTES:
        raise InvalidName(f"a memory's name has 1 to {LONGEST} characters - {_FORM}")
    if not all(character.isalnum() or character in _MARKS for character in name):
        raise InvalidName(f"a memory's name cannot have such characters - {_FORM}")
    if not (name[0].isalnum() and name[-1].isalnum()) or ".." in name:
        raise InvalidName(f"a memory's name cannot begin or end so, nor have '..' - {_FORM}")
    if name.partition(".")[0].casefold() in _RESERVED:
        raise InvalidName("a memory cannot have the name of a device - take another one")
    return name


def find(catalog: Catalog, spelling: str) -> str:
    """Return the name of a memory that exists.

    Raises:
        InvalidName: no memory can have this name.
        MemoryNotFound: there is none of this name.
    """
    name = normalise(spelling)
    if catalog.spelled(name) != name:
        raise MemoryNotFound(f"there is no memory {name!r} - create it first")
    return name


def free(catalog: Catalog, spelling: str) -> str:
    """Return the name of a new memory.

    Raises:
        InvalidName: no memory can have this name.
        MemoryExists: one has it, or one that differs in case only.
    """
    name = normalise(spelling)
    if (existing := catalog.spelled(name)) is not None:
        raise MemoryExists(f"there is a memory {existing!r} already - take another name")
    return name


def visible_names(catalog: Catalog, after: str, limit: int, is_visible: Callable[[str], bool]) -> list[str]:
    """Return the first ``limit`` visible names behind ``after``, in order; what is no valid name is skipped."""
    names: list[str] = []
    while len(names) < limit and (page := catalog.names(after=after, limit=_AT_ONCE)):
        names += [name for name in page if is_name(name) and is_visible(name)]
        after = page[-1]
    return names[:limit]


def is_name(name: str) -> bool:
    """Tell if a memory can have a name as it is spelled."""
    try:
        return normalise(name) == name
    except InvalidName:
        return False


def catalog_of(settings: Settings) -> Catalog:
    """Return the catalog of a server's memories."""
    return open_catalog(settings.location) if settings.only is None else OneMemory(settings.only)


class OneMemory(Catalog):
    """Catalog of one memory, under the name of its file. It makes no other, and erases none."""

    def __init__(self, location: Location) -> None:
        self._location = location
        self.name = name_of(location)

    @property
    def location(self) -> Location:
        """Location of the memory."""
        return self._location

    def locate(self, name: str) -> Location:
        """Return the location of the memory.

        Raises:
            MemoryNotFound: the name is another one.
        """
        if name != self.name:
            raise MemoryNotFound(f"there is no memory {name!r} here - this page is of {self.name!r} alone")
        return self._location

    def names(self, *, after: str = "", limit: int | None = None) -> list[str]:
        """Return the name, if it is behind ``after``."""
        return [self.name][:limit] if self.name > after else []

    def spelled(self, name: str) -> str | None:
        """Return the name if this is one, whatever its case."""
        return self.name if name.casefold() == self.name.casefold() else None

    def count(self) -> int:
        """Return 1."""
        return 1

    def drop(self, name: str) -> None:
        """Refuse: a page erases no file.

        Raises:
            NotAllowed: always.
        """
        self.locate(name)
        raise NotAllowed("a page of one memory does not delete its file - delete it where it lies")


def name_of(location: Location) -> str:
    """Return a name for a memory at a location: its file's or URL's, without characters that no name may have."""
    match = _OF_URL.search(location.url)
    stem = location.path.stem if location.path is not None else match[1] if match else ""
    name = _NO_NAME.sub("-", stem)[:LONGEST].strip("-_.")
    return name if is_name(name) else _NAMELESS
