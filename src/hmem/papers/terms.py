"""Terms of the papers' scores: similarity by meaning or hybrid, spreading to neighbours, time (T), robustness (R)."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.lexical import BLOCK, Scores
from hmem.corpus.index.rows import Rows, Values
from hmem.model.span import Span, to_stored
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.scoring.terms import HYBRID, SCALES, similarity_terms
from hmem.retrieval.sources import Sources
from hmem.retrieval.statements import model_statements

# Spreading stops where less than this share of a score remains.
_FAINT: Final = 0.02


def best_of(owners: Rows, values: Values, count: int) -> Values:
    """Return the greatest value of each of ``count`` owners; ``owners`` has the owner of each value. -1: no value."""
    best = np.full(count, -1.0, np.float32)
    np.maximum.at(best, owners, values)
    return best


def nearness(seeds: Rows, scores: Values, sessions: NDArray[np.int32], decay: float) -> tuple[Rows, Values]:
    """Return the rows around seeds, ascending, and the best score that spreads to each.

    A seed's score is multiplied by ``decay`` to the power of the distance, in turns of the same session; ``sessions``
    has those of all rows. No seed reaches itself.
    """
    reach = int(np.log(_FAINT) / np.log(decay)) if 0 < decay < 1 else 0
    steps = np.concatenate([np.arange(-reach, 0), np.arange(1, reach + 1)])
    candidates = seeds[:, None] + steps
    in_session = (candidates >= 0) & (candidates < len(sessions))
    in_session &= sessions[np.where(in_session, candidates, 0)] == sessions[seeds][:, None]
    values = np.maximum(scores, 0)[:, None] * np.float32(decay) ** np.abs(steps)
    rows, owners = np.unique(candidates[in_session], return_inverse=True)
    return rows, np.maximum(best_of(owners, values[in_session].astype(np.float32), len(rows)), 0)


# Seconds; avoids a division by zero for two instants, and changes no other score noticeably.
EPSILON: Final = 1e-3
_MICROSECONDS: Final = 1_000_000

Seconds = NDArray[np.float64]


def temporal(starts: Seconds, ends: Seconds, spans: Sequence[Span], balance: float = 0.5) -> Values:
    """Return T of each interval against the best of the question's spans, 0 to 1; 0 for all without spans.

    H-Mem (tree and graph), score T: ``T = balance * |Im & Iq| / (|Im | Iq| + e) + (1 - balance) * (1 - |cm - cq| / (|Im
    | Iq| + e))``, with intervals in seconds since 1970 and ``c`` their centres; an instant has the length 0. The second
    part falls without bound with the distance, so T is cut off at 0: a distant interval scores as one without a time.
    """
    best = np.zeros(len(starts), np.float64)
    for span in spans:
        np.maximum(best, _agreement(starts, ends, seconds(span), balance), out=best)
    return np.clip(best, 0.0, 1.0).astype(np.float32)


def _agreement(starts: Seconds, ends: Seconds, span: tuple[float, float], balance: float) -> Seconds:
    start, end = span
    overlap = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0.0, None)
    union = (ends - starts) + (end - start) - overlap + EPSILON
    distance = np.abs((starts + ends) / 2 - (start + end) / 2)
    return balance * overlap / union + (1 - balance) * (1 - distance / union)


def share_within(starts: Seconds, ends: Seconds, spans: Sequence[Span]) -> Values:
    """Return the share of each interval within the best of the question's spans, 0 to 1; an instant lies in or out.

    A span includes its start and not its end.
    """
    best = np.zeros(len(starts), np.float64)
    for start, end in map(seconds, spans):
        overlap = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0.0, None)
        lengths = ends - starts
        shares = np.where(lengths > 0, overlap / np.maximum(lengths, EPSILON), (starts >= start) & (starts < end))
        np.maximum(best, shares, out=best)
    return np.minimum(best, 1.0).astype(np.float32)


def seconds(span: Span) -> tuple[float, float]:
    """Return the bounds of a span in seconds since 1970."""
    return to_stored(span.start)[0] / _MICROSECONDS, to_stored(span.end)[0] / _MICROSECONDS


TAU_DAYS: Final = 365.0
ETA: Final = 0.5
_DAY: Final = 86_400.0


def robustness(
    question_time: float, refreshed: Seconds, merges: NDArray[np.int64], tau_days: float = TAU_DAYS, eta: float = ETA
) -> Values:
    """Return R of each memory, 0 to 1: ``exp(-(t - r) / (tau * (1 + eta * ln(1 + n))))``.

    Score R of H-Mem (tree and graph). ``question_time`` is t; ``refreshed`` is r, the time of the last consolidation,
    or else of the beginning; both in seconds since 1970. ``merges`` is n, the number of consolidations. A memory
    refreshed after the question has R = 1.
    """
    age = np.clip(question_time - refreshed, 0.0, None)
    lasting = tau_days * _DAY * (1.0 + eta * np.log1p(merges))
    return np.exp(-age / lasting).astype(np.float32)


# Weights of the papers, which score by meaning alone.
SEMANTIC: Final[Mapping[str, float]] = {"semantic.turn": 1.0}

# Turns of a memory that is scored whole, at most.
_MAX_COMPARED_ROWS: Final = 2_000
# Number of the best turns whose statements by a model count too.
_READ: Final = 400


class Similarity:
    """Similarity of turns to one question, by meaning, or hybrid, by words too. Use it inside ``corpus.reading()``."""

    def __init__(self, sources: Sources, query: Query, *, hybrid: bool) -> None:
        corpus = sources.corpus
        self.weights = HYBRID if hybrid else SEMANTIC
        # What a model read in the turns counts too.
        self._statements = model_statements(sources)
        self._corpus = corpus
        self._query = query
        self._found = {s: corpus.lexical(s, query.terms) for s in SCALES} if hybrid else {}
        # A small memory is scored whole, once.
        small = len(corpus.columns) <= _MAX_COMPARED_ROWS
        self._all = self._terms_of(np.arange(len(corpus.columns))) if small else None
        self._totals = None if self._all is None else weighted_sum(self._all, self.weights)

    def terms(self, rows: Rows) -> dict[str, Values]:
        """Return the value of each row for each term of ``weights``."""
        if self._all is None:
            return self._terms_of(rows)
        return {name: values[rows] for name, values in self._all.items()}

    def similarities(self, rows: Rows) -> Values:
        """Return the similarity of each row: the weighted sum of its terms."""
        if not len(rows):
            return np.zeros(0, np.float32)
        return weighted_sum(self._terms_of(rows), self.weights) if self._totals is None else self._totals[rows]

    def candidates(self, limit: int) -> Rows:
        """Return allowed rows that include the best ``limit`` of the whole memory.

        In a large memory they are those with the nearest vectors and, if words count, the best lexical scores.
        """
        columns, query = self._corpus.columns, self._query
        living = columns.alive if query.allowed is None else columns.alive & query.allowed
        if self._all is not None or (query.allowed is not None and living.sum() <= _MAX_COMPARED_ROWS):
            return np.flatnonzero(living)
        best_by_scale = [_best(scores, limit) for scale, scores in self._found.items() if scale != BLOCK]
        share = 1.0 if query.allowed is None else len(columns) / max(int(living.sum()), 1)
        nearest = permitted(query, self._corpus.nearest(query.vector, int(2 * limit * share)))
        # If all allowed rows are far from the question, all of them are candidates.
        return (
            np.flatnonzero(living)
            if len(nearest) < limit
            else np.unique(np.concatenate([nearest, *(permitted(query, rows) for rows in best_by_scale)]))
        )

    def best(self, rows: Rows, limit: int) -> Rows:
        """Return the ``limit`` rows most similar to the question, most similar first."""
        return rows[np.argsort(-self.similarities(rows), kind="stable")[:limit]]

    def _terms_of(self, rows: Rows) -> dict[str, Values]:
        if self._found:
            terms = dict(similarity_terms(self._corpus, self._query, rows, self._found))
        else:
            terms = {"semantic.turn": self._corpus.cosines(self._query.vector, rows, windows=False)[0]}
        if self._statements is not None and len(rows):
            best = _places_of_best(weighted_sum(terms, self.weights), _READ)
            best_terms = {name: values[best] for name, values in terms.items()}
            self._statements.add(self._query, rows[best], best_terms)
            for name, values in best_terms.items():
                terms[name] = terms[name].copy()
                terms[name][best] = values
        return terms


def permitted(query: Query, rows: Rows) -> Rows:
    """Return the rows that the question allows."""
    return rows if query.allowed is None else rows[query.allowed[rows]]


def _best(scores: Scores, limit: int) -> Rows:
    return scores.keys[_places_of_best(scores.values, limit)]


def _places_of_best(values: Values, limit: int) -> Rows:
    return np.arange(len(values)) if len(values) <= limit else np.argpartition(-values, limit)[:limit]
