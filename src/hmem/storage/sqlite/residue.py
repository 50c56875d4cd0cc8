"""Search for words in a memory's file: in kept text, and in bytes left over from deleted data."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from hmem.errors import StorageError
from hmem.storage.sqlite.driver import Connection
from hmem.util.residue import ByteScanner, Residue, words_in

# Shorter words occur by chance among page headers and checksums.
_MIN_BYTES: Final = 5

# A hit in the file belongs to kept data if this many bytes on both sides agree, or all that there are.
_REACH: Final = 8
_LOG_HEADER: Final = 32
_FRAME_HEADER: Final = 24
# The overflow page of a value begins with the number of the next.
_POINTER: Final = 4

# Closing a file of the memory in this process would drop SQLite's locks on it, so another process reads it.
_READ: Final = "import sys; sys.stdout.buffer.write(open(sys.argv[1], 'rb').read())"

_SCHEMA: Final = "sqlite_schema"
_FILES: Final = ("", "-wal", "-shm", "-journal")


def find_residue(connection: Connection, path: Path | None, words: Sequence[str]) -> list[Residue]:
    """Return the places of words in kept text and, given a path, in other bytes of the memory's files."""
    scanner = ByteScanner(words)
    residues: dict[Residue, None] = {}
    terms = set(scanner.words)
    for column, value in _live_texts(connection):
        if terms:
            residues.update(dict.fromkeys(Residue(word, column) for word in sorted(terms & words_in(value))))
    if path is not None:
        # Words in kept text are found already; search the bytes for the others.
        byte_scanner = ByteScanner(terms - {trace.word for trace in residues})
        hits = {end: list(_hits(path, end, byte_scanner, _page_size(connection))) for end in _FILES}
        living = _Living(connection, ByteScanner({hit.word for file_hits in hits.values() for hit in file_hits}))
        for end, end_hits in hits.items():
            leaks = sorted({hit.word for hit in end_hits if hit not in living})
            residues.update(dict.fromkeys(Residue(word, path.name + end) for word in leaks))
    return list(residues)


def _rows(connection: Connection) -> Iterator[tuple[str, list[str], Sequence[Any]]]:
    """Yield every row, with its table and the names of its columns."""
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (table,) in [*tables, (_SCHEMA,)]:
        columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")').fetchall()]
        for row in connection.walk(f'SELECT * FROM "{table}"'):
            yield table, columns, row


def _live_texts(connection: Connection) -> Iterator[tuple[str, str]]:
    """Yield every kept text, with its place; names in the schema are no text of the user."""
    for table, columns, row in _rows(connection):
        if table != _SCHEMA:
            for column, value in zip(columns, row, strict=True):
                if isinstance(value, str):
                    yield f"{table}.{column}", value


def _runs(row: Sequence[Any]) -> Iterator[bytes]:
    """Yield the texts and blobs of a row, joined where the file has them side by side, without a number in between."""
    run = b""
    for value in row:
        if isinstance(value, str | bytes):
            run += value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        elif value not in (None, 0, 1):
            # These take no room in the row's body.
            yield run
            run = b""
    yield run


def vocabulary(connection: Connection) -> str:
    """Return the schema, the settings and the names of parts."""
    queries = ("SELECT sql FROM sqlite_schema", "SELECT name || ' ' || value FROM setting", "SELECT name FROM part")
    return "\n".join(str(row[0]) for query in queries for row in connection.execute(query))


def _page_size(connection: Connection) -> int:
    return connection.execute("PRAGMA page_size").fetchone()[0]


class _Hit:
    """A word in a file's bytes, with the bytes around it on its page."""

    __slots__ = ("after", "before", "itself", "word")

    def __init__(self, word: str, before: bytes, itself: bytes, after: bytes) -> None:
        self.word, self.before, self.itself, self.after = word, before, itself, after


def _hits(path: Path, end: str, scanner: ByteScanner, page: int) -> Iterator[_Hit]:
    data = _bytes_of(path.with_name(path.name + end)) if scanner.words else b""
    header, step = (_LOG_HEADER, page + _FRAME_HEADER) if end == "-wal" else (0, page)
    for position, word, length in scanner.find(data, _MIN_BYTES):
        first = header + (position - header) // step * step + (_FRAME_HEADER if end == "-wal" else 0)
        low, high = max(position - _REACH, first + _POINTER if position >= first + _POINTER else first), first + page
        yield _Hit(
            word,
            data[low:position],
            data[position : position + length],
            data[position + length : min(position + length + _REACH, high)],
        )


def _bytes_of(file: Path) -> bytes:
    """Return all bytes of a file, none if it does not exist.

    Raises:
        StorageError: it cannot be read.
    """
    if not file.exists():
        return b""
    command = [sys.executable, "-I", "-S", "-c", _READ, str(file.absolute())]
    process = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - our own interpreter
    if process.returncode and file.exists():
        raise StorageError(f"{file} cannot be read - check its permissions")
    return process.stdout


class _Living:
    """Places of words in all kept data."""

    def __init__(self, connection: Connection, scanner: ByteScanner) -> None:
        self._places: dict[bytes, set[tuple[bytes, bytes]]] = {}
        for _, _, row in _rows(connection) if scanner.words else ():
            for data in _runs(row):
                for position, _, length in scanner.find(data):
                    surroundings = (
                        data[max(position - _REACH, 0) : position],
                        data[position + length : position + length + _REACH],
                    )
                    self._places.setdefault(data[position : position + length], set()).add(surroundings)

    def __contains__(self, hit: _Hit) -> bool:
        """Return True if a hit agrees with kept data on both sides, as far as both reach."""
        return any(
            (hit.before.endswith(before) or before.endswith(hit.before)) and _agrees_behind(hit.after, after)
            for before, after in self._places.get(hit.itself, ())
        )


def _agrees_behind(hit_bytes: bytes, live_bytes: bytes) -> bool:
    """Return True if the bytes after a hit agree with kept ones, as far as both reach or the page holds them."""
    difference = next(
        (
            i
            for i, (hit_byte, live_byte) in enumerate(zip(hit_bytes, live_bytes, strict=False))
            if hit_byte != live_byte
        ),
        None,
    )
    # A long value continues on another page; its number follows here, and begins with a zero byte.
    return difference is None or hit_bytes[difference] == 0
