"""Uses of turns in Postgres: the number since a turn was written, and the time of the last."""

from collections.abc import Sequence
from typing import Final

from hmem.storage.base import Use
from hmem_postgres.transactions import Rows, Statement

_COLUMNS: Final = "seq, uses, last, step"
_LOCK: Final = "SELECT 1 FROM hmem.memory WHERE memory = %s FOR UPDATE NOWAIT"
# Recalls of kept turns are numbered in their order; each turn gets the last number of those that used it.
_RECORD: Final = """
    INSERT INTO hmem.turn_use AS kept (memory, seq, uses, last, step)
    SELECT ranked.memory, ranked.seq, count(at), coalesce(max(at), 0), max(head.used + recall)
    FROM (SELECT turn.memory, turn.seq, at, dense_rank() OVER (PARTITION BY turn.memory ORDER BY place) AS recall
        FROM unnest(%(places)s::int[], %(seqs)s::bigint[], %(times)s::bigint[]) AS given(place, seq, at)
        JOIN hmem.turn AS turn ON turn.memory = %(memory)s AND turn.seq = given.seq) AS ranked
    JOIN hmem.memory AS head ON head.memory = %(memory)s AND head.memory = ranked.memory
    GROUP BY ranked.memory, ranked.seq
    ON CONFLICT (memory, seq) DO UPDATE
    SET uses = kept.uses + excluded.uses, last = greatest(kept.last, excluded.last), step = excluded.step"""
_ADVANCE: Final = """
    UPDATE hmem.memory SET used = (SELECT max(step) FROM hmem.turn_use WHERE memory = %(memory)s)
    WHERE memory = %(memory)s AND used < (SELECT max(step) FROM hmem.turn_use WHERE memory = %(memory)s)"""


def record(memory: str, uses: Sequence[tuple[Sequence[int], int | None]]) -> tuple[Statement, ...]:
    """Return statements that count, for each recall, one more use of each kept turn, or none without a time.

    The first fails if another process is writing.
    """
    rows = [(position, seq, time) for position, (seqs, time) in enumerate(uses) for seq in dict.fromkeys(seqs)]
    positions, seqs, times = ([row[i] for row in rows] for i in range(3))
    values = {"memory": memory, "places": positions, "seqs": seqs, "times": times}
    return (_LOCK, (memory,)), (_RECORD, values), (_ADVANCE, {"memory": memory})


def uses_after(memory: str, since: int, seqs: Sequence[int] | None, latest: int | None) -> Statement:
    """Return a statement for the uses recorded after a step, of all turns, of some or of the latest."""
    if latest is not None:
        order = "ORDER BY step DESC, seq LIMIT %s"
        return f"SELECT {_COLUMNS} FROM hmem.turn_use WHERE memory = %s AND step > %s {order}", (memory, since, latest)
    if seqs is None:
        return f"SELECT {_COLUMNS} FROM hmem.turn_use WHERE memory = %s AND step > %s", (memory, since)
    return (
        f"SELECT {_COLUMNS} FROM hmem.turn_use WHERE memory = %s AND step > %s AND seq = ANY(%s::bigint[])",
        (memory, since, list(seqs)),
    )


def to_uses(rows: Rows) -> list[Use]:
    """Return the uses of rows, by sequence number."""
    return sorted(Use(*row) for row in rows)
