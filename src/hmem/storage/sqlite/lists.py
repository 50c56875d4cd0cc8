"""Statements over lists of values, of any length."""

from collections.abc import Sequence
from typing import Any, Final

from hmem.storage.sqlite.driver import Connection

# SQLite's own bound on the variables of one statement is 32,766 and more; shorter lists parse faster.
_AT_ONCE: Final = 900


def among(connection: Connection, sql: str, values: Sequence[Any]) -> list[Any]:
    """Return all rows of a statement whose ``{}`` stands for a list of values, of any length."""
    rows: list[Any] = []
    for start in range(0, len(values), _AT_ONCE):
        some = values[start : start + _AT_ONCE]
        rows += connection.execute(sql.format(",".join("?" * len(some))), tuple(some)).fetchall()
    return rows
