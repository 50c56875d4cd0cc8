"""Deletion of turns from Postgres, with all that depends on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hmem.storage.base import Member
from hmem.storage.model_queue import ERASURES, PAIRED, READINGS
from hmem_postgres.packing import pack_members, unpack_members
from hmem_postgres.transactions import BLOCK_MEMBERS, BLOCK_TEXTS, THEIR_BLOCKS, Rows, Statement, WriteTransaction

_BLOCKS: Final = f"""
    SELECT number, session, seqs, {BLOCK_MEMBERS}, {BLOCK_TEXTS} FROM hmem.block AS block
    WHERE memory = %(memory)s AND number = ANY({THEIR_BLOCKS})"""
_VECTORS: Final = f"""
    SELECT generation, block, part, seqs, codes FROM hmem.vector
    WHERE memory = %(memory)s AND block = ANY({THEIR_BLOCKS})"""
# Readings with the session of their turn, and what the model was shown for them.
_READINGS: Final = """
    SELECT seq, first, last, (SELECT block.session FROM hmem.turn AS turn JOIN hmem.block AS block
        ON block.memory = turn.memory AND block.number = turn.block
        WHERE turn.memory = %(memory)s AND turn.seq = reading.seq)
    FROM hmem.reading AS reading WHERE memory = %(memory)s AND content IS NOT NULL ORDER BY seq"""
_DELETE: Final = """
    DELETE FROM hmem.{table} AS kept USING unnest(%(seqs)s::bigint[]) AS given(seq)
    WHERE kept.memory = %(memory)s AND kept.seq = given.seq"""
_SHRINK: Final = """
    UPDATE hmem.block SET turns = %s, changed = %s, said_first = %s, said_last = %s, speakers = %s::bigint[],
        seqs = %s::bigint[] WHERE memory = %s AND number = %s"""
_NO_TEXTS: Final = "DELETE FROM hmem.text WHERE memory = %s AND block = %s"
_KEEP_TEXTS: Final = """
    INSERT INTO hmem.text (memory, block, part, members, texts) VALUES (%s, %s, 0, %s, %s::bytea[])"""
_KEEP_VECTORS: Final = """
    UPDATE hmem.vector SET seqs = %s::bigint[], codes = %s
    WHERE memory = %s AND generation = %s AND block = %s AND part = %s"""
_NO_VECTORS: Final = "DELETE FROM hmem.vector WHERE memory = %s AND generation = %s AND block = %s AND part = %s"
_SESSIONS: Final = """
    DELETE FROM hmem.session AS session WHERE memory = %(memory)s AND NOT EXISTS (SELECT 1 FROM hmem.block AS block
        WHERE block.memory = %(memory)s AND block.session = session.number AND block.turns > 0) RETURNING number"""
_SPEAKERS: Final = """
    DELETE FROM hmem.speaker AS speaker WHERE memory = %(memory)s AND NOT EXISTS (SELECT 1 FROM hmem.turn AS turn
        WHERE turn.memory = %(memory)s AND turn.speaker = speaker.number) RETURNING number"""
# A speaker's role, too, came from a turn.
_ROLES: Final = """
    UPDATE hmem.speaker AS speaker SET role = (SELECT role FROM hmem.turn AS turn WHERE turn.memory = %(memory)s
        AND turn.speaker = speaker.number AND role IS NOT NULL ORDER BY seq LIMIT 1)
    WHERE memory = %(memory)s AND role IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hmem.turn AS turn
        WHERE turn.memory = %(memory)s AND turn.speaker = speaker.number AND turn.role = speaker.role)"""


@dataclass(frozen=True, slots=True)
class ErasedCounts:
    """Numbers of turns and vectors that a deletion takes."""

    turns: int
    vectors: int


def lookups(memory: str, seqs: Sequence[int]) -> list[Statement]:
    """Return statements for the blocks and vectors of turns."""
    values = {"memory": memory, "seqs": list(set(seqs))}
    return [(_BLOCKS, values), (_VECTORS, values)]


def erase(writing: WriteTransaction, memory: str, seqs: Sequence[int], rows: Sequence[Rows]) -> ErasedCounts:
    """Let the deletion of turns wait, and of all that tells of them, but names."""
    blocks, vectors = rows
    erased_seqs = set(seqs)
    session_seqs = [
        (session, seq) for _, session, block_seqs, *_ in blocks for seq in erased_seqs.intersection(block_seqs)
    ]
    turns = len(session_seqs)
    if not turns:
        return ErasedCounts(0, 0)
    writing.head.change += 1
    _erase_readings(writing, memory, session_seqs)
    for table in ("turn", "turn_use", "reading", "work"):
        writing.do(_DELETE.format(table=table), {"memory": memory, "seqs": list(erased_seqs)})
    for number, _, seqs_of_block, members, texts in blocks:
        _shrink(writing, memory, number, erased_seqs, unpack_members(number, seqs_of_block, members), texts)
    return ErasedCounts(turns, sum(_take_vectors(writing, memory, erased_seqs, *row) for row in vectors))


def prune_names(writing: WriteTransaction, memory: str) -> tuple[int, int]:
    """Remove ids of sessions and names of speakers that no turn has; return the number of each.

    Their numbers are never given again.
    """
    values = {"memory": memory}
    statements = [*writing.take(), (_SESSIONS, values), (_SPEAKERS, values), (_ROLES, values)]
    *_, sessions, speakers, _ = writing.ask(*statements)
    return len(sessions), len(speakers)


def _shrink(
    writing: WriteTransaction,
    memory: str,
    number: int,
    erased_seqs: set[int],
    members: Sequence[Member],
    texts: Sequence[bytes],
) -> None:
    pairs = [(member, text) for member, text in zip(members, texts, strict=True) if member.seq not in erased_seqs]
    remaining = [member for member, _ in pairs]
    times = [member.said for member in remaining]
    values: list[Any] = [
        len(remaining), writing.head.change, min(times, default=None), max(times, default=None),
        sorted({member.speaker for member in remaining}), [member.seq for member in remaining], memory, number,
    ]  # fmt: skip
    writing.do(_SHRINK, values)
    writing.do(_NO_TEXTS, (memory, number))
    if pairs:
        writing.do(_KEEP_TEXTS, (memory, number, pack_members(remaining), [text for _, text in pairs]))


def _take_vectors(
    writing: WriteTransaction,
    memory: str,
    erased_seqs: set[int],
    generation: int,
    block: int,
    part: int,
    seqs: Sequence[int],
    codes: bytes,
) -> int:
    """Let the removal of some turns' vectors from a part wait; return their number."""
    row_numbers = [row for row, seq in enumerate(seqs) if seq not in erased_seqs]
    if not row_numbers:
        writing.do(_NO_VECTORS, (memory, generation, block, part))
    elif len(row_numbers) < len(seqs):
        rows = np.frombuffer(codes, np.uint8).reshape(len(seqs), -1)[row_numbers].tobytes()
        row_seqs = [seqs[row_number] for row_number in row_numbers]
        writing.do(_KEEP_VECTORS, (row_seqs, rows, memory, generation, block, part))
    return len(seqs) - len(row_numbers)


