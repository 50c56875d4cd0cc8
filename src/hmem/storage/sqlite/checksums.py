"""Checksums of rows: a bit that flips on the disk is found, and flipped back where the checksum tells which it was.

SQLite checks no content of its pages. A row's checksum is the CRC-32 of its values; that of a turn covers the id of its
session and the name of its speaker too. Each single bit changes the CRC in its own way, so a wrong CRC tells which bit
of a row has flipped, if it was one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, Final
from zlib import crc32

from hmem.storage.sqlite.driver import Connection, Error
from hmem.util.amounts import amount

_FUNCTION: Final = "hmem_checksum"
# Effect of a byte on the CRC, without the constant at its beginning and end.
_TABLE: Final = [crc32(bytes([byte])) ^ crc32(b"\0") for byte in range(256)]
_INTEGER: Final = 8
# An integer behind its kind, then the kind and length of bytes.
_CHUNK_HEAD: Final = Struct(">BqBQ")


@dataclass(frozen=True, slots=True)
class _ChecksummedTable:
    """A table whose rows have checksums.

    ``key`` identifies a row, ``columns`` are covered, texts of them named in ``texts``. ``references`` are texts of
    other tables that belong to the row, with their table and the column that refers to its number.
    """

    key: tuple[str, ...]
    columns: tuple[str, ...]
    texts: frozenset[str] = frozenset()
    references: tuple[tuple[str, str], ...] = ()

    def values(self, table: str) -> list[str]:
        """Return the covered values as SQL, texts as their bytes, which may be no text any more."""
        columns = [
            f"CAST({table}.{name} AS BLOB)" if name in self.texts else f"{table}.{name}" for name in self.columns
        ]
        subqueries = [
            f"(SELECT CAST({referent}.{name} AS BLOB) FROM {referent} WHERE {referent}.number = {table}.{referent})"
            for referent, name in self.references
        ]
        return [*columns, *subqueries]

    def expression(self, table: str) -> str:
        """Return the checksum of a row as SQL."""
        return f"{_FUNCTION}({', '.join(self.values(table))})"


_TEXTS: Final = ("text", "caption", "role", "attachments", "user", "agent", "message_id", "metadata", "echoes")
_ENTRY: Final = ("by", "verb", "target", "why", "before", "after", "link", "key")
_TABLES: Final = {
    "turn": _ChecksummedTable(
        ("seq",),
        ("seq", "key", "block", "session", "speaker", "said", "said_offset", *_TEXTS, "expires"),
        frozenset(_TEXTS),
        (("session", "id"), ("speaker", "name")),
    ),
    "log": _ChecksummedTable(("number",), ("number", "at", *_ENTRY), frozenset(_ENTRY)),
    "setting": _ChecksummedTable(("name",), ("name", "value"), frozenset(("name", "value"))),
    "vector": _ChecksummedTable(("seq", "generation"), ("seq", "generation", "codes")),
    "vector_run": _ChecksummedTable(("number", "generation"), ("number", "generation", "codes")),
    "chunk": _ChecksummedTable(("place",), ("place", "content")),
}
# What can be made anew from the turns, and by which command.
DERIVED: Final = ("vector", "vector_run", "chunk")


def offer(connection: Connection) -> None:
    """Let statements of a connection compute checksums."""
    connection.define(_FUNCTION, checksum)


def checksum(*values: Any) -> int:
    """Return the CRC of values as ``_encode``; those of chunks, of which thousands are read at once, without a copy."""
    if len(values) == 2 and isinstance(values[0], int) and isinstance(values[1], bytes):
        return crc32(values[1], crc32(_CHUNK_HEAD.pack(1, values[0], 2, len(values[1]))))
    return crc32(_encode(values))


def seal(connection: Connection, table: str, condition: str, values: Iterable[Sequence[Any]]) -> None:
    """Write the checksums of rows that were just written: those that meet a condition with any of the values.

    Call it inside the transaction that wrote them.
    """
    statement = f"UPDATE {table} SET checksum = {_TABLES[table].expression(table)} WHERE {condition}"
    connection.executemany(statement, values)


def seal_all(connection: Connection) -> None:
    """Give every row its checksum, for a memory that had none."""
    for table in _TABLES:
        seal(connection, table, "1", [()])


def is_altered(table: str) -> str:
    """Return a condition as SQL: a row was altered since it was written."""
    return f"{table}.checksum IS NOT {_TABLES[table].expression(table)}"


def altered(connection: Connection, table: str) -> list[tuple[Any, ...]]:
    """Return the keys of the rows that were altered since they were written."""
    layout = _TABLES[table]
    keys = ", ".join(f"CAST({name} AS BLOB)" if name in layout.texts else name for name in layout.key)
    return connection.execute(f"SELECT {keys} FROM {table} WHERE {is_altered(table)} ORDER BY {keys}").fetchall()


def findings(connection: Connection) -> Iterator[str]:
    """Yield what is wrong, by table, and what mends it."""
    for table in _TABLES:
        rows = altered(connection, table)
        if rows:
            first = ", ".join(_to_text(value) for value in rows[0])
            yield (
                f"{amount(len(rows), 'row')} of {table} altered on the disk since written, the first is {first} - "
                "run `hmem rebuild`, which mends single bits and what is derived, or restore a backup"
            )


def mend(connection: Connection) -> int:
    """Flip single bits back, and delete what can be derived anew; return the number of rows mended.

    Call it inside a transaction. Rows that cannot be mended stay as they are, and ``findings`` names them.
    """
    connection.execute("REINDEX")
    return sum(_mend_row(connection, table, key) for table in _TABLES for key in altered(connection, table))


def _mend_row(connection: Connection, table: str, key: tuple[Any, ...]) -> bool:
    layout = _TABLES[table]
    condition = " AND ".join(
        f"CAST({name} AS BLOB) = ?" if name in layout.texts else f"{name} = ?" for name in layout.key
    )
    row = connection.execute(
        f"SELECT checksum, {', '.join(layout.values(table))} FROM {table} WHERE {condition}", key
    ).fetchone()
    values: tuple[Any, ...] = row[1:]
    flip = _undo_flip(values, row[0]) if isinstance(row[0], int) else None
    try:
        if flip is not None:
            index, value = flip
            _restore_value(connection, table, index, value, condition, key)
        elif table in DERIVED:
            connection.execute(f"DELETE FROM {table} WHERE {condition}", key)
    except Error:
        # The value must be another's: a key, or a name.
        return False
    still = f"SELECT 1 FROM {table} WHERE {condition} AND {is_altered(table)}"
    return connection.execute(still, key).fetchone() is None


def _restore_value(
    connection: Connection, table: str, index: int, value: Any, condition: str, key: tuple[Any, ...]
) -> None:
    """Put a value back into a row, or into the row of another table that it names; -1 is the checksum itself."""
    layout = _TABLES[table]
    if index >= len(layout.columns):
        referent, name = layout.references[index - len(layout.columns)]
        connection.execute(
            f"UPDATE {referent} SET {name} = CAST(? AS TEXT) "
            f"WHERE number = (SELECT {referent} FROM {table} WHERE {condition})",
            (value, *key),
        )
        return
    name = "checksum" if index < 0 else layout.columns[index]
    placeholder = "CAST(? AS TEXT)" if name in layout.texts else "?"
    connection.execute(f"UPDATE {table} SET {name} = {placeholder} WHERE {condition}", (value, *key))


def _encode(values: Sequence[Any]) -> bytes:
    """Return values as bytes, each behind its kind and length, so that no two rows are the same."""
    chunks: list[bytes] = []
    for value in values:
        if value is None:
            chunks.append(b"\0")
        elif isinstance(value, int):
            chunks += (b"\1", value.to_bytes(_INTEGER, signed=True))
        else:
            data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else bytes(value)
            chunks += (b"\2", len(data).to_bytes(_INTEGER), data)
    return b"".join(chunks)


def _undo_flip(values: Sequence[Any], checksum: int) -> tuple[int, Any] | None:
    """Return which of the values has a flipped bit, and what it was; -1 and the right checksum if that has it.

    None if more than one bit is wrong.
    """
    data = _encode(values)
    right = crc32(data)
    difference = right ^ checksum
    if difference.bit_count() == 1:
        return -1, right
    flip = _find_flip(difference, len(data))
    if flip is None:
        return None
    byte, bit = flip
    start = 0
    for index, value in enumerate(values):
        length = len(_encode((value,)))
        head = length if value is None else 1 if isinstance(value, int) else 1 + _INTEGER
        if start + head <= byte < start + length:
            repaired = bytearray(data[start + head : start + length])
            repaired[byte - start - head] ^= 1 << bit
            return index, int.from_bytes(repaired, signed=True) if isinstance(value, int) else bytes(repaired)
        start += length
    return None


def _find_flip(difference: int, length: int) -> tuple[int, int] | None:
    """Return the byte and the bit whose flip makes this difference of the CRC; None if no single one does."""
    effects = [_TABLE[1 << bit] for bit in range(8)]
    for byte in range(length - 1, -1, -1):
        if difference in effects:
            return byte, effects.index(difference)
        effects = [(effect >> 8) ^ _TABLE[effect & 255] for effect in effects]
    return None


def _to_text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
