"""Rows of turns, of the log, of uses and of chunks, and the values that they are."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from hmem.errors import MemoryDamaged, NumberTooLarge
from hmem.model.turn import Turn
from hmem.storage import fields
from hmem.storage.base import Chunk, LogEntry, StoredTurn, Use
from hmem.storage.sqlite.checksums import checksum, seal
from hmem.storage.sqlite.driver import Connection, select_in

TURN_COLUMNS: Final = """
    turn.seq, speaker.name, session.id, turn.key, turn.said, turn.said_offset, turn.text, turn.caption, turn.role,
    turn.attachments, turn.user, turn.agent, turn.message_id, turn.metadata, turn.expires, turn.echoes"""
TURN_SOURCE: Final = """
    turn JOIN session ON session.number = turn.session JOIN speaker ON speaker.number = turn.speaker"""
# Takes the row of ``to_row``, then the version of the analysis that counted its words. The checksum comes after, in the
# room of a number that takes as many bytes: a row that grew would be moved to another page.
INSERT_TURN: Final = f"INSERT INTO turn VALUES ({', '.join('?' * 19)}, 4294967296)"


def to_row(turn: Turn, seq: int, block: int, session: int, speaker: int, words: int) -> tuple[Any, ...]:
    """Return the values of a turn for ``INSERT_TURN``, all but the last."""
    key, microseconds, offset, *values = fields.to_values(turn)
    return seq, key, block, session, speaker, microseconds, offset, words, *values


def to_turn(row: Sequence[Any]) -> StoredTurn:
    """Return the turn of a row of ``TURN_COLUMNS``."""
    seq, speaker, session, *values = row
    return fields.to_turn(seq, speaker, session, values)


_LOG_COLUMNS: Final = "at, by, verb, target, why, before, after, link, key, number"


def write_entries(connection: Connection, entries: Sequence[LogEntry]) -> list[int]:
    """Add entries with unknown keys; return their numbers. Call it inside a transaction."""
    numbers: list[int] = []
    for entry in entries:
        row = connection.execute(
            f"""INSERT INTO log ({_LOG_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
                ON CONFLICT DO NOTHING RETURNING number""",
            entry[:-1],
        ).fetchone()
        if row is not None:
            numbers.append(row[0])
    seal(connection, "log", "number = ?", [(number,) for number in numbers])
    return numbers


def read_entries(connection: Connection, since: int, item: str | None, limit: int | None) -> list[LogEntry]:
    """Return the entries after a number, by number: all, or those with a target or a link."""
    conditions, values = ["number > ?"], list[Any]([since])
    if item is not None:
        conditions.append("(target = ? OR link = ?)")
        values += [item, item]
    rows = connection.execute(
        f"SELECT {_LOG_COLUMNS} FROM log WHERE {' AND '.join(conditions)} ORDER BY number LIMIT ?",
        (*values, -1 if limit is None else limit),
    )
    return [LogEntry(*row) for row in rows]


_AT_ONCE: Final = 900
_USE_COLUMNS: Final = "seq, uses, last, step"
_ARE_KEPT: Final = "SELECT seq FROM turn WHERE seq IN ({})"


def write_uses(connection: Connection, uses: Sequence[tuple[Sequence[int], int | None]]) -> None:
    """Count, for each recall, one more use of each kept turn, or none without a time; call it inside a transaction."""
    distinct_seqs = list(dict.fromkeys(seq for seqs, _ in uses for seq in seqs))
    present = {seq for (seq,) in select_in(connection, _ARE_KEPT, distinct_seqs)}
    recalls = [([seq for seq in dict.fromkeys(seqs) if seq in present], moment) for seqs, moment in uses]
    recalls = [(seqs, moment) for seqs, moment in recalls if seqs]
    if not recalls:
        return
    last: int = connection.execute(
        "UPDATE use_counter SET value = value + ? RETURNING value", (len(recalls),)
    ).fetchone()[0]
    connection.executemany(
        """INSERT INTO turn_use VALUES (?, ?, ?, ?) ON CONFLICT (seq) DO UPDATE
           SET uses = uses + excluded.uses, last = max(last, excluded.last), step = excluded.step""",
        [
            (seq, int(moment is not None), moment or 0, step)
            for step, (seqs, moment) in enumerate(recalls, last - len(recalls) + 1)
            for seq in seqs
        ],
    )


def read_uses(connection: Connection, since: int, seqs: Sequence[int] | None, latest: int | None = None) -> list[Use]:
    """Return the uses recorded after a step, of all turns, of some or of the latest, by sequence number."""
    if latest is not None:
        rows = connection.execute(
            f"SELECT {_USE_COLUMNS} FROM turn_use WHERE step > ? ORDER BY step DESC, seq LIMIT ?", (since, latest)
        )
        return sorted(Use(*row) for row in rows)
    if seqs is None:
        # With ORDER BY seq SQLite would walk all rows; few are new, so sort them here.
        rows = connection.execute(f"SELECT {_USE_COLUMNS} FROM turn_use WHERE step > ?", (since,)).fetchall()
        return sorted(Use(*row) for row in rows)
    uses: list[Use] = []
    distinct_seqs = sorted(set(seqs))
    for start in range(0, len(distinct_seqs), _AT_ONCE):
        batch = distinct_seqs[start : start + _AT_ONCE]
        placeholders = ",".join("?" * len(batch))
        rows = connection.execute(
            f"SELECT {_USE_COLUMNS} FROM turn_use WHERE seq IN ({placeholders}) AND step > ? ORDER BY seq",
            (*batch, since),
        )
        uses += (Use(*row) for row in rows)
    return uses


_BITS: Final = 40
_MASK: Final = (1 << _BITS) - 1


_CHUNK_COLUMNS: Final = f"place, name, place & {_MASK}, content, chunk.checksum"
_SINCE: Final = f"FROM chunk JOIN part ON part.number = place >> {_BITS} WHERE step > :since"
# The chunks of a part lie together; few of them are read for their step.
_IN_PARTS: Final = f"""
    FROM part CROSS JOIN chunk ON place BETWEEN part.number << {_BITS} AND part.number << {_BITS} | {_MASK}
    WHERE name IN (SELECT value FROM json_each(:parts)) AND +step > :since"""
_BY_NUMBER: Final = f"""
    FROM json_each(:also) JOIN part ON name = value ->> 0
    JOIN chunk ON place = part.number << {_BITS} | (value ->> 1) WHERE value ->> 1 BETWEEN 0 AND {_MASK}"""


def read_chunks(
    connection: Connection, since: int, also: Sequence[tuple[str, int]], parts: Sequence[str] | None = None
) -> list[Chunk]:
    """Return the chunks stored after a step, of some parts or all, and those named by ``also``.

    They come in the order of part and number.

    Raises:
        MemoryDamaged: one of them was altered on the disk.
    """
    source = _SINCE if parts is None else _IN_PARTS
    query = f"SELECT {_CHUNK_COLUMNS} {source}" + (f" UNION SELECT {_CHUNK_COLUMNS} {_BY_NUMBER}" if also else "")
    parameters = {"since": since, "parts": json.dumps(parts), "also": json.dumps(also)}
    used = {name: value for name, value in parameters.items() if f":{name}" in query}
    rows = connection.execute(f"{query} ORDER BY place", used).fetchall()
    # Computed here: a statement that calls back for each of thousands of rows takes twice as long.
    if any(stored_checksum != checksum(chunk_key, content) for chunk_key, *_, content, stored_checksum in rows):
        raise MemoryDamaged("what was formed of the turns was altered on the disk - run `hmem rebuild`")
    return [Chunk(*row[1:-1]) for row in rows]


def write_chunks(connection: Connection, chunks: Iterable[Chunk], step: int) -> None:
    """Store chunks under a step; call it inside a transaction.

    Raises:
        NumberTooLarge: a chunk's number is negative or has more than 40 bits.
    """
    chunks = list(chunks)
    if wrong := next((chunk for chunk in chunks if not 0 <= chunk.number <= _MASK), None):
        raise NumberTooLarge(f"part {wrong.part!r} has no room for chunk {wrong.number} - split the memory")
    names = list(dict.fromkeys(chunk.part for chunk in chunks))
    connection.executemany("INSERT OR IGNORE INTO part (name) VALUES (?)", [(name,) for name in names])
    numbers: dict[str, int] = dict(connection.execute("SELECT name, number FROM part").fetchall())
    keyed_contents = [(numbers[chunk.part] << _BITS | chunk.number, chunk.content) for chunk in chunks]
    connection.executemany(
        """INSERT INTO chunk VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (place) DO UPDATE SET step = ?2, content = ?3, checksum = ?4""",
        [(chunk_key, step, content, checksum(chunk_key, content)) for chunk_key, content in keyed_contents],
    )


def clear_chunks(connection: Connection) -> None:
    """Drop all chunks; call it inside a transaction."""
    connection.execute("DELETE FROM chunk")
