"""Queries for turns by session, user, agent, metadata, expiry or repetition."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hmem.storage.base import Scalar
from hmem_postgres.packing import digest
from hmem_postgres.transactions import Rows, Statement

_MATCHING: Final = """
    SELECT turn.seq, turn.metadata FROM hmem.turn AS turn
    JOIN hmem.block AS block ON block.memory = turn.memory AND block.number = turn.block
    WHERE turn.memory = %(memory)s"""
_IN_BLOCKS: Final = """
    SELECT unnest(block.seqs), NULL FROM hmem.block AS block WHERE block.memory = %(memory)s"""
_SESSION: Final = """
    block.session = (SELECT number FROM hmem.session WHERE memory = %(memory)s AND digest = %(session)s)"""


def matching(
    memory: str,
    session: str | None,
    user: str | None,
    agent: str | None,
    metadata: Mapping[str, Sequence[Scalar]],
    *,
    echoing: bool,
    with_user: bool,
) -> Statement:
    """Return a statement for the turns that meet all conditions, with their metadata if that is to be looked at."""
    of_blocks = [
        (_SESSION, session is not None),
        ("block.owner = %(user)s", user is not None),
        ("block.owner IS NOT NULL", with_user),
    ]
    of_turns = [
        ("turn.agent = %(agent)s", agent is not None),
        ("turn.echoing", echoing),
        ("turn.metadata IS NOT NULL", bool(metadata)),
    ]
    names = {"session": session, "user": user, "agent": agent}
    values = {"memory": memory, **{name: None if text is None else digest(text) for name, text in names.items()}}
    # Blocks tell of sessions and users; a row a turn is looked at for the rest only.
    source, conditions = (_MATCHING, [*of_blocks, *of_turns]) if any(is_used for _, is_used in of_turns) else (
        _IN_BLOCKS, of_blocks,
    )  # fmt: skip
    return " AND ".join([source, *(condition for condition, is_used in conditions if is_used)]), values


def select(rows: Rows, metadata: Mapping[str, Sequence[Scalar]]) -> list[int]:
    """Return the numbers, ascending, of the rows whose metadata has one of the wanted values in every field."""
    if metadata:
        rows = [row for row in rows if _meets(json.loads(row[1]), metadata)]
    return sorted(seq for seq, _ in rows)


def _meets(fields: Mapping[str, Any], conditions: Mapping[str, Sequence[Scalar]]) -> bool:
    return all(
        name in fields and any(_equal(fields[name], value) for value in values) for name, values in conditions.items()
    )


def _equal(stored_value: Any, value: Scalar) -> bool:
    """Tell if values are equal: a number equals a number of the same value, and no truth value."""
    if isinstance(stored_value, bool) or isinstance(value, bool):
        return stored_value is value
    if isinstance(stored_value, int | float) and isinstance(value, int | float):
        return stored_value == value
    return type(stored_value) is type(value) and stored_value == value


def expiring(memory: str, until: int | None) -> Statement:
    """Return a statement for (time in µs, sequence number) of the turns that expire, until a time or ever."""
    return (
        """SELECT expires, seq FROM hmem.turn WHERE memory = %s AND expires IS NOT NULL
           AND (%s::bigint IS NULL OR expires <= %s::bigint) ORDER BY expires, seq""",
        (memory, until, until),
    )
