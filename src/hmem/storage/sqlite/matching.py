"""Queries for turns by session, user, agent, metadata, expiry or repetition."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hmem.storage.base import Scalar
from hmem.storage.sqlite.driver import Connection

_BEYOND: Final = 1 << 63


def read_expiring(connection: Connection, until: int | None) -> list[tuple[int, int]]:
    """Return (time in µs, sequence number) of the turns that expire, until a time or ever."""
    latest = _BEYOND - 1 if until is None else until
    statement = "SELECT expires, seq FROM turn WHERE expires <= ? ORDER BY expires, seq"
    return connection.execute(statement, (latest,)).fetchall()


def read_matching(
    connection: Connection,
    session: str | None,
    user: str | None,
    agent: str | None,
    metadata: Mapping[str, Sequence[Scalar]],
    *,
    echoing: bool,
    with_user: bool,
) -> list[int]:
    """Return the sequence numbers, ascending, of the turns that meet every condition."""
    conditions: list[str] = []
    values: list[Any] = []
    if echoing:
        conditions.append("echoes IS NOT NULL")
    if with_user:
        conditions.append("user IS NOT NULL")
    if session is not None:
        conditions.append(
            "block IN (SELECT block.number FROM block JOIN session ON session.number = block.session WHERE id = ?)"
        )
        values.append(session)
    for column, value in (("user", user), ("agent", agent)):
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    for key, choices in metadata.items():
        tests = [_test(value) for value in choices]
        conditions.append(
            "metadata IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(metadata) AS field WHERE field.key = ? AND "
            f"({' OR '.join(test for test, _ in tests) or '0'}))"
        )
        values += [key, *(value for _, test_values in tests for value in test_values)]
    rows = connection.execute(f"SELECT seq FROM turn WHERE {' AND '.join(conditions) or '1'} ORDER BY seq", values)
    return [seq for (seq,) in rows.fetchall()]


def _test(value: Scalar) -> tuple[str, tuple[Any, ...]]:
    """Return a condition on a field's value, and its parameters: JSON's truth values are not its numbers."""
    match value:
        case None:
            return "field.type = 'null'", ()
        case bool():
            return f"field.type = '{str(value).lower()}'", ()
        case str():
            return "field.type = 'text' AND field.atom = ?", (value,)
        case _:
            # SQLite reads an integer beyond 64 bits as a real, too.
            number = value if isinstance(value, float) or abs(value) < _BEYOND else float(value)
            return "field.type IN ('integer', 'real') AND field.atom = ?", (number,)
