"""How similar turns are to a question: by meaning, and by words, as terms for any rows of a memory."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus import Corpus
from hmem.index.scales import Scores
from hmem.index.tail import TURN, WINDOW
from hmem.read.plan import Query
from hmem.read.score.combine import weighted_sum

Rows = NDArray[np.int64]
Values = NDArray[np.float32]

# By meaning alone the papers rank; by meaning and words those of our recipes that are told to.
SEMANTIC: Final[Mapping[str, float]] = {"semantic.turn": 1.0}
HYBRID: Final[Mapping[str, float]] = {
    "semantic.turn": 1.0,
    "semantic.window": 1.0,
    "lexical.turn": 2.2,
    "lexical.window": 2.2,
    "speaker": 0.45,
}

# A larger memory's turns beyond so many are taken to reach half of what the search left out.
_LISTED: Final = 2_000


class Similarity:
    """Gives the terms of rows for one question. Use it inside ``corpus.reading()``."""

    def __init__(self, corpus: Corpus, query: Query, *, hybrid: bool) -> None:
        self.weights = HYBRID if hybrid else SEMANTIC
        self._corpus = corpus
        self._query = query
        self._found = {s: corpus.lexical(s, query.terms, _LISTED) for s in (TURN, WINDOW)} if hybrid else {}
        # A small memory is measured whole, once.
        small = len(corpus.columns) <= _LISTED
        self._all = self._measured(np.arange(len(corpus.columns))) if small else None

    def terms(self, rows: Rows) -> dict[str, Values]:
        """What each row is worth by each term of ``weights``."""
        if self._all is None:
            return self._measured(rows)
        return {name: values[rows] for name, values in self._all.items()}

    def candidates(self, limit: int) -> Rows:
        """Rows of the whole memory that the question allows, among which are the best ``limit`` of them.

        Of a large memory, those of the nearest vectors and, if words count, of the best lexical scores.
        """
        columns, query = self._corpus.columns, self._query
        living = columns.alive if query.allowed is None else columns.alive & query.allowed
        if self._all is not None or (query.allowed is not None and living.sum() <= _LISTED):
            return np.flatnonzero(living)
        found = [_best(scores, limit) for scores in self._found.values()]
        share = 1.0 if query.allowed is None else len(columns) / max(int(living.sum()), 1)
        near = permitted(query, self._corpus.nearest(query.vector, int(2 * limit * share)))
        # What is allowed may lie far from the question, all of it: then all of it is looked at.
        return (
            np.flatnonzero(living)
            if len(near) < limit
            else np.unique(np.concatenate([near, *(permitted(query, rows) for rows in found)]))
        )

    def best(self, rows: Rows, limit: int) -> Rows:
        """The rows most similar to the question, most similar first."""
        if not len(rows):
            return rows
        total = weighted_sum(self.terms(rows), self.weights)
        return rows[np.argsort(-total, kind="stable")[:limit]]

    def _measured(self, rows: Rows) -> dict[str, Values]:
        by_turn, by_window = self._corpus.cosines(self._query.vector, rows, windows=bool(self._found))
        if not self._found:
            return {"semantic.turn": by_turn}
        return {
            "semantic.turn": by_turn,
            "semantic.window": by_window.astype(np.float32),
            "lexical.turn": _values(self._found[TURN], rows),
            "lexical.window": _values(self._found[WINDOW], rows),
            "speaker": np.isin(self._corpus.columns.speaker[rows], self._query.speakers).astype(np.float32),
        }


def permitted(query: Query, rows: Rows) -> Rows:
    """Those of the rows that the question allows."""
    return rows if query.allowed is None else rows[query.allowed[rows]]


def _best(scores: Scores, limit: int) -> Rows:
    if len(scores.keys) <= limit:
        return scores.keys
    return scores.keys[np.argpartition(-scores.values, limit)[:limit]]


def _values(scores: Scores, rows: Rows) -> Values:
    """A score for each row; one that a cut search left out is taken to reach half of what it may."""
    if not len(scores.keys):
        return np.zeros(len(rows), np.float32)
    at = np.minimum(np.searchsorted(scores.keys, rows), len(scores.keys) - 1)
    return np.where(scores.keys[at] == rows, scores.values[at], np.float32(scores.floor / 2))
