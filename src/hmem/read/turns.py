"""Turns as they were said, each fetched once: the same ones are recalled again and again."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus import Corpus
from hmem.model.turn import Turn

Rows = NDArray[np.int64]

# Turns; some 1 KB each.
_REMEMBERED: Final = 10_000


class Turns:
    """The turns of one memory, forgotten as soon as anything in it changes. Use it inside ``corpus.reading()``."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._at = corpus.watermark
        self._known: dict[int, Turn] = {}
        self._seqs: dict[str, int] = {}

    def of(self, rows: Rows) -> dict[int, Turn]:
        """The turns of these rows, by row; one that another process has just deleted is missing."""
        self._keep_up()
        seqs: list[int] = self._corpus.columns.seq[rows].tolist()
        missing = [seq for seq in seqs if seq not in self._known]
        if missing:
            if len(self._known) + len(missing) > _REMEMBERED:
                self._forget()
                missing = seqs
            for stored in self._corpus.storage.turns(missing):
                self._known[stored.seq] = stored.turn
                self._seqs[stored.turn.id] = stored.seq
        known = self._known
        return {row: known[seq] for row, seq in zip(rows.tolist(), seqs, strict=True) if seq in known}

    def rows_of(self, ids: Sequence[str]) -> Rows:
        """The rows of turns by id; -1 for one that is unknown."""
        self._keep_up()
        unknown = [each for each in ids if each not in self._seqs]
        seqs = self._seqs | self._corpus.storage.locate(unknown) if unknown else self._seqs
        return self._corpus.columns.rows_of([seqs.get(each, -1) for each in ids])

    def _keep_up(self) -> None:
        if self._at != self._corpus.watermark:
            self._forget()
            self._at = self._corpus.watermark

    def _forget(self) -> None:
        self._known.clear()
        self._seqs.clear()
