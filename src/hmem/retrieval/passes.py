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


Item = TypeVar("Item")

# Beginning of the name of a search for a part of the question.
PART: Final = "part "
# A turn at a rank, from 0, gets _HALVED / (_HALVED + rank) from a pass.
_HALVED: Final = 10.0


@dataclass(frozen=True, slots=True)
class Pass:
    """One search of a recall: for the question, a part of it, or a follow-up.

    ``places`` are those of the scored turns that count, in their order. ``name`` is that of the term of its share.
    """

    name: str
    query: Query
    scored: ScoredTurns
    places: Rows

    @property
    def rows(self) -> Rows:
        """Rows of the turns that count, in their order."""
        return self.scored.rows[self.places]


def interleave(passes: Sequence[Pass]) -> ScoredTurns:
    """Return the turns of all passes, each once, by the sum of the reciprocals of their ranks.

    Scores of different questions cannot be compared. A turn's terms are the share of each pass, and, without a weight,
    those of the pass in which it ranks best.
    """
    if len(passes) == 1:
        return passes[0].scored
    rows = np.unique(np.concatenate([each.rows for each in passes]))
    ranks = np.full((len(passes), len(rows)), np.inf)
    for own, each in zip(ranks, passes, strict=True):
        own[np.searchsorted(rows, each.rows)] = np.arange(len(each.rows))
    shares = (_HALVED / (_HALVED + ranks)).astype(np.float32)
    scores, best = shares.sum(axis=0), ranks.argmin(axis=0)
    order = np.lexsort((best, -scores))
    names = dict.fromkeys(name for each in passes for name in each.scored.terms)
    terms = {name: np.zeros(len(rows), np.float32) for name in names}
    for number, each in enumerate(passes):
        of_pass = np.flatnonzero(best == number)
        places = each.places[ranks[number, of_pass].astype(np.int64)]
        for name, values in each.scored.terms.items():
            terms[name][of_pass] = values[places]
    terms |= {each.name: share for each, share in zip(passes, shares, strict=True)}
    return ScoredTurns(
        "+".join(dict.fromkeys(each.scored.name for each in passes)),
        rows[order],
        scores[order],
        {name: values[order] for name, values in terms.items()},
        dict.fromkeys(names, 0.0) | dict.fromkeys([each.name for each in passes], 1.0),
        {name: size for each in passes for name, size in each.scored.sizes.items()},
        _hits([each.scored for each in passes]),
        {name: step for each in passes for name, step in each.scored.story.items()},
        any(each.scored.deeper for each in passes),
    )


def _hits(passes: Sequence[ScoredTurns]) -> tuple[Hit, ...]:
    best: dict[tuple[str, int, str], Hit] = {}
    for hit in in_turn(*(each.hits for each in passes)):
        best.setdefault((hit.kind, hit.number, hit.tree), hit)
    return tuple(best.values())


def in_turn(*lists: Sequence[Item]) -> list[Item]:
    """Return lists interleaved by rank, since their scores are not on one scale."""
    return [item for items in zip_longest(*lists) for item in items if item is not None]


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
    nothing of what is asked. ``passes`` are the searches: for the question, each part of it, the follow-ups.
    """

    plan: Plan
    query: Query
    scored: ScoredTurns
    queries: tuple[str, ...]
    follow_up: FollowUp | None
    steps: dict[str, Any]
    instructions: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()
    passes: tuple[Pass, ...] = ()

    @property
    def of_parts(self) -> tuple[Pass, ...]:
        """Searches for the parts of a plan that has several."""
        return tuple(each for each in self.passes if each.name.startswith(PART))


@dataclass(frozen=True, slots=True)
class Gathered:
    """Context for a reader that answers outside of the lock; its evidence has its reasons.

    ``lines`` has the numbers of the lines that were found for each part of the plan, best first.
    """

    recalled: PassResult
    context: Context
    lines: tuple[tuple[int, ...], ...] = ()


def stories(found: Sequence[ScoredTurns], about: str = "") -> dict[str, Any]:
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
