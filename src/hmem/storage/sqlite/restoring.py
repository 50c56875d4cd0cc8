"""Pieces of a memory of another storage, written into SQLite with the numbers that they have there."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from hmem.storage.base import Piece
from hmem.storage.sqlite.checksums import seal
from hmem.storage.sqlite.driver import Connection
from hmem.storage.sqlite.rows import INSERT_TURN, to_row, write_chunks
from hmem.storage.sqlite.vectors import fill_runs, write

_ENTRY: Final = "INSERT OR REPLACE INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"


def write_piece(connection: Connection, piece: Piece) -> None:
    """Write all of a piece but its settings and its step of formation; call it inside a transaction."""

    def put(statement: str, rows: Iterable[Sequence[Any]]) -> None:
        connection.executemany(statement, list(rows))

    put("INSERT OR REPLACE INTO speaker VALUES (?, ?, ?)", piece.speakers)
    _write_turns(connection, piece)
    write(connection, piece.seqs.tolist(), piece.vectors, piece.generation)
    if len(piece.seqs):
        fill_runs(connection, piece.generation, int(piece.seqs.min()), int(piece.seqs.max()))
    write_chunks(connection, piece.chunks, piece.formed.step if piece.formed is not None else 1)
    put(_ENTRY, ((entry.number, *entry[:-1]) for entry in piece.entries))
    seal(connection, "log", "number = ?", [(entry.number,) for entry in piece.entries])
    put("INSERT OR REPLACE INTO turn_use VALUES (?, ?, ?, ?)", piece.uses)
    put(
        "INSERT OR REPLACE INTO reading VALUES (?, ?, ?, ?, ?, ?)",
        ((each.seq, each.number, each.first, each.last, each.made_by, each.content) for each in piece.readings),
    )
    put("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", piece.answers)
    put("INSERT OR REPLACE INTO reaction (seq, content) VALUES (?, ?)", (each[:2] for each in piece.unjudged))
    put("INSERT OR REPLACE INTO spending VALUES (?, ?, ?, ?, ?, ?, ?, ?)", piece.spending)
    for table, value in (("counter", piece.change), ("use_counter", piece.used)):
        if value is not None:
            connection.execute(f"UPDATE {table} SET value = ?", (value,))
    if piece.memory is not None:
        connection.execute("UPDATE setting SET value = ? WHERE name = 'memory'", (piece.memory,))
        seal(connection, "setting", "name = ?", [("memory",)])


def _write_turns(connection: Connection, piece: Piece) -> None:
    sessions = {member.session: stored.turn.session for member, stored in zip(piece.members, piece.turns, strict=True)}
    connection.executemany("INSERT OR REPLACE INTO session VALUES (?, ?)", list(sessions.items()))
    sessions_of = {member.block: member.session for member in piece.members}
    connection.executemany(
        "INSERT OR REPLACE INTO block VALUES (?, ?, ?, ?, ?)",
        [
            (block.number, sessions_of[block.number], block.turns, block.turns, block.changed)
            for block in piece.blocks
            if block.number in sessions_of
        ],
    )
    connection.executemany(
        INSERT_TURN.replace("INSERT", "INSERT OR REPLACE", 1),
        [
            (
                *to_row(stored.turn, stored.seq, member.block, member.session, member.speaker, member.words),
                member.analysis,
            )
            for member, stored in zip(piece.members, piece.turns, strict=True)
        ],
    )
    seal(connection, "turn", "seq = ?", [(stored.seq,) for stored in piece.turns])
