"""Chunks of derived state in Postgres, each stamped with the step that stored it."""

from collections.abc import Sequence
from typing import Any, Final

from hmem.errors import NumberTooLarge
from hmem.storage.base import Chunk
from hmem_postgres.transactions import Statement, WriteTransaction

_MASK: Final = (1 << 40) - 1
_CHUNKS: Final = "SELECT part, number, content FROM hmem.chunk WHERE memory = %(memory)s AND step > %(since)s"
_PART_FILTER: Final = " AND part = ANY(%(wanted)s::text[])"
_ALSO: Final = """
    UNION SELECT part, number, content FROM hmem.chunk WHERE memory = %(memory)s
    AND (part, number) IN (SELECT * FROM unnest(%(parts)s::text[], %(numbers)s::bigint[]))"""
_COLUMNS: Final = {"part": "text", "number": "bigint", "step": "bigint", "content": "bytea"}
_REPLACE: Final = """
    ON CONFLICT (memory, part, number) DO UPDATE SET step = excluded.step, content = excluded.content"""


def chunks_since(
    memory: str, since: int, also: Sequence[tuple[str, int]] = (), parts: Sequence[str] | None = None
) -> Statement:
    """Return a statement for the chunks stored after a step, and those named by ``also``, by part and number.

    ``parts`` limits the former to some parts.
    """
    values: dict[str, Any] = {"memory": memory, "since": since}
    if parts is not None:
        values["wanted"] = list(parts)
    if also:
        values |= {"parts": [chunk_part for chunk_part, _ in also], "numbers": [number for _, number in also]}
    statement = f"{_CHUNKS}{'' if parts is None else _PART_FILTER}{_ALSO if also else ''}"
    return f"{statement} ORDER BY 1, 2", values


def check_chunks(chunks: Sequence[Chunk]) -> None:
    """Refuse numbers that no chunk can have.

    Raises:
        NumberTooLarge: a chunk's number is negative or has more than 40 bits.
    """
    if wrong := next((chunk for chunk in chunks if not 0 <= chunk.number <= _MASK), None):
        raise NumberTooLarge(f"part {wrong.part!r} has no room for chunk {wrong.number} - split the memory")


def keep_chunks(writing: WriteTransaction, chunks: Sequence[Chunk], step: int) -> None:
    """Let chunks wait to be stored under a step; of two with one number, the last."""
    last = {(chunk.part, chunk.number): chunk.content for chunk in chunks}
    rows = [(chunk_part, number, step, content) for (chunk_part, number), content in last.items()]
    writing.insert("chunk", _COLUMNS, rows, _REPLACE)
