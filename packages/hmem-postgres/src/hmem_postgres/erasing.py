"""Deletion of turns from Postgres, with all that depends on them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hmem.storage.base import Member
from hmem.storage.model_queue import ERASED, PAIRED, READINGS
from hmem_postgres.packing import pack_members, unpack_members
from hmem_postgres.parts import THEIR_BLOCKS
from hmem_postgres.transactions import Rows, Statement, WriteTransaction

_BLOCKS: Final = f"""
    SELECT number, session, seqs, members, texts FROM hmem.block
    WHERE memory = %(memory)s AND number = ANY({THEIR_BLOCKS})"""
_VECTORS: Final = f"""
    SELECT generation, block, seqs, codes FROM hmem.vector WHERE memory = %(memory)s AND block = ANY({THEIR_BLOCKS})"""
# Readings with the session of their turn, and what the model was shown for them.
_READINGS: Final = """
    SELECT seq, first, last, (SELECT block.session FROM hmem.turn AS turn JOIN hmem.block AS block
        ON block.memory = turn.memory AND block.number = turn.block
        WHERE turn.memory = reading.memory AND turn.seq = reading.seq)
    FROM hmem.reading AS reading WHERE memory = %s AND content IS NOT NULL ORDER BY seq"""
_DELETE: Final = """
    DELETE FROM hmem.{table} AS kept USING unnest(%(seqs)s::bigint[]) AS given(seq)
    WHERE kept.memory = %(memory)s AND kept.seq = given.seq"""
_SHRINK: Final = """
    UPDATE hmem.block SET turns = %s, changed = %s, said_first = %s, said_last = %s, speakers = %s::bigint[],
        seqs = %s::bigint[], members = %s, texts = %s::bytea[] WHERE memory = %s AND number = %s"""
_KEEP_VECTORS: Final = """
    UPDATE hmem.vector SET seqs = %s::bigint[], codes = %s WHERE memory = %s AND generation = %s AND block = %s"""
_NO_VECTORS: Final = "DELETE FROM hmem.vector WHERE memory = %s AND generation = %s AND block = %s"
_SESSIONS: Final = """
    DELETE FROM hmem.session AS session WHERE memory = %s AND NOT EXISTS (SELECT 1 FROM hmem.block AS block
        WHERE block.memory = session.memory AND block.session = session.number AND block.turns > 0) RETURNING number"""
_SPEAKERS: Final = """
    DELETE FROM hmem.speaker AS speaker WHERE memory = %s AND NOT EXISTS (SELECT 1 FROM hmem.turn AS turn
        WHERE turn.memory = speaker.memory AND turn.speaker = speaker.number) RETURNING number"""
# A speaker's role, too, came from a turn.
_ROLES: Final = """
    UPDATE hmem.speaker AS speaker SET role = (SELECT role FROM hmem.turn AS turn WHERE turn.memory = speaker.memory
        AND turn.speaker = speaker.number AND role IS NOT NULL ORDER BY seq LIMIT 1)
    WHERE memory = %s AND role IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hmem.turn AS turn
        WHERE turn.memory = speaker.memory AND turn.speaker = speaker.number AND turn.role = speaker.role)"""


@dataclass(frozen=True, slots=True)
class Gone:
    """Numbers of turns and vectors that a deletion takes."""

    turns: int
    vectors: int


def lookups(memory: str, seqs: Sequence[int]) -> list[Statement]:
    """Return statements for the blocks and vectors of turns."""
    values = {"memory": memory, "seqs": list(set(seqs))}
    return [(_BLOCKS, values), (_VECTORS, values)]


def erase(writing: WriteTransaction, memory: str, seqs: Sequence[int], found: Sequence[Rows]) -> Gone:
    """Let the deletion of turns wait, and of all that tells of them, but names."""
    blocks, vectors = found
    wanted = set(seqs)
    gone = [(session, seq) for _, session, kept, *_ in blocks for seq in wanted.intersection(kept)]
    turns = len(gone)
    if not turns:
        return Gone(0, 0)
    writing.head.change += 1
    _unread(writing, memory, gone)
    for table in ("turn", "turn_use", "reading", "work"):
        writing.do(_DELETE.format(table=table), {"memory": memory, "seqs": list(wanted)})
    for number, _, kept, members, texts in blocks:
        _shrink(writing, memory, number, wanted, unpack_members(number, kept, members), texts)
    return Gone(turns, sum(_take_vectors(writing, memory, wanted, *row) for row in vectors))


def prune_names(writing: WriteTransaction, memory: str) -> tuple[int, int]:
    """Remove ids of sessions and names of speakers that no turn has; return the number of each.

    Their numbers are never given again.
    """
    sent = [*writing.take(), (_SESSIONS, (memory,)), (_SPEAKERS, (memory,)), (_ROLES, (memory,))]
    *_, sessions, speakers, _ = writing.ask(*sent)
    return len(sessions), len(speakers)


def _shrink(
    writing: WriteTransaction,
    memory: str,
    number: int,
    wanted: set[int],
    members: Sequence[Member],
    texts: Sequence[bytes],
) -> None:
    kept = [(member, text) for member, text in zip(members, texts, strict=True) if member.seq not in wanted]
    left = [member for member, _ in kept]
    said = [member.said for member in left]
    values: list[Any] = [
        len(left), writing.head.change, min(said, default=None), max(said, default=None),
        sorted({member.speaker for member in left}), [member.seq for member in left], pack_members(left),
        [text for _, text in kept], memory, number,
    ]  # fmt: skip
    writing.do(_SHRINK, values)


def _take_vectors(
    writing: WriteTransaction,
    memory: str,
    wanted: set[int],
    generation: int,
    block: int,
    seqs: Sequence[int],
    codes: bytes,
) -> int:
    """Let the removal of a block's vectors of some turns wait; return their number."""
    kept = [place for place, seq in enumerate(seqs) if seq not in wanted]
    if not kept:
        writing.do(_NO_VECTORS, (memory, generation, block))
    elif len(kept) < len(seqs):
        rows = np.frombuffer(codes, np.uint8).reshape(len(seqs), -1)[kept].tobytes()
        writing.do(_KEEP_VECTORS, ([seqs[place] for place in kept], rows, memory, generation, block))
    return len(seqs) - len(kept)


def _unread(writing: WriteTransaction, memory: str, gone: Sequence[tuple[int, int]]) -> None:
    """Remove results of models that may tell of turns, given by session and number.

    These are the content of readings for which one of the turns was shown, every answer, every waiting reaction, and
    the errors of attempts.
    """
    settings = writing.head.settings
    settings[ERASED] = str(int(settings.get(ERASED, "0")) + 1)
    settings.pop(PAIRED, None)
    writing.do("DELETE FROM hmem.answer WHERE memory = %s", (memory,))
    writing.do("DELETE FROM hmem.reaction WHERE memory = %s", (memory,))
    writing.do("UPDATE hmem.work SET error = NULL WHERE memory = %s AND error IS NOT NULL", (memory,))
    if READINGS in settings:
        shown = writing.ask((_READINGS, (memory,)))[0]
        stained = [seq for seq, first, last, session in shown
                   if any(session == place and first <= each <= last for place, each in gone)]  # fmt: skip
        renumber(writing, memory, stained, emptied=True)


def renumber(writing: WriteTransaction, memory: str, seqs: Sequence[int], *, emptied: bool) -> None:
    """Let it wait to give readings the next numbers, and to remove their content if ``emptied``."""
    if not seqs:
        return
    number = next_numbers(writing, len(seqs))
    content = ", content = NULL" if emptied else ""
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
