"""Copies of a memory's file, under the same key or another, and the change of a memory's key."""

import os
import shutil
from collections.abc import Iterable
from contextlib import closing, suppress
from itertools import zip_longest
from pathlib import Path
from secrets import token_hex
from typing import Final

from hmem.errors import InvalidFile, MemoryBusy, MemoryDamaged, StorageError
from hmem.model.key import MemoryKey
from hmem.storage.location import Location
from hmem.storage.sqlite.connection import connect, translated
from hmem.storage.sqlite.driver import Connection, Error, error_name
from hmem.util.files import files_under

_BYTES_AT_ONCE: Final = 1 << 20


def write_copy(source: Connection, target: Path, key: MemoryKey | None) -> None:
    """Write what is kept into a new file, encrypted with a key if there is one; it appears when it is complete.

    Raises:
        InvalidFile: the file exists, or cannot be written.
    """
    if target.exists():
        raise InvalidFile(f"{target} exists - give another path")
    draft = target.with_name(f"{target.name}.{token_hex(8)}.part")
    try:
        _fill(draft, source, key)
        draft.replace(target)
        _sync(target.absolute().parent)
    except OSError as error:
        raise InvalidFile(f"{target} cannot be written ({error.strerror}) - check the folder and its rights") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def change_key(path: Path, old: MemoryKey | None, new: MemoryKey | None) -> None:
    """Rewrite a memory under another key, or from or to the clear; the old file and its indices are overwritten.

    The new file is written beside the old one, compared with it and put in its place in one step. A crash leaves the
    one or the other, whole, and the next opening erases what else it left.

    Raises:
        MemoryBusy: the memory is open, here or in another process.
        MemoryNotFound, NotAMemory, KeyNeeded, WrongKey, StorageFull, StorageError: it cannot be used or replaced.
    """
    fresh, replaced = _temporary_files(path)
    with closing(connect(str(path), create=False, busy_seconds=0.0, key=old).connection) as source:
        with translated(str(path)):
            _take_alone(source, path)
        _erase_copies(path)
        try:
            with translated(str(path)):
                _fill(fresh, source, new)
                with closing(Connection(str(fresh), key=new, mode="mode=ro")) as copy:
                    _compare(source, copy, path)
            real_path = path.resolve()
            os.link(real_path, replaced)
            if os.name == "nt":
                # Windows replaces no open file.
                source.close()
            fresh.replace(real_path)
            _sync(real_path.parent)
        except OSError as error:
            raise StorageError(f"{path} cannot be replaced ({error.strerror}) - check its folder") from error
        finally:
            _erase_copies(path)
    if new is not None and (folder := Location.parse(path).index_folder) is not None:
        _erase(files_under(folder))
        shutil.rmtree(folder, ignore_errors=True)


def erase_remains(path: Path) -> None:
    """Erase what a change of the key has left beside a memory, which is open with a write-ahead log.

    While it is, nobody can be changing the key.
    """
    _erase_copies(path)
    # SQLite has rolled back a journal that it needs, and leaves one that was not yet written.
    real_path = path.resolve()
    _erase((real_path.with_name(f"{real_path.name}-journal"),))


def _erase_copies(path: Path) -> None:
    fresh, replaced = _temporary_files(path)
    if replaced.exists() and replaced.samefile(path):
        # It is the memory itself, which was not replaced.
        replaced.unlink()
    _erase((fresh, replaced))


def _temporary_files(path: Path) -> tuple[Path, Path]:
    """Return the names of the new file, and of the one that it replaces, beside the file itself."""
    path = path.resolve()
    return path.with_name(f".{path.name}.key-new~"), path.with_name(f".{path.name}.key-old~")


def _fill(fresh: Path, source: Connection, key: MemoryKey | None) -> None:
    """Write a copy into a new file that only its owner can read; durable on return."""
    os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    source.copy_into(fresh, key)
    _sync(fresh)


def _take_alone(connection: Connection, path: Path) -> None:
    """Keep everyone else out until the connection is closed."""
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
    except Error as error:
        if not error_name(error).startswith("SQLITE_BUSY"):
            raise
        raise MemoryBusy(f"{path} is open elsewhere - close it there, then try again") from error


def _compare(source: Connection, copy: Connection, path: Path) -> None:
    """Check that a copy has every row of the source, and is sound.

    Raises:
        MemoryDamaged: it is not.
    """
    tables = [name for (name,) in source.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()]
    equal = copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for table in tables if equal else ():
        rows, copy_rows = (connection.walk(f'SELECT * FROM "{table}"') for connection in (source, copy))
        equal = equal and all(row == copy_row for row, copy_row in zip_longest(rows, copy_rows))
    if not equal:
        raise MemoryDamaged(f"{path} could not be copied whole - run `hmem verify`; it is as it was")


def _erase(files: Iterable[Path]) -> None:
    """Overwrite files with zeros and delete them, as far as the file system writes in place."""
    for file in files:
        with suppress(OSError):
            remaining = file.stat().st_size
            with file.open("r+b") as stream:
                while remaining > 0:
                    remaining -= stream.write(bytes(min(remaining, _BYTES_AT_ONCE)))
                stream.flush()
                os.fsync(stream.fileno())
            file.unlink()


def _sync(entry: Path) -> None:
    """Make a file, or the names in a folder, durable; Windows opens no folders."""
    if os.name == "nt" and entry.is_dir():
        return
    descriptor = os.open(entry, os.O_RDONLY if entry.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
