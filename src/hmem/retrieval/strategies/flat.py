"""Flat recall: every turn alone, in three sizes of context, by words and by meaning.

The lexical scores of the turn, its window and its block are BM25 over the best allowed score, so that they lie in [0,
1) for every question and corpus; the semantic scores are cosines. A long turn is its own window. All terms are added
with fixed weights (docs/decisions/0006).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.columns import distinct
from hmem.corpus.index.lexical import TURN, WINDOW, Scores
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.terms import SCALES, similarity_terms
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Rows, ScoredTurns

NAME: Final = "flat"


@dataclass(frozen=True, slots=True)
class FlatOptions:
    """Options of flat recall.

    All turns are scored if at most ``exhaustive`` may be found. If there are more, the best ``candidates`` of each
    source are. ``neighbours`` adds the turns
    before and after them; ``leaning`` weights a turn's window by the turn's length.
    """

    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    exhaustive: int = 2_000
    candidates: int = 100
    neighbours: bool = False
    leaning: bool = True


def flat(sources: Sources, query: Query, options: FlatOptions) -> ScoredTurns:
    """Return all candidates for a question, best first. Call it inside ``corpus.reading()``."""
    corpus, vector, allowed = sources.corpus, query.vector, query.allowed
    count = corpus.columns.alive_count if allowed is None else int((allowed & corpus.columns.alive).sum())
    is_exhaustive = count <= options.exhaustive
    lexical_scores = {scale: corpus.lexical(scale, query.terms, allowed) for scale in SCALES}
    nearest = corpus.nearest(vector, options.exhaustive if is_exhaustive else options.candidates, allowed)
    rows = nearest
    if not is_exhaustive:
        best = [_best(lexical_scores[scale], options.candidates) for scale in (TURN, WINDOW)]
        rows = distinct(np.concatenate([*best, nearest]))
        rows = _with_neighbours(corpus, rows, allowed) if options.neighbours else rows
    terms = similarity_terms(corpus, query, rows, lexical_scores, leaning=options.leaning)
    scores = terms.weighed(options.weights)
    order = np.argsort(-scores, kind="stable")
    sizes = {f"lexical.{scale}": len(scores.keys) for scale, scores in lexical_scores.items()} | {
        "semantic": len(nearest)
    }
    return ScoredTurns(NAME, rows[order], scores[order], terms.take(order), options.weights, sizes)


def _with_neighbours(corpus: Corpus, rows: Rows, allowed: NDArray[np.bool_] | None) -> Rows:
    """Return these rows and those of the turns before and after."""
    all_rows = np.concatenate([rows, corpus.columns.previous[rows], corpus.columns.next[rows]])
    all_rows = distinct(all_rows[all_rows >= 0].astype(np.int64))
    return all_rows if allowed is None else all_rows[allowed[all_rows]]


def _best(scores: Scores, number: int) -> Rows:
    """Return the keys of the best scores, in no particular order."""
    if len(scores.keys) <= number:
        return scores.keys
    return scores.keys[np.argpartition(-scores.values, number)[:number]]
