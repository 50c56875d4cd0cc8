"""Locations of the memories of projects and of their user, in a folder or in a database."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from hmem.storage.catalog import Catalog, open_catalog
from hmem.storage.location import Location
from hmem.util.files import private_folder, private_root

# Paths below it become names in a database.
_NOWHERE: Final = Path("/")


def memory_in(root: Location, below: Callable[[Path], Path]) -> Location:
    """Return the location of a memory below a root, where ``below`` tells its path below a folder.

    In a database it has that path as its name, such as ``projects.atlas-1f2e3d4c5b``.
    """
    if root.path is not None:
        return Location.parse(below(root.path))
    name = ".".join(below(_NOWHERE).with_suffix("").parts[1:])
    return _catalog_of(root).locate(name)


@lru_cache(maxsize=4)
def _catalog_of(root: Location) -> Catalog:
    return open_catalog(root)


def make_folders(place: Location, root: str | Path | Location | None) -> None:
    """Make the folders of a memory in a file, for its owner only."""
    if root is not None and (folder := Location.parse(root).path) is not None:
        private_root(folder)
    if place.path is not None:
        private_folder(place.path.parent)
