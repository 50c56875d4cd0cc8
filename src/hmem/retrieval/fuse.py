"""Fusion: candidates of a first pass, all features, one learned ranker.

Flat recall gives the candidates (by words and by meaning, at three sizes of context). A question that names a time
reserves places for turns of that time. Each candidate gets its features, and ``scoring.ranker`` orders them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.rows import Columns
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import values_at
from hmem.retrieval.scoring.ranker import Times, answer_type_match, best_events, ranker, relative_scores, times
from hmem.retrieval.scoring.terms import window_share
from hmem.retrieval.sources import HELD, Sources, TurnContent
from hmem.retrieval.strategies.base import Rows, Scored, Values
from hmem.retrieval.strategies.flat import FlatOptions, flat

NAME: Final = "fusion"

# Pseudo-relevance feedback goes by so many of the best of the first pass.
_FEEDBACK_DEPTH: Final = 3

# The feature ``common`` compares with the weighted mean of all candidates; a weight falls by 1/e per this much of the
# flat score.
_FADES: Final = 0.5

# A word carries over so many turns of a session, and counts so much less with each of them.
_CARRYOVER_TURNS: Final = 2
_CARRYOVER_DECAY: Final = 0.8

# A recall that shows at most ``_SHOWN`` turns looks, after the ranking, mostly at some of the first pass's best.
_SHOWN: Final = 30
_LOOKED_AT: Final = 48

# At most 1/_TIMELY of the candidates is reserved for the time asked for.
_TIMELY: Final = 3

# Rows are dense if the greatest is at most this many times their count.
_SPREAD: Final = 8

# Features that a candidate also takes from the turns before and after it.
_NEIGHBOURLY: Final = ("lexical.turn", "semantic.turn", "speaker")

# Term of what a turn loses for saying what a better one says, and the number of best turns that it is measured by.
REPETITION: Final = "repetition"
_DISTINCT: Final = 40

# What is looked at also in relation to the other candidates.
_COMPARED: Final = ("flat", "lexical.turn", "lexical.window", "semantic.turn", "semantic.keywords", "semantic.event")


@dataclass(frozen=True, slots=True)
class FuseOptions:
    """Options of the fusion.

    ``candidates`` is the number of turns that get all features; ``learned`` adds the trees to the fixed weights;
    ``temporal`` uses the times that a question names; ``repetition`` is what a turn loses that says the same as a
    better one.
    """

    candidates: int = 150
    learned: bool = True
    temporal: bool = True
    repetition: float = 0.5


class FusionCandidates(NamedTuple):
    """Candidates by row, with the values of each feature by its name."""

    first: Scored
    rows: Rows
    features: dict[str, Values]


def fuse(sources: Sources, query: Query, flatly: FlatOptions, options: FuseOptions) -> Scored:
    """Return the candidates in the order of the ranker, best first."""
    if not options.temporal:
        query = replace(query, part=replace(query.part, spans=()))
    if not query.terms:
        # A query without words ("🦔") has only its vector; the ranker's other features would be noise.
        first = flat(sources, query, flatly)
        return replace(first, name=NAME, story={"candidates": len(first.rows), "ranked by": first.name})
    found = candidates(sources, query, flatly, options.candidates)
    ranked = ranker().rank(found.features, learned=options.learned)
    repeated = _repeated(ranked.scores, sources.corpus.vectors_at(found.rows), options.repetition)
    scores = ranked.scores + repeated
    order = np.argsort(-scores, kind="stable")
    terms = ranked.terms.take(order)
    if options.repetition:
        terms = terms.joined(REPETITION, repeated[order])
    return Scored(
        NAME, found.rows[order], scores[order], terms, dict.fromkeys(terms, 1.0), found.first.sizes,
        story={"candidates": len(found.rows), "answer type": query.part.answer_type},
    )  # fmt: skip


def _repeated(scores: Values, vectors: Values, cost: float) -> Values:
    """Return what turns lose for their likeness to better ones: ``cost`` times the greatest cosine.

    Maximal marginal relevance (Carbonell, Goldstein 1998): the next one is the best after its loss. What is asked for
    often stands in several turns, and the same said again tells none of the others.
    """
    near = np.zeros(len(scores), np.float32)
    if not cost:
        return near
    left = scores / np.float32(cost)
    found: dict[int, float] = {}
    for _ in range(min(_DISTINCT, len(scores))):
        best = int((left - near).argmax())
        found[best] = near[best]
        left[best] = -np.inf
        # A negative cosine counts nothing.
        np.maximum(near, vectors @ vectors[best], out=near)
    # A turn loses nothing by those that were chosen after it.
    near[list(found)] = list(found.values())
    return near * np.float32(-cost)


def candidates(sources: Sources, query: Query, flatly: FlatOptions, limit: int) -> FusionCandidates:
    """Return the best turns of a first pass, with their features."""
    first = flat(sources, query, replace(flatly, neighbours=True))
    places = np.arange(min(limit, len(first.rows)))
    if query.part.spans and len(first.rows) > limit:
        places = _timely(sources, query, first, limit)
    return FusionCandidates(first, first.rows[places], _features(sources, query, first, places))


def _timely(sources: Sources, query: Query, first: Scored, limit: int) -> NDArray[np.int64]:
    """Return the places of the best turns, some of them reserved for turns said at the time asked for."""
    count = len(first.rows)
    undated = np.zeros((0, 2), np.int64), np.zeros(count, np.int64)
    said = times(query.part.spans, sources.corpus.columns.said[first.rows], *undated).said
    kept = np.zeros(count, np.bool_)
    kept[np.flatnonzero(said > 0)[: limit // _TIMELY]] = True
    others = np.flatnonzero(~kept)[: limit - np.count_nonzero(kept)]
    kept[others] = True
    return np.flatnonzero(kept)


def _features(sources: Sources, query: Query, first: Scored, places: NDArray[np.int64]) -> dict[str, Values]:
    corpus, columns = sources.corpus, sources.corpus.columns
    rows = first.rows[places]
    around = _around(columns, rows)
    before = around[1]
    at = _places(first.rows, around)
    # A turn that was found and has no lexical score has none of the terms, so it need not be read.
    worded = np.append(first.terms["lexical.turn"] > 0, np.True_)[at[:-1]] & (around[:-1] >= 0)
    _fetch(sources, around, worded)
    own = sources.facts.of(corpus, sources.derived, columns.seq[rows])
    asking = sources.facts.asking(corpus, columns.seq[np.maximum(before, 0)])
    made: dict[str, Values] = dict(zip(first.terms, values_at(first.terms, places), strict=True))
    made["flat"] = first.scores[places]
    made["log_rank"] = np.log1p(places).astype(np.float32)
    made["follows_question"] = ((before >= 0) & asking).astype(np.float32)
    made |= _neighbour_features(first, at)
    made["session.best"] = _best_of_session(columns.session, first, rows)
    rarities = sources.rarities(query.terms)
    made |= _content_features(sources, query, rarities, own)
    made["term_carryover"] = _carryover(sources, query, rarities, around[:-1], worded)
    made["lexical.related"] = _related(sources, query, rarities, rows)
    made["shared.topic"] = _shared_topic(sources, columns.seq[rows])
    made |= _query_features(sources, query, rows, own)
    vectors = corpus.vectors_at(rows)
    made["pseudo_relevance"] = _cosines(vectors, vectors[:_FEEDBACK_DEPTH].sum(axis=0))
    made["centroid_similarity"] = _cosines(vectors, _centroid(vectors, made["flat"]))
    made["brief_talk"] = np.full(len(rows), _brief(columns.words[rows]), np.float32)
    made["generality"] = made["centroid_similarity"] * made["brief_talk"]
    made["brief_type_match"] = made["answer_type_match"] * made["brief_talk"]
    made["semantic.keywords"] = vectors @ query.meaning
    made["session.gap"] = made["flat"] - made["session.best"]
    gap, zscore = relative_scores(np.array([made[name] for name in _COMPARED]))
    for at, name in enumerate(_COMPARED):
        made[f"{name}.gap"], made[f"{name}.zscore"] = gap[at], zscore[at]
    return made


def _around(columns: Columns, rows: Rows) -> Rows:
    """Return rows, the rows one turn before, two turns before, and so on, and last the rows after; -1 for none."""
    around = np.empty((_CARRYOVER_TURNS + 2, len(rows)), np.int64)
    around[0] = rows
    for distance in range(1, _CARRYOVER_TURNS + 1):
        earlier = around[distance - 1]
        around[distance] = np.where(earlier >= 0, columns.previous[earlier], -1)
    around[-1] = columns.next[rows]
    return around


def _places(found: Rows, rows: Rows) -> NDArray[np.int64]:
    """Return the place of each row among those found; their number for a row that was not, or is -1."""
    most = int(found.max(initial=-1))
    if most <= _SPREAD * len(found):
        # For dense rows, a table is several times as fast as a search. Its last place is for none.
        table = np.full(most + 2, len(found), np.int64)
        table[found] = np.arange(len(found))
        return table[np.minimum(rows, most + 1)]
    order = np.argsort(found)
    at = order[np.minimum(np.searchsorted(found, rows, sorter=order), len(found) - 1)]
    return np.where(found[at] == rows, at, len(found))


def _fetch(sources: Sources, around: Rows, worded: NDArray[np.bool_]) -> None:
    """Have turns at hand that are looked at later, fetched together: those without cached facts, and the best."""
    columns, facts = sources.corpus.columns, sources.facts
    own, said = columns.seq[around[0]], columns.seq[around[:-1][worded]]
    # Row 0 stands for none, -1.
    there = columns.seq[np.maximum(around, 0)]
    unread = facts.unread(own, there[1], np.concatenate([own, said]))
    best = there if sources.shown > _SHOWN else there[:, :_LOOKED_AT]
    sources.corpus.kept.fetch([*unread, *best.ravel().tolist()])


def _neighbour_features(first: Scored, at: NDArray[np.int64]) -> dict[str, Values]:
    """Return the scores of the turn before and the turn after; ``at`` are the places of ``_around``."""
    names = ("flat", *_NEIGHBOURLY)
    # The last place is that of a turn that was not found, and of none.
    values = np.zeros((len(names), len(first.rows) + 1), np.float32)
    values[:, :-1] = [first.scores, *(first.terms[name] for name in _NEIGHBOURLY)]
    made: dict[str, Values] = {}
    for side, places in (("before", at[1]), ("after", at[-1])):
        made |= zip([f"{name}.{side}" for name in names], values[:, places], strict=True)
    return made


def _best_of_session(sessions: NDArray[np.int32], first: Scored, rows: Rows) -> Values:
    """Return the best score of each row's session."""
    found = sessions[first.rows]
    best = np.zeros(int(found.max(initial=0)) + 1, np.float32)
    # The last assignment wins, so the best come last.
    best[found[::-1]] = np.maximum(first.scores[::-1], np.float32(0))
    return best[sessions[rows]]


