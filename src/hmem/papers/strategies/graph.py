"""Graph recall: the knowledge graph and the evolution tree (H-Mem, tree and graph; recall, steps 2 and 3).

Entities that the question names, or whose names are similar to it, are the seeds. Relations and overlaps lead from them
to further entities, from all of these to the turns that name them, from the turns to their events, and from the events
up the evolution tree. Events similar to the question are added, so that a question without a name finds something too.
A relation counts only if the turn that states it is similar enough to the question.

Everything is scored by ``F = 0.70 S + 0.15 T + 0.15 R``; what the question's names add is a separate term.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np

from hmem.derived.chunks import turn_of
from hmem.derived.events import KeptEvent
from hmem.derived.graph.graph import Edge, Graph
from hmem.derived.state import DerivedState
from hmem.derived.trees.centroids import GRID
from hmem.derived.trees.tree import Tree
from hmem.language.analyzer import stems
from hmem.model.plan import Scope
from hmem.model.scope import scoped
from hmem.papers.seeds import (
    cosines_of,
    facts_among,
    facts_near,
    look_up,
    meaning,
    names_in,
    names_like,
    speaker_agreement,
)
from hmem.papers.terms import ETA, TAU_DAYS, Seconds, Similarity, best_of, robustness, temporal
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Hit, Rows, ScoredTurns, Values, rank

NAME: Final = "graph"
# The first three are the paper's; the others order what names, relations and words led to.
WEIGHTS: Final[Mapping[str, float]] = {
    "semantic": 0.70, "temporal": 0.15, "robustness": 0.15, "speaker": 0.10, "entity": 0.10, "relation": 0.10,
    "words": 0.6,
}  # fmt: skip

_MICROSECONDS: Final = 1_000_000
_DAY: Final = 86_400.0
# Proleptic ordinal of 1970-01-01.
_EPOCH: Final = 719_163
# Number of turns up to which all mentions of a name are read; beyond, only those near the question.
_MAX_TURNS: Final = 2_000
_ENTITIES_PER_NAME: Final = 3
# Number of reached entities at which no further relations are followed.
_REACH: Final = 64
# Number of event vectors that are cached unpacked, 1 KB each in 256 dimensions.
_UNPACKED: Final = 20_000
# Number of newest turns that a profile is written from (see the text writer).
_PROFILED: Final = 200
_PROFILES: Final = 5
_STORY: Final = 12


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """Options of the graph strategy. The defaults of ``k``, ``tau_days`` and ``eta`` are the paper's.

    - ``k``: the budget of turns that names lead to, and of events similar to the question.
    - ``hops``: the greatest distance of an entity, in relations or overlaps.
    - ``alike``: the lowest similarity to the question, on the common scale, of a name that becomes a seed.
    - ``levels``, ``nodes``: how far to climb the evolution tree, and the greatest number of summaries.
    - ``overlap_weight``: T's lambda, which the paper leaves open; ``tau_days`` and ``eta`` are of R.
    - ``scope``: replaces the plan's unless empty.
    - ``tree``, ``graph``, ``summaries``, ``profiles``, ``robustness``, ``temporal``: off leaves a part out: events and
      summaries, all that names lead to, these hits, or these terms.
    """

    k: int = 30
    hops: int = 2
    seeds: int = 12
    alike: float = 0.7
    levels: int = 3
    nodes: int = 10
    overlap_weight: float = 0.5
    tau_days: float = TAU_DAYS
    eta: float = ETA
    scope: str = ""
    tree: bool = True
    graph: bool = True
    profiles: bool = True
    summaries: bool = True
    robustness: bool = True
    temporal: bool = True
    similarity: Literal["semantic", "hybrid"] = "hybrid"
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)


def graph(sources: Sources, query: Query, options: GraphOptions) -> ScoredTurns:
    """Return turns, events, summaries and profiles, each best first. Call it inside ``corpus.reading()``."""
    return _Pass(sources, query, options).search()


@dataclass(frozen=True, slots=True)
class _ReachedEvents:
    """Events with the rows of their turns and their scores."""

    events: tuple[KeptEvent, ...]
    rows: Rows
    semantic: Values
    scores: Values


_NO_EVENTS: Final = _ReachedEvents((), np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.float32))


class _Pass:
    """State of one recall."""

    def __init__(self, sources: Sources, query: Query, options: GraphOptions) -> None:
        self._sources = sources
        self._corpus = sources.corpus
        self._derived: DerivedState = sources.derived
        self._query = query
        self._options = options
        self._vector = meaning(sources, query)
        self._weights = {
            **options.weights,
            **({} if options.robustness else {"robustness": 0.0}),
            **({} if options.temporal else {"temporal": 0.0}),
        }
        hybrid = options.similarity == "hybrid"
        self._similarity = Similarity(sources, query, hybrid=True) if hybrid else None
        self.story: dict[str, Any] = {"scope": self._scope}

    @property
    def _scope(self) -> Scope:
        scopes: dict[str, Scope] = {"short": "short", "long": "long", "mixed": "mixed"}
        return scopes.get(self._options.scope, self._query.part.scope)

    @cached_property
    def _graph(self) -> Graph:
        return self._derived.graph

    def search(self) -> ScoredTurns:
        """Return everything found, scored."""
        seeds = self._seeds() if self._options.graph else []
        reached = self._reached(seeds)
        fragments, closeness = self._fragments(reached)
        nearest = self._nearest_facts(2 * self._options.k)
        event_rows = np.union1d(fragments, nearest)
        events = self._events(event_rows) if self._options.tree else _NO_EVENTS
        best = self._best(events, fragments)
        rows = self._turns(fragments, nearest, best)
        terms = self._terms(rows, events)
        terms |= {
            "entity": look_up(fragments, closeness, rows),
            "relation": self._supported(rows, terms["semantic"], seeds),
        }
        ranked = rank(NAME, rows, terms, self._weights, {})
        hits = self._hits(best, seeds, dict(zip(ranked.rows.tolist(), ranked.scores.tolist(), strict=True)))
        sizes = {"fragments": len(fragments), "events": len(best.events), "turns": len(rows), "pieces": len(hits)}
        return replace(ranked, sizes=sizes, hits=hits, story={**self.story, **sizes})

    # Entities.

    def _seeds(self) -> list[int]:
        """Return the entities that the question names, then those with similar names."""
        graph, limit = self._graph, self._options.seeds
        entities: dict[int, None] = {}
        for name in names_in(self._query, self._sources.analyst.lexicon):
            entities.update(dict.fromkeys(graph.best_matches(name, self._query.user)))
            entities.update(dict.fromkeys(graph.find(name, self._query.user)[:_ENTITIES_PER_NAME]))
        alike = names_like(self._sources, self._query, self._vector, self._options.alike, _ENTITIES_PER_NAME)
        seeds = list(dict.fromkeys([*list(entities)[:limit], *alike]))
        self.story["seeds"] = [graph.name(entity) for entity in seeds[:_STORY]]
        return seeds

    def _is_speaker(self, entity: int) -> bool:
        """Tell if an entity is a speaker: named in so many turns that it leads everywhere."""
        name = scoped(self._graph.owner(entity), self._graph.name(entity))
        return self._derived.names.find(name) is not None

    def _reached(self, seeds: Sequence[int]) -> dict[int, int]:
        """Return the entities within reach, each with its distance.

        A speaker leads on by the relations that the question asks for alone, by name: "sister" of "sister of".
        """
        reached = dict.fromkeys(seeds, 0)
        edge = list(seeds)
        for hop in range(1, self._options.hops + 1):
            next_edge: list[int] = []
            for entity in edge:
                for neighbour in self._adjacent(entity) if len(reached) < _REACH else ():
                    if neighbour not in reached:
                        reached[neighbour] = hop
                        next_edge.append(neighbour)
            edge = next_edge
        self.story["entities"] = len(reached)
        return reached

    def _adjacent(self, entity: int) -> list[int]:
        """Return the entities that one leads to."""
        if not self._is_speaker(entity):
            return [neighbour for neighbour in self._graph.neighbours(entity, 1) if not self._is_speaker(neighbour)]
        return list(dict.fromkeys(end for edge in self._edges(entity) for end in (edge.source, edge.target)))

    def _edges(self, entity: int) -> list[Edge]:
        """Return the relations of an entity; of a speaker, those whose label has a word of the question."""
        edges = self._graph.relations(entity)
        if not self._is_speaker(entity):
            return edges
        question_terms = set(self._query.terms)
        return [edge for edge in edges if not question_terms.isdisjoint(stems(edge.label))]

    # Turns.

    def _fragments(self, reached: Mapping[int, int]) -> tuple[Rows, Values]:
        """Return the rows of the turns that name a reached entity: at most ``k``, ascending, and the closeness of each.

        Speakers' names stand in half of all turns, so they add no closeness; such turns rank by similarity alone.
        """
        empty = np.zeros(0, np.int64), np.zeros(0, np.float32)
        mentions = [self._mentions(entity) for entity in reached]
        if not any(mentions):
            return empty
        shares = [0.0 if self._is_speaker(entity) else 1 / (1 + hops) for entity, hops in reached.items()]
        seqs, owners = np.unique(np.concatenate([np.array(turns, np.int64) for turns in mentions]), return_inverse=True)
        values = best_of(owners, np.repeat(shares, [len(turns) for turns in mentions]).astype(np.float32), len(seqs))
        rows = self._corpus.columns.rows_of(seqs)
        is_allowed = rows >= 0
        if self._query.allowed is not None:
            is_allowed &= self._query.allowed[rows]
        rows, values = rows[is_allowed], values[is_allowed]
        if not len(rows):
            return empty
        similar = cosines_of(self._corpus, self._vector, rows)
        scores = similar * self._weights["semantic"] + values * self._weights["entity"]
        scores += np.float32(self._weights["words"]) * self._by_words(rows)
        order = np.argsort(-scores, kind="stable")
        best = order[facts_among(self._corpus, self._derived.judgements, rows[order], self._options.k)]
        best = best[np.argsort(rows[best])]
        return rows[best], values[best]

    def _mentions(self, entity: int) -> list[int]:
        """Return the turns that name an entity; if these are many, those near the question."""
        turns = self._graph.mentions(entity)
        if len(turns) <= _MAX_TURNS:
            return turns
        nearest = self._nearest_facts(8 * self._options.k)
        return np.intersect1d(self._corpus.columns.seq[nearest], turns).tolist()

    def _turns(self, fragments: Rows, nearest: Rows, best: _ReachedEvents) -> Rows:
        """Return the rows of the turns that names lead to, unless the scope is long, and of the best events' turns."""
        short = self._scope != "long" or not self._options.tree
        rows = np.union1d(fragments if short else fragments[:0], best.rows)
        # The nearest turns are the evidence where names and events lead nowhere; and without the tree, since it is
        # events near the question that lead to them else.
        if len(rows) and self._options.tree:
            return rows
        similarities = (
            cosines_of(self._corpus, self._vector, nearest)
            if self._similarity is None
            else self._similarity.similarities(nearest)
        )
        return np.union1d(rows, nearest[np.argsort(-similarities, kind="stable")[: self._options.k]])

    def _nearest_facts(self, limit: int) -> Rows:
        """Return the rows of the facts most similar to the question, by meaning and, if wanted, by words."""
        nearest = facts_near(self._sources, self._query, self._vector, limit)
        if self._similarity is None:
            return nearest
        best = self._similarity.best(self._similarity.candidates(2 * limit), 2 * limit)
        facts = facts_among(self._corpus, self._derived.judgements, best, limit)
        return np.union1d(nearest, best[facts])

    # Events.

    def _events(self, rows: Rows) -> _ReachedEvents:
        """Return the events of rows, with their scores."""
        event_rows = [
            (event, row)
            for row, seq in zip(rows.tolist(), self._corpus.columns.seq[rows].tolist(), strict=True)
            for event in self._derived.events.of_turn(seq)
        ]
        if not event_rows:
            return _NO_EVENTS
        events, turn_rows = tuple(event for event, _ in event_rows), np.array([row for _, row in event_rows], np.int64)
        semantic = self._event_vectors([event.number for event in events]) @ self._vector
        said_times = self._corpus.columns.said[turn_rows] / _MICROSECONDS
        merges, merged = self._consolidated(events, said_times)
        scores = self._weighed(semantic, self._event_times(events, said_times), self._robust(merged, merges))
        scores += np.float32(self._weights["words"]) * self._by_words(turn_rows)
        return _ReachedEvents(events, turn_rows, semantic, scores)

    def _event_vectors(self, events: Sequence[int]) -> Values:
        """Return the vectors of events, a row each; cached, since many questions need the same events."""
        vectors = self._sources.cached(_unpacked)
        missing = [event for event in events if event not in vectors]
        if len(vectors) > _UNPACKED:
            vectors.clear()
            missing = list(events)
        if missing:
            vectors.update(zip(missing, self._derived.vectors_of_events(missing), strict=True))
        return np.stack([vectors[event] for event in events])

    def _consolidated(self, events: Sequence[KeptEvent], said_times: Seconds) -> tuple[Rows, Seconds]:
        """Return n and r of each event: how often, and when last, the node above it was consolidated."""
        tree = self._derived.trees["evolution"]
        nodes = [tree.node_of(event.number) for event in events]
        merges = np.array([0 if node is None else tree.merges(node) for node in nodes], np.int64)
        merged = np.array([0 if node is None else tree.merged(node) for node in nodes], np.float64)
        return merges, np.where(merged > 0, merged, said_times)

    def _event_times(self, events: Sequence[KeptEvent], said_times: Seconds) -> Values:
        """Return T of each event: the better of its time of happening, if known, and its time of telling."""
        if not self._query.part.spans:
            return np.zeros(len(events), np.float32)
        is_dated = [event.start is not None and event.end is not None for event in events]
        starts = np.where(is_dated, [event.start or 0 for event in events], said_times)
        ends = np.where(is_dated, [event.end or 0 for event in events], said_times)
        return np.maximum(self._agreement(starts, ends), self._agreement(said_times, said_times))

    def _agreement(self, starts: Seconds, ends: Seconds) -> Values:
        return temporal(starts, ends, self._query.part.spans, self._options.overlap_weight)

    def _robust(self, refreshed: Seconds, merges: Rows) -> Values:
        options = self._options
        return robustness(self._query.asked.timestamp(), refreshed, merges, options.tau_days, options.eta)

    def _weighed(self, semantic: Values, times: Values, robust: Values) -> Values:
        terms = {"semantic": semantic, "temporal": times, "robustness": robust}
        return weighted_sum(terms, self._weights)

    def _best(self, reached: _ReachedEvents, fragments: Rows) -> _ReachedEvents:
        """Return the ``k`` best events."""
        order = np.argsort(-reached.scores, kind="stable")[: self._options.k]
        best_indices: list[int] = order.tolist()
        events = tuple(reached.events[index] for index in best_indices)
        fragment_rows = set(fragments.tolist())
        self.story["events_of_fragments"] = sum(row in fragment_rows for row in reached.rows[order].tolist())
        return _ReachedEvents(events, reached.rows[order], reached.semantic[order], reached.scores[order])

    # Scores of turns.

    def _terms(self, rows: Rows, events: _ReachedEvents) -> dict[str, Values]:
        """Return the terms of each turn: S and T are the best of its own and its events'; R is its own, with n = 0."""
        columns = self._corpus.columns
        said_times = columns.said[rows] / _MICROSECONDS
        semantic = cosines_of(self._corpus, self._vector, rows)
        times = self._agreement(said_times, said_times)
        if events.events and len(rows):
            indices = np.minimum(np.searchsorted(rows, events.rows), len(rows) - 1)
            is_present = rows[indices] == events.rows
            semantic = np.maximum(semantic, best_of(indices[is_present], events.semantic[is_present], len(rows)))
            of_events = self._event_times(events.events, columns.said[events.rows] / _MICROSECONDS)
            times = np.maximum(times, best_of(indices[is_present], of_events[is_present], len(rows)))
        return {
            "semantic": semantic,
            "temporal": times,
            "robustness": self._robust(said_times, np.zeros(len(rows), np.int64)),
            "speaker": speaker_agreement(columns.speaker[rows], self._query),
            "words": self._by_words(rows),
        }

    def _by_words(self, rows: Rows) -> Values:
        """Return the similarity of turns by words and meaning; 0 if meaning alone counts."""
        return np.zeros(len(rows), np.float32) if self._similarity is None else self._similarity.similarities(rows)

    def _supported(self, rows: Rows, semantic: Values, seeds: Sequence[int]) -> Values:
        """Return what relations add to the turns that state them: their confidence, halved unless both ends are seeds.

        A relation counts only if its turn is at least as similar to the question as the median of the turns found.
        """
        support = np.zeros(len(rows), np.float32)
        if not len(rows):
            return support
        index_of_turn = {seq: index for index, seq in enumerate(self._corpus.columns.seq[rows].tolist())}
        seed_set, middle, claims = set(seeds), float(np.median(semantic)), 0
        for entity in seeds:
            for edge in self._edges(entity):
                share = edge.confidence if {edge.source, edge.target} <= seed_set else edge.confidence / 2
                for seq in edge.evidence:
                    turn_index = index_of_turn.get(seq)
                    if turn_index is not None and semantic[turn_index] >= middle:
                        support[turn_index] = max(support[turn_index], share)
                        claims += 1
        self.story["relations"] = claims
        return support

    # Pieces.

    def _hits(self, best: _ReachedEvents, seeds: Sequence[int], of_rows: Mapping[int, float]) -> tuple[Hit, ...]:
        """Return events, summaries and profiles by score."""
        hits = [
            Hit("event", event.number, score, (turn_of(event.number),))
            for event, score in zip(best.events, best.scores.tolist(), strict=True)
        ]
        if self._options.summaries and self._options.tree and self._scope != "short":
            hits += self._summaries(best)
        if self._options.profiles:
            hits += self._profiles(seeds, of_rows)
        return tuple(sorted(hits, key=lambda hit: -hit.score))

    def _summaries(self, best: _ReachedEvents) -> list[Hit]:
        """Return the nodes that gather several of the events' turns, those above the best events first."""
        tree = self._derived.trees["evolution"]
        contents = self._sources.cached(_node_cache)
        # A node with the same turns as one below it says nothing more.
        distinct: dict[tuple[int, ...], int] = {}
        for node in self._ancestors(tree, best)[: 2 * self._options.nodes]:
            if node not in contents:
                contents[node] = _NodeContents.of_node(tree, node)
            distinct.setdefault(contents[node].turns, node)
        turns = {node: leaf_turns for leaf_turns, node in distinct.items() if self._all_allowed(leaf_turns)}
        nodes = list(turns)[: self._options.nodes]
        if not nodes:
            return []
        self.story["summaries"] = len(nodes)
        return [
            Hit("summary", node, score, turns[node], "evolution")
            for node, score in zip(nodes, self._node_scores(tree, nodes).tolist(), strict=True)
        ]

    def _ancestors(self, tree: Tree, best: _ReachedEvents) -> list[int]:
        """Return the nodes above events that have more than one leaf."""
        nodes: dict[int, None] = {}
        for event in best.events:
            node = tree.node_of(event.number)
            for _ in range(self._options.levels):
                if node:
                    nodes[node] = None
                    node = tree.parent(node)
        return [node for node in nodes if 1 < tree.size(node) <= _MAX_TURNS]

    def _node_scores(self, tree: Tree, nodes: Sequence[int]) -> Values:
        contents = self._sources.cached(_node_cache)
        semantic = np.stack([contents[node].centroid for node in nodes]) @ self._vector
        windows = np.array([tree.window(node) or (0, 0) for node in nodes], np.float64)
        times = self._agreement(*((windows.T - _EPOCH) * _DAY))
        merged = np.array([tree.merged(node) for node in nodes], np.float64)
        return self._weighed(semantic, times, self._robust(merged, np.array([tree.merges(n) for n in nodes], np.int64)))

    def _profiles(self, seeds: Sequence[int], of_rows: Mapping[int, float]) -> list[Hit]:
        """Return the profiles of seeds, each with the score of the best turn found that it was written from."""
        profiles: list[Hit] = []
        for entity in seeds:
            if len(profiles) == _PROFILES or not self._sources.text_writer.salient(entity):
                continue
            turns = tuple(self._graph.mentions(entity)[-_PROFILED:])
            rows: list[int] = self._corpus.columns.rows_of(turns).tolist()
            score = max((of_rows[row] for row in rows if row in of_rows), default=None)
            if score is not None and self._all_allowed(turns):
                profiles.append(Hit("profile", entity, score, turns))
        return profiles

    def _all_allowed(self, turns: Iterable[int]) -> bool:
        """Tell if a question allows all of these turns: a text must not reveal others."""
        if self._query.allowed is None:
            return True
        rows = self._corpus.columns.rows_of(list(turns))
        return bool(self._query.allowed[rows[rows >= 0]].all())


@dataclass(frozen=True, slots=True)
class _NodeContents:
    """Contents of a node of the evolution tree: its turns, and the direction of their events' vectors."""

    turns: tuple[int, ...]
    centroid: Values

    @staticmethod
    def of_node(tree: Tree, node: int) -> "_NodeContents":
        turns = tuple(dict.fromkeys(map(turn_of, tree.leaves_below(node))))
        return _NodeContents(turns, tree.centroid(node) / np.float32(GRID))


# Caches that are filled on demand, and dropped when something is formed.
def _node_cache(_: Sources) -> dict[int, _NodeContents]:
    return {}


def _unpacked(_: Sources) -> dict[int, Values]:
    return {}
