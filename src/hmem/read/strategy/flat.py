"""Flat recall: every turn by itself, in three sizes of context, by words and by meaning.

The lexical scores of the turn, its window and its block are BM25 over the best that the question allows, so
that they lie in [0, 1) for every question and corpus; the semantic scores are cosines. A long turn leans on
itself, a short one on its window. All terms are added with fixed weights (docs/decisions/0006).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hmem.corpus import Corpus
from hmem.index.scales import Scores
from hmem.index.tail import BLOCK, TURN, WINDOW
from hmem.read.plan import Query
from hmem.read.score.combine import weighted_sum
from hmem.read.score.lexical import substance, window_share
from hmem.read.strategy.base import Rows, Scored, Values

NAME: Final = "flat"


@dataclass(frozen=True, slots=True)
class FlatOptions:
    """``limit`` bounds the candidates of each source; a memory of at most ``exhaustive`` turns is scored whole."""

    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    limit: int = 300
    exhaustive: int = 2_000


def flat(corpus: Corpus, query: Query, vector: Values, options: FlatOptions) -> Scored:
    """All candidates for a question, best first. Call it inside ``corpus.reading()``."""
    everything = corpus.columns.alive_count <= options.exhaustive
    limit = options.exhaustive if everything else options.limit
    turn = corpus.lexical(TURN, query.terms, limit)
    window = corpus.lexical(WINDOW, query.terms, limit)
    block = corpus.lexical(BLOCK, query.terms, limit)
    near = corpus.nearest(vector, limit)
    rows: Rows = near if everything else np.unique(np.concatenate([turn.keys, window.keys, near]))
    terms = _terms(corpus, query, vector, rows, {TURN: turn, WINDOW: window, BLOCK: block})
    scores = weighted_sum(terms, options.weights)
    order = np.argsort(-scores, kind="stable")
    sizes = {"lexical.turn": len(turn.keys), "lexical.window": len(window.keys), "semantic": len(near)}
    return Scored(
        NAME,
        rows[order],
        scores[order],
        {name: values[order] for name, values in terms.items()},
        options.weights,
        sizes,
    )


def _terms(corpus: Corpus, query: Query, vector: Values, rows: Rows, found: Mapping[str, Scores]) -> dict[str, Values]:
    columns = corpus.columns
    share = window_share(columns.words[rows])
    by_turn, by_window = corpus.cosines(vector, rows)
    lexical = {scale: _complete(corpus, query, scale, scores, rows) for scale, scores in found.items()}
    return {
        "lexical.turn": lexical[TURN] * (2 - share),
        "lexical.window": lexical[WINDOW] * share,
        "lexical.session": lexical[BLOCK],
        "semantic.turn": by_turn * (2 - share),
        "semantic.window": by_window * share,
        "speaker": sum((columns.speaker[rows] == speaker for speaker in query.speakers), np.zeros(len(rows))).astype(
            np.float32
        ),
        "substance": substance(columns.words[rows]),
    }


def _complete(corpus: Corpus, query: Query, scale: str, scores: Scores, rows: Rows) -> Values:
    """A score for each row: what the search gave, and for a search cut short, what it left out."""
    wanted: Rows = corpus.columns.block[rows].astype(np.int64) if scale == BLOCK else rows
    if scores.cut:
        missing = np.setdiff1d(wanted, scores.keys)
        scores = _union(scores, corpus.lexical_among(scale, query.terms, missing))
    if not len(scores.keys):
        return np.zeros(len(rows), np.float32)
    at = np.minimum(np.searchsorted(scores.keys, wanted), len(scores.keys) - 1)
    return np.where(scores.keys[at] == wanted, scores.values[at], 0).astype(np.float32)


def _union(one: Scores, other: Scores) -> Scores:
    keys, values = np.concatenate([one.keys, other.keys]), np.concatenate([one.values, other.values])
    # The tail answers both searches.
    unique, first = np.unique(keys, return_index=True)
    return Scores(unique, values[first], cut=False)
