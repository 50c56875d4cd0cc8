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
from hmem.retrieval.strategies.base import Scored, Values

TERM: Final = "feedback"
VERB: Final = "feedback"
# H-MEM multiplies by an approval and a rejection and names no values; these are ours, as are the bounds of the weight.
APPROVE: Final = 1.2
REJECT: Final = 0.5
MIN_WEIGHT: Final = 0.1
MAX_WEIGHT: Final = 3.0
_NAMED: Final[Mapping[str | None, float]] = {None: 1.0, "none": 1.0, "approve": APPROVE, "reject": REJECT}


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

    known: int | None

    def __call__(self, sources: Sources) -> tuple[NDArray[np.int64], Values]:
        entries = sources.decisions.active_changes(self.known).of("feedback")
        weights: dict[str, float] = {}
        for entry in entries:
            weight = weights.get(entry.target, 1.0) * multiplier(entry.after)
            weights[entry.target] = min(max(weight, MIN_WEIGHT), MAX_WEIGHT)
        seqs = sources.corpus.kept.locate(sorted(weights))
        held = [(seq, weights[turn]) for turn, seq in seqs.items() if weights[turn] != 1.0]
        rows = sources.corpus.columns.rows_of([seq for seq, _ in held])
        order = np.argsort(rows, kind="stable")
        order = order[rows[order] >= 0]
        return rows[order], np.array([weight for _, weight in held], np.float32)[order]


def multiplier(verdict: str | None) -> float:
    """Return the factor of a logged verdict; 1 for one that says nothing or was erased."""
    return _NAMED[verdict] if verdict in _NAMED else float(verdict or 1.0)


def weights(sources: Sources, rows: NDArray[np.int64], query: Query) -> Values | None:
    """Return the weight of each row by the feedback known at the query's standpoint, or None if there is none."""
    known = query.standpoint.known
    if not sources.decisions.active_changes(known).by_verb.get(VERB):
        return None
    weighted, values = sources.cached(_Weights(known))
    if not len(weighted):
        return None
    at = np.minimum(np.searchsorted(weighted, rows), len(weighted) - 1)
    return np.where(weighted[at] == rows, values[at], np.float32(1.0))


def with_feedback(sources: Sources, query: Query, scored: Scored, options: StrengthOptions) -> Scored:
    """Return candidates reordered by their scores and feedback, with feedback as a further term.

    It adds the logarithm of the weight times a constant, or multiplies the score by the weight.
    """
    if not (options.feedback or options.multiplied) or not len(scored.rows):
        return scored
    held = weights(sources, scored.rows, query)
    if held is None or (held == 1.0).all():
        return scored
    values = np.abs(scored.scores) * (held - 1) if options.multiplied else np.log(held)
    factor = 1.0 if options.multiplied else options.feedback
    scores = scored.scores + np.float32(factor) * values
    order = np.argsort(-scores, kind="stable")
    terms = {name: each[order] for name, each in {**scored.terms, TERM: values.astype(np.float32)}.items()}
    return replace(
        scored,
        rows=scored.rows[order],
        scores=scores[order],
        terms=terms,
        weights={**scored.weights, TERM: factor},
        story={**scored.story, TERM: int((held != 1.0).sum())},
    )
