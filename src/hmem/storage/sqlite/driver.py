"""The SQLite that this library uses: the build inside ``apsw-sqlite3mc``, never that of the interpreter.

Two builds in one process must not have the same file open: closing it in one drops the locks of the other.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from secrets import token_hex
from threading import RLock
from typing import Any, Final, cast

import apsw

from hmem.errors import StorageError
from hmem.model.key import MemoryKey

Error = apsw.Error
ConnectionClosed = apsw.ConnectionClosedError
VERSION: Final = apsw.sqlite_lib_version()

# Up to 3.51.2 two connections that write and empty the log at the same moment can corrupt a file.
_SOUND: Final = (3, 51, 3)
# ChaCha20, and Poly1305 over each page.
_CIPHER: Final = "chacha20"
_TO_MAKE: Final = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_CREATE
_NAMES: Final = cast("Mapping[int, str]", {**apsw.mapping_result_codes, **apsw.mapping_extended_result_codes})


class Rows:
    """Rows that a statement returned."""

    __slots__ = ("_left",)

    def __init__(self, rows: list[Any]) -> None:
        self._left = iter(rows)

    def fetchone(self) -> Any:
        """Return the next row; None after the last."""
        return next(self._left, None)

    def fetchall(self) -> list[Any]:
        """Return all further rows."""
        return list(self._left)

    def __iter__(self) -> Iterator[Any]:
        return self._left


_MEMORY_STATUS: Final = (
    apsw.SQLITE_DBSTATUS_CACHE_USED,
    apsw.SQLITE_DBSTATUS_SCHEMA_USED,
    apsw.SQLITE_DBSTATUS_STMT_USED,
)


class Connection:
    """A connection in autocommit mode: transactions are begun and ended by statements.

    Statements of several threads run one after the other; their transactions are for the caller to keep apart.

    ``path`` is a file or ``:memory:``; with a ``mode``, such as ``mode=ro``, the file must exist. ``key`` encrypts it.
    """

    __slots__ = ("_before", "_functions", "_held", "_in_memory", "_key", "_lasting", "_lock", "_open")

    def __init__(
        self, path: str, *, key: MemoryKey | None = None, busy_seconds: float = 0.0, mode: str | None = None
    ) -> None:
        # Absolute, so that it is the same file after a change of folder; addresses are for modes and copies only.
        file = path if path == ":memory:" else str(Path(path).absolute())
        address = f"{Path(file).as_uri()}?{mode}" if mode else file
        flags = _TO_MAKE & ~apsw.SQLITE_OPEN_CREATE if mode else _TO_MAKE
        self._open: Callable[[], Any] = partial(apsw.Connection, address, flags)
        self._in_memory = path == ":memory:"
        self._key = key
        self._lock = RLock()
        self._lasting = [f"PRAGMA busy_timeout = {round(busy_seconds * 1000)}"]
        self._functions: dict[str, Callable[..., int]] = {}
        # Rows that were changed before it rested.
        self._before = 0
        self._held: Any = None
        _ = self._apsw

    def __sizeof__(self) -> int:
        """Return the bytes of its cache of pages too."""
        size = object.__sizeof__(self)
        with self._lock:
            try:
                return (
                    size + sum(self._held.status(kind)[0] for kind in _MEMORY_STATUS)
                    if self._held is not None
                    else size
                )
            except ConnectionClosed:
                return size

    @property
    def _apsw(self) -> Any:
        # Before Python 3.12 its stubs name a type of values that is not there.
        if self._held is None:
            self._held = self._open()
            if self._key is not None:
                self._encrypt(self._held, self._key)
            for name, function in self._functions.items():
                self._held.create_scalar_function(name, function, deterministic=True)
            for statement in self._lasting:
                self._held.execute(statement)
        return self._held

    def _encrypt(self, connection: Any, key: MemoryKey) -> None:
        """Read and write all pages with a key; whether it is the right one shows at the first read."""
        connection.execute(f"PRAGMA cipher = '{_CIPHER}'", can_cache=False)
        reply = connection.execute(f"PRAGMA hexkey = '{key.material()}'", can_cache=False).fetchall()
        # Another SQLite ignores what it does not know, and would write in the clear.
        if reply != [("ok",)]:
            self.close()
            raise StorageError("this SQLite cannot encrypt - pip install --force-reinstall apsw-sqlite3mc")

    def set(self, pragma: str) -> None:
        """Set a pragma, such as ``foreign_keys = ON``, for as long as this is open."""
        self.execute(f"PRAGMA {pragma}")
        self._lasting.append(f"PRAGMA {pragma}")

    def suspend(self) -> None:
        """Leave the file until the next call, unless a transaction has begun or there is none."""
        with self._lock:
            if not self._in_memory and self._held is not None and not self._held.in_transaction:
                self._before += self._held.total_changes()
                self._held.close()
                self._held = None

    def execute(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> Rows:
        """Run one or more statements and return their rows."""
        with self._lock:
            return Rows(self._apsw.execute(sql, values).fetchall())

    def walk(self, sql: str) -> Iterator[Any]:
        """Yield the rows of a statement, which may be too many for the memory of the process."""
        with self._lock:
            cursor = self._apsw.execute(sql)
        while True:
            with self._lock:
                row = cursor.fetchone()
            if row is None:
                return
            yield row

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        with self._lock:
            self._apsw.executemany(sql, rows)

    @property
    def in_transaction(self) -> bool:
        """True between the beginning and the end of a transaction."""
        with self._lock:
            return self._apsw.in_transaction

    @property
    def changed_rows(self) -> int:
        """Number of rows that the last ``INSERT``, ``UPDATE`` or ``DELETE`` changed."""
        with self._lock:
            return self._apsw.changes()

    @property
    def total_changes(self) -> int:
        """Number of rows changed since opening."""
        with self._lock:
            return self._before + self._apsw.total_changes()

    @property
    def inserted(self) -> int:
        """Number of the row that was inserted last."""
        with self._lock:
            return self._apsw.last_insert_rowid()

    def define(self, name: str, function: Callable[..., int]) -> None:
        """Let statements call a function, which depends on nothing but its arguments."""
        with self._lock:
            self._apsw.create_scalar_function(name, function, deterministic=True)
        self._functions[name] = function

    def copy_into(self, target: Path, key: MemoryKey | None) -> None:
        """Write what is kept, and nothing that was deleted, into an empty file, with a key or in the clear."""
        parameters = f"cipher={_CIPHER}&hexkey={key.material()}" if key is not None else "key="
        self.execute("VACUUM INTO ?", (f"{target.absolute().as_uri()}?{parameters}",))

    def copy_in_memory(self) -> "Connection":
        """Return a connection to a copy of what is kept, in the clear, in the process's own memory."""
        # SQLite copies between a file with a key and one without only by name.
        name = f"file:/{token_hex(16)}?vfs=memdb"
        copy = Connection(":memory:")
        copy.close()
        copy._held = apsw.Connection(name, _TO_MAKE)
        self.execute("VACUUM INTO ?", (f"{name}&key=",))
        return copy

    def close(self) -> None:
        """Close it; closing twice is no error."""
        with self._lock:
            if self._held is None:
                # Closed is not resting: a later call must not open the file again.
                self._held = apsw.Connection(":memory:")
            self._held.close()


