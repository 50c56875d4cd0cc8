"""Fusion: candidates of a first pass, more features, one learned ranker.

Flat recall gives the candidates (by words and by meaning, at three sizes of context). A question that names a time
reserves places for turns of that time. Each candidate gets its features, and ``scoring.ranker`` orders them, by other
weights for a statement than for a question. All features come from columns that were made when a turn was taken in; no
text is read.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.columns import Columns
from hmem.corpus.index.marks import ASKS
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import values_at
from hmem.retrieval.scoring.ranker import answer_type, nearness, ranker, weighted
from hmem.retrieval.scoring.terms import window_share
from hmem.retrieval.sources import Sources
from hmem.retrieval.statements import model_statements
from hmem.retrieval.strategies.base import Rows, ScoredTurns, Values
from hmem.retrieval.strategies.flat import FlatOptions, flat

NAME: Final = "fusion"

# Pseudo-relevance feedback goes by so many of the best of the first pass.
_FEEDBACK_DEPTH: Final = 3

# A word carries over so many turns of a session, and counts so much less with each of them.
_CARRYOVER_TURNS: Final = 2
_CARRYOVER_DECAY: Final = 0.8

# At most 1/_TIMELY of the candidates is reserved for the time asked for.
_TIMELY: Final = 3

# Term of what a turn loses for saying what a better one says, and the number of best turns that it is measured by.
REPETITION: Final = "repetition"
_DISTINCT: Final = 40


@dataclass(frozen=True, slots=True)
class FuseOptions:
    """Options of the fusion.

    ``candidates`` is the number of turns that get all features; ``learned`` ranks them by the learned weights, and not
    by those of the first pass; ``temporal`` uses the times that a question names; ``repetition`` is what a turn loses
    that says the same as a better one.
    """

    candidates: int = 150
    learned: bool = True
    temporal: bool = True
    repetition: float = 0.5


class FusionCandidates(NamedTuple):
    """Candidates by row, with the values of each feature by its name."""

    first: ScoredTurns
    rows: Rows
    features: dict[str, Values]


def fuse(sources: Sources, query: Query, flatly: FlatOptions, options: FuseOptions) -> ScoredTurns:
    """Return the candidates in the order of the ranker, best first."""
    if not options.temporal:
        query = replace(query, part=replace(query.part, spans=()))
    if not query.terms:
        # A query without words ("🦔") has only its vector; the ranker's other features would be noise.
        first = flat(sources, query, flatly)
        return replace(first, name=NAME, story={"candidates": len(first.rows), "ranked by": first.name})
    pool = candidates(sources, query, flatly, options.candidates)
    if options.learned:
        ranking = ranker().rank(pool.features, statement=query.statement)
    else:
        ranking = weighted(pool.features, flatly.weights)
    repeated = _repeated(ranking.scores, sources.corpus.vectors_at(pool.rows), options.repetition)
    scores = ranking.scores + repeated
    order = np.argsort(-scores, kind="stable")
    terms = ranking.terms.take(order)
    if options.repetition:
        terms = terms.with_term(REPETITION, repeated[order])
    return ScoredTurns(
        NAME, pool.rows[order], scores[order], terms, dict.fromkeys(terms, 1.0), pool.first.sizes,
        story={"candidates": len(pool.rows), "answer type": query.part.answer_type, "statement": query.statement},
    )  # fmt: skip


def _repeated(scores: Values, vectors: Values, cost: float) -> Values:
    """Return what turns lose for their likeness to better ones: ``cost`` times the greatest cosine.

    Maximal marginal relevance (Carbonell, Goldstein 1998): the next one is the best after its loss. What is asked for
    often stands in several turns, and a repetition tells none of the others.
    """
    likeness = np.zeros(len(scores), np.float32)
    if not cost:
        return likeness
    remaining = scores / np.float32(cost)
    likeness_of_best: dict[int, float] = {}
    for _ in range(min(_DISTINCT, len(scores))):
        best = int((remaining - likeness).argmax())
        likeness_of_best[best] = likeness[best]
        remaining[best] = -np.inf
        # A negative cosine counts nothing.
        np.maximum(likeness, vectors @ vectors[best], out=likeness)
    # A turn loses nothing by those that were chosen after it.
    likeness[list(likeness_of_best)] = list(likeness_of_best.values())
    return likeness * np.float32(-cost)


def candidates(sources: Sources, query: Query, flatly: FlatOptions, limit: int) -> FusionCandidates:
    """Return the best turns of a first pass, with their features."""
    first = flat(sources, query, replace(flatly, neighbours=True))
    positions = np.arange(min(limit, len(first.rows)))
    if query.part.spans and len(first.rows) > limit:
        positions = _timely(sources, query, first, limit)
    return FusionCandidates(first, first.rows[positions], _features(sources, query, first, positions))


def _timely(sources: Sources, query: Query, first: ScoredTurns, limit: int) -> NDArray[np.int64]:
    """Return the places of the best turns, some of them reserved for turns said at the time asked for."""
    count = len(first.rows)
    is_selected = np.zeros(count, np.bool_)
    said_then = nearness(query.part.spans, sources.corpus.columns.said[first.rows]) >= 1
    is_selected[np.flatnonzero(said_then)[: limit // _TIMELY]] = True
    other_positions = np.flatnonzero(~is_selected)[: limit - np.count_nonzero(is_selected)]
    is_selected[other_positions] = True
    return np.flatnonzero(is_selected)


def _features(sources: Sources, query: Query, first: ScoredTurns, positions: NDArray[np.int64]) -> dict[str, Values]:
    """Return the features of candidates, by name. All come from columns."""
    corpus, columns = sources.corpus, sources.corpus.columns
    rows = first.rows[positions]
    rows_before = _before(columns, rows)
    marks = corpus.marks_at(rows_before[0])
    vectors = corpus.vectors_at(rows)
    features: dict[str, Values] = dict(zip(first.terms, values_at(first.terms, positions), strict=True))
    if (statements := model_statements(sources)) is not None:
        statements.add(query, rows, features)
    features["lexical.carried"] = _carryover(sources, query, rows_before)
    features["pseudo_relevance"] = _cosines(vectors, vectors[:_FEEDBACK_DEPTH].sum(axis=0)) * np.float32(query.trust)
    features["time.near"] = nearness(query.part.spans, columns.said[rows])
    features["asks"] = _marked(marks, ASKS)
    features["follows_question"] = _marked(corpus.marks_at(rows_before[1]), ASKS)
    features["answer_type"] = answer_type(query.part.answer_type, marks) * _brief(columns.words[rows])
    return features


def _marked(marks: NDArray[np.uint8], mark: int) -> Values:
    """Return 1 for each turn with a mark, else 0."""
    return ((marks & mark) > 0).astype(np.float32)


def _before(columns: Columns, rows: Rows) -> Rows:
    """Return rows, the rows one turn before, two turns before, and so on; -1 for none."""
    rows_before = np.empty((_CARRYOVER_TURNS + 1, len(rows)), np.int64)
    rows_before[0] = rows
    for distance in range(1, _CARRYOVER_TURNS + 1):
        earlier = rows_before[distance - 1]
        rows_before[distance] = np.where(earlier >= 0, columns.previous[earlier], -1)
    return rows_before


def _carryover(sources: Sources, query: Query, rows_before: Rows) -> Values:
    """Return the share of the query's words that a turn lacks and the turns just before it have, 0 to 1.

    Words count by rarity, less with distance. A reply does not repeat its subject. ``rows_before`` are rows
    and those before them, a line each.
    """
    weights = np.array(sources.rarities(query.terms), np.float32)
    has = sources.corpus.contains_terms(query.terms, rows_before.reshape(-1)).reshape(
        len(query.terms), *rows_before.shape
    )
    is_missing, shares = ~has[:, 0], np.zeros(rows_before.shape[1], np.float32)
    for distance in range(1, _CARRYOVER_TURNS + 1):
        shares += np.float32(_CARRYOVER_DECAY**distance) * (weights @ (is_missing & has[:, distance]))
        is_missing &= ~has[:, distance]
    return shares / max(weights.sum(), np.float32(1e-6))


def _cosines(vectors: Values, middle: Values) -> Values:
    """Return the cosine of each turn and the mean direction of some of them."""
    return (vectors @ (middle / max(sqrt(middle @ middle), 1e-6))).astype(np.float32, copy=False)


def _brief(lengths: NDArray[np.int32]) -> float:
    """Return the share of the candidates' words that brief turns say, 0 to 1.

    What long explanations have in common is their topic, and no general remark; and each holds some number and name.
    """
    return float((window_share(lengths) * lengths).sum() / max(int(lengths.sum()), 1))
