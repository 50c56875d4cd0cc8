"""Log of changes in Postgres."""

from collections.abc import Sequence
from typing import Any, Final

from hmem.storage.capabilities import LogEntry
from hmem_postgres.packing import digest
from hmem_postgres.transactions import Rows, Statement, WriteTransaction

_COLUMNS: Final = "at, by, verb, target, why, before, after, link, key, number"
_INSERT: Final = f"""
    INSERT INTO hmem.log (memory, {_COLUMNS}, about, once)
    VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::bytea[], %s)"""
_REPLACE: Final = """
    UPDATE hmem.log SET by = %s, target = %s, why = %s, before = %s, after = %s, link = %s, about = %s::bytea[]
    WHERE memory = %s AND number = %s"""


def known_keys(memory: str, entries: Sequence[LogEntry]) -> Statement:
    """Return a statement for the keys of entries that the log has, as digests."""
    keys = [digest(entry.key) for entry in entries if entry.key is not None]
    return "SELECT once FROM hmem.log WHERE memory = %s AND once = ANY(%s::bytea[])", (memory, keys)


def write_entries(writing: WriteTransaction, memory: str, entries: Sequence[LogEntry], duplicates: Rows) -> list[int]:
    """Let the insertion of entries with unknown keys wait; return their numbers."""
    keys = {bytes(key) for (key,) in duplicates}
    numbers: list[int] = []
    for entry in entries:
        once = None if entry.key is None else digest(entry.key)
        if once is not None:
            if once in keys:
                continue
            keys.add(once)
        writing.head.recorded += 1
        numbers.append(writing.head.recorded)
        writing.do(_INSERT, (memory, *entry_row(entry._replace(number=writing.head.recorded))))
    return numbers


def replace_entries(writing: WriteTransaction, memory: str, entries: Sequence[LogEntry]) -> None:
    """Let the replacement of the entries that have these entries' numbers wait."""
    for entry in entries:
        values = (
            entry.by,
            entry.target,
            entry.why,
            entry.before,
            entry.after,
            entry.link,
            _subjects(entry),
            memory,
            entry.number,
        )
        writing.do(_REPLACE, values)


def entries_after(memory: str, since: int, subject: str | None, limit: int | None) -> Statement:
    """Return a statement for the entries after a number: all, or those with a target or a link."""
    return (
        f"""SELECT {_COLUMNS} FROM hmem.log WHERE memory = %s AND number > %s
            AND (%s::bytea IS NULL OR %s::bytea = ANY(about)) ORDER BY number LIMIT %s""",
        (memory, since, *[None if subject is None else digest(subject)] * 2, limit),
    )


def entry_row(entry: LogEntry) -> tuple[Any, ...]:
    """Return the values of ``_INSERT`` behind the memory."""
    return (*entry, _subjects(entry), None if entry.key is None else digest(entry.key))


def _subjects(entry: LogEntry) -> list[bytes]:
    return [digest(text) for text in (entry.target, entry.link) if text is not None]
