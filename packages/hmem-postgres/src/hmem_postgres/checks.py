"""Check of a memory's rows: blocks that miscount, and rows that refer to none."""

from collections.abc import Iterator
from typing import Final

import msgspec

from hmem.model.vector import SCALE_BYTES
from hmem.util.amounts import amount
from hmem_postgres.packing import unpack_members, unpack_turn
from hmem_postgres.transactions import BLOCK_MEMBERS, BLOCK_TEXTS, Rows, Transactions

_BLOCKS: Final = f"""
    SELECT number, turns, seqs, {BLOCK_MEMBERS}, {BLOCK_TEXTS}, speakers FROM hmem.block AS block
    WHERE memory = %(memory)s ORDER BY 1"""


def find_problems(transactions: Transactions) -> list[str]:
    """Return the problems of a memory's rows."""
    memory = (transactions.memory,)
    blocks, turns, vectors, nameless = transactions.read(
        (_BLOCKS, {"memory": transactions.memory}),
        ("SELECT seq, block FROM hmem.turn WHERE memory = %s", memory),
        ("SELECT generation, block, seqs, length(codes) FROM hmem.vector WHERE memory = %s ORDER BY 1, 2", memory),
        (
            """SELECT count(*) FROM hmem.turn AS turn WHERE memory = %s AND NOT EXISTS (SELECT 1
               FROM hmem.speaker AS speaker WHERE speaker.memory = %s AND speaker.number = turn.speaker)""",
            memory * 2,
        ),
    )
    problems = [*_of_blocks(blocks, turns), *_of_vectors(vectors, blocks)]
    if nameless[0][0]:
        problems.append(f"{amount(nameless[0][0], 'turn has', 'turns have')} a speaker without a name")
    return problems


def _of_blocks(blocks: Rows, turns: Rows) -> Iterator[str]:
    seqs_by_block: dict[int, set[int]] = {}
    for seq, block in turns:
        seqs_by_block.setdefault(block, set()).add(seq)
    for number, count, seqs, members, texts, speakers in blocks:
        turn_seqs = seqs_by_block.pop(number, set[int]())
        if not count == len(seqs) == len(texts) == len(turn_seqs) or set(seqs) != turn_seqs:
            size_text = f"{len(texts)}, of which {len(turn_seqs)} can be found"
            yield f"block {number} counts {amount(count, 'turn')} and holds {size_text}"
            continue
        try:
            member_speakers = {member.speaker for member in unpack_members(number, seqs, members)}
            for seq, text in zip(seqs, texts, strict=True):
                unpack_turn(seq, "", "", text)
        except (ValueError, msgspec.DecodeError) as error:
            yield f"block {number} cannot be read ({error})"
            continue
        if member_speakers != set(speakers):
            yield f"block {number} names other speakers than its turns"
    for number in sorted(seqs_by_block):
        yield f"turns refer to block {number}, which is missing"


def _of_vectors(vectors: Rows, blocks: Rows) -> Iterator[str]:
    living = {number: set(seqs) for number, _, seqs, *_ in blocks}
    for generation, block, seqs, length in vectors:
        if len(set(seqs)) != len(seqs) or not set(seqs) <= living.get(block, set[int]()):
            yield f"vectors {generation} of block {block} are of turns that it does not have"
        elif length % len(seqs) or length // len(seqs) <= SCALE_BYTES:
            yield f"vectors {generation} of block {block} are cut off"
