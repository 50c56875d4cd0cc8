"""Log of changes in SQLite."""

from collections.abc import Sequence
from typing import Any, Final

from hmem.storage.base import LogEntry
from hmem.storage.sqlite.checksums import seal
from hmem.storage.sqlite.driver import Connection

_COLUMNS: Final = "at, by, verb, target, why, before, after, link, key, number"


def write_entries(connection: Connection, entries: Sequence[LogEntry]) -> list[int]:
    """Add entries with unknown keys; return their numbers. Call it inside a transaction."""
    numbers: list[int] = []
    for entry in entries:
        row = connection.execute(
            f"""INSERT INTO log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
                ON CONFLICT DO NOTHING RETURNING number""",
            entry[:-1],
        ).fetchone()
        if row is not None:
            numbers.append(row[0])
    seal(connection, "log", "number = ?", [(number,) for number in numbers])
    return numbers


def read_entries(connection: Connection, since: int, about: str | None, limit: int | None) -> list[LogEntry]:
    """Return the entries after a number, by number: all, or those with a target or a link."""
    conditions, values = ["number > ?"], list[Any]([since])
    if about is not None:
        conditions.append("(target = ? OR link = ?)")
        values += [about, about]
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM log WHERE {' AND '.join(conditions)} ORDER BY number LIMIT ?",
        (*values, -1 if limit is None else limit),
    )
    return [LogEntry(*row) for row in rows]
