"""Sequential recall (H-Mem, two trees): seeds by meaning, their lowest common ancestor in the calendar, its facts.

The paper takes all facts under the one ancestor of all seeds, mostly the root when there are 30: ``bounded=False``.
Bounded, each seed climbs from its day to the highest node that is not too large. Seeds that meet there form a group
with an ancestor of its own; a day that is too large gives the facts around its seeds. A fact's score combines its
similarity, what spreads to it from the seeds around it, and how much of all seeds lies below its ancestors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final, Literal

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.tree import Tree
from hmem.papers.seeds import Measure, facts_among, look_up
from hmem.papers.terms import nearness, permitted
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Rows, ScoredTurns, Values, rank

NAME: Final = "sequential"
# The paper ranks by similarity; these order the facts of an ancestor around its seeds.
WEIGHTS: Final[Mapping[str, float]] = {"nearness": 0.2, "ancestor": 0.5}

# What a seed gives to the facts of an ancestor falls by this factor with each level.
_HIGHER: Final = 0.5
_STORY: Final = 12


@dataclass(frozen=True, slots=True)
class SequentialOptions:
    """Options of sequential recall.

    - ``seeds``: k, 30 in the paper.
    - ``bounded``: off takes all facts under one ancestor, as the paper does.
    - ``within``, ``facts``: limits per ancestor and in all. Over a limit, the facts of the seeds' days are taken; if a
      day is still too large, the window around each of its seeds.
    - ``similarity``: hybrid, by words too, or semantic, as with the vectors of the paper.
    - ``lca``: off, or without a calendar tree, always takes that window.
    - ``window``: turns to either side in the same session.
    - ``decay``: the factor per turn of distance by which a seed's score spreads to its neighbours.
    """

    seeds: int = 30
    bounded: bool = True
    within: int = 100
    facts: int = 500
    lca: bool = True
    window: int = 5
    decay: float = 0.7
    similarity: Literal["semantic", "hybrid"] = "hybrid"
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)


def sequential(sources: Sources, query: Query, options: SequentialOptions) -> ScoredTurns:
    """Return seeds and the facts around them, best first. Call it inside ``corpus.reading()``."""
    measure = Measure(sources, query, hybrid=options.similarity == "hybrid")
    seeds = measure.facts(options.seeds)
    values = measure.similarities(seeds)
    tree = sources.derived.trees["calendar"]
    by_tree = options.lca and len(tree) > 0
    if by_tree:
        neighbours, story = _under_ancestors(sources.corpus, tree, seeds, options)
    else:
        neighbours, story = _windows(sources, seeds, options.window), {"window": options.window}
    rows = np.union1d(seeds, permitted(query, neighbours))
    focus = _focus(sources.corpus, tree, seeds, values, rows) if by_tree else np.zeros(len(rows), np.float32)
    columns = sources.corpus.columns
    terms = {
        **measure.terms(rows),
        "nearness": look_up(*nearness(seeds, values, columns.session, options.decay), rows),
        "ancestor": focus,
    }
    sizes = {"seeds": len(seeds), "facts": len(rows)}
    return rank(NAME, rows, terms, {**options.weights, **measure.weights}, sizes, story={**sizes, **story})


def _focus(corpus: Corpus, tree: Tree, seeds: Rows, values: Values, rows: Rows) -> Values:
    """Return, for each fact, the share of the seeds' scores below its ancestors; each level up counts half."""
    columns, share = corpus.columns, dict[int, float]()
    total = max(float(np.maximum(values, 0).sum()), 1e-6)
    for seq, value in zip(columns.seq[seeds].tolist(), np.maximum(values, 0).tolist(), strict=True):
        share_of_total = value / total
        for node in _ancestors(tree, seq):
            share[node] = share.get(node, 0.0) + share_of_total
            share_of_total *= _HIGHER
    of_day: dict[int | None, float] = {None: 0.0}
    days = [tree.node_of(seq) for seq in columns.seq[rows].tolist()]
    for day, row in zip(days, rows.tolist(), strict=True):
        if day not in of_day:
            of_day[day] = sum(share.get(node, 0.0) for node in _ancestors(tree, int(columns.seq[row])))
    return np.array([of_day[day] for day in days], np.float32)


