"""Place with a single memory, wherever it lies: what ``hmem explore`` serves."""

import re
from typing import Final

from hmem.errors import MemoryNotFound, NotAllowed
from hmem.interfaces.arguments import LONGEST
from hmem.interfaces.rest import names
from hmem.interfaces.rest.settings import Settings
from hmem.storage.catalog import Catalog, open_catalog
from hmem.storage.location import Location

_NAMELESS: Final = "memory"
_NO_NAME: Final = re.compile(r"[^\w.-]+|\.{2,}")
_OF_URL: Final = re.compile(r"[?&]memory=([^&#]+)")


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
    return name if names.is_name(name) else _NAMELESS
