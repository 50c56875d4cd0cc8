"""Chunks of derived state in SQLite, each stamped with the step that stored it."""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from hmem.errors import MemoryDamaged, NumberTooLarge
from hmem.storage.base import Chunk
from hmem.storage.sqlite.checksums import checksum
from hmem.storage.sqlite.driver import Connection

_BITS: Final = 40
_MASK: Final = (1 << _BITS) - 1


_COLUMNS: Final = f"place, name, place & {_MASK}, content, chunk.checksum"
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
    query = f"SELECT {_COLUMNS} {found}" + (f" UNION SELECT {_COLUMNS} {_NAMED}" if also else "")
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
