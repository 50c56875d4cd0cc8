"""Catalog of a folder: each memory is a file, named after it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hmem.errors import MemoryNotFound, StorageError
from hmem.storage.catalog import Catalog
from hmem.storage.location import Location

SUFFIX: Final = ".hmem"
_FILE_ENDS: Final = ("", "-wal", "-shm", "-journal")


def load(location: Location) -> Catalog:
    """Return the catalog of a folder, for the entry point.

    Raises:
        StorageError: the location names no folder.
    """
    return FolderCatalog(location)


class FolderCatalog(Catalog):
    """Memories in the files of one folder: ``alice`` is ``alice.hmem``."""

    def __init__(self, location: Location) -> None:
        if location.path is None:
            raise StorageError(f"{location} is no place of memories - give the path of a folder")
        self._location = location
        self._folder = location.path

    @property
    def location(self) -> Location:
        return self._location

    def locate(self, name: str) -> Location:
        return Location.parse(self._folder / f"{name}{SUFFIX}")

    def names(self, *, after: str = "", limit: int | None = None) -> list[str]:
        return sorted(name for name in self._names() if name > after)[:limit]

    def spelled(self, name: str) -> str | None:
        # A file system may ignore case, and find a file by another spelling.
        spellings = [stored_name for stored_name in self._names() if stored_name.casefold() == name.casefold()]
        return name if name in spellings else next(iter(spellings), None)

    def count(self) -> int:
        return sum(1 for _ in self._names())

    def drop(self, name: str) -> None:
        if self.spelled(name) != name:
            raise MemoryNotFound(f"there is no memory {name!r} - create it first")
        erase(self._folder / f"{name}{SUFFIX}")

    def _names(self) -> Iterator[str]:
        try:
            with os.scandir(self._folder) as entries:
                for entry in entries:
                    name = entry.name.removesuffix(SUFFIX)
                    if name != entry.name and entry.is_file(follow_symlinks=False):
                        yield name
        except OSError as error:
            raise StorageError(f"{self._folder} cannot be read ({error.strerror}) - give a folder") from error


def erase(path: Path) -> None:
    """Remove a memory's files, the database first: without it the others are worthless."""
    for suffix in _FILE_ENDS:
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    if (folder := Location.parse(path).index_folder) is not None:
        shutil.rmtree(folder, ignore_errors=True)
