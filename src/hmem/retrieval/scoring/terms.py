"""Terms of a score: lexical and semantic similarity, spreading to neighbours, time (T) and robustness (R)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.scales import Scores
from hmem.corpus.index.tail import BLOCK, TURN, WINDOW
from hmem.model.span import Span, to_stored
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import TermRows, weighted_sum

if TYPE_CHECKING:
    from hmem.retrieval.statements import ModelStatements

Values = NDArray[np.float32]

# Words of a turn up to which its window counts fully, and from which on it does not count.
_SHORT: Final = 60
_LONG: Final = 100
_LONG_ENOUGH: Final = 60


# Tables by the number of words, as a lookup is much faster than computing them; longer turns have the last value.
_SHARES: Final = np.clip((_LONG - np.arange(_LONG + 1)) / (_LONG - _SHORT), 0.0, 1.0).astype(np.float32)
_LOG_LENGTHS: Final = (np.log1p(np.arange(_LONG_ENOUGH + 1)) / np.log1p(_LONG_ENOUGH)).astype(np.float32)


def window_share(word_counts: NDArray[np.int32]) -> Values:
    """Return the share of a turn's neighbours in its window, from 1 for a short turn to 0 for a long one.

    A short turn means little without its neighbours; the neighbours of a long one only blur it, so it is its own
    window. However words and meaning, turn and window are weighed, no length gains by it then.
    """
    return _SHARES[np.minimum(word_counts, _LONG)]


def log_length(word_counts: NDArray[np.int32]) -> Values:
    """Return the weight of a turn by its length: 0 for none, 1 from 60 words on, growing as the logarithm."""
    return _LOG_LENGTHS[np.minimum(word_counts, _LONG_ENOUGH)]


Rows = NDArray[np.int64]

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
    around = seeds[:, None] + steps
    there = (around >= 0) & (around < len(sessions))
    there &= sessions[np.where(there, around, 0)] == sessions[seeds][:, None]
    values = np.maximum(scores, 0)[:, None] * np.float32(decay) ** np.abs(steps)
    rows, owners = np.unique(around[there], return_inverse=True)
    return rows, np.maximum(best_of(owners, values[there].astype(np.float32), len(rows)), 0)


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


def _agreement(starts: Seconds, ends: Seconds, asked: tuple[float, float], balance: float) -> Seconds:
    start, end = asked
    shared = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0.0, None)
    union = (ends - starts) + (end - start) - shared + EPSILON
    apart = np.abs((starts + ends) / 2 - (start + end) / 2)
    return balance * shared / union + (1 - balance) * (1 - apart / union)


def share_within(starts: Seconds, ends: Seconds, spans: Sequence[Span]) -> Values:
    """Return the share of each interval within the best of the question's spans, 0 to 1; an instant lies in or out.

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
    """Return the bounds of a span in seconds since 1970."""
    return to_stored(span.start)[0] / _MICROSECONDS, to_stored(span.end)[0] / _MICROSECONDS


TAU_DAYS: Final = 365.0
ETA: Final = 0.5
_DAY: Final = 86_400.0


def robustness(
    asked: float, refreshed: Seconds, merges: NDArray[np.int64], tau_days: float = TAU_DAYS, eta: float = ETA
) -> Values:
    """Return R of each memory, 0 to 1: ``exp(-(t - r) / (tau * (1 + eta * ln(1 + n))))``.

    Score R of H-Mem (tree and graph). ``asked`` is t; ``refreshed`` is r, the time of the last consolidation, or else
    of the beginning; both in seconds since 1970. ``merges`` is n, the number of consolidations. A memory refreshed
    after the question has R = 1.
    """
    age = np.clip(asked - refreshed, 0.0, None)
    lasting = tau_days * _DAY * (1.0 + eta * np.log1p(merges))
    return np.exp(-age / lasting).astype(np.float32)


# Weights of the papers (meaning alone), and of recipes with hybrid scores (words and meaning). The latter were chosen
# among a few settings on the development conversations; docs/decisions/0006 has the table.
SEMANTIC: Final[Mapping[str, float]] = {"semantic.turn": 1.0}
HYBRID: Final[Mapping[str, float]] = {
    "lexical.turn": 2.0,
    "lexical.window": 1.6,
    "lexical.session": 1.1,
    "semantic.turn": 2.8,
    "semantic.window": 2.0,
    "speaker": 0.5,
    "log_length": 0.55,
}

# Number of turns that a lexical search lists; other turns of a larger memory get half of their highest possible score.
_LISTED: Final = 2_000
# Number of the best turns whose statements by a model count too.
_READ: Final = 400
# Keys are dense if the greatest is at most this many times their count.
_SPREAD: Final = 8

SCALES: Final = (TURN, WINDOW, BLOCK)


