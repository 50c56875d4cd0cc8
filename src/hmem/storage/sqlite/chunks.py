"""What formation keeps, in SQLite: chunks of parts, stamped with the step that stored them."""

from collections.abc import Iterable, Sequence
from sqlite3 import Connection
from typing import Any, Final

from hmem.errors import NumberTooLarge
from hmem.storage.base import Chunk

_BITS: Final = 40
_MASK: Final = (1 << _BITS) - 1


def read_chunks(connection: Connection, since: int, part: str | None, numbers: Sequence[int] | None) -> list[Chunk]:
    """Chunks that were stored after a step, of one part or of all, in the order of part and number."""
    names: dict[int, str] = dict(connection.execute("SELECT number, name FROM part").fetchall())
    if part is None:
        rows = connection.execute("SELECT place, content FROM chunk WHERE step > ? ORDER BY place", (since,)).fetchall()
    else:
        rows = _of_part(connection, [number for number, name in names.items() if name == part], since, numbers)
    return [Chunk(names[place >> _BITS], place & _MASK, content) for place, content in rows]


def _of_part(connection: Connection, part: Sequence[int], since: int, numbers: Sequence[int] | None) -> list[Any]:
    rows: list[Any] = []
    for first in (number << _BITS for number in part):
        if numbers is None:
            rows += connection.execute(
                "SELECT place, content FROM chunk WHERE place BETWEEN ? AND ? AND step > ? ORDER BY place",
                (first, first | _MASK, since),
            ).fetchall()
            continue
        for number in sorted(number for number in set(numbers) if 0 <= number <= _MASK):
            rows += connection.execute(
                "SELECT place, content FROM chunk WHERE place = ? AND step > ?", (first | number, since)
            ).fetchall()
    return rows


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
    connection.executemany(
        """INSERT INTO chunk VALUES (?, ?, ?)
           ON CONFLICT (place) DO UPDATE SET step = excluded.step, content = excluded.content""",
        [(numbers[chunk.part] << _BITS | chunk.number, step, chunk.content) for chunk in chunks],
    )


def clear_chunks(connection: Connection) -> None:
    """Drop all chunks; call it inside a transaction."""
    connection.execute("DELETE FROM chunk")
