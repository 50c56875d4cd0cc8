"""Consistency check of the indices against the storage."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.rows import TurnRows
from hmem.corpus.index.scales import LexicalScales
from hmem.errors import IndexDamaged
from hmem.storage.base import Storage

_SAME: Final = 0.01
# The rough form of a vector has a cosine of .9 and more with it.
_ALIKE: Final = 0.5
_TURNS_AT_ONCE: Final = 4_096

Kept = Callable[[Sequence[int]], NDArray[np.float32]]


def index_problems(storage: Storage, rows: TurnRows, lexical: LexicalScales, kept: Kept) -> list[str]:
    """Return the differences between the indices and the storage; call it while they hold the same change.

    ``kept`` returns the stored vectors of turns, zeros for a turn without one.
    """
    problems: list[str] = []
    seqs = storage.matching()
    try:
        held = {"columns": np.sort(rows.columns.seq[rows.columns.alive]), "lexical index": lexical.keys()}
    except IndexDamaged as error:
        return [str(error)]
    for name, found in held.items():
        if not np.array_equal(found, seqs):
            wrong = len(np.setxor1d(found, seqs)) or abs(len(found) - len(seqs))
            problems.append(f"the {name} and the truth differ in {wrong} turns - run `hmem rebuild`")
    if wrong := _wrong_vectors(rows, seqs, kept):
        problems.append(f"the vector index has {wrong} wrong vectors - run `hmem rebuild`")
    return problems


def _wrong_vectors(held: TurnRows, seqs: NDArray[np.int64], kept: Kept) -> int:
    wrong = 0
    for start in range(0, len(seqs), _TURNS_AT_ONCE):
        chunk = seqs[start : start + _TURNS_AT_ONCE]
        rows = held.columns.rows_of(chunk)
        truth, found = kept(chunk[rows >= 0].tolist()), held.vectors_of(rows[rows >= 0])
        # Both were rounded once and alike, so they should be equal; NaN counts as a difference.
        same = np.linalg.norm(truth - found, axis=1) <= _SAME
        alike = (held.searched_vectors_of(rows[rows >= 0]) * truth).sum(axis=1) >= _ALIKE
        wrong += int((~(same & (alike | ~truth.any(axis=1)))).sum())
    return wrong
