"""Summaries without a model: an extract that names who and when, within a bound of tokens."""

import heapq
from collections.abc import Sequence
from typing import Final

from hmem.language.analyst.base import Line
from hmem.language.analyst.rules.pieces import pieces
from hmem.language.analyst.rules.selection import choose, tell

# Lines and sentences that are read at most; of more, the weightiest.
_LINES: Final = 200
_PIECES: Final = 400


def summarise(group: Sequence[Line], tokens: int) -> str:
    """What a group of lines says, in at most ``tokens`` tokens; empty when nothing is said or nothing fits."""
    lines = group
    if len(group) > _LINES:
        kept = heapq.nlargest(_LINES, range(len(group)), key=lambda i: (group[i].importance, i))
        lines = [group[i] for i in sorted(kept)]
    told = pieces(lines)
    if len(told) > _PIECES:
        kept = heapq.nlargest(_PIECES, range(len(told)), key=lambda i: (told[i].worth * len(told[i].stems), i))
        told = [told[i] for i in sorted(kept)]
    chosen = choose(told, tokens) or told[:1]
    return tell(chosen, tokens)
