"""Connections to a memory's file: pragmas, errors, identity and migrations."""

import errno
import os
import re
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from hmem.errors import (
    HmemError,
    InputError,
    KeyNeeded,
    MemoryBusy,
    MemoryDamaged,
    MemoryNotFound,
    NotAMemory,
    ReadOnlyMemory,
    SchemaTooNew,
    StorageError,
    StorageFull,
    WrongKey,
)
from hmem.model.ids import new_key, to_id
from hmem.model.key import FILE_VARIABLE, VARIABLE, MemoryKey
from hmem.storage.location import IN_MEMORY
from hmem.storage.sqlite.checksums import offer, seal_all
from hmem.storage.sqlite.driver import Connection, ConnectionClosed, Error, error_name, is_complete, read_start
from hmem.storage.sqlite.vectors import fill_all_runs
from hmem.util.files import irregular, private_file, restrict_permissions

APPLICATION_ID: Final = 0x686D656D  # "hmem"
# The present schema, `schema.sql`; and the one older schema that opens, brought here by `from_6.sql`.
SCHEMA: Final = 9
_OLDER: Final = 6
_PAUSE: Final = 0.01
# SQLite's files beside a memory.
_SIDE_FILES: Final = ("-wal", "-shm", "-journal")
_MAGIC: Final = b"SQLite format 3\0"
# Behind it stand the size of a page, versions of the format, reserved bytes, and three constants; later the id of the
# application.
_APPLICATION: Final = 68
_HEAD: Final = 72
_LEAST_PAGE: Final = 512
_VERSIONS: Final = (b"\1\1", b"\2\2")
_FRACTIONS: Final = b"\x40\x20\x20"

_FULL: Final = {
    "SQLITE_FULL",
    "SQLITE_IOERR_WRITE",
    "SQLITE_IOERR_FSYNC",
    "SQLITE_IOERR_TRUNCATE",
    "SQLITE_IOERR_SHMSIZE",
    "SQLITE_IOERR_SHMMAP",
    "SQLITE_IOERR_SHMOPEN",
}


@contextmanager
def translated(path: str, *, keyed: bool = False) -> Generator[None]:
    """Translate every error of the driver into one of ours that names the file and the remedy."""
    try:
        yield
    except Error as error:
        raise _translate(path, error, keyed=keyed) from error
    except UnicodeDecodeError as error:
        raise MemoryDamaged(f"{path} has a text that is none ({error.reason}) - run `hmem rebuild`") from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise InputError(f"a value cannot be looked for ({error}) - use Unicode, and numbers below 2**63") from error


def _translate(path: str, error: Error, *, keyed: bool) -> HmemError:
    name = error_name(error)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return MemoryBusy(f"{path} is being written by another process - try again, or raise the busy timeout")
    if name in _FULL:
        return StorageFull(f"{path} cannot grow ({error}) - free some space; nothing of this write was kept")
    if name == "SQLITE_NOTADB" and keyed:
        return WrongKey(f"the key does not open {path} - give the one that it was encrypted with")
    if name == "SQLITE_NOTADB":
        return NotAMemory(f"{path} is not a memory of hmem - give another path")
    if name.startswith("SQLITE_CORRUPT"):
        return MemoryDamaged(
            f"{path} is damaged ({error}) - restore it from a backup; `sqlite3 {path} .recover` reads what is left of "
            "a file in the clear"
        )
    if name.startswith("SQLITE_CANTOPEN"):
        return StorageError(f"{path} cannot be opened - check that its folder exists and may be written")
    if name.startswith("SQLITE_READONLY"):
        return ReadOnlyMemory(f"{path} may not be written - check its permissions, and whether it was opened read only")
    if isinstance(error, ConnectionClosed):
        return StorageError(f"{path} is closed - open it again")
    return StorageError(f"{path} cannot be used: {error} - mend that, and try again")


@dataclass(frozen=True, slots=True)
class OpenedConnection:
    """A connection to a memory: ``created`` if opening made the memory, ``read_only`` if it may only be read."""

    connection: Connection
    created: bool = False
    read_only: bool = False