def error_name(error: Error) -> str:
    """Return SQLite's name of an error, such as ``SQLITE_IOERR_WRITE``; empty for an error of the driver itself."""
    return _NAMES.get(getattr(error, "extendedresult", -1), "")


def read_start(path: str, count: int) -> bytes:
    """Return up to ``count`` first bytes of a file.

    SQLite reads them: opening and closing the file in any other way would drop the locks of this process on it.

    Raises:
        Error: it cannot be read.
    """
    # Behind a link, as SQLite opens it: this call follows none.
    file = apsw.VFSFile("", os.path.realpath(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        return file.xRead(count, 0)
    finally:
        file.xClose()


def is_complete(sql: str) -> bool:
    """Return True if a text ends with the end of a statement."""
    return apsw.complete(sql)


def fault() -> str | None:
    """Return why the installed SQLite is not to be trusted with memories; None if it is."""
    if tuple(int(number) for number in VERSION.split(".")) < _SOUND:
        return "it can corrupt a memory that several connections write"
    return None


# SQLite's own bound on the variables of one statement is 32,766 and more; shorter lists parse faster.
_AT_ONCE: Final = 900


def select_in(connection: Connection, sql: str, values: Sequence[Any]) -> list[Any]:
    """Return all rows of a statement whose ``{}`` stands for a list of values, of any length."""
    rows: list[Any] = []
    for start in range(0, len(values), _AT_ONCE):
        batch = values[start : start + _AT_ONCE]
        rows += connection.execute(sql.format(",".join("?" * len(batch))), tuple(batch)).fetchall()
    return rows