def _content_features(sources: Sources, query: Query, rarities: Sequence[float], own: TurnContent) -> dict[str, Values]:
    """Return the features of the turns alone: importance, what they hold, and their best event."""
    made: dict[str, Values] = dict(zip(HELD, own.held.T, strict=True))
    made["answer_type_match"] = answer_type_match(query.part.answer_type, made, len(own.held))
    weights = sources.facts.weighed(dict(zip(query.terms, rarities, strict=True)))
    shares = weights[own.places] / max(sum(rarities), 1e-6)
    made["semantic.event"], made["lexical.event"] = best_events(own.vectors @ query.vector, shares, own.events)
    return made


def _query_features(sources: Sources, query: Query, rows: Rows, own: TurnContent) -> dict[str, Values]:
    """Return the features of the turns against what the question names: its time, and the subject it asks about."""
    columns = sources.corpus.columns
    spans, none = query.part.spans, np.zeros(len(rows), np.float32)
    timely = times(spans, columns.said[rows], *own.happened()) if spans else Times(none, none, none)
    subject = query.speakers[0] if query.speakers else -1
    return {
        "time.said": timely.said,
        "time.happened": timely.happened,
        "time.near": timely.near,
        "subject_match": (columns.speaker[rows] == subject).astype(np.float32),
    }


