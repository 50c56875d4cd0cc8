"""Candidates that strategies return."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from hmem.corpus.index.rows import Rows, Values
from hmem.retrieval.scoring.combine import weighted_sum

HitKind = Literal["event", "note", "summary", "episode", "profile"]


@dataclass(frozen=True, slots=True)
class Hit:
    """Candidate other than a turn.

    ``number`` is that of an event or a note, a summary's node, an episode's first turn, or a profile's entity; ``tree``
    is the summary's. ``turns`` are the sequence numbers of its source turns.
    """

    kind: HitKind
    number: int
    score: float
    turns: tuple[int, ...] = ()
    tree: str = ""


@dataclass(frozen=True, slots=True)
class ScoredTurns:
    """Candidates: turns by row, best first, with their scores and the terms of the scores.

    ``sizes`` has the number of candidates of each source; ``hits`` are other things found, best first; ``story`` is
    what the strategy did, for the trace: plain values by name. ``deeper``: it was told to leave a level out.
    """

    name: str
    rows: Rows
    scores: Values
    terms: Mapping[str, Values]
    weights: Mapping[str, float]
    sizes: Mapping[str, int]
    hits: tuple[Hit, ...] = ()
    story: Mapping[str, Any] = field(default_factory=dict[str, Any])
    deeper: bool = False

    def at(self, places: Rows | slice) -> "ScoredTurns":
        """Return the turns at some places, in their order."""
        terms = {name: values[places] for name, values in self.terms.items()}
        return replace(self, rows=self.rows[places], scores=self.scores[places], terms=terms)

    def with_term(self, name: str, values: Values, weight: float = 1.0) -> "ScoredTurns":
        """Return the turns, in the same order, with one more term, which adds to their scores."""
        return replace(
            self,
            scores=self.scores + np.float32(weight) * values,
            terms={**self.terms, name: values},
            weights={**self.weights, name: weight},
        )

    def sorted(self) -> "ScoredTurns":
        """Return the turns by their scores, best first; of equals the earlier one."""
        return self.at(np.argsort(-self.scores, kind="stable"))


def rank(
    name: str,
    rows: Rows,
    terms: Mapping[str, Values],
    weights: Mapping[str, float],
    sizes: Mapping[str, int],
    *,
    story: Mapping[str, Any] | None = None,
    limit: int | None = None,
) -> ScoredTurns:
    """Return turns by the weighted sum of their terms, best first, at most ``limit``; of equals the earlier row."""
    scores = weighted_sum(terms, weights)
    return ScoredTurns(name, rows, scores, terms, weights, sizes, story=story or {}).sorted().at(slice(limit))
