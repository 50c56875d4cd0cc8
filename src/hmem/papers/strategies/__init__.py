"""Strategies of the papers, by name."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from hmem.papers.strategies.best_effort import BestEffortOptions, best_effort
from hmem.papers.strategies.graph import GraphOptions, graph
from hmem.papers.strategies.intersective import FALLBACK, IntersectiveOptions, intersective, with_others
from hmem.papers.strategies.routed import RoutedOptions, routed
from hmem.papers.strategies.sequential import SequentialOptions, sequential
from hmem.papers.strategies.tiered import TieredOptions, tiered
from hmem.retrieval.config import RetrievalConfig, Strategy
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Scored

# Default options of each strategy.
OPTIONS: Final[Mapping[str, object]] = {
    "sequential": SequentialOptions(),
    "intersective": IntersectiveOptions(),
    "routed": RoutedOptions(),
    "graph": GraphOptions(),
    "best_effort": BestEffortOptions(),
    "tiered": TieredOptions(),
}


def _sequential(sources: Sources, query: Query, config: RetrievalConfig) -> Scored:
    return sequential(sources, query, config.of_paper("sequential", SequentialOptions()))


def _intersective(sources: Sources, query: Query, config: RetrievalConfig) -> Scored:
    """Return what intersective recall finds, among what sequential recall does unless the options say otherwise."""
    options = config.of_paper("intersective", IntersectiveOptions())
    facts = intersective(sources, query, options)
    if not len(facts.rows) or not options.joined or FALLBACK not in config.strategies:
        return facts
    return with_others(facts, _sequential(sources, query, config))


def _routed(sources: Sources, query: Query, config: RetrievalConfig) -> Scored:
    return routed(sources, query, config.of_paper("routed", RoutedOptions()), config.strength)


def _graph(sources: Sources, query: Query, config: RetrievalConfig) -> Scored:
    return graph(sources, query, config.of_paper("graph", GraphOptions()))


def _best_effort(sources: Sources, query: Query, config: RetrievalConfig) -> Scored:
    return best_effort(sources, query, config.of_paper("best_effort", BestEffortOptions()))


def _of_episodes(sources: Sources, query: Query, config: RetrievalConfig) -> Scored:
    """Return the turns of episodes: if the notes suffice, a caller who asks for more gets them behind the notes'."""
    options = config.of_paper("best_effort", BestEffortOptions())
    return best_effort(sources, query, replace(options, notes_first=False))


def _tiered(sources: Sources, query: Query, config: RetrievalConfig) -> Scored:
    options = config.of_paper("tiered", TieredOptions())
    return tiered(sources, query, replace(options, tiering=config.tiering))


STRATEGIES: Final[Mapping[str, Strategy]] = {
    "sequential": Strategy(_sequential),
    "intersective": Strategy(_intersective, enabled=lambda plan: plan.intersective),
    "routed": Strategy(_routed, counts_uses=True),
    "graph": Strategy(_graph),
    "best_effort": Strategy(_best_effort, more=_of_episodes),
    "tiered": Strategy(_tiered, counts_uses=True),
}
