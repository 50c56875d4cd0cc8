"""Uses of turns in SQLite: the number since a turn was written, and the time of the last."""

from collections.abc import Sequence
from typing import Final

from hmem.storage.base import Use
from hmem.storage.sqlite.driver import Connection
from hmem.storage.sqlite.lists import among

_AT_ONCE: Final = 900
_COLUMNS: Final = "seq, uses, last, step"
_ARE_KEPT: Final = "SELECT seq FROM turn WHERE seq IN ({})"


def write_uses(connection: Connection, uses: Sequence[tuple[Sequence[int], int | None]]) -> None:
    """Count, for each recall, one more use of each kept turn, or none without a time; call it inside a transaction."""
    wanted = list(dict.fromkeys(seq for seqs, _ in uses for seq in seqs))
    kept = {seq for (seq,) in among(connection, _ARE_KEPT, wanted)}
    told = [([seq for seq in dict.fromkeys(seqs) if seq in kept], at) for seqs, at in uses]
    told = [(seqs, at) for seqs, at in told if seqs]
    if not told:
        return
    last: int = connection.execute("UPDATE use_counter SET value = value + ? RETURNING value", (len(told),)).fetchone()[
        0
    ]
    connection.executemany(
        """INSERT INTO turn_use VALUES (?, ?, ?, ?) ON CONFLICT (seq) DO UPDATE
           SET uses = uses + excluded.uses, last = max(last, excluded.last), step = excluded.step""",
        [
            (seq, int(at is not None), at or 0, step)
            for step, (seqs, at) in enumerate(told, last - len(told) + 1)
            for seq in seqs
        ],
    )


def read_uses(connection: Connection, since: int, seqs: Sequence[int] | None, latest: int | None = None) -> list[Use]:
    """Return the uses recorded after a step, of all turns, of some or of the latest, by sequence number."""
    if latest is not None:
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM turn_use WHERE step > ? ORDER BY step DESC, seq LIMIT ?", (since, latest)
        )
        return sorted(Use(*row) for row in rows)
    if seqs is None:
        # With ORDER BY seq SQLite would walk all rows; few are new, so sort them here.
        rows = connection.execute(f"SELECT {_COLUMNS} FROM turn_use WHERE step > ?", (since,)).fetchall()
        return sorted(Use(*row) for row in rows)
    found: list[Use] = []
    wanted = sorted(set(seqs))
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        places = ",".join("?" * len(some))
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM turn_use WHERE seq IN ({places}) AND step > ? ORDER BY seq", (*some, since)
        )
        found += (Use(*row) for row in rows)
    return found
