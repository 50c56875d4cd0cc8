"""Batches of a memory of another storage, written into SQLite with the numbers that they have there."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from hmem.storage.base import CopyBatch
from hmem.storage.sqlite.checksums import seal
from hmem.storage.sqlite.driver import Connection
from hmem.storage.sqlite.rows import INSERT_TURN, to_row, write_chunks
from hmem.storage.sqlite.vectors import fill_runs, write

_ENTRY: Final = "INSERT OR REPLACE INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"


def write_batch(connection: Connection, batch: CopyBatch) -> None:
    """Write all of a batch but its settings and its step of formation; call it inside a transaction."""

    def write_rows(statement: str, rows: Iterable[Sequence[Any]]) -> None:
        connection.executemany(statement, list(rows))

    write_rows("INSERT OR REPLACE INTO speaker VALUES (?, ?, ?)", batch.speakers)
    _write_turns(connection, batch)
    write(connection, batch.seqs.tolist(), batch.vectors, batch.generation)
    if len(batch.seqs):
        fill_runs(connection, batch.generation, int(batch.seqs.min()), int(batch.seqs.max()))
    write_chunks(connection, batch.chunks, batch.progress.step if batch.progress is not None else 1)
    write_rows(_ENTRY, ((entry.number, *entry[:-1]) for entry in batch.entries))
    seal(connection, "log", "number = ?", [(entry.number,) for entry in batch.entries])
    write_rows("INSERT OR REPLACE INTO turn_use VALUES (?, ?, ?, ?)", batch.uses)
    write_rows(
        "INSERT OR REPLACE INTO reading VALUES (?, ?, ?, ?, ?, ?)",
        (
            (reading.seq, reading.number, reading.first, reading.last, reading.model, reading.content)
            for reading in batch.readings
        ),
    )
    write_rows("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", batch.answers)
    write_rows(
        "INSERT OR REPLACE INTO reaction (seq, content) VALUES (?, ?)", (reaction[:2] for reaction in batch.reactions)
    )
    write_rows("INSERT OR REPLACE INTO spending VALUES (?, ?, ?, ?, ?, ?, ?, ?)", batch.spending)
    for table, value in (("counter", batch.change), ("use_counter", batch.used)):
        if value is not None:
            connection.execute(f"UPDATE {table} SET value = ?", (value,))
    if batch.memory is not None:
        connection.execute("UPDATE setting SET value = ? WHERE name = 'memory'", (batch.memory,))
        seal(connection, "setting", "name = ?", [("memory",)])


def _write_turns(connection: Connection, batch: CopyBatch) -> None:
    sessions = {member.session: row.turn.session for member, row in zip(batch.members, batch.turns, strict=True)}
    connection.executemany("INSERT OR REPLACE INTO session VALUES (?, ?)", list(sessions.items()))
    sessions_of = {member.block: member.session for member in batch.members}
    connection.executemany(
        "INSERT OR REPLACE INTO block VALUES (?, ?, ?, ?, ?)",
        [
            (block.number, sessions_of[block.number], block.turns, block.turns, block.change)
            for block in batch.blocks
            if block.number in sessions_of
        ],
    )
    connection.executemany(
        INSERT_TURN.replace("INSERT", "INSERT OR REPLACE", 1),
        [
            (
                *to_row(row.turn, row.seq, member.block, member.session, member.speaker, member.words),
                member.analysis,
            )
            for member, row in zip(batch.members, batch.turns, strict=True)
        ],
    )
    seal(connection, "turn", "seq = ?", [(row.seq,) for row in batch.turns])
