"""Recipes of the five papers as data, their strategies by name, and the groups of these strategies' constants."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hmem.derived.note_states import ReconcileOptions
from hmem.formation.config import INACTIVE
from hmem.papers.strategies.best_effort import BestEffortOptions, best_effort
from hmem.papers.strategies.graph import GraphOptions, graph
from hmem.papers.strategies.intersective import FALLBACK, IntersectiveOptions, intersective, with_others
from hmem.papers.strategies.routed import RoutedOptions, routed
from hmem.papers.strategies.sequential import SequentialOptions, sequential
from hmem.papers.strategies.tiered import TieredOptions, tiered
from hmem.recipes.catalog import RECIPES as OURS
from hmem.recipes.catalog import Group, Recipe, recalls_by
from hmem.retrieval.config import ContextOptions, PlanOptions, RetrievalConfig, Strategy
from hmem.retrieval.feedback import StrengthOptions
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import ScoredTurns

_FLAT: Final = OURS["flat"].retrieval
# Of the papers, only `evolving` makes a follow-up by itself.
_PLANNED: Final = replace(_FLAT, plan=PlanOptions())
# A context begins with notes and summaries that say what none of its turns does.
_WITH_NOTES: Final = ContextOptions(notes_share=0.08)
# Papers with notes revise them.
_RECONCILE: Final = ReconcileOptions()

RECIPES: Final[Mapping[str, Recipe]] = {
    "evolving": Recipe(
        "evolving", replace(_PLANNED, strategies=("graph",), context=_WITH_NOTES),
        replace(INACTIVE, events=True, evolution=True, graph=True, profiles=True, summaries=True),
    ),
    "dual-tree": Recipe(
        "dual-tree", replace(_FLAT, strategies=("intersective", "sequential")),
        replace(INACTIVE, curation=True, events=True, calendar=True, topic=True, summaries=True),
    ),
    "layered": Recipe(
        "layered",
        replace(
            _FLAT, strategies=("routed",), strength=StrengthOptions(multiplied=True),
            context=ContextOptions(notes_share=0.08, profiles=True, confidence=True),
        ),
        replace(INACTIVE, curation=True, events=True, segmentation=True, layers=True, notes=True, persona=True),
    ),
    "notes-episodes": Recipe(
        "notes-episodes", replace(_FLAT, strategies=("best_effort",), context=_WITH_NOTES),
        replace(
            INACTIVE, curation=True, events=True, segmentation=True, notes=True, summaries=True, reconciling=_RECONCILE,
        ),
    ),
    "orchestrated": Recipe(
        "orchestrated", replace(_FLAT, strategies=("tiered",), context=ContextOptions(compressed=96)),
        replace(INACTIVE, events=True, notes=True, persona=True, tiers=True, reconciling=_RECONCILE),
    ),
}  # fmt: skip


def _group(strategy: str, mechanism: str, options: object) -> Group:
    return Group("retrieval", strategy, mechanism, recalls_by(strategy), options)


GROUPS: Final[Mapping[str, Group]] = {
    "sequential": _group("sequential", "sequential recall", SequentialOptions()),
    "intersective": _group("intersective", "intersective recall", IntersectiveOptions()),
    "routing": _group("routed", "routed recall", RoutedOptions()),
    "graph": _group("graph", "recall over the graph", GraphOptions()),
    "best_effort": _group("best_effort", "best-effort recall", BestEffortOptions()),
    "tiered": _group("tiered", "tiered recall", TieredOptions()),
}


# Strategies.


def _sequential(sources: Sources, query: Query, config: RetrievalConfig) -> ScoredTurns:
    return sequential(sources, query, config.of_paper("sequential", SequentialOptions()))


def _intersective(sources: Sources, query: Query, config: RetrievalConfig) -> ScoredTurns:
    """Return the result of intersective recall, ranked among that of sequential recall unless ``joined`` is off."""
    options = config.of_paper("intersective", IntersectiveOptions())
    facts = intersective(sources, query, options)
    if not len(facts.rows) or not options.joined or FALLBACK not in config.strategies:
        return facts
    return with_others(facts, _sequential(sources, query, config))


def _routed(sources: Sources, query: Query, config: RetrievalConfig) -> ScoredTurns:
    return routed(sources, query, config.of_paper("routed", RoutedOptions()), config.strength)


def _graph(sources: Sources, query: Query, config: RetrievalConfig) -> ScoredTurns:
    return graph(sources, query, config.of_paper("graph", GraphOptions()))


def _best_effort(sources: Sources, query: Query, config: RetrievalConfig) -> ScoredTurns:
    return best_effort(sources, query, config.of_paper("best_effort", BestEffortOptions()))


def _episodes(sources: Sources, query: Query, config: RetrievalConfig) -> ScoredTurns:
    """Return the turns of episodes, for a caller who asks for more turns than the notes gave."""
    options = config.of_paper("best_effort", BestEffortOptions())
    return best_effort(sources, query, replace(options, notes_first=False))


def _tiered(sources: Sources, query: Query, config: RetrievalConfig) -> ScoredTurns:
    options = config.of_paper("tiered", TieredOptions())
    return tiered(sources, query, replace(options, tiering=config.tiering))


STRATEGIES: Final[Mapping[str, Strategy]] = {
    "sequential": Strategy(_sequential),
    "intersective": Strategy(_intersective, enabled=lambda plan: plan.intersective),
    "routed": Strategy(_routed, counts_uses=True),
    "graph": Strategy(_graph),
    "best_effort": Strategy(_best_effort, find_more=_episodes),
    "tiered": Strategy(_tiered, counts_uses=True),
}