def _erase_readings(writing: WriteTransaction, memory: str, session_seqs: Sequence[tuple[int, int]]) -> None:
    """Remove results of models that may tell of turns, given by session and number.

    These are the content of readings for which one of the turns was shown, every answer, every waiting reaction, and
    the errors of attempts.
    """
    settings = writing.head.settings
    settings[ERASURES] = str(int(settings.get(ERASURES, "0")) + 1)
    settings.pop(PAIRED, None)
    writing.do("DELETE FROM hmem.answer WHERE memory = %s", (memory,))
    writing.do("DELETE FROM hmem.reaction WHERE memory = %s", (memory,))
    writing.do("UPDATE hmem.work SET error = NULL WHERE memory = %s AND error IS NOT NULL", (memory,))
    if READINGS in settings:
        readings = writing.ask((_READINGS, {"memory": memory}))[0]
        stained = [seq for seq, first, last, session in readings
                   if any(session == turn_session and first <= turn_seq <= last
                          for turn_session, turn_seq in session_seqs)]  # fmt: skip
        renumber(writing, memory, stained, clear=True)


def renumber(writing: WriteTransaction, memory: str, seqs: Sequence[int], *, clear: bool) -> None:
    """Let it wait to give readings the next numbers, and to remove their content if ``clear``."""
    if not seqs:
        return
    number = next_numbers(writing, len(seqs))
    content = ", content = NULL" if clear else ""
    writing.do(
        f"""UPDATE hmem.reading AS reading SET number = given.number{content}
            FROM unnest(%s::bigint[], %s::bigint[]) AS given(seq, number)
            WHERE reading.memory = %s AND reading.seq = given.seq""",
        (sorted(seqs), list(range(number, number + len(seqs))), memory),
    )


def next_numbers(writing: WriteTransaction, count: int) -> int:
    """Reserve numbers for readings and return the first."""
    settings = writing.head.settings
    last = int(settings.get(READINGS, "0"))
    settings[READINGS] = str(last + count)
    return last + 1
