"""Locations of the memories of projects and of their user, in a folder or in a database."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Final

from hmem.errors import StorageUnavailable
from hmem.storage.catalog import Catalog, open_catalog
from hmem.storage.location import Location
from hmem.util.files import private_folder, private_root

# Paths below it become names in a database.
_NOWHERE: Final = Path("/")
# Seconds between two attempts to reach a database that is away, at first and at most.
_PAUSE: Final = 0.2
_LONGEST_PAUSE: Final = 3.0


def memory_in(root: Location, path_below: Callable[[Path], Path]) -> Location:
    """Return the location of a memory below a root, where ``below`` tells its path below a folder.

    In a database it has that path as its name, such as ``projects.atlas-1f2e3d4c5b``.
    """
    if root.path is not None:
        return Location.parse(path_below(root.path))
    name = ".".join(path_below(_NOWHERE).with_suffix("").parts[1:])
    return _catalog_of(root).locate(name)


@lru_cache(maxsize=4)
def _catalog_of(root: Location) -> Catalog:
    return open_catalog(root)


def await_catalog(location: Location, seconds: float, on_wait: Callable[[str], None]) -> Catalog:
    """Open the catalog of a place; wait at most so long for a database that is away, as when both start at once.

    ``on_wait`` gets the reason once, if it waits.

    Raises:
        StorageUnavailable: the database was away all the time.
        UnknownName, StorageError: the place cannot be used.
    """
    if location.path is not None:
        return open_catalog(location)
    import tenacity  # noqa: PLC0415 - comes with the extra of the databases

    def report(state: tenacity.RetryCallState) -> None:
        if state.attempt_number == 1 and state.outcome is not None:
            on_wait(f"waiting {seconds:g} s at most: {state.outcome.exception()}")

    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(StorageUnavailable),
        wait=tenacity.wait_exponential(_PAUSE, _LONGEST_PAUSE),
        stop=tenacity.stop_after_delay(seconds),
        before_sleep=report,
        reraise=True,
    )
    return retrying(open_catalog, location)


def make_folders(location: Location, root: str | Path | Location | None) -> None:
    """Make the folders of a memory in a file, for its owner only."""
    if root is not None and (folder := Location.parse(root).path) is not None:
        private_root(folder)
    if location.path is not None:
        private_folder(location.path.parent)
