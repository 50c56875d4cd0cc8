"""Parts that statements share. They look rows up by their keys, whatever the planner believes of the tables."""

from typing import Final

# Turns with the numbers ``seqs``.
GIVEN_TURNS: Final = """
    FROM unnest(%(seqs)s::bigint[]) AS given(seq)
    JOIN hmem.turn AS turn ON turn.memory = %(memory)s AND turn.seq = given.seq"""
# Numbers of the blocks that hold them.
THEIR_BLOCKS: Final = f"ARRAY(SELECT DISTINCT turn.block {GIVEN_TURNS})"