def _ancestors(tree: Tree, seq: int) -> list[int]:
    """Return the nodes above a fact but the root, the lowest first; none for a fact without a place."""
    return tree.path(seq)[:0:-1] if tree.node_of(seq) is not None else []


# By the calendar.


def _under_ancestors(
    corpus: Corpus, tree: Tree, seeds: Rows, options: SequentialOptions
) -> tuple[Rows, dict[str, Any]]:
    """Return the facts under the ancestors of the seeds, and the story."""
    columns = corpus.columns
    seqs_in_tree = [seq for seq in columns.seq[seeds].tolist() if tree.node_of(seq) is not None]
    groups = _groups(tree, seqs_in_tree, options.within) if options.bounded else [seqs_in_tree] if seqs_in_tree else []
    facts: list[int] = []
    seeds_without_room: list[int] = []
    ancestors: list[dict[str, Any]] = []
    for group in groups:
        ancestor = tree.common_ancestor(group)
        room = min(options.within, options.facts - len(facts)) if options.bounded else inf
        if tree.size(ancestor) > room:
            leaves, excess_seeds = _days(tree, group, room)
            seeds_without_room += excess_seeds
        else:
            leaves = tree.leaves_below(ancestor)
        facts += leaves
        ancestors.append(
            {"level": tree.level(ancestor), "label": tree.label(ancestor) or "root", "seeds": len(group)}
            | {"facts": len(leaves)}
        )
    ancestors.sort(key=lambda entry: -entry["seeds"])
    rows = columns.rows_of(facts)
    nearby_rows = _rows_around(corpus, columns.rows_of(seeds_without_room), options.window).tolist()
    rows_in_tree = [row for row in nearby_rows if tree.node_of(int(columns.seq[row])) is not None]
    rows = np.concatenate([rows[rows >= 0], np.array(rows_in_tree, np.int64)])
    return rows, {"bounded": options.bounded, "groups": len(groups), "ancestors": ancestors[:_STORY]}


def _groups(tree: Tree, seeds: Sequence[int], max_facts: float) -> list[list[int]]:
    """Return the seeds in groups: each climbs from its day as long as the node above has at most ``max_facts``.

    Seeds that meet in a node are one group, and the facts below their ancestor are taken: a month's, if it has few. The
    root is no place to meet.
    """
    groups: dict[int, list[int]] = {}
    for seq in seeds:
        node = tree.node_of(seq) or ROOT
        while (parent := tree.parent(node)) and tree.size(parent) <= max_facts:
            node = parent
        groups.setdefault(node, []).append(seq)
    return list(groups.values())


def _days(tree: Tree, seeds: Sequence[int], room: float) -> tuple[list[int], list[int]]:
    """Return the facts of the seeds' days, as far as there is room, and the seeds of days that do not fit."""
    nodes: dict[int, list[int]] = {}
    for seq in seeds:
        nodes.setdefault(tree.node_of(seq) or 0, []).append(seq)
    facts: list[int] = []
    excess_seeds: list[int] = []
    for node, day_seeds in nodes.items():
        if tree.size(node) <= room - len(facts):
            facts += tree.leaves_below(node)
        else:
            excess_seeds += day_seeds
    return facts, excess_seeds


# By a fixed window.


def _windows(sources: Sources, seeds: Rows, window: int) -> Rows:
    """Return the facts in a window around each seed."""
    rows = _rows_around(sources.corpus, seeds, window)
    return rows[facts_among(sources.corpus, sources.derived.judgements, rows, len(rows))]


def _rows_around(corpus: Corpus, seeds: Rows, window: int) -> Rows:
    """Return the living rows of the seeds' sessions at most ``window`` rows away, ascending."""
    columns = corpus.columns
    rows = seeds[:, None] + np.arange(-window, window + 1)
    in_session = (rows >= 0) & (rows < len(columns))
    safe = np.where(in_session, rows, 0)
    in_session &= columns.alive[safe] & (columns.session[safe] == columns.session[seeds][:, None])
    return np.unique(rows[in_session])
