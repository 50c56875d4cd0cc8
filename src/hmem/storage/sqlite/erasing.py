"""Forgetting in SQLite: rows and names are taken out in one transaction, then the file is written anew without them."""

from collections.abc import Sequence
from sqlite3 import Connection

from hmem.model.report import Deletion
from hmem.storage.base import LogEntry
from hmem.storage.sqlite.lists import among
from hmem.storage.sqlite.model_queue import unread


def erase(connection: Connection, seqs: Sequence[int]) -> Deletion:
    """Take turns away, with all that hangs on them and the names that no turn has any more; inside a transaction."""
    seqs = sorted(set(seqs))
    blocks = among(connection, "SELECT block, count(*) FROM turn WHERE seq IN ({}) GROUP BY block", seqs)
    if not blocks:
        return Deletion(0, 0)
    counted = {block: 0 for block, _ in blocks}
    for block, count in blocks:
        counted[block] += count
    vectors = sum(n for (n,) in among(connection, "SELECT count(*) FROM vector WHERE seq IN ({})", seqs))
    changed = connection.execute("UPDATE counter SET value = value + 1 RETURNING value").fetchone()[0]
    unread(connection, seqs)
    among(connection, "DELETE FROM turn WHERE seq IN ({})", seqs)
    connection.executemany(
        "UPDATE block SET turns = turns - ?, changed = ? WHERE number = ?",
        [(count, changed, block) for block, count in counted.items()],
    )
    return Deletion(sum(counted.values()), vectors, *_prune_names(connection))


def _prune_names(connection: Connection) -> tuple[int, int]:
    """Take away the ids of sessions and the names of speakers that no turn has; how many of each.

    Their rows stay, under a blob that no text equals: blocks refer to a session, and a number that was a speaker's
    must not become another's.
    """
    pruned: list[int] = []
    for table, name in (("session", "id"), ("speaker", "name")):
        cursor = connection.execute(
            f"""UPDATE {table} SET {name} = CAST(CAST(number AS TEXT) AS BLOB)
                WHERE typeof({name}) = 'text' AND number NOT IN (SELECT DISTINCT {table} FROM turn)"""
        )
        pruned.append(cursor.rowcount)
    # What a speaker's role is was said by a turn, too.
    connection.execute(
        """UPDATE speaker SET role = (SELECT role FROM turn WHERE turn.speaker = speaker.number AND role IS NOT NULL
           ORDER BY seq LIMIT 1) WHERE role IS NOT NULL
           AND (number, role) NOT IN (SELECT DISTINCT speaker, role FROM turn WHERE role IS NOT NULL)"""
    )
    return pruned[0], pruned[1]


def replace_entries(connection: Connection, entries: Sequence[LogEntry]) -> None:
    """Let entries of the log say what these say under their numbers; inside a transaction."""
    connection.executemany(
        "UPDATE log SET by = ?, target = ?, why = ?, before = ?, after = ?, link = ? WHERE number = ?",
        [(each.by, each.target, each.why, each.before, each.after, each.link, each.number) for each in entries],
    )


def rewrite(connection: Connection) -> bool:
    """Write the file anew, from what is kept alone; whether the write-ahead log could be emptied too."""
    connection.execute("VACUUM")
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