def connect(
    path: str, *, create: bool, busy_seconds: float, read_only: bool = False, key: MemoryKey | None = None
) -> OpenedConnection:
    """Return a connection to a memory of the present schema, made or migrated as needed.

    It is read only if that is asked for, or if the file or SQLite's files beside it may not be written; one of an older
    schema is then a copy in the process's memory, as of now. A new memory is encrypted with the ``key``, and an
    encrypted one needs it.

    Raises:
        MemoryNotFound, NotAMemory, SchemaTooNew, MemoryBusy, MemoryDamaged, StorageFull, StorageError
        KeyNeeded, WrongKey: it is encrypted, and no key is given or another; or it is not.
        ReadOnlyMemory: it is to be read only, and has no file.
    """
    empty = False
    if path != IN_MEMORY:
        empty = _check_path(Path(path), create=create and not read_only, key=key)
    elif read_only:
        raise ReadOnlyMemory("a memory that is made in the process has nothing to read - open it to be written")
    if read_only or _may_only_be_read(Path(path)):
        with translated(path, keyed=key is not None):
            return OpenedConnection(_connect_to_read(path, busy_seconds, key), read_only=True)
    while True:
        try:
            _keep_private(path)
            with translated(path, keyed=key is not None):
                connection, created = _connect(path, busy_seconds, key)
            if path == IN_MEMORY or Path(path).exists():
                return OpenedConnection(connection, created)
            connection.close()
        except ReadOnlyMemory as error:
            if not isinstance(error.__cause__, Error) or error_name(error.__cause__) != "SQLITE_READONLY_DBMOVED":
                raise
        except WrongKey:
            # Each process draws a salt for an empty file; here another process has just made it with its own.
            if not empty:
                raise
        # Else the process that made the file has just deleted it, as nothing was kept in it.
        empty = _check_path(Path(path), create=create, key=key)


def _keep_private(path: str) -> None:
    """Make the file for its owner only, or take the rights of others from it; SQLite makes its own files like it."""
    if path == IN_MEMORY:
        return
    try:
        created = private_file(Path(path))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(f"{path} cannot be made ({error.strerror}) - free some space") from error
        raise StorageError(f"{path} cannot be made ({error.strerror}) - check its folder and its rights") from error
    if not created:
        restrict_permissions(Path(path + end) for end in ("", *_SIDE_FILES))


def _connect(path: str, busy_seconds: float, key: MemoryKey | None) -> tuple[Connection, bool]:
    connection = Connection(path, key=None if path == IN_MEMORY else key, busy_seconds=busy_seconds)
    with ExitStack() as unless_set_up:
        unless_set_up.callback(connection.close)
        offer(connection)
        created = _set_up(connection, path, busy_seconds)
        unless_set_up.pop_all()
    return connection, created


def _may_only_be_read(path: Path) -> bool:
    """Return True if the file may not be written, or if SQLite's log is missing and cannot be made."""
    if str(path) == IN_MEMORY or not path.exists():
        return False
    log = path.with_name(f"{path.name}-wal")
    barred = not os.access(path, os.W_OK) or not (log.exists() or os.access(path.absolute().parent, os.W_OK))
    # A file that was deleted meanwhile is not barred: it is made anew.
    return barred and path.exists()


def _connect_to_read(path: str, busy_seconds: float, key: MemoryKey | None) -> Connection:
    """Return a connection that writes nothing.

    If SQLite cannot make its files beside the file, nobody can write the file either, so it is opened as immutable.
    """
    try:
        return _connect_by(path, "mode=ro", busy_seconds, key)
    except Error as error:
        unwritable = error_name(error).startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY"))
        log = Path(f"{path}-wal")
        if not unwritable or (log.exists() and log.stat().st_size):
            raise
        return _connect_by(path, "immutable=1", busy_seconds, key)


def _connect_by(path: str, mode: str, busy_seconds: float, key: MemoryKey | None) -> Connection:
    connection = Connection(path, key=key, mode=mode, busy_seconds=busy_seconds)
    with ExitStack() as unless_known:
        unless_known.callback(connection.close)
        offer(connection)
        _check_identity(connection, path)
        schema = connection.execute("PRAGMA user_version").fetchone()[0]
        if not schema:
            raise NotAMemory(f"{path} is empty, not a memory of hmem - give another path")
        connection.set("cache_size = -32000")
        if schema < SCHEMA:
            connection = _brought_up_to_date(connection, path)
        unless_known.pop_all()
    return connection


