"""Rows of turns, of the log, of uses and of chunks, and the values that they are."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from hmem.errors import MemoryDamaged, NumberTooLarge
from hmem.model.turn import Turn
from hmem.storage import fields
from hmem.storage.base import Chunk, LogEntry, StoredTurn, Use
from hmem.storage.sqlite.checksums import checksum, seal
from hmem.storage.sqlite.driver import Connection, among

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
    key, said, offset, *rest = fields.to_values(turn)
    return seq, key, block, session, speaker, said, offset, words, *rest


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


def read_entries(connection: Connection, since: int, about: str | None, limit: int | None) -> list[LogEntry]:
    """Return the entries after a number, by number: all, or those with a target or a link."""
    conditions, values = ["number > ?"], list[Any]([since])
    if about is not None:
        conditions.append("(target = ? OR link = ?)")
        values += [about, about]
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
            f"SELECT {_USE_COLUMNS} FROM turn_use WHERE step > ? ORDER BY step DESC, seq LIMIT ?", (since, latest)
        )
        return sorted(Use(*row) for row in rows)
    if seqs is None:
        # With ORDER BY seq SQLite would walk all rows; few are new, so sort them here.
        rows = connection.execute(f"SELECT {_USE_COLUMNS} FROM turn_use WHERE step > ?", (since,)).fetchall()
        return sorted(Use(*row) for row in rows)
    found: list[Use] = []
    wanted = sorted(set(seqs))
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        places = ",".join("?" * len(some))
        rows = connection.execute(
            f"SELECT {_USE_COLUMNS} FROM turn_use WHERE seq IN ({places}) AND step > ? ORDER BY seq", (*some, since)
        )
        found += (Use(*row) for row in rows)
    return found


_BITS: Final = 40
_MASK: Final = (1 << _BITS) - 1


_CHUNK_COLUMNS: Final = f"place, name, place & {_MASK}, content, chunk.checksum"
_SINCE: Final = f"FROM chunk JOIN part ON part.number = place >> {_BITS} WHERE step > :since"
# The chunks of a part lie together; few of them are read for their step.
_OF_PARTS: Final = f"""
    FROM part CROSS JOIN chunk ON place BETWEEN part.number << {_BITS} AND part.number << {_BITS} | {_MASK}
    WHERE name IN (SELECT value FROM json_each(:parts)) AND +step > :since"""
_NAMED: Final = f"""
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
    found = _SINCE if parts is None else _OF_PARTS
    query = f"SELECT {_CHUNK_COLUMNS} {found}" + (f" UNION SELECT {_CHUNK_COLUMNS} {_NAMED}" if also else "")
    given = {"since": since, "parts": json.dumps(parts), "also": json.dumps(also)}
    used = {name: value for name, value in given.items() if f":{name}" in query}
    rows = connection.execute(f"{query} ORDER BY place", used).fetchall()
    # Computed here: a statement that calls back for each of thousands of rows takes twice as long.
    if any(sealed != checksum(place, content) for place, *_, content, sealed in rows):
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
    placed = [(numbers[chunk.part] << _BITS | chunk.number, chunk.content) for chunk in chunks]
    connection.executemany(
        """INSERT INTO chunk VALUES (?1, ?2, ?3, ?4)
           ON CONFLICT (place) DO UPDATE SET step = ?2, content = ?3, checksum = ?4""",
        [(place, step, content, checksum(place, content)) for place, content in placed],
    )


def clear_chunks(connection: Connection) -> None:
    """Drop all chunks; call it inside a transaction."""
    connection.execute("DELETE FROM chunk")
