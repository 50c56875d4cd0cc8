"""Pieces of a memory of another storage, written into Postgres with the numbers that they have there."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from hmem.model.vector import pack
from hmem.storage.base import COPYING, Member, Piece, StoredTurn
from hmem_postgres import placing
from hmem_postgres.chunks import keep_chunks
from hmem_postgres.due import add_due
from hmem_postgres.log import entry_row
from hmem_postgres.packing import digest, pack_members, pack_turn
from hmem_postgres.transactions import WriteTransaction

_COLUMNS: Final = {
    "speaker": ("number", "digest", "name", "role"),
    "session": ("number", "digest", "name"),
    "block": (
        "filled", "turns", "changed", "said_first", "said_last", "speakers", "seqs", "members", "texts", "number",
        "session", "owner",
    ),
    "turn": placing.TURN_COLUMNS,
    "vector": ("generation", "block", "seqs", "codes"),
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
    "speaker": ("number",), "session": ("number",), "block": ("number",), "turn": ("seq",),
    "vector": ("generation", "block"), "log": ("number",), "turn_use": ("seq",), "reading": ("seq",),
    "answer": ("digest",), "reaction": ("seq",), "spending": ("day", "purpose", "model"),
}  # fmt: skip
_TYPES: Final = {"speakers": "bigint[]", "seqs": "bigint[]", "texts": "bytea[]", "about": "bytea[]"}


def restore(writing: WriteTransaction, memory: str, piece: Piece) -> None:
    """Let all of a piece wait; what has its number is replaced."""

    def put(table: str, rows: Iterable[Sequence[Any]]) -> None:
        for row in rows:
            writing.do(_statement(table), (memory, *row))

    put("speaker", ((each.number, digest(each.name), each.name, each.role) for each in piece.speakers))
    blocks = _by_block(piece)
    sessions = {member.session: stored.turn.session for some in blocks.values() for member, stored in some}
    put("session", ((number, digest(name), name) for number, name in sessions.items()))
    put("block", _block_rows(piece, blocks))
    put("turn", (placing.turn_row(stored.turn, member.seq, member.block, member.speaker)
                 for some in blocks.values() for member, stored in some))  # fmt: skip
    put("vector", _vector_rows(piece))
    step = piece.formed.step if piece.formed is not None else 1
    keep_chunks(writing, memory, piece.chunks, step)
    put("log", map(entry_row, piece.entries))
    put("turn_use", piece.uses)
    put("reading", piece.readings)
    put("answer", piece.answers)
    put("reaction", (each[:2] for each in piece.unjudged))
    put("spending", piece.spending)
    _count(writing, memory, piece)
    if COPYING not in writing.head.settings:
        # The copy is whole; what waited for a model in its source waits here.
        add_due(writing, memory)


def _statement(table: str) -> str:
    """Return a statement that puts a row into a table, in the place of the one with its key."""
    columns, key = _COLUMNS[table], _KEYS[table]
    places = ", ".join(f"%s::{_TYPES[name]}" if name in _TYPES else "%s" for name in columns)
    others = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in key)
    return f"""INSERT INTO hmem.{table} (memory, {", ".join(columns)}) VALUES (%s, {places})
        ON CONFLICT (memory, {", ".join(key)}) DO UPDATE SET {others}"""


def _by_block(piece: Piece) -> dict[int, list[tuple[Member, StoredTurn]]]:
    blocks: dict[int, list[tuple[Member, StoredTurn]]] = {}
    for member, stored in zip(piece.members, piece.turns, strict=True):
        blocks.setdefault(member.block, []).append((member, stored))
    return blocks


def _block_rows(piece: Piece, blocks: dict[int, list[tuple[Member, StoredTurn]]]) -> Iterable[Sequence[Any]]:
    for block in piece.blocks:
        some = sorted(blocks.get(block.number, []), key=lambda each: each[0].seq)
        if not some:
            continue
        members, turns = [member for member, _ in some], [stored.turn for _, stored in some]
        said = [member.said for member in members]
        owner = turns[0].user
        yield (
            len(some), len(some), block.changed, min(said), max(said), sorted({member.speaker for member in members}),
            [member.seq for member in members], pack_members(members), [pack_turn(turn) for turn in turns],
            block.number, members[0].session, None if owner is None else digest(owner),
        )  # fmt: skip


def _vector_rows(piece: Piece) -> Iterable[Sequence[Any]]:
    homes = {member.seq: member.block for member in piece.members}
    places: dict[int, list[int]] = {}
    seqs = piece.seqs.tolist()
    for place, seq in enumerate(seqs):
        places.setdefault(homes[seq], []).append(place)
    codes = pack(piece.vectors)
    for block, some in places.items():
        yield piece.generation, block, [seqs[place] for place in some], codes[some].tobytes()


def _count(writing: WriteTransaction, memory: str, piece: Piece) -> None:
    """Set the counters of the piece; the numbers that it brings are given to nobody else."""
    head = writing.head
    head.change = head.change if piece.change is None else piece.change
    head.used = head.used if piece.used is None else piece.used
    head.formed = head.formed if piece.formed is None else piece.formed
    head.recorded = max([head.recorded, *(entry.number for entry in piece.entries)])
    head.speakers = max([head.speakers, *(each.number for each in piece.speakers)])
    head.sessions = max([head.sessions, *(member.session for member in piece.members)])
    head.blocks = max([head.blocks, *(block.number for block in piece.blocks)])
    head.set(piece.settings)
    if piece.memory is not None:
        writing.do("UPDATE hmem.memory SET id = %s WHERE memory = %s", (piece.memory, memory))