def _brought_up_to_date(connection: Connection, path: str) -> Connection:
    """Close a connection that only reads, and return one to a copy of the present schema in the process's memory."""
    with closing(connection):
        copy = connection.copy_in_memory()
    with ExitStack() as unless_made:
        unless_made.callback(copy.close)
        offer(copy)
        copy.set("foreign_keys = ON")
        _migrate(copy, path)
        copy.set("query_only = ON")
        unless_made.pop_all()
    return copy


def delete_if_unused(connection: Connection, path: str, unused: Callable[[], bool]) -> bool:
    """Close the connection and delete the file, if it is ``unused`` and nobody else has it open; return True if gone.

    Without a write-ahead log an exclusive lock keeps everyone out. A process that opened the file before and looks into
    it afterwards cannot begin a log, since SQLite writes to no file that was moved away: ``connect`` then begins anew.
    """
    deleted = False
    with translated(path):
        try:
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("BEGIN EXCLUSIVE")
            exclusive = connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
            if exclusive and unused():
                Path(path).unlink(missing_ok=True)
                deleted = True
            connection.execute("ROLLBACK")
        except (Error, MemoryBusy, OSError):
            deleted = False
        connection.close()
    return deleted


def _check_path(path: Path, *, create: bool, key: MemoryKey | None) -> bool:
    """Refuse what cannot be a memory, or needs a key, before SQLite touches it; return True if it is to be made."""
    try:
        kinds = {file: irregular(file) for file in (path, *(path.with_name(path.name + end) for end in _SIDE_FILES))}
        strange = next(((file, kind) for file, kind in kinds.items() if kind is not None), None)
        start = b"" if strange else _start(path)
    except (Error, OSError, ValueError) as error:
        raise StorageError(f"{str(path)!r} cannot be opened ({error}) - give another path") from error
    if strange is not None:
        hint = f"such as {path / 'me.hmem'}" if kinds[path] == "a folder" else "not of what stands for one"
        raise NotAMemory(f"{strange[0]} is {strange[1]} - give the path of a file, {hint}")
    if start and is_encrypted(start):
        if key is None:
            raise KeyNeeded(f"{path} is encrypted - give its key, such as by {VARIABLE}, {FILE_VARIABLE} or --key-file")
    elif start and start[: len(_MAGIC)] != _MAGIC:
        raise NotAMemory(f"{path} is not a memory of hmem - give another path")
    elif start and key is not None:
        raise WrongKey(f"{path} is not encrypted - run `hmem encryption on`, or open it without a key")
    if start is None and not create:
        raise MemoryNotFound(f"there is no memory at {path} - check the path, or create it by adding a turn")
    if start is None and not path.absolute().parent.is_dir():
        raise StorageError(f"{path} cannot be created - make its folder {path.absolute().parent} first")
    return not start


def _start(path: Path) -> bytes | None:
    """Return the first bytes of a file; None if there is none. Another process may delete it at any time."""
    try:
        return read_start(str(path), _HEAD) if path.stat().st_size else b""
    except FileNotFoundError:
        return None
    except Error:
        if path.exists():
            raise
        return None


def is_memory(path: Path) -> bool:
    """Tell if a path has a file that begins as a memory does, encrypted or not."""
    start = b"" if irregular(path) else _start(path) or b""
    application = int.from_bytes(start[_APPLICATION : _APPLICATION + 4])
    return is_encrypted(start) or (start[: len(_MAGIC)] == _MAGIC and application == APPLICATION_ID)


def is_encrypted(start: bytes) -> bool:
    """Tell if these first bytes of a file are those of an encrypted database.

    It begins with a random salt; a size of its pages and the constants behind that are left as they are.
    """
    size = int.from_bytes(start[16:18])
    sized = size == 1 or (size >= _LEAST_PAGE and not size & (size - 1))
    return start[: len(_MAGIC)] != _MAGIC and sized and start[18:20] in _VERSIONS and start[21:24] == _FRACTIONS


def _set_up(connection: Connection, path: str, busy_seconds: float) -> bool:
    """Prepare a connection; return True if this made the memory."""
    _check_identity(connection, path)
    connection.set("foreign_keys = ON")
    connection.set("secure_delete = ON")
    connection.set("cache_size = -32000")
    _use_write_ahead_log(connection, busy_seconds)
    connection.set("synchronous = FULL")
    if connection.execute("PRAGMA user_version").fetchone()[0] < SCHEMA:
        return _migrate(connection, path)
    return False


