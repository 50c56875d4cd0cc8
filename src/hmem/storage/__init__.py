"""Where memories are kept: one contract and its backends."""

from hmem.errors import UnknownName
from hmem.storage.base import Storage
from hmem.storage.sqlite.store import SQLiteStorage

__all__ = ["Storage", "open_storage"]


def open_storage(location: str, *, create: bool, busy_seconds: float, read_only: bool = False) -> Storage:
    """The storage at a path, in the process's memory (``:memory:``), or behind a database URL.

    It is read only when that is asked for, and when it may not be written.

    Raises:
        UnknownName: no backend answers to the URL.
        StorageError: it cannot be opened.
    """
    scheme, separator, _ = location.partition("://")
    if separator:
        raise UnknownName(f"no storage answers to {scheme}:// - give the path of a file, or ':memory:'")
    return SQLiteStorage(location, create=create, busy_seconds=busy_seconds, read_only=read_only)
