"""Erasure in SQLite: rows and names are deleted in one transaction, then the file is rewritten without them."""

from collections.abc import Sequence

from hmem.model.report import Deletion
from hmem.storage.base import LogEntry
from hmem.storage.sqlite.checksums import seal
from hmem.storage.sqlite.driver import Connection, select_in
from hmem.storage.sqlite.model_queue import invalidate_extractions
from hmem.storage.sqlite.vectors import take


def erase(connection: Connection, seqs: Sequence[int]) -> Deletion:
    """Delete turns, all that depends on them, and names that no turn has any more; call it inside a transaction."""
    seqs = sorted(set(seqs))
    blocks = select_in(connection, "SELECT block, count(*) FROM turn WHERE seq IN ({}) GROUP BY block", seqs)
    if not blocks:
        return Deletion(0, 0)
    turns_by_block = {block: 0 for block, _ in blocks}
    for block, count in blocks:
        turns_by_block[block] += count
    vectors = take(connection, seqs)
    change = connection.execute("UPDATE counter SET value = value + 1 RETURNING value").fetchone()[0]
    invalidate_extractions(connection, seqs)
    select_in(connection, "DELETE FROM turn WHERE seq IN ({})", seqs)
    connection.executemany(
        "UPDATE block SET turns = turns - ?, changed = ? WHERE number = ?",
        [(count, change, block) for block, count in turns_by_block.items()],
    )
    return Deletion(sum(turns_by_block.values()), vectors, *_prune_names(connection))


def _prune_names(connection: Connection) -> tuple[int, int]:
    """Remove the ids of sessions and names of speakers that no turn has; return the number of each.

    Their rows stay, under a blob that no text equals: blocks refer to a session, and a speaker's number must not become
    another's.
    """
    pruned: list[int] = []
    for table, name in (("session", "id"), ("speaker", "name")):
        connection.execute(
            f"""UPDATE {table} SET {name} = CAST(CAST(number AS TEXT) AS BLOB)
                WHERE typeof({name}) = 'text' AND number NOT IN (SELECT DISTINCT {table} FROM turn)"""
        )
        pruned.append(connection.changed_rows)
    # A speaker's role, too, came from a turn.
    connection.execute(
        """UPDATE speaker SET role = (SELECT role FROM turn WHERE turn.speaker = speaker.number AND role IS NOT NULL
           ORDER BY seq LIMIT 1) WHERE role IS NOT NULL
           AND (number, role) NOT IN (SELECT DISTINCT speaker, role FROM turn WHERE role IS NOT NULL)"""
    )
    return pruned[0], pruned[1]


def replace_entries(connection: Connection, entries: Sequence[LogEntry]) -> None:
    """Overwrite the entries of the log that have these entries' numbers; call it inside a transaction."""
    connection.executemany(
        "UPDATE log SET by = ?, target = ?, why = ?, before = ?, after = ?, link = ? WHERE number = ?",
        [(entry.by, entry.target, entry.why, entry.before, entry.after, entry.link, entry.number) for entry in entries],
    )
    seal(connection, "log", "number = ?", [(entry.number,) for entry in entries])


def rewrite(connection: Connection) -> bool:
    """Rewrite the file with kept data only; return False if the write-ahead log could not be emptied."""
    connection.execute("VACUUM")
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