def _use_write_ahead_log(connection: Connection, busy_seconds: float) -> None:
    """Switch to a write-ahead log, retrying: SQLite does not wait while another process does the same."""
    deadline = monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except Error as error:
            if not error_name(error).startswith("SQLITE_BUSY") or monotonic() > deadline:
                raise
            sleep(_PAUSE)
        else:
            return


def _check_identity(connection: Connection, path: str) -> None:
    application, version, objects = _identity(connection)
    if application != APPLICATION_ID:
        if application or version or objects:
            raise NotAMemory(f"{path} is a database of another program - give another path")
    elif version > SCHEMA:
        raise SchemaTooNew(
            f"{path} has schema {version}, this hmem knows {SCHEMA} - upgrade hmem (pip install -U hmem)"
        )
    elif version not in (_OLDER, SCHEMA):
        raise StorageError(f"{path} has schema {version}, of before the first release - restore a later backup")


def _identity(connection: Connection) -> tuple[int, int, int]:
    """Return application id, schema and number of objects, at one moment: another process may be making the file."""
    new_transaction = not connection.in_transaction
    if new_transaction:
        connection.execute("BEGIN")
    try:
        objects: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        application: int = connection.execute("PRAGMA application_id").fetchone()[0]
        return application, connection.execute("PRAGMA user_version").fetchone()[0], objects
    finally:
        if new_transaction:
            connection.execute("ROLLBACK")


def _migrate(connection: Connection, path: str) -> bool:
    """Bring a memory to the present schema in one transaction, so that a crash leaves the old; return True if made."""
    with transaction(connection):
        # Another process may have been faster; read the version again under the lock.
        _check_identity(connection, path)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == SCHEMA:
            return False
        for statement in statements("schema.sql" if version == 0 else "from_6.sql"):
            connection.execute(statement)
        if version == 0:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute("INSERT INTO setting VALUES ('memory', ?, NULL)", (to_id("memory", new_key()),))
        seal_all(connection)
        fill_all_runs(connection)
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
    return version == 0


@cache
def statements(name: str) -> tuple[str, ...]:
    """Return the statements of a file of SQL in this package. Not ``executescript``, which commits on its own."""
    script = resources.files("hmem.storage.sqlite").joinpath(name).read_text("utf-8")
    complete: list[str] = []
    statement = ""
    for line in re.sub(r"--[^\n]*", "", script).splitlines():
        statement += line + "\n"
        if is_complete(statement):
            complete.append(statement.strip())
            statement = ""
    return tuple(complete)


@contextmanager
def transaction(connection: Connection) -> Generator[None]:
    """Run a write transaction: afterwards all of it is durable, or none of it happened."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        # SQLite may have rolled back already, as on a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def passing(connection: Connection) -> Generator[None]:
    """Run a transaction for data that may be lost: it waits for no other writer, and not for the disk."""
    patience = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    connection.execute("PRAGMA busy_timeout = 0")
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        with transaction(connection):
            yield
    finally:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA busy_timeout = {patience}")


_ANEW: Final = "open it again to begin anew"


class FileIdentity:
    """Path of an open file. Other processes may delete the file, or put another in its place.

    A system that deletes an open file lets its process write on into nothing: so what was written counts only if the
    file is there afterwards.
    """

    def __init__(self, path: str) -> None:
        # The process may change its folder.
        self._path = path if path == IN_MEMORY else os.path.abspath(path)  # noqa: PTH100 - links are not resolved
        self._file = _file_identity(self._path)

    def check(self) -> None:
        """Refuse to go on if the file is gone.

        Raises:
            MemoryNotFound: it was deleted or replaced; what was just written to it is not kept.
        """
        if self._path == IN_MEMORY:
            return
        identity = _file_identity(self._path)
        if identity is None or identity != self._file:
            change = "deleted" if identity is None else "replaced by another"
            raise MemoryNotFound(f"{self._path} was {change} by another process, and this was not kept - {_ANEW}")


def _file_identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from any other while it is open; None if there is none."""
    if path == IN_MEMORY:
        return None
    try:
        status = os.stat(path)  # noqa: PTH116 - each call asks, and a path takes longer than the question
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
