"""Feedback on answers, as a weight of each turn that was recalled for them (H-MEM, dynamic update).

Approval multiplies a weight up, rejection down, within bounds; a weight of 1 changes nothing. The log keeps the
verdicts, so a changed constant applies to past feedback too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import ScoredTurns, Values

TERM: Final = "feedback"
VERB: Final = "feedback"
# H-MEM multiplies by an approval and a rejection and names no values; these are ours, as are the bounds of the weight.
APPROVE: Final = 1.2
REJECT: Final = 0.5
MIN_WEIGHT: Final = 0.1
MAX_WEIGHT: Final = 3.0
_WEIGHT_OF_NAME: Final[Mapping[str | None, float]] = {None: 1.0, "none": 1.0, "approve": APPROVE, "reject": REJECT}


@dataclass(frozen=True, slots=True)
class StrengthOptions:
    """Constants of the curve. H-MEM gives none, so these are ours.

    ``decay`` is per day, of a memory that was used once: at log(2) / 365 it keeps 1/e of its strength after a year, as
    in the score of the tiers. ``feedback`` is what the logarithm of the weight of feedback counts in a score;
    ``multiplied``: whether the score is multiplied by the weight instead. ``judged``: whether a person's next message
    is judged as feedback.
    """

    decay: float = log(2) / 365
    feedback: float = 0.0
    multiplied: bool = False
    judged: bool = True


@dataclass(frozen=True, slots=True)
class _Weights:
    """Turns with feedback, by row ascending, and their weights; cached by the sources."""

    recorded_until: int | None

    def __call__(self, sources: Sources) -> tuple[NDArray[np.int64], Values]:
        entries = sources.decisions.active_changes(self.recorded_until).entries_of("feedback")
        weights: dict[str, float] = {}
        for entry in entries:
            weight = weights.get(entry.target, 1.0) * multiplier(entry.after)
            weights[entry.target] = min(max(weight, MIN_WEIGHT), MAX_WEIGHT)
        seqs = sources.corpus.turn_cache.locate(sorted(weights))
        weighted_seqs = [(seq, weights[turn]) for turn, seq in seqs.items() if weights[turn] != 1.0]
        rows = sources.corpus.columns.rows_of([seq for seq, _ in weighted_seqs])
        order = np.argsort(rows, kind="stable")
        order = order[rows[order] >= 0]
        return rows[order], np.array([weight for _, weight in weighted_seqs], np.float32)[order]


def multiplier(verdict: str | None) -> float:
    """Return the factor of a logged verdict; 1 for one that says nothing or was erased."""
    return _WEIGHT_OF_NAME[verdict] if verdict in _WEIGHT_OF_NAME else float(verdict or 1.0)


def weights(sources: Sources, rows: NDArray[np.int64], query: Query) -> Values | None:
    """Return the weight of each row by the feedback known at the query's standpoint, or None if there is none."""
    recorded_until = query.standpoint.known
    if not sources.decisions.active_changes(recorded_until).by_verb.get(VERB):
        return None
    weighted, values = sources.cached(_Weights(recorded_until))
    if not len(weighted):
        return None
    indices = np.minimum(np.searchsorted(weighted, rows), len(weighted) - 1)
    return np.where(weighted[indices] == rows, values[indices], np.float32(1.0))


def with_feedback(sources: Sources, query: Query, candidates: ScoredTurns, options: StrengthOptions) -> ScoredTurns:
    """Return candidates reordered by their scores and feedback, with feedback as a further term.

    It adds the logarithm of the weight times a constant, or multiplies the score by the weight.
    """
    if not (options.feedback or options.multiplied) or not len(candidates.rows):
        return candidates
    row_weights = weights(sources, candidates.rows, query)
    if row_weights is None or (row_weights == 1.0).all():
        return candidates
    values = np.abs(candidates.scores) * (row_weights - 1) if options.multiplied else np.log(row_weights)
    factor = 1.0 if options.multiplied else options.feedback
    story = {**candidates.story, TERM: int((row_weights != 1.0).sum())}
    return replace(candidates.with_term(TERM, values, factor).sorted(), story=story)
