"""Pieces of a memory of another storage, written into Postgres with the numbers that they have there."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from hmem.model.vector import pack
from hmem.storage.base import COPYING, CopyBatch, Member, StoredTurn
from hmem_postgres import placement
from hmem_postgres.chunks import keep_chunks
from hmem_postgres.log import entry_row
from hmem_postgres.packing import digest, pack_members, pack_turn
from hmem_postgres.transactions import WriteTransaction, add_due

_COLUMNS: Final = {
    "speaker": ("number", "digest", "name", "role"),
    "session": ("number", "digest", "name"),
    "block": (
        "filled", "turns", "changed", "said_first", "said_last", "speakers", "seqs", "number",
        "session", "owner",
    ),
    "text": ("block", "part", "members", "texts"),
    "turn": tuple(placement.TURN_COLUMNS),
    "vector": ("generation", "block", "part", "seqs", "codes"),
    "log": (
        "at", "by", "verb", "target", "why", "before", "after", "link", "key", "number", "about", "once",
    ),
    "turn_use": ("seq", "uses", "last", "step"),
    "reading": ("seq", "first", "last", "made_by", "content", "number"),
    "answer": ("digest", "kind", "made_by", "content"),
    "reaction": ("seq", "content"),
    "spending": ("day", "purpose", "model", "calls", "input_tokens", "output_tokens", "cost", "failures"),
}  # fmt: skip
_KEYS: Final = {
    "speaker": ("number",), "session": ("number",), "block": ("number",), "text": ("block", "part"), "turn": ("seq",),
    "vector": ("generation", "block", "part"), "log": ("number",), "turn_use": ("seq",), "reading": ("seq",),
    "answer": ("digest",), "reaction": ("seq",), "spending": ("day", "purpose", "model"),
}  # fmt: skip
_TYPES: Final = {"speakers": "bigint[]", "seqs": "bigint[]", "texts": "bytea[]", "about": "bytea[]"}


def restore(writing: WriteTransaction, memory: str, batch: CopyBatch) -> None:
    """Let all of a piece wait; what has its number is replaced."""

    def insert(table: str, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            writing.do(_statement(table), (memory, *row))

    insert(
        "speaker", ((speaker.number, digest(speaker.name), speaker.name, speaker.role) for speaker in batch.speakers)
    )
    blocks = _by_block(batch)
    sessions = {member.session: stored_turn.turn.session for pairs in blocks.values() for member, stored_turn in pairs}
    insert("session", ((number, digest(name), name) for number, name in sessions.items()))
    insert("block", _block_rows(batch, blocks))
    in_order = {number: sorted(pairs, key=lambda pair: pair[0].seq) for number, pairs in blocks.items()}
    insert("text", ((number, 0, pack_members([member for member, _ in pairs]),
                     [pack_turn(stored_turn.turn) for _, stored_turn in pairs])
                    for number, pairs in in_order.items()))  # fmt: skip
    insert("turn", (placement.turn_row(stored_turn.turn, member.seq, member.block, member.speaker)
                 for pairs in blocks.values() for member, stored_turn in pairs))  # fmt: skip
    insert("vector", _vector_rows(batch))
    step = batch.progress.step if batch.progress is not None else 1
    keep_chunks(writing, batch.chunks, step)
    insert("log", map(entry_row, batch.entries))
    insert("turn_use", batch.uses)
    insert("reading", batch.readings)
    insert("answer", batch.answers)
    insert("reaction", (reaction[:2] for reaction in batch.reactions))
    insert("spending", batch.spending)
    _count(writing, memory, batch)
    if COPYING not in writing.head.settings:
        # The copy is whole; what waited for a model in its source waits here.
        add_due(writing, memory)


def _statement(table: str) -> str:
    """Return a statement that puts a row into a table, in the place of the one with its key."""
    columns, key = _COLUMNS[table], _KEYS[table]
    placeholders = ", ".join(f"%s::{_TYPES[name]}" if name in _TYPES else "%s" for name in columns)
    assignments = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    return f"""INSERT INTO hmem.{table} (memory, {", ".join(columns)}) VALUES (%s, {placeholders})
        ON CONFLICT (memory, {", ".join(key)}) DO UPDATE SET {assignments}"""


def _by_block(batch: CopyBatch) -> dict[int, list[tuple[Member, StoredTurn]]]:
    blocks: dict[int, list[tuple[Member, StoredTurn]]] = {}
    for member, stored_turn in zip(batch.members, batch.turns, strict=True):
        blocks.setdefault(member.block, []).append((member, stored_turn))
    return blocks


def _block_rows(batch: CopyBatch, blocks: dict[int, list[tuple[Member, StoredTurn]]]) -> Iterable[Sequence[Any]]:
    for block in batch.blocks:
        pairs = sorted(blocks.get(block.number, []), key=lambda pair: pair[0].seq)
        if not pairs:
            continue
        members, turns = [member for member, _ in pairs], [stored_turn.turn for _, stored_turn in pairs]
        times = [member.said for member in members]
        owner = turns[0].user
        yield (
            len(turns), len(turns), block.change, min(times), max(times),
            sorted({member.speaker for member in members}), [member.seq for member in members],
            block.number, members[0].session, None if owner is None else digest(owner),
        )  # fmt: skip


def _vector_rows(batch: CopyBatch) -> Iterable[Sequence[Any]]:
    homes = {member.seq: member.block for member in batch.members}
    positions: dict[int, list[int]] = {}
    seqs = batch.seqs.tolist()
    for position, seq in enumerate(seqs):
        positions.setdefault(homes[seq], []).append(position)
    codes = pack(batch.vectors)
    for block, block_positions in positions.items():
        yield (
            batch.generation,
            block,
            0,
            [seqs[position] for position in block_positions],
            codes[block_positions].tobytes(),
        )


def _count(writing: WriteTransaction, memory: str, batch: CopyBatch) -> None:
    """Set the counters of the piece; the numbers that it brings are given to nobody else."""
    head = writing.head
    head.change = head.change if batch.change is None else batch.change
    head.used = head.used if batch.used is None else batch.used
    head.formed = head.formed if batch.progress is None else batch.progress
    head.recorded = max([head.recorded, *(entry.number for entry in batch.entries)])
    head.speakers = max([head.speakers, *(speaker.number for speaker in batch.speakers)])
    head.sessions = max([head.sessions, *(member.session for member in batch.members)])
    head.blocks = max([head.blocks, *(block.number for block in batch.blocks)])
    head.set(batch.settings)
    if batch.memory is not None:
        writing.do("UPDATE hmem.memory SET id = %s WHERE memory = %s", (batch.memory, memory))
