"""The log in SQLite: what was changed, by whom, when and why."""

from collections.abc import Sequence
from sqlite3 import Connection
from typing import Any, Final

from hmem.storage.base import LogEntry

_COLUMNS: Final = "at, by, verb, target, why, before, after, link, key, number"
_AT_ONCE: Final = 900


def write_entries(connection: Connection, entries: Sequence[LogEntry]) -> list[int]:
    """Add entries, but those whose key is known; the numbers of the others. Call it inside a transaction."""
    numbers: list[int] = []
    for entry in entries:
        row = connection.execute(
            f"""INSERT INTO log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
                ON CONFLICT DO NOTHING RETURNING number""",
            entry[:-1],
        ).fetchone()
        if row is not None:
            numbers.append(row[0])
    return numbers


def read_entries(connection: Connection, since: int, about: str | None, limit: int | None) -> list[LogEntry]:
    """The entries behind a number, by number: all of them, or those that have a target or a link."""
    conditions, values = ["number > ?"], list[Any]([since])
    if about is not None:
        conditions.append("(target = ? OR link = ?)")
        values += [about, about]
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM log WHERE {' AND '.join(conditions)} ORDER BY number LIMIT ?",
        (*values, -1 if limit is None else limit),
    )
    return [LogEntry(*row) for row in rows]


def last_entry(connection: Connection) -> int:
    """The number of the last entry, 0 when there is none."""
    return connection.execute("SELECT coalesce(max(number), 0) FROM log").fetchone()[0]


def redact_entries(connection: Connection, numbers: Sequence[int]) -> None:
    """Take all that was said out of entries; that there was a change of something stays."""
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        connection.execute(
            f"UPDATE log SET why = NULL, before = NULL, after = NULL WHERE number IN ({','.join('?' * len(some))})",
            tuple(some),
        )
