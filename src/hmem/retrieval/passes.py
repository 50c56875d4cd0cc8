"""Passes of one recall: merging their results, the parts that were unavailable, stage timings, and the trace."""

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
    """Milliseconds by stage; a repeated stage adds up."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = perf_counter()

    def stage(self, name: str) -> None:
        """End a stage; it began where the last one ended."""
        present = perf_counter()
        self.stages[name] = self.stages.get(name, 0.0) + (present - self._last) * 1_000
        self._last = present


# Keys of the trace for each part that may be unavailable.
RERANK: Final = "rerank"
_EMBEDDER: Final = "embedder"
_UNAVAILABLE: Final = "unavailable"
_NEEDED: Final = ((_EMBEDDER, "embedder"), (RERANK, "reranker"))


def unavailable(error: HmemError) -> dict[str, str]:
    """Return the trace entry of an unavailable part."""
    return {_UNAVAILABLE: str(error)}


def embedder_step(error: EmbedderUnavailable) -> dict[str, Any]:
    """Return the trace step of an unavailable embedder."""
    return {_EMBEDDER: unavailable(error)}


def lacking(steps: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the parts that were unavailable in a recall, by the steps of its trace."""
    return tuple(name for step, name in _NEEDED if _UNAVAILABLE in steps.get(step, ()))


def merge(passes: Sequence[Scored]) -> Scored:
    """Return the turns of all passes, each once with its best score, best first.

    Scores of one strategy are comparable; those of several are treated so. Weights are multiplied into the terms'
    values, since passes of several strategies have different weights.
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
    story = {name: step for each in passes for name, step in each.story.items()}
    return Scored(
        "+".join(dict.fromkeys(each.name for each in passes)),
        rows[kept], scores[kept], terms, dict.fromkeys(names, 1.0), sizes, _pieces(passes), story,
    )  # fmt: skip


def _contributions(scored: Scored, name: str) -> Values:
    """Return what a term adds to each score of a pass."""
    if name not in scored.terms:
        return np.zeros(len(scored.rows), np.float32)
    return scored.terms[name] * np.float32(scored.weights.get(name, 0.0))


def _pieces(passes: Sequence[Scored]) -> tuple[FoundPiece, ...]:
    best: dict[tuple[str, int, str], FoundPiece] = {}
    for piece in sorted(chain.from_iterable(each.pieces for each in passes), key=lambda piece: -piece.score):
        best.setdefault((piece.kind, piece.number, piece.tree), piece)
    return tuple(best.values())


def in_turn(turns: Sequence[Evidence], others: Sequence[Evidence]) -> list[Evidence]:
    """Return turns and other kinds interleaved by rank, since their scores are not on one scale."""
    pairs = zip_longest(turns, others)
    return [item for pair in pairs for item in pair if item is not None]


def distinct(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return evidence, best first, without repeats, and without events and notes whose turn stands before them."""
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
    """Result of the passes of one recall: plan, query, scored turns, queries made, and the trace's steps.

    ``instructions`` are the rows of turns with standing instructions for a request, ``silent`` those of turns that tell
    nothing of what is asked.
    """

    plan: Plan
    query: Query
    scored: Scored
    queries: tuple[str, ...]
    follow_up: FollowUp | None
    steps: dict[str, Any]
    instructions: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """Context for a reader that answers outside of the lock; its evidence has its reasons."""

    recalled: PassResult
    context: Context


def stories(found: Sequence[Scored], about: str = "") -> dict[str, Any]:
    """Return the story of each strategy, by its name with the prefix ``about``."""
    return {f"{about}{each.name}": dict(each.story) for each in found if each.story}


def trace_of(recalled: PassResult, clock: StageClock) -> Trace:
    """Return the trace of a recall."""
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
