"""How a recipe recalls, as data, and its strategies by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from hmem.retrieval.exchange import ExchangeOptions
from hmem.retrieval.fuse import FuseOptions, fuse
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.strength import StrengthOptions
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Scored
from hmem.retrieval.strategies.best_effort import BestEffortOptions, best_effort
from hmem.retrieval.strategies.flat import FlatOptions, flat
from hmem.retrieval.strategies.graph import GraphOptions, graph
from hmem.retrieval.strategies.intersective import IntersectiveOptions, intersective
from hmem.retrieval.strategies.routed import RoutedOptions, routed
from hmem.retrieval.strategies.sequential import SequentialOptions, sequential
from hmem.retrieval.strategies.tiered import TieredOptions, tiered


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """``split``: whether the parts of a question are looked up too; ``scope``: one for every question, or the plan's;
    ``follow_up``: whether one further query is made for what the first pass lacks (H-Mem, tree and graph);
    ``intersective``: whether a question with a time frame is looked up so, where the recipe can (H-Mem, two trees);
    ``model``: whether the memory's language model, if it has one, plans what is searched for too (``ask`` has it plan
    anyway): a search waits for it then."""

    split: bool = True
    scope: str = ""
    follow_up: bool = True
    intersective: bool = True
    model: bool = False


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """``known`` is the part of a context's budget, from 0 to 1, that the notes and summaries a strategy found may take,
    before the turns; what a turn of the context tells anyway is not told twice. ``pinned`` is the part that what is
    pinned may take, before all else."""

    known: float = 0.0
    pinned: float = 0.25


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """How a recipe recalls: which strategies, and the options of each.

    The first strategy that finds anything is used. ``rerank`` names what orders the best ``reranked`` anew, or nothing.
    """

    strategies: tuple[str, ...] = ("flat",)
    plan: PlanOptions = field(default_factory=PlanOptions)
    flat: FlatOptions = field(default_factory=FlatOptions)
    sequential: SequentialOptions = field(default_factory=SequentialOptions)
    intersective: IntersectiveOptions = field(default_factory=IntersectiveOptions)
    routed: RoutedOptions = field(default_factory=RoutedOptions)
    graph: GraphOptions = field(default_factory=GraphOptions)
    best_effort: BestEffortOptions = field(default_factory=BestEffortOptions)
    tiered: TieredOptions = field(default_factory=TieredOptions)
    fuse: FuseOptions = field(default_factory=FuseOptions)
    strength: StrengthOptions = field(default_factory=StrengthOptions)
    exchange: ExchangeOptions = field(default_factory=ExchangeOptions)
    context: ContextOptions = field(default_factory=ContextOptions)
    rerank: str = ""
    reranked: int = 30


_BY_WORDS: Final = {"lexical.turn": 1.0, "lexical.window": 1.0}

STRATEGIES: Final[Mapping[str, Callable[[Sources, Query, RetrievalConfig], Scored]]] = {
    "flat": lambda sources, query, reading: flat(sources, query, reading.flat),
    "sequential": lambda sources, query, reading: sequential(sources, query, reading.sequential),
    "intersective": lambda sources, query, reading: intersective(sources, query, reading.intersective),
    "routed": lambda sources, query, reading: routed(sources, query, reading.routed, reading.strength),
    "graph": lambda sources, query, reading: graph(sources, query, reading.graph),
    "best_effort": lambda sources, query, reading: best_effort(sources, query, reading.best_effort),
    "tiered": lambda sources, query, reading: tiered(sources, query, reading.tiered),
    "fusion": lambda sources, query, reading: fuse(sources, query, reading.flat, reading.fuse),
}


def find(sources: Sources, query: Query, reading: RetrievalConfig) -> list[Scored]:
    """What the strategies find: the last is the one that found something, those before it say why they did not."""
    found: list[Scored] = []
    for name in reading.strategies:
        if name == "intersective" and not reading.plan.intersective:
            continue
        found.append(STRATEGIES[name](sources, query, reading))
        if len(found[-1].rows):
            break
    return found


def find_by_words(sources: Sources, query: Query, reading: RetrievalConfig) -> Scored:
    """What can be found while the embedder cannot be had: by words alone, whatever the recipe."""
    weights = reading.flat.weights or _BY_WORDS
    return flat(sources, query, replace(reading.flat, weights=weights))
