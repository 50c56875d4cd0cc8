"""Turns below the ranked ones, found by the first pass when more is asked for than was ranked."""

from dataclasses import replace
from typing import Final

import numpy as np

from hmem.retrieval import fuse
from hmem.retrieval.config import STRATEGIES, RetrievalConfig
from hmem.retrieval.feedback import with_feedback
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies import flat
from hmem.retrieval.strategies.base import Scored

TERM: Final = "unranked"

# Turns that each source lists. It does not depend on the number asked for, so that pages of any length agree.
_LISTED: Final = 10_000

# Strategies that flat recall fills up; those of the papers return as few turns as they choose to.
_FILLED: Final = frozenset({fuse.NAME, flat.NAME})


def backfill(sources: Sources, query: Query, scored: Scored, config: RetrievalConfig) -> Scored | None:
    """Return the turns of the first pass that are not in ``scored``, in its order, or None if there are none.

    The term ``unranked`` lowers all scores alike, where needed, to keep them below the ranked ones.
    """
    if {*scored.name.split("+")} <= _FILLED:
        return filling(sources, query, scored, config)
    more = STRATEGIES[scored.name].more if scored.name in STRATEGIES else None
    if more is None:
        return None
    return _behind(scored, with_feedback(sources, query, more(sources, query, config), config.strength))


def filling(sources: Sources, query: Query, scored: Scored, config: RetrievalConfig) -> Scored | None:
    """Return the turns of flat recall that are not in ``scored``, whatever found that, or None if there are none."""
    living = sources.corpus.columns.alive if query.allowed is None else sources.corpus.columns.alive & query.allowed
    if len(scored.rows) >= int(living.sum()):
        return None
    # A recipe without weights for it was searched by keywords alone.
    weights = config.flat.weights or scored.weights
    wide = replace(config.flat, weights=weights, exhaustive=_LISTED, list_depth=_LISTED, candidates=_LISTED)
    return _behind(scored, with_feedback(sources, query, flat.flat(sources, query, wide), config.strength))


def _behind(scored: Scored, found: Scored) -> Scored | None:
    """Return what was found and is not in ``scored``, with scores below it, or None if there is nothing."""
    rest = np.flatnonzero(np.isin(found.rows, scored.rows, invert=True))
    if not len(rest):
        return None
    scores, last = found.scores[rest], scored.scores[-1] if len(scored.scores) else np.float32(np.inf)
    lowered = np.minimum(last - scores[0], np.float32(0.0))
    terms = {name: values[rest] for name, values in found.terms.items()}
    terms[TERM] = np.full(len(rest), lowered, np.float32)
    # Rounding may lift the best score slightly above the last ranked one.
    return replace(
        found,
        rows=found.rows[rest],
        scores=np.minimum(scores + lowered, last),
        terms=terms,
        weights={**found.weights, TERM: 1.0},
    )