def _carryover(
    sources: Sources, query: Query, rarities: Sequence[float], back: Rows, worded: NDArray[np.bool_]
) -> Values:
    """Return the share of the question's words that a turn lacks and the turns just before it have, 0 to 1.

    Words count by rarity, less with distance. A reply does not repeat its subject. ``back`` are rows and those before
    them, a line each; ``worded`` tells which of them may have a word.
    """
    weights = np.array(rarities, np.float32)
    has = np.zeros((len(back), len(query.terms), back.shape[1]), np.bool_)
    lines, columns = np.nonzero(worded)
    seqs = sources.corpus.columns.seq[back[lines, columns]]
    has[lines, :, columns] = sources.facts.having(sources.corpus, seqs, query.terms).T
    lacking, carried = ~has[0], np.zeros(back.shape[1], np.float32)
    for distance in range(1, _CARRYOVER_TURNS + 1):
        carried += np.float32(_CARRYOVER_DECAY**distance) * (weights @ (lacking & has[distance]))
        lacking &= ~has[distance]
    return carried / max(weights.sum(), np.float32(1e-6))


def _related(sources: Sources, query: Query, rarities: Sequence[float], rows: Rows) -> Values:
    """Return how well a turn stands in for the question's words that it lacks, by its word most related to each.

    0 to 1, since the words count by rarity: "guitar" for "instrument".
    """
    seqs, lexicon = sources.corpus.columns.seq[rows], sources.analyst.lexicon
    ties = [{**lexicon.related(term), term: 0.0} for term in query.terms]
    best = sources.facts.strongest(sources.corpus, seqs, ties)
    return (np.array(rarities, np.float32) @ best) / np.float32(max(sum(rarities), 1e-6))


