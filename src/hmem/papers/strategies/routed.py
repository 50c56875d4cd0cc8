"""Routed recall: from the domains down to the events, searching only below the best (H-MEM, arXiv 2507.22925).

The tree of layers is the position index: each node has the numbers of its children and, in one matrix, their centroids,
and both are updated incrementally. So nothing is rebuilt when a turn comes, however large the memory is, and only the
events below the last survivors are fetched. Similarities are computed in whole numbers and so are exact.

The paper leaves the measure open. Ours is hybrid: the events below the survivors are scored by words too, and a domain,
category or trace gains what the best turn in it has in words, as the paper's keywords of a trace do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.lexical import WINDOW
from hmem.derived.chunks import EVENT_BITS
from hmem.derived.state import DerivedState
from hmem.derived.trees.centroids import GRID, on_grid
from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.tree import Tree
from hmem.papers.position_index import Beam, K, Positions, best, route
from hmem.papers.terms import Similarity, best_of, permitted
from hmem.papers.tiers import strength
from hmem.retrieval.feedback import StrengthOptions, weights
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Hit, Rows, ScoredTurns, Values, rank
from hmem.retrieval.visibility import labels_shown

NAME: Final = "routed"
TREE: Final = "layers"

# How often a beam that found too few is doubled, before everything is compared.
_WIDENED: Final = 3
# Number of events that routing reaches at most.
_REACHED: Final = 4_096
# Number of turns with the question's words that lead to nodes.
_HITS: Final = 4_096
# Greatest importance of a turn; one without a judgement has half of it.
_MOST_IMPORTANT: Final = 10
_SECOND: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class RoutedOptions:
    """Options of routed recall; the paper's k is 10 throughout.

    ``k`` entries survive in each layer, and ``last`` events are taken in the end. ``beam``: ``whole`` keeps k of a
    layer, as the paper's cost implies; ``per-parent`` keeps k below each survivor, as its formula says. Without
    ``routing`` all events are compared (the paper's first ablation), without ``layers`` all turns (its second).
    ``weights``: the similarity of the event or the turn decides; the strength (importance, forgetting curve, feedback)
    is the confidence, and may count too. ``similarity`` is hybrid, by words too, or semantic, as with vectors alone;
    ``words`` is what a node gains for the lexical score of its best turn.
    """

    k: int = K
    last: int = K
    beam: Beam = "whole"
    routing: bool = True
    layers: bool = True
    similarity: Literal["semantic", "hybrid"] = "hybrid"
    words: float = 1.0
    weights: Mapping[str, float] = field(
        default_factory=lambda: {"semantic.event": 1.0, "semantic.turn": 1.0, "strength": 0.0}
    )


@dataclass(frozen=True, slots=True)
class _RoutedEvents:
    """Events, best first, with their cosines, their nodes from the top down, and the story."""

    events: Positions
    cosines: Values
    paths: Sequence[Sequence[int]]
    story: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _AllEvents:
    """All events of the tree, ascending, and their grid vectors."""

    events: Positions
    vectors: Values


@dataclass(frozen=True)
class _Search:
    """State of one call. It holds the derived state, since asking the sources for it checks for changes each time."""

    sources: Sources
    derived: DerivedState
    query: Query
    options: RoutedOptions
    strengths: StrengthOptions

    @property
    def tree(self) -> Tree:
        return self.derived.trees[TREE]

    def may(self, events: Positions) -> NDArray[np.bool_]:
        """Return a boolean per event: its turn exists and is allowed."""
        rows, allowed = self.sources.corpus.columns.rows_of(events >> EVENT_BITS), self.query.allowed
        return rows >= 0 if allowed is None else (rows >= 0) & allowed[rows]

    @cached_property
    def similarity(self) -> Similarity | None:
        """Similarity of turns by words and meaning; None if meaning alone counts."""
        hybrid = self.options.similarity == "hybrid"
        return Similarity(self.sources, self.query, hybrid=True) if hybrid else None

    @cached_property
    def _lexical(self) -> dict[int, float]:
        """Lexical score of the best turn below each node that holds one of the best turns."""
        corpus, tree, best_score = self.sources.corpus, self.tree, dict[int, float]()
        scores = corpus.lexical(WINDOW, self.query.terms)
        rows = np.sort(scores.keys[np.argsort(-scores.values, kind="stable")[:_HITS]])
        if self.similarity is None or not len(rows):
            return best_score
        terms = self.similarity.terms(rows)
        scores = terms["lexical.turn"] + terms["lexical.window"]
        for seq, score in zip(corpus.columns.seq[rows].tolist(), scores.tolist(), strict=True):
            for event in self.derived.events.of_turn(seq):
                if tree.node_of(event.number) is not None:
                    for node in tree.path(event.number):
                        best_score[node] = max(best_score.get(node, 0.0), score)
        return best_score

    def gain(self, layer: int, positions: Positions) -> Values:
        """Return what nodes, or in the last layer events, gain by words, in units of the products."""
        unit = np.float32(GRID * GRID)
        if self.similarity is None:
            return np.zeros(len(positions), np.float32)
        if layer < TreeLayers.depth_of(self.tree) - 1:
            return unit * np.array(
                [self.options.words * self._lexical.get(node, 0.0) for node in positions.tolist()], np.float32
            )
        return unit * self.similarity.similarities(self.sources.corpus.columns.rows_of(positions >> EVENT_BITS))

    def operations(self, multiply_adds: int) -> dict[str, int]:
        """Return the multiply-adds spent, and those of comparing every event."""
        return {"routed": multiply_adds, "flat": len(self.tree) * len(self.query.vector)}


def routed(sources: Sources, query: Query, options: RoutedOptions, strengths: StrengthOptions) -> ScoredTurns:
    """Return the events below the best of each layer, and their turns. Call it inside ``corpus.reading()``.

    If fewer than ``last`` events are reached, because of a filter or small traces, the beam is doubled up to three
    times; then all events are compared. A memory without layers is recalled as without ``layers``.
    """
    search = _Search(sources, sources.derived, query, options, strengths)
    if not options.layers or not len(search.tree):
        return _by_turn(search)
    return _rank_turns(search, _routed(search) if options.routing else _flat(search))


class TreeLayers:
    """Layers of a tree: its nodes and, as the last layer, its leaves; positions are their numbers."""

    def __init__(self, tree: Tree, vectors: Callable[[Sequence[int]], Values]) -> None:
        self._tree = tree
        self._vectors = vectors
        self.depth = self.depth_of(tree)

    @staticmethod
    def depth_of(tree: Tree) -> int:
        """Count the layers of a tree, that of the leaves included. In a layered placement all paths are as long."""
        top = tree.children(ROOT)
        return tree.level(int(top[0])) + 1 if len(top) else 0

    def children(self, layer: int, parents: Sequence[int]) -> list[tuple[Positions, Values]]:
        """Return the children of each parent with their grid vectors, as ``Layers`` specifies."""
        if layer == self.depth - 1:
            return self._leaves(parents)
        groups = [self._tree.child_centroids(parent) for parent in parents]
        return [(np.array(nodes, np.int64), rows) for nodes, rows in groups]

    def _leaves(self, parents: Sequence[int]) -> list[tuple[Positions, Values]]:
        """Return the leaves below each parent; fetching all at once is far faster."""
        groups = [self._tree.leaves(parent) for parent in parents]
        rows = on_grid(self._vectors([leaf for leaves in groups for leaf in leaves]))
        ends = np.cumsum([len(leaves) for leaves in groups]).tolist()
        return [
            (np.array(leaves, np.int64), rows[end - len(leaves) : end])
            for leaves, end in zip(groups, ends, strict=True)
        ]


def _routed(search: _Search) -> _RoutedEvents:
    options, aim, operations = search.options, on_grid(search.query.vector), 0
    layers = TreeLayers(search.tree, search.derived.vectors_of_events)
    for k in [options.k << times for times in range(_WIDENED + 1)]:
        attempt = route(layers, aim, k=k, last=_REACHED, beam=options.beam, may=search.may, gain=search.gain)
        operations += attempt.operations
        if len(attempt.leaves) >= options.last or attempt.exhaustive:
            story = {"k": k, "scored": list(attempt.comparisons), "operations": search.operations(operations)}
            paths: list[list[int]] = attempt.paths.tolist()
            return _RoutedEvents(attempt.leaves, _cosines(attempt.similarities), paths, story)
    flat_events = _flat(search)
    operations += flat_events.story["operations"]["routed"]
    return replace(flat_events, story={**flat_events.story, "operations": search.operations(operations)})


def _flat(search: _Search) -> _RoutedEvents:
    """Return the best of all events, without routing."""
    all_events = search.sources.cached(_all_events)
    products = all_events.vectors.dot(on_grid(search.query.vector))
    allowed = np.flatnonzero(search.may(all_events.events))
    scores = products[allowed] + search.gain(TreeLayers.depth_of(search.tree) - 1, all_events.events[allowed])
    nearest = allowed[best(scores, _REACHED)]
    events = all_events.events[nearest]
    paths = [search.tree.path(event)[1:] for event in events.tolist()]
    story = {"scored": [len(products)], "operations": search.operations(all_events.vectors.size)}
    return _RoutedEvents(events, _cosines(products[nearest]), paths, story)


def _all_events(sources: Sources) -> _AllEvents:
    derived = sources.derived
    events = derived.trees[TREE].leaves_below(ROOT)
    return _AllEvents(np.array(events, np.int64), on_grid(derived.vectors_of_events(events)))


def _cosines(products: Values) -> Values:
    return products / np.float32(GRID * GRID)


# Results.


def _rank_turns(search: _Search, routed: _RoutedEvents) -> ScoredTurns:
    """Return the best interactions: turns of events and the turns around them; and the best events as hits."""
    corpus, options = search.sources.corpus, search.options
    event_rows = corpus.columns.rows_of(routed.events >> EVENT_BITS)
    rows = _interactions(search, event_rows)
    event_indices = np.searchsorted(rows, event_rows)
    cosines = best_of(event_indices, routed.cosines, len(rows))
    terms = {"semantic.event": np.maximum(cosines, 0), "strength": _strengths(search, rows)}
    weights = dict(options.weights)
    if search.similarity is not None:
        terms |= search.similarity.terms(rows)
        weights |= search.similarity.weights
    scores = weighted_sum(terms, weights)
    events = np.arange(min(options.last, len(routed.events)))
    hits = tuple(
        Hit("event", event, float(scores[index]), (event >> EVENT_BITS,))
        for event, index in zip(routed.events[events].tolist(), event_indices[events].tolist(), strict=True)
    )
    show_labels = labels_shown(search.sources, search.query.user)
    story = {
        "beam": options.beam,
        **routed.story,
        "paths": [
            [(search.derived.name_of(TREE, node) if show_labels else "") or str(node) for node in path]
            for path in routed.paths[: len(events)]
        ],
        "confidence": [round(confidence, 4) for confidence in terms["strength"][event_indices[events]].tolist()],
    }
    ranked = rank(NAME, rows, terms, weights, {"events": len(routed.events)}, story=story, limit=options.last)
    return replace(ranked, hits=hits)


def _interactions(search: _Search, rows: Rows) -> Rows:
    """Return the rows of turns and of those before and after them, ascending: the paper keeps whole interactions."""
    if search.similarity is None:
        return np.unique(rows)
    columns = search.sources.corpus.columns
    with_neighbours = np.unique(np.concatenate([rows, columns.previous[rows], columns.next[rows]]))
    return permitted(search.query, with_neighbours[with_neighbours >= 0].astype(np.int64))


def _by_turn(search: _Search) -> ScoredTurns:
    """Return the turns nearest to the question by their vectors."""
    corpus, query, options = search.sources.corpus, search.query, search.options
    similarity = search.similarity or Similarity(search.sources, query, hybrid=False)
    rows = similarity.best(similarity.candidates(options.last), options.last)
    terms = {**similarity.terms(rows), "strength": _strengths(search, rows)}
    weights = {**options.weights, **(similarity.weights if search.similarity else {})}
    operations = corpus.columns.alive_count * len(query.vector)
    story = {"layers": False, "operations": {"routed": operations, "flat": operations}}
    return rank(NAME, rows, terms, weights, {"turns": len(rows)}, story=story)


def _strengths(search: _Search, rows: Rows) -> Values:
    """Return the strength of each turn, 0 to 1 without feedback (H-MEM).

    It is the importance (one half if not judged) times retention times the weight of feedback.
    """
    corpus = search.sources.corpus
    seqs: list[int] = corpus.columns.seq[rows].tolist()
    judgements = map(search.derived.judgements.get, seqs)
    importances = [_MOST_IMPORTANT / 2 if judgement is None else judgement.importance for judgement in judgements]
    said_times = corpus.columns.said[rows] // _SECOND
    used = {use.seq: use for use in corpus.storage.uses(seqs=seqs)}
    uses = [1 + used[seq].uses if seq in used else 1 for seq in seqs]
    last = [used[seq].last // _SECOND if seq in used else 0 for seq in seqs]
    feedback = weights(search.sources, rows, search.query)
    return strength(
        np.array(importances, np.float32),
        np.array(uses, np.int64),
        np.maximum(said_times, np.array(last, np.int64)),
        np.ones(len(seqs), np.float32) if feedback is None else feedback,
        search.query.asked.timestamp(),
        search.strengths,
    )
