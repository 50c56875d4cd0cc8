"""Tiered recall: the cache, then the buffer, then the archive, as far as the question needs (HMO, three tiers).

Each tier gives its most similar turns, and a self-check of the best of all so far says whether to go on. The archive is
the whole memory. What was recalled is recorded as used, which raises its score: so it may rise into an upper tier and
another may sink.

The upper tiers are views that are kept from question to question. The whole memory is scored when they are first made,
and never again: a turn is scored when it comes and when it is used, the upper tiers when a persona has drifted and when
the questions' day is another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np

from hmem.corpus.index.rows import distinct
from hmem.derived.tiers import TierOptions, upper_tiers
from hmem.errors import StorageError
from hmem.language.analyst.base import Line
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.scoring.terms import Similarity, permitted
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Rows, Scored

NAME: Final = "tiered"

_NONE: Final[Rows] = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class TieredOptions:
    """The sizes of the tiers and their score are HMO's (``TierOptions``), ``k`` turns are shown to the self-check.

    ``threshold`` is the confidence of the self-check that ends the search. The paper lets a model say yes or no; at 0.7
    about one in six questions ends above the archive, at 0.5 half of them (decision 0022). ``tier1`` and ``tiers`` off
    are the ablations: the buffer alone before the archive, and the archive alone. ``similarity`` is semantic as in the
    paper, or hybrid, by words too. Of each tier the ``listed`` most similar turns contend. ``record``: whether the
    first ``recorded`` turns that were recalled count as used.
    """

    tiering: TierOptions = field(default_factory=TierOptions)
    tier1: bool = True
    tiers: bool = True
    threshold: float = 0.7
    k: int = 10
    listed: int = 100
    similarity: Literal["semantic", "hybrid"] = "semantic"
    record: bool = True
    recorded: int = 5


def tiered(sources: Sources, query: Query, options: TieredOptions) -> Scored:
    """The most similar turns of as many tiers as the question needs. Call it inside ``corpus.reading()``."""
    similarity = Similarity(sources.corpus, query, hybrid=options.similarity == "hybrid")
    seen, sizes, confidences = _NONE, dict[str, int](), dict[str, float]()
    ended = "archive"
    checked, sure = _NONE, 0.0
    upper, moved = _upper(sources, query, options)
    for name, rows in upper.items():
        sizes[name] = len(rows)
        # Best first: of those that were seen before, and of these.
        seen = similarity.best(distinct(np.concatenate([seen, rows])), options.listed + len(seen))
        best = seen[: options.k]
        # A tier that brings nothing better leaves the self-check as it was.
        if not np.array_equal(best, checked):
            sure, checked = _sure(sources, query, best), best
        confidences[name] = sure
        if confidences[name] >= options.threshold:
            ended = name
            break
    else:
        archive = similarity.candidates(options.listed)
        sizes["archive"] = len(archive)
        seen = distinct(np.concatenate([seen, similarity.best(archive, options.listed)]))
    terms = similarity.terms(seen)
    total = weighted_sum(terms, similarity.weights)
    order = np.argsort(-total, kind="stable")[: max(options.listed, options.k)]
    ordered = {name: values[order] for name, values in terms.items()}
    story: Mapping[str, Any] = {"ended in": ended, "confidence": confidences, "looked at": sizes, **moved}
    return Scored(NAME, seen[order], total[order], ordered, similarity.weights, sizes, story=story)


def record(sources: Sources, rows: Rows, query: Query, options: TieredOptions) -> str | None:
    """Count a use of the first of the rows that were recalled; what kept it from being recorded, if anything did.

    A recall does not fail, nor wait, because a use cannot be written: on a full or read-only disk, or while another
    process is writing, the use is lost. Call it inside ``corpus.reading()``.
    """
    if not (options.record and len(rows)):
        return None
    try:
        seqs = sources.corpus.columns.seq[rows[: options.recorded]].tolist()
        sources.corpus.storage.record_uses([(seqs, query.asked)])
    except StorageError as error:
        return str(error)
    return None


def _sure(sources: Sources, query: Query, rows: Rows) -> float:
    """How sure the self-check is that these rows tell the answer."""
    lines = _lines(sources, rows)
    return sources.analyst.sufficiency(query.part, lines, query.asked).confidence if lines else 0.0


def _lines(sources: Sources, rows: Rows) -> list[Line]:
    """What the self-check reads: the turns of these rows, in their order."""
    turns = sources.corpus.turns(rows)
    read = (turns[row] for row in rows.tolist() if row in turns)
    return [Line(turn.content, turn.speaker, turn.at) for turn in read]


# The upper tiers.


def _upper(sources: Sources, query: Query, options: TieredOptions) -> tuple[dict[str, Rows], dict[str, int]]:
    """The tiers that are looked through before the archive, as rows that the question allows; how many turns rose into
    them and sank out of them since the last recall."""
    if not options.tiers:
        return {}, {}
    # Without the first tier the second holds what has the greatest score of all.
    tiering = options.tiering if options.tier1 else replace(options.tiering, sessions=0, pivotal=0)
    tiers = upper_tiers(sources.corpus, sources.derived, tiering)
    tiers.refresh(query.asked.timestamp())
    found = {"cache": tiers.cache, "buffer": tiers.buffer} if options.tier1 else {"buffer": tiers.buffer}
    moved = {"promoted": tiers.promoted, "demoted": tiers.demoted}
    return {name: permitted(query, rows) for name, rows in found.items()}, moved
