"""Reranking: the best candidates in the order of a model that reads the question together with each of them."""

from typing import Final

import numpy as np

from hmem.language.rerank import Reranker
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Rows, Scored, Values

TERM: Final = "rerank"
REPLACED: Final = "rerank.replaced"


def rerank(sources: Sources, query_text: str, scored: Scored, reranker: Reranker, most: int) -> Scored:
    """Return the best ``most`` in the order of the reranker's scores; the rest keep their order below them.

    The term ``rerank`` is the reranker's score. ``rerank.replaced`` subtracts the other terms, and raises all reranked
    scores alike where needed to keep them above the rest; so the terms still sum to the score.

    Raises:
        RerankerUnavailable: the reranker cannot score now.
    """
    count = min(most, len(scored.rows))
    if count < 1:
        return scored
    given = reranker.ranked(query_text, _texts(sources, scored.rows[:count]))
    order = np.concatenate([np.argsort(-given, kind="stable"), np.arange(count, len(scored.rows))])
    scores = scored.scores.copy()
    scores[:count] = _above(given, scored.scores[count:])
    added, replaced = np.zeros_like(scores), np.zeros_like(scores)
    added[:count] = given
    replaced[:count] = scores[:count] - scored.scores[:count] - given
    terms = {name: values[order] for name, values in {**scored.terms, TERM: added, REPLACED: replaced}.items()}
    return Scored(
        scored.name, scored.rows[order], scores[order], terms, {**scored.weights, TERM: 1.0, REPLACED: 1.0},
        scored.sizes, scored.pieces, {**scored.story, TERM: {"by": reranker.name, "candidates": count}},
    )  # fmt: skip


def _texts(sources: Sources, rows: Rows) -> list[str]:
    """Return the turns' texts with their speakers; "" for a turn that was just deleted."""
    turns = sources.corpus.turns(rows)
    found = (turns.get(row) for row in rows.tolist())
    return ["" if turn is None else f"{turn.speaker}: {turn.content}" for turn in found]


def _above(given: Values, below: Values) -> Values:
    """Return the given scores, all raised alike if one of them is below the best of the rest."""
    if not len(below):
        return given
    best = below[0]
    lift = max(float(best) - float(given.min()), 0.0)
    # Rounding may leave the least of them slightly below.
    return np.maximum((given + np.float32(lift)).astype(np.float32), best)
