"""Retrieval configuration of a recipe, and its strategies by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from hmem.model.tier import TierOptions
from hmem.retrieval.exchange import ExchangeOptions
from hmem.retrieval.feedback import StrengthOptions
from hmem.retrieval.fuse import FuseOptions, fuse
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import ScoredTurns
from hmem.retrieval.strategies.flat import FlatOptions, flat
from hmem.util.lazy_table import LazyTable

Options = TypeVar("Options")


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """Options of query planning.

    - ``split``: search for each part of a question that a model split too, and answer first what others need.
    - ``coverage``: let a part's coverage decide how many turns it brings; off: ``PER_PART``'s most.
    - ``sufficiency``: let a model that answers say if the evidence suffices; if not, the next level is searched, and
      what is missing is asked for (HiMem, HMO, H-Mem).
    - ``scope``: the scope of every question; empty: the plan's.
    - ``follow_up``: without such a model, make one further query for a name that the first pass lacks (H-Mem, tree and
      graph).
    - ``intersective``: search two trees for a question with a time frame, where the recipe can (H-Mem, two trees).
    - ``model``: let the memory's language model, if any, plan the query too; a search waits for it (``ask`` always lets
      it plan).
    """

    split: bool = True
    coverage: bool = True
    sufficiency: bool = True
    scope: str = ""
    follow_up: bool = True
    intersective: bool = True
    model: bool = False


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """Options of the context: shares of its budget, and its floor, from 0 to 1.

    ``filled`` contexts have turns of flat recall behind those that a strategy found, if these leave room.
    ``notes_share`` is what the notes and summaries that a strategy found may take, before the turns; what a turn of the
    context tells is not told twice. ``formed_share`` is what texts that a language model formed may take, each where it
    is worth more than a turn. ``pinned`` is what pinned items may take, before all else. ``profiles`` begins with the
    personas of those asked about, within ``notes_share``, and ``confidence`` marks each turn with its strength (H-MEM).
    ``compressed`` is the number of tokens that a turn of more than twice as many is cut to where it does not fit whole;
    0: none. A language model compresses long turns for that (HMO). If no turn has a relevance of at least ``floor``,
    only few turns are written, and below a quarter of it none; turns of less than 1/250 of it are left out in any case.
    """

    filled: bool = True
    notes_share: float = 0.0
    formed_share: float = 0.0
    pinned: float = 0.25
    profiles: bool = False
    confidence: bool = False
    compressed: int = 0
    floor: float = 0.08


@dataclass(frozen=True, slots=True)
class RetrievalConfig:
    """Strategies of a recipe, and the options of each.

    The first strategy that finds anything is used. ``rerank`` names what orders the best ``rerank_depth`` anew, or
    nothing. ``without`` names stages of ``retrieval/stages.py`` that are left out, to measure what they do. ``cut``: a
    search without a least relevance of its own returns only what is relevant. ``record``: record which turns were shown
    and which were of use. ``tiering`` are the constants by which the memory's tiers are formed. ``papers`` has the
    options of the papers' strategies that differ from the defaults, by strategy.
    """

    strategies: tuple[str, ...] = ("flat",)
    plan: PlanOptions = field(default_factory=PlanOptions)
    flat: FlatOptions = field(default_factory=FlatOptions)
    fuse: FuseOptions = field(default_factory=FuseOptions)
    strength: StrengthOptions = field(default_factory=StrengthOptions)
    exchange: ExchangeOptions = field(default_factory=ExchangeOptions)
    context: ContextOptions = field(default_factory=ContextOptions)
    rerank: str = ""
    rerank_depth: int = 30
    without: tuple[str, ...] = ()
    cut: bool = True
    record: bool = True
    tiering: TierOptions = field(default_factory=TierOptions)
    papers: Mapping[str, object] = field(default_factory=dict[str, object])

    def of_paper(self, strategy: str, default: Options) -> Options:
        """Return the options of a paper's strategy; ``default`` unless a setting or its recipe changes them."""
        options = self.papers.get(strategy)
        return options if isinstance(options, type(default)) else default


Find = Callable[[Sources, Query, RetrievalConfig], ScoredTurns]


@dataclass(frozen=True, slots=True)
class Strategy:
    """Strategy by name: ``find`` returns what it finds, ``find_more`` what else it has for a caller who asks for more.

    ``counts_uses``: its scores depend on recorded uses. ``enabled`` tells if a plan's options leave it in.
    """

    find: Find
    find_more: Find | None = None
    counts_uses: bool = False
    enabled: Callable[[PlanOptions], bool] = lambda _: True


_BY_WORDS: Final = {"lexical.turn": 1.0, "lexical.window": 1.0}

STRATEGIES: Final = LazyTable[Strategy](
    {
        "flat": Strategy(lambda sources, query, config: flat(sources, query, config.flat)),
        "fusion": Strategy(lambda sources, query, config: fuse(sources, query, config.flat, config.fuse)),
    },
    "hmem.papers.recipes",
    "STRATEGIES",
)


def counts_uses(config: RetrievalConfig) -> bool:
    """Tell if a strategy's scores depend on recorded uses."""
    return any(STRATEGIES[name].counts_uses for name in config.strategies)


def find(sources: Sources, query: Query, config: RetrievalConfig) -> list[ScoredTurns]:
    """Return the results of the strategies in order, up to the first that finds something.

    The story of each earlier one says why it found nothing. What intersective recall finds is ranked among
    what sequential recall finds, unless its options say otherwise.
    """
    results: list[ScoredTurns] = []
    for strategy in (STRATEGIES[name] for name in config.strategies):
        if not strategy.enabled(config.plan):
            continue
        results.append(strategy.find(sources, query, config))
        if len(results[-1].rows):
            break
    return results


def find_by_words(sources: Sources, query: Query, config: RetrievalConfig) -> ScoredTurns:
    """Return what keywords alone find, for use while the embedder is unavailable."""
    weights = config.flat.weights or _BY_WORDS
    return flat(sources, query, replace(config.flat, weights=weights))
