"""What the passes of a recall found, and its story."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hmem.model.evidence import Context, Trace
from hmem.model.plan import FollowUp, Plan
from hmem.read.clock import Clock
from hmem.read.plan import Query
from hmem.read.strategy.base import Scored


@dataclass(frozen=True, slots=True)
class Recalled:
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

    recalled: Recalled
    context: Context


def stories(found: Sequence[Scored], about: str = "") -> dict[str, Any]:
    """What each strategy did, by its name, behind what it was asked about."""
    return {f"{about}{each.name}": dict(each.story) for each in found if each.story}


def told(recalled: Recalled, clock: Clock) -> Trace:
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