def similarity_terms(
    corpus: Corpus, query: Query, rows: Rows, found: Mapping[str, Scores], *, leaning: bool = True
) -> TermRows:
    """Return the terms of hybrid similarity: words at three sizes of context, meaning at two, speaker and length.

    ``found`` are the lexical scores by scale; with ``leaning`` a long turn is its own window.
    """
    columns = corpus.columns
    words = columns.words[rows]
    share = window_share(words) if leaning else np.ones(len(rows), np.float32)
    by_turn, by_window = corpus.cosines(query.vector, rows)
    said, around = _values(found[TURN], rows), _values(found[WINDOW], rows)
    trust = np.float32(query.trust)
    terms = {
        "lexical.turn": said,
        "lexical.window": said + (around - said) * share,
        "lexical.session": _values(found[BLOCK], columns.block[rows]),
        "semantic.turn": by_turn * trust,
        "semantic.window": (by_turn + (by_window - by_turn) * share) * trust,
        "speaker": spoken_by(columns.speaker[rows], query.speakers, query.assistants),
        "log_length": log_length(words),
    }
    return TermRows.of({name: at for at, name in enumerate(terms)}, np.array([*terms.values()], np.float32))


def spoken_by(speakers: NDArray[np.int32], wanted: Sequence[int], repeating: Sequence[int] = ()) -> Values:
    """Return 1 for each turn of a wanted speaker, -1 for each of one who only repeats such a speaker, else 0.

    A question names few, so a loop is faster than a set.
    """
    spoken = np.zeros(len(speakers), np.float32)
    for speaker in wanted:
        spoken[speakers == speaker] = 1
    for speaker in repeating:
        spoken[speakers == speaker] = -1
    return spoken


class Similarity:
    """Similarity of turns to one question, by meaning, or hybrid, by words too. Use it inside ``corpus.reading()``."""

    def __init__(
        self, corpus: Corpus, query: Query, *, hybrid: bool, statements: "ModelStatements | None" = None
    ) -> None:
        self.weights = HYBRID if hybrid else SEMANTIC
        self._statements = statements
        self._corpus = corpus
        self._query = query
        self._found = {s: corpus.lexical(s, query.terms, _LISTED) for s in SCALES} if hybrid else {}
        # A small memory is scored whole, once.
        small = len(corpus.columns) <= _LISTED
        self._all = self._measured(np.arange(len(corpus.columns))) if small else None
        self._totals = None if self._all is None else weighted_sum(self._all, self.weights)

    def terms(self, rows: Rows) -> dict[str, Values]:
        """Return the value of each row for each term of ``weights``."""
        if self._all is None:
            return self._measured(rows)
        return {name: values[rows] for name, values in self._all.items()}

    def of(self, rows: Rows) -> Values:
        """Return the similarity of each row: the weighted sum of its terms."""
        if not len(rows):
            return np.zeros(0, np.float32)
        return weighted_sum(self._measured(rows), self.weights) if self._totals is None else self._totals[rows]

    def candidates(self, limit: int) -> Rows:
        """Return allowed rows that include the best ``limit`` of the whole memory.

        In a large memory they are those with the nearest vectors and, if words count, the best lexical scores.
        """
        columns, query = self._corpus.columns, self._query
        living = columns.alive if query.allowed is None else columns.alive & query.allowed
        if self._all is not None or (query.allowed is not None and living.sum() <= _LISTED):
            return np.flatnonzero(living)
        found = [_best(scores, limit) for scale, scores in self._found.items() if scale != BLOCK]
        share = 1.0 if query.allowed is None else len(columns) / max(int(living.sum()), 1)
        near = permitted(query, self._corpus.nearest(query.vector, int(2 * limit * share)))
        # If all allowed rows are far from the question, all of them are candidates.
        return (
            np.flatnonzero(living)
            if len(near) < limit
            else np.unique(np.concatenate([near, *(permitted(query, rows) for rows in found)]))
        )

    def best(self, rows: Rows, limit: int) -> Rows:
        """Return the ``limit`` rows most similar to the question, most similar first."""
        return rows[np.argsort(-self.of(rows), kind="stable")[:limit]]

    def _measured(self, rows: Rows) -> dict[str, Values]:
        if self._found:
            terms = dict(similarity_terms(self._corpus, self._query, rows, self._found))
        else:
            terms = {"semantic.turn": self._corpus.cosines(self._query.vector, rows, windows=False)[0]}
        if self._statements is not None and len(rows):
            best = _places_of_best(weighted_sum(terms, self.weights), _READ)
            some = {name: values[best] for name, values in terms.items()}
            self._statements.add(self._query, rows[best], some)
            for name, values in some.items():
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


def _values(scores: Scores, wanted: NDArray[np.integer[Any]]) -> Values:
    """Return a score for each row or block; one that a cut search left out gets half of the cut's upper bound."""
    if not len(scores.keys):
        return np.zeros(len(wanted), np.float32)
    floor, most = np.float32(scores.floor / 2), max(int(scores.keys[-1]), int(wanted.max(initial=0)))
    if most <= _SPREAD * len(wanted):
        # For dense keys, a table is several times as fast as a search.
        every = np.full(most + 1, floor, np.float32)
        every[scores.keys] = scores.values
        return every.take(wanted)
    at = np.minimum(np.searchsorted(scores.keys, wanted), len(scores.keys) - 1)
    return np.where(scores.keys[at] == wanted, scores.values[at], floor)
