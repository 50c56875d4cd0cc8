"""Rows of turns, of the log, of uses and of chunks: how they are written, read and looked for."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from hmem.errors import MemoryDamaged, NumberTooLarge
from hmem.model.turn import Turn
from hmem.storage.base import Chunk, CopyBatch, LogEntry, Scalar, StoredTurn, Use
from hmem.storage.capabilities import from_values, to_values
from hmem.storage.model_queue import KeptReading
from hmem.storage.sqlite.checksums import checksum, seal
from hmem.storage.sqlite.driver import Connection, select_in
from hmem.storage.sqlite.vectors import fill_runs, write

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
    key, microseconds, offset, *values = to_values(turn)
    return seq, key, block, session, speaker, microseconds, offset, words, *values


def to_turn(row: Sequence[Any]) -> StoredTurn:
    """Return the turn of a row of ``TURN_COLUMNS``."""
    seq, speaker, session, *values = row
    return from_values(seq, speaker, session, values)


_BEYOND: Final = 1 << 63


def read_expiring(connection: Connection, until: int | None) -> list[tuple[int, int]]:
    """Return (time in µs, sequence number) of the turns that expire, until a time or ever."""
    latest = _BEYOND - 1 if until is None else until
    statement = "SELECT expires, seq FROM turn WHERE expires <= ? ORDER BY expires, seq"
    return connection.execute(statement, (latest,)).fetchall()


def read_matching(
    connection: Connection,
    session: str | None,
    user: str | None,
    agent: str | None,
    metadata: Mapping[str, Sequence[Scalar]],
    *,
    echoing: bool,
    with_user: bool,
) -> list[int]:
    """Return the sequence numbers, ascending, of the turns that meet every condition."""
    conditions: list[str] = []
    values: list[Any] = []
    if echoing:
        conditions.append("echoes IS NOT NULL")
    if with_user:
        conditions.append("user IS NOT NULL")
    if session is not None:
        conditions.append(
            "block IN (SELECT block.number FROM block JOIN session ON session.number = block.session WHERE id = ?)"
        )
        values.append(session)
    for column, value in (("user", user), ("agent", agent)):
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    for key, choices in metadata.items():
        tests = [_test(value) for value in choices]
        conditions.append(
            "metadata IS NOT NULL AND EXISTS (SELECT 1 FROM json_each(metadata) AS field WHERE field.key = ? AND "
            f"({' OR '.join(test for test, _ in tests) or '0'}))"
        )
        values += [key, *(value for _, test_values in tests for value in test_values)]
    rows = connection.execute(f"SELECT seq FROM turn WHERE {' AND '.join(conditions) or '1'} ORDER BY seq", values)
    return [seq for (seq,) in rows.fetchall()]


def _test(value: Scalar) -> tuple[str, tuple[Any, ...]]:
    """Return a condition on a field's value, and its parameters; a truth value of JSON equals no number."""
    match value:
        case None:
            return "field.type = 'null'", ()
        case bool():
            return f"field.type = '{str(value).lower()}'", ()
        case str():
            return "field.type = 'text' AND field.atom = ?", (value,)
        case _:
            # SQLite reads an integer beyond 64 bits as a real, too.
            number = value if isinstance(value, float) or abs(value) < _BEYOND else float(value)
            return "field.type IN ('integer', 'real') AND field.atom = ?", (number,)


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
    query = f"SELECT {_USE_COLUMNS} FROM turn_use WHERE step > {int(since)} AND seq IN ({{}})"
    return sorted(Use(*row) for row in select_in(connection, query, list(dict.fromkeys(seqs))))


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


# Copies of another storage's memory, with the numbers that they have there.

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
        map(reading_row, batch.readings),
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


def reading_row(reading: KeptReading) -> tuple[Any, ...]:
    """Return the values of a reading's row."""
    return reading.seq, reading.number, reading.first, reading.last, reading.model, reading.content


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
            (*to_row(row.turn, row.seq, member.block, member.session, member.speaker, member.words), member.analysis)
            for member, row in zip(batch.members, batch.turns, strict=True)
        ],
    )
    seal(connection, "turn", "seq = ?", [(row.seq,) for row in batch.turns])
