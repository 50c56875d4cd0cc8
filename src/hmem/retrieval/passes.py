"""Milliseconds by stage.

What a recall could not have: the embedder, so that words alone tell, or the reranker, so that the order stays.

Several passes of one recall as one, each turn once, with the best score that a pass gave it; kinds side by side.

What the passes of a recall found, and its story.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from time import perf_counter
from typing import Any, Final

import numpy as np

from hmem.errors import EmbedderUnavailable, HmemError
from hmem.model.evidence import Context, Evidence, Trace
from hmem.model.plan import FollowUp, Plan
from hmem.retrieval.plan import Query
from hmem.retrieval.strategies.base import FoundPiece, Scored, Values


class StageClock:
    """Milliseconds by stage; a stage that comes again adds to its own."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = perf_counter()

    def stage(self, name: str) -> None:
        """A stage ends here; it began where the last one ended."""
        present = perf_counter()
        self.stages[name] = self.stages.get(name, 0.0) + (present - self._last) * 1_000
        self._last = present


# What the trace calls what it tells of each, and that it cannot be had.
RERANK: Final = "rerank"
_EMBEDDER: Final = "embedder"
_AWAY: Final = "unavailable"
_NEEDED: Final = ((_EMBEDDER, "embedder"), (RERANK, "reranker"))


def away(error: HmemError) -> dict[str, str]:
    """What the trace tells of a part that cannot be had."""
    return {_AWAY: str(error)}


def embedder_away(error: EmbedderUnavailable) -> dict[str, Any]:
    """The step of the trace that tells of an embedder that cannot be had."""
    return {_EMBEDDER: away(error)}


def lacking(steps: Mapping[str, Any]) -> tuple[str, ...]:
    """What could not be had in a recall, by the steps that its trace tells of."""
    return tuple(name for step, name in _NEEDED if _AWAY in steps.get(step, ()))


def merge(passes: Sequence[Scored]) -> Scored:
    """The turns of all passes, best first; scores of one strategy are comparable, those of several are taken so.

    Weights become part of the terms' values, since passes of several strategies have their own.
    """
    if len(passes) == 1:
        return passes[0]
    rows = np.concatenate([each.rows for each in passes])
    scores = np.concatenate([each.scores for each in passes])
    order = np.argsort(-scores, kind="stable")
    _, first = np.unique(rows[order], return_index=True)
    kept = order[np.sort(first)]
    names = dict.fromkeys(name for each in passes for name in each.terms)
    terms = {name: np.concatenate([_contributions(each, name) for each in passes])[kept] for name in names}
    sizes = {name: size for each in passes for name, size in each.sizes.items()}
    story = {name: told for each in passes for name, told in each.story.items()}
    return Scored(
        "+".join(dict.fromkeys(each.name for each in passes)),
        rows[kept], scores[kept], terms, dict.fromkeys(names, 1.0), sizes, _pieces(passes), story,
    )  # fmt: skip


def _contributions(scored: Scored, name: str) -> Values:
    """What a term adds to each score of a pass."""
    if name not in scored.terms:
        return np.zeros(len(scored.rows), np.float32)
    return scored.terms[name] * np.float32(scored.weights.get(name, 0.0))


def _pieces(passes: Sequence[Scored]) -> tuple[FoundPiece, ...]:
    best: dict[tuple[str, int, str], FoundPiece] = {}
    for piece in sorted(chain.from_iterable(each.pieces for each in passes), key=lambda piece: -piece.score):
        best.setdefault((piece.kind, piece.number, piece.tree), piece)
    return tuple(best.values())


def in_turn(turns: Sequence[Evidence], others: Sequence[Evidence]) -> list[Evidence]:
    """Turns and other kinds by rank, one of each in turn: their scores are not on one scale."""
    pairs = zip_longest(turns, others)
    return [item for pair in pairs for item in pair if item is not None]


def distinct(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Evidence, best first, without events and notes whose turn stands before them, and without repeats."""
    kept: list[Evidence] = []
    ids: set[str] = set()
    for item in evidence:
        repeats = item.kind in ("event", "note") and bool(item.sources) and item.sources[-1] in ids
        if item.id not in ids and not repeats:
            kept.append(item)
        ids.add(item.id)
    return kept


@dataclass(frozen=True, slots=True)
class PassResult:
    """What the passes of one recall found, and how."""

    plan: Plan
    query: Query
    scored: Scored
    queries: tuple[str, ...]
    follow_up: FollowUp | None
    steps: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a question is answered from by whoever reads it outside of the lock; its evidence has its reasons."""

    recalled: PassResult
    context: Context


def stories(found: Sequence[Scored], about: str = "") -> dict[str, Any]:
    """What each strategy did, by its name, behind what it was asked about."""
    return {f"{about}{each.name}": dict(each.story) for each in found if each.story}


def told(recalled: PassResult, clock: StageClock) -> Trace:
    """The story of a recall."""
    query, scored = recalled.query, recalled.scored
    return Trace(
        words=query.words,
        speakers=query.names,
        candidates=scored.sizes,
        milliseconds=clock.stages,
        plan=recalled.plan,
        queries=recalled.queries,
        follow_up=recalled.follow_up,
        steps=recalled.steps,
    )
