"""Storage of memories: one contract in capabilities, its backends, and the lookup of a backend by location.

Backends are found by entry points in the group ``hmem.storages``: the name is a scheme, and the object a function
``load(location, options)`` that opens the storage at a ``Location``. SQLite's is found so too.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from hmem.errors import ExtraMissing, StorageError, UnknownName
from hmem.model.key import MemoryKey
from hmem.storage.base import OpenOptions, Storage
from hmem.storage.location import DATABASES, Location

__all__ = ["Location", "OpenOptions", "Storage", "open_storage", "storage_schemes"]

_GROUP: Final = "hmem.storages"


def open_storage(
    location: str | Path | Location,
    *,
    create: bool = True,
    busy_seconds: float = 10.0,
    read_only: bool = False,
    key: MemoryKey | None = None,
    reconnect_seconds: float | None = None,
) -> Storage:
    """Open the storage at a path, in the process's memory (``:memory:``), or behind a database's URL.

    It is read only if that is asked for, or if it may not be written. Without a ``key``, that of the environment is
    taken, if there is one. A call waits ``reconnect_seconds`` for a database that is away, by default ``busy_seconds``.

    Raises:
        InputError: the location is empty.
        UnknownName: no installed package offers a storage of its scheme.
        ExtraMissing: it is one of hmem-postgres, which is not installed.
        StorageError: it cannot be opened, or not with a key.
    """
    location = Location.parse(location)
    key = MemoryKey.from_environment() if key is None else key
    storage = _loader(location.scheme)(location, OpenOptions(create, busy_seconds, read_only, key, reconnect_seconds))
    if key is not None and not storage.encrypted:
        storage.close()
        raise StorageError(f"{location} cannot be encrypted with a key - encrypt its database, and give no key")
    return storage


@lru_cache(maxsize=8)
def _loader(scheme: str) -> Callable[[Location, OpenOptions], Storage]:
    for entry in entry_points(group=_GROUP, name=scheme):
        return entry.load()
    if scheme in DATABASES:
        raise ExtraMissing(f"{scheme}:// needs hmem-postgres - pip install 'hmem[postgres]'")
    raise UnknownName(
        f"no storage answers to {scheme}:// - give the path of a file, or ':memory:'; "
        f"installed packages offer {', '.join(storage_schemes())}"
    )


def storage_schemes() -> list[str]:
    """Return the schemes that installed packages offer a storage for."""
    return sorted({entry.name for entry in entry_points(group=_GROUP)})
