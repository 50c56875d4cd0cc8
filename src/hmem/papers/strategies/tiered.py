"""Tiered recall: the cache, then the buffer, then the archive, as far as the question needs (HMO, three tiers).

A record is an exchange: what a user says and an assistant's reply to it belong together, so they are found, checked and
used together. Between two people each turn is a record of its own.

Each tier gives its most similar turns. A model that answers says whether to go on; without one the search goes on to
the archive, which is the whole memory, unless a self-check by rules, of the best turns so far, is let decide. Turns
that were of use are recorded, which raises their scores: one may rise into an upper tier, and another may sink. Of use
are the turns that an answer cites, that a person approves, and that a later turn repeats.

The upper tiers are views that are kept between questions. The whole memory is scored only when they are first made.
Later a turn is scored when it comes and when it is used, and the upper tiers when a persona has drifted and when the
day of the questions changes.
"""

from dataclasses import dataclass, field, replace
from typing import Final, Literal

import numpy as np

from hmem.corpus.index.columns import distinct
from hmem.model.tier import TierOptions
from hmem.papers.terms import Similarity, permitted
from hmem.papers.tiers import upper_tiers
from hmem.retrieval.exchange import with_partners
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Rows, ScoredTurns, rank

NAME: Final = "tiered"

_NO_ROWS: Final[Rows] = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class TieredOptions:
    """Options of tiered recall. The sizes of the tiers and their score are HMO's (``TierOptions``).

    - ``tier1``, ``tiers``: off are the ablations: the buffer alone before the archive, and the archive alone.
    - ``threshold``: the confidence at which the self-check by rules ends the search; at 1 it never does. The paper lets
      a model say yes or no (decisions 0022, 0053).
    - ``k``: the number of turns that the self-check reads.
    - ``listed``: the number of most similar turns taken from each tier.
    - ``similarity``: hybrid, by words too, or semantic, as with the embeddings of the paper.
    """

    tiering: TierOptions = field(default_factory=TierOptions)
    tier1: bool = True
    tiers: bool = True
    threshold: float = 1.0
    k: int = 10
    listed: int = 100
    similarity: Literal["semantic", "hybrid"] = "hybrid"


def tiered(sources: Sources, query: Query, options: TieredOptions) -> ScoredTurns:
    """Return the most similar turns of as many tiers as the question needs. Call it inside ``corpus.reading()``."""
    similarity = Similarity(sources, query, hybrid=options.similarity == "hybrid")
    candidates, sizes, confidences = _NO_ROWS, dict[str, int](), dict[str, float]()
    last_tier = "archive"
    checked_rows, confidence = _NO_ROWS, 0.0
    upper, moves = _upper(sources, query, options)
    gate, levels = query.levels is None and options.threshold < 1, query.levels or len(upper) + 1
    for level, (name, tier_rows) in enumerate(upper.items(), 1):
        rows = permitted(query, with_partners(sources.corpus, tier_rows))
        sizes[name] = len(rows)
        # The best of earlier tiers and of this one.
        candidates = similarity.best(distinct(np.concatenate([candidates, rows])), options.listed + len(candidates))
        best = candidates[: options.k]
        # A tier that brings nothing better leaves the self-check as it was.
        if gate and not np.array_equal(best, checked_rows):
            confidence = _confidence(sources, query, permitted(query, with_partners(sources.corpus, best)))
            checked_rows = best
        if gate:
            confidences[name] = confidence
        if level == levels or (gate and confidence >= options.threshold):
            last_tier = name
            break
    else:
        archive = similarity.candidates(options.listed)
        sizes["archive"] = len(archive)
        candidates = distinct(np.concatenate([candidates, similarity.best(archive, options.listed)]))
    story = {"ended in": last_tier, "confidence": confidences, "looked at": sizes, **moves}
    limit = max(options.listed, options.k)
    ranked = rank(NAME, candidates, similarity.terms(candidates), similarity.weights, sizes, story=story, limit=limit)
    return replace(ranked, deeper=levels <= len(upper))


def _confidence(sources: Sources, query: Query, rows: Rows) -> float:
    """Return the self-check's confidence, 0 to 1, that the turns of these rows, in their order, have the answer."""
    lines = sources.excerpts(rows)
    return sources.analyst.sufficiency(query.part, lines, query.asked).confidence if lines else 0.0


# The upper tiers.


def _upper(sources: Sources, query: Query, options: TieredOptions) -> tuple[dict[str, Rows], dict[str, int]]:
    """Return the allowed rows of the upper tiers, and how many turns rose and sank since the last recall."""
    if not options.tiers:
        return {}, {}
    # Without the first tier, the second holds the turns with the greatest scores of all.
    tiering = options.tiering if options.tier1 else replace(options.tiering, sessions=0, pivotal=0)
    tiers = upper_tiers(sources.corpus, sources.derived, tiering, query.user)
    tiers.refresh(query.asked.timestamp())
    tier_rows = {"cache": tiers.cache, "buffer": tiers.buffer} if options.tier1 else {"buffer": tiers.buffer}
    moves = {"promoted": tiers.promoted, "demoted": tiers.demoted}
    return {name: permitted(query, rows) for name, rows in tier_rows.items()}, moves
