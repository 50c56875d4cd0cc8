"""Lexical scores, and how much of them belongs to which size of context.

Semantic scores: cosines of what was found, and how they spread to what lies beside it.

How well a memory's time agrees with the time that a question names (H-Mem, tree and graph: score T).

How well a memory holds with age and consolidation (H-Mem, tree and graph: score R).

How similar turns are to a question: by meaning, and by words, as terms for any rows of a memory.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.scales import Scores
from hmem.corpus.index.tail import TURN, WINDOW
from hmem.model.span import Span, to_stored
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import weighted_sum

Values = NDArray[np.float32]

# Of a turn's words: up to 60 it leans fully on its window, from 100 on it is a context of its own.
_LEANS: Final = 60
_STANDS: Final = 100
_LONG_ENOUGH: Final = 60


# Both are looked up by the number of words, which is a fraction of computing them. What is longer is as the last.
_SHARES: Final = np.clip((_STANDS - np.arange(_STANDS + 1)) / (_STANDS - _LEANS), 0.0, 1.0).astype(np.float32)
_LOG_LENGTHS: Final = (np.log1p(np.arange(_LONG_ENOUGH + 1)) / np.log1p(_LONG_ENOUGH)).astype(np.float32)


def window_share(word_counts: NDArray[np.int32]) -> Values:
    """How much a turn's window says about it, from 1 for a short turn to 0 for a long one.

    A short turn means little without its neighbours; the neighbours of a long one only blur it.
    """
    return _SHARES[np.minimum(word_counts, _STANDS)]


def log_length(word_counts: NDArray[np.int32]) -> Values:
    """How much a turn can tell by its length: 0 for none, 1 from 60 words on, growing as the logarithm."""
    return _LOG_LENGTHS[np.minimum(word_counts, _LONG_ENOUGH)]


Rows = NDArray[np.int64]

# What reaches a neighbour from farther away than this share is as good as nothing.
_FAINT: Final = 0.02


def best_of(owners: Rows, values: Values, count: int) -> Values:
    """The greatest value of each of ``count`` owners, whose numbers stand beside the values; -1 where it has none."""
    best = np.full(count, -1.0, np.float32)
    np.maximum.at(best, owners, values)
    return best


def nearness(seeds: Rows, scores: Values, sessions: NDArray[np.int32], decay: float) -> tuple[Rows, Values]:
    """What reaches the turns around seeds: the best of a seed's score times ``decay`` to the power of its distance.

    The distance is in turns of the same session, ``sessions`` being those of all rows. No seed reaches itself. Rows
    that something reaches come back, ascending, each with what does.
    """
    reach = int(np.log(_FAINT) / np.log(decay)) if 0 < decay < 1 else 0
    steps = np.concatenate([np.arange(-reach, 0), np.arange(1, reach + 1)])
    around = seeds[:, None] + steps
    there = (around >= 0) & (around < len(sessions))
    there &= sessions[np.where(there, around, 0)] == sessions[seeds][:, None]
    values = np.maximum(scores, 0)[:, None] * np.float32(decay) ** np.abs(steps)
    rows, owners = np.unique(around[there], return_inverse=True)
    return rows, np.maximum(best_of(owners, values[there].astype(np.float32), len(rows)), 0)


# In seconds: it keeps the union of two instants from being nothing, and changes no other score.
EPSILON: Final = 1e-3
_MICROSECONDS: Final = 1_000_000

Seconds = NDArray[np.float64]


def temporal(starts: Seconds, ends: Seconds, spans: Sequence[Span], balance: float = 0.5) -> Values:
    """T of each interval against the best of the question's spans, 0 to 1; 0 for all when it names no time.

    ``T = balance * |Im & Iq| / (|Im | Iq| + e) + (1 - balance) * (1 - |cm - cq| / (|Im | Iq| + e))``, with intervals in
    seconds since 1970 and ``c`` their centres; an instant has the length 0. The second part falls without bound with
    the distance, so that T is cut off at 0: what is far is as good as what has no time at all.
    """
    best = np.zeros(len(starts), np.float64)
    for span in spans:
        np.maximum(best, _agreement(starts, ends, seconds(span), balance), out=best)
    return np.clip(best, 0.0, 1.0).astype(np.float32)


def _agreement(starts: Seconds, ends: Seconds, asked: tuple[float, float], balance: float) -> Seconds:
    start, end = asked
    shared = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0.0, None)
    union = (ends - starts) + (end - start) - shared + EPSILON
    apart = np.abs((starts + ends) / 2 - (start + end) / 2)
    return balance * shared / union + (1 - balance) * (1 - apart / union)


def share_within(starts: Seconds, ends: Seconds, spans: Sequence[Span]) -> Values:
    """How much of each interval lies within the question's spans, the best of them, 0 to 1; an instant lies in or out.

    A span includes its start and not its end.
    """
    best = np.zeros(len(starts), np.float64)
    for start, end in map(seconds, spans):
        shared = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0.0, None)
        lengths = ends - starts
        inside = np.where(lengths > 0, shared / np.maximum(lengths, EPSILON), (starts >= start) & (starts < end))
        np.maximum(best, inside, out=best)
    return np.minimum(best, 1.0).astype(np.float32)


def seconds(span: Span) -> tuple[float, float]:
    """The bounds of a span in seconds since 1970."""
    return to_stored(span.start)[0] / _MICROSECONDS, to_stored(span.end)[0] / _MICROSECONDS


TAU_DAYS: Final = 365.0
ETA: Final = 0.5
_DAY: Final = 86_400.0


def robustness(
    asked: float, refreshed: Seconds, merges: NDArray[np.int64], tau_days: float = TAU_DAYS, eta: float = ETA
) -> Values:
    """R of each memory, 0 to 1: ``exp(-(t - r) / (tau * (1 + eta * ln(1 + n))))``.

    ``asked`` is t and ``refreshed`` r, when a memory was consolidated last or else began, both in seconds since 1970;
    ``merges`` is n, how often it was consolidated. What was refreshed after the question is as fresh as can be.
    """
    age = np.clip(asked - refreshed, 0.0, None)
    lasting = tau_days * _DAY * (1.0 + eta * np.log1p(merges))
    return np.exp(-age / lasting).astype(np.float32)


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
