"""Passes of one recall: interleaving their results, the parts that were unavailable, stage timings, and the trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from time import perf_counter
from typing import Any, Final, TypeVar

import numpy as np

from hmem.errors import EmbedderUnavailable, HmemError
from hmem.model.evidence import Context, Evidence, Trace
from hmem.model.plan import FollowUp, Plan
from hmem.retrieval.plan import Query
from hmem.retrieval.strategies.base import Hit, Rows, ScoredTurns


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
_STEP_OF_PART: Final = ((_EMBEDDER, "embedder"), (RERANK, "reranker"))


def unavailable(error: HmemError) -> dict[str, str]:
    """Return the trace entry of an unavailable part."""
    return {_UNAVAILABLE: str(error)}


def embedder_step(error: EmbedderUnavailable) -> dict[str, Any]:
    """Return the trace step of an unavailable embedder."""
    return {_EMBEDDER: unavailable(error)}


def unavailable_parts(steps: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the parts that were unavailable in a recall, by the steps of its trace."""
    return tuple(name for step, name in _STEP_OF_PART if _UNAVAILABLE in steps.get(step, ()))


Item = TypeVar("Item")

# Beginning of the name of a search for a part of the question.
PART: Final = "part "
# A turn at a rank, from 0, gets _HALVED / (_HALVED + rank) from a pass.
_HALVED: Final = 10.0


@dataclass(frozen=True, slots=True)
class Pass:
    """One search of a recall: for the question, a part of it, or a follow-up.

    ``ranks`` are those of the scored turns that count, in their order. ``name`` is that of the term of its share.
    """

    name: str
    query: Query
    ranking: ScoredTurns
    ranks: Rows

    @property
    def rows(self) -> Rows:
        """Rows of the turns that count, in their order."""
        return self.ranking.rows[self.ranks]


def interleave(passes: Sequence[Pass]) -> ScoredTurns:
    """Return the turns of all passes, each once, by the sum of the reciprocals of their ranks.

    Scores of different questions cannot be compared. A turn's terms are the share of each pass, and, without a weight,
    those of the pass in which it ranks best.
    """
    if len(passes) == 1:
        return passes[0].ranking
    rows = np.unique(np.concatenate([search.rows for search in passes]))
    ranks = np.full((len(passes), len(rows)), np.inf)
    for pass_ranks, search in zip(ranks, passes, strict=True):
        pass_ranks[np.searchsorted(rows, search.rows)] = np.arange(len(search.rows))
    shares = (_HALVED / (_HALVED + ranks)).astype(np.float32)
    scores, best = shares.sum(axis=0), ranks.argmin(axis=0)
    order = np.lexsort((best, -scores))
    names = dict.fromkeys(name for search in passes for name in search.ranking.terms)
    terms = {name: np.zeros(len(rows), np.float32) for name in names}
    for number, search in enumerate(passes):
        of_pass = np.flatnonzero(best == number)
        indices = search.ranks[ranks[number, of_pass].astype(np.int64)]
        for name, values in search.ranking.terms.items():
            terms[name][of_pass] = values[indices]
    terms |= {search.name: share for search, share in zip(passes, shares, strict=True)}
    return ScoredTurns(
        "+".join(dict.fromkeys(search.ranking.name for search in passes)),
        rows[order],
        scores[order],
        {name: values[order] for name, values in terms.items()},
        dict.fromkeys(names, 0.0) | dict.fromkeys([search.name for search in passes], 1.0),
        {name: size for search in passes for name, size in search.ranking.sizes.items()},
        _hits([search.ranking for search in passes]),
        {name: step for search in passes for name, step in search.ranking.story.items()},
        any(search.ranking.deeper for search in passes),
    )


def _hits(passes: Sequence[ScoredTurns]) -> tuple[Hit, ...]:
    best: dict[tuple[str, int, str], Hit] = {}
    for hit in in_turn(*(search.hits for search in passes)):
        best.setdefault((hit.kind, hit.number, hit.tree), hit)
    return tuple(best.values())


def in_turn(*lists: Sequence[Item]) -> list[Item]:
    """Return lists interleaved by rank, since their scores are not on one scale."""
    return [item for items in zip_longest(*lists) for item in items if item is not None]


def distinct(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Return evidence, best first, without repeats, and without events and notes whose turn stands before them."""
    items: list[Evidence] = []
    ids: set[str] = set()
    for item in evidence:
        repeats = item.kind in ("event", "note") and bool(item.sources) and item.sources[-1] in ids
        if item.id not in ids and not repeats:
            items.append(item)
        ids.add(item.id)
    return items


@dataclass(frozen=True, slots=True)
class PassResult:
    """Result of the passes of one recall: plan, query, scored turns, queries made, and the trace's steps.

    ``instructions`` are the rows of turns with standing instructions for a request, ``silent`` those of turns that tell
    nothing of what is asked. ``passes`` are the searches: for the question, each part of it, the follow-ups.
    """

    plan: Plan
    query: Query
    ranking: ScoredTurns
    queries: tuple[str, ...]
    follow_up: FollowUp | None
    steps: dict[str, Any]
    instructions: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()
    passes: tuple[Pass, ...] = ()

    @property
    def part_searches(self) -> tuple[Pass, ...]:
        """Searches for the parts of a plan that has several."""
        return tuple(search for search in self.passes if search.name.startswith(PART))


@dataclass(frozen=True, slots=True)
class ContextForReader:
    """Context for a reader that answers outside of the lock; its evidence has its reasons.

    ``lines`` has the numbers of the lines that were found for each part of the plan, best first.
    """

    result: PassResult
    context: Context
    lines: tuple[tuple[int, ...], ...] = ()


def stories(results: Sequence[ScoredTurns], prefix: str = "") -> dict[str, Any]:
    """Return the story of each strategy, by its name with the prefix ``about``."""
    return {f"{prefix}{scored.name}": dict(scored.story) for scored in results if scored.story}


def trace_of(result: PassResult, clock: StageClock) -> Trace:
    """Return the trace of a recall."""
    query, ranking = result.query, result.ranking
    return Trace(
        words=query.words,
        speakers=query.names,
        candidates=ranking.sizes,
        milliseconds=clock.stages,
        plan=result.plan,
        queries=result.queries,
        follow_up=result.follow_up,
        steps=result.steps,
    )