def _shared_topic(sources: Sources, seqs: Rows) -> Values:
    """Return for each turn, given best first, the share of the best other ones that stand in its topic."""
    # A turn without a topic shares none.
    topics = sources.derived.trees["topic"].nodes_of(seqs)
    same = (topics[:, None] == topics[:_FEEDBACK_DEPTH]) & (topics[:, None] >= 0)
    for place in range(same.shape[1]):
        same[place, place] = False
    return same.sum(axis=1).astype(np.float32) / _FEEDBACK_DEPTH


def _cosines(vectors: Values, middle: Values) -> Values:
    """Return the cosine of each turn and the mean direction of some of them."""
    return (vectors @ (middle / max(sqrt(middle @ middle), 1e-6))).astype(np.float32, copy=False)


def _brief(lengths: NDArray[np.int32]) -> float:
    """Return the share of the candidates' words that brief turns say, 0 to 1.

    What long explanations have in common is their topic, and no general remark; and each holds some number and name.
    """
    return float((window_share(lengths) * lengths).sum() / max(int(lengths.sum()), 1))


def _centroid(vectors: Values, flat: Values) -> Values:
    """Return the mean of the candidates' vectors, weighted by their scores.

    What all candidates share, such as the question's topic and the tone of the talk, does not tell which one answers
    it.
    """
    weights = np.exp((flat - flat.max(initial=0.0)) / np.float32(_FADES)).astype(np.float32, copy=False)
    return weights @ vectors
