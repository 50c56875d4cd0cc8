"""Sequential recall (H-Mem, two trees): seeds by meaning, their lowest common ancestor in the calendar, its facts.

The paper takes all facts under the one ancestor of all seeds, mostly the root when there are 30: ``bounded=False``.
Bounded, seeds that lie close in time form a group with its own ancestor, and if an ancestor holds too many facts, only
those of its seeds' days are taken. A fact's score combines its similarity, what spreads to it from the seeds around it,
and its speaker, so that facts near the best seeds come first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.trees.tree import Tree
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import weighted_sum
from hmem.retrieval.scoring.terms import nearness
from hmem.retrieval.seeds import agreeing, cosines_of, facts_among, facts_near, meaning
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Rows, Scored, Values

NAME: Final = "sequential"
# The paper ranks by similarity; the other two order the facts of an ancestor around its seeds.
WEIGHTS: Final[Mapping[str, float]] = {"semantic": 1.0, "nearness": 0.5, "speaker": 0.1}

_DAY: Final = 86_400_000_000  # microseconds
_STORY: Final = 12


@dataclass(frozen=True, slots=True)
class SequentialOptions:
    """Options of sequential recall.

    - ``seeds``: k, 30 in the paper.
    - ``bounded``: off takes all facts under one ancestor, as the paper does.
    - ``gap_days``: seeds further apart than this are in different groups.
    - ``within``, ``facts``: limits per ancestor and in all. Over a limit, the facts of the seeds' days are taken; if a
      day is still too large, the window around each of its seeds.
    - ``lca``: off, or without a calendar tree, always takes that window.
    - ``window``: turns to either side in the same session.
    - ``decay``: the factor per turn of distance by which a seed's score spreads to its neighbours.
    """

    seeds: int = 30
    bounded: bool = True
    gap_days: float = 1.0
    within: int = 100
    facts: int = 500
    lca: bool = True
    window: int = 5
    decay: float = 0.7
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)


def sequential(sources: Sources, query: Query, options: SequentialOptions) -> Scored:
    """Return seeds and the facts around them, best first. Call it inside ``corpus.reading()``."""
    vector = meaning(sources, query)
    seeds, cosines = facts_near(sources, query, vector, options.seeds)
    tree = sources.derived.trees["calendar"]
    if options.lca and len(tree):
        around, story = _under_ancestors(sources.corpus, tree, seeds, options)
    else:
        around, story = _windows(sources, seeds, options.window), {"window": options.window}
    rows = np.union1d(seeds, around if query.allowed is None else around[query.allowed[around]])
    reached = nearness(seeds, cosines, sources.corpus.columns.session, options.decay)
    terms = _terms(sources.corpus, query, vector, rows, reached)
    scores = weighted_sum(terms, options.weights)
    order = np.argsort(-scores, kind="stable")
    sizes = {"seeds": len(seeds), "facts": len(rows)}
    ordered = {name: values[order] for name, values in terms.items()}
    return Scored(NAME, rows[order], scores[order], ordered, options.weights, sizes, story={**sizes, **story})


def _terms(corpus: Corpus, query: Query, vector: Values, rows: Rows, reached: tuple[Rows, Values]) -> dict[str, Values]:
    near, values = reached
    by_row = np.zeros(len(rows), np.float32)
    if len(near) and len(rows):
        at = np.minimum(np.searchsorted(near, rows), len(near) - 1)
        by_row = np.where(near[at] == rows, values[at], np.float32(0))
    semantic = cosines_of(corpus, vector, rows)
    return {"semantic": semantic, "nearness": by_row, "speaker": agreeing(corpus.columns.speaker[rows], query)}


# By the calendar.


def _under_ancestors(
    corpus: Corpus, tree: Tree, seeds: Rows, options: SequentialOptions
) -> tuple[Rows, dict[str, Any]]:
    """Return the facts under the ancestors of the seeds, and the story."""
    columns = corpus.columns
    seqs, said = columns.seq[seeds].tolist(), columns.said[seeds].tolist()
    placed = sorted((when, seq) for when, seq in zip(said, seqs, strict=True) if tree.node_of(seq) is not None)
    groups = _groups(placed, options.gap_days * _DAY if options.bounded else inf)
    ranks = {seq: rank for rank, seq in enumerate(seqs)}
    facts: list[int] = []
    crowded: list[int] = []
    ancestors: list[dict[str, Any]] = []
    for group in sorted(groups, key=lambda group: min(ranks[seq] for seq in group)):
        ancestor = tree.common_ancestor(group)
        room = min(options.within, options.facts - len(facts)) if options.bounded else inf
        if tree.size(ancestor) > room:
            below, left = _days(tree, group, room)
            crowded += left
        else:
            below = tree.under(ancestor)
        facts += below
        ancestors.append(
            {"level": tree.level(ancestor), "label": tree.label(ancestor) or "root", "seeds": len(group)}
            | {"facts": len(below)}
        )
    ancestors.sort(key=lambda each: -each["seeds"])
    rows = columns.rows_of(facts)
    near = _around(corpus, columns.rows_of(crowded), options.window).tolist()
    held = [row for row in near if tree.node_of(int(columns.seq[row])) is not None]
    rows = np.concatenate([rows[rows >= 0], np.array(held, np.int64)])
    return rows, {"bounded": options.bounded, "groups": len(groups), "ancestors": ancestors[:_STORY]}


def _groups(placed: Sequence[tuple[int, int]], gap: float) -> list[list[int]]:
    """Return groups of seeds that lie close in time, as sequence numbers, from (time, seed) pairs by time."""
    groups: list[list[int]] = []
    last = 0
    for when, seq in placed:
        if not groups or when - last > gap:
            groups.append([])
        groups[-1].append(seq)
        last = when
    return groups


def _days(tree: Tree, seeds: Sequence[int], room: float) -> tuple[list[int], list[int]]:
    """Return the facts of the seeds' days, as far as there is room, and the seeds of days that do not fit."""
    nodes: dict[int, list[int]] = {}
    for seq in seeds:
        nodes.setdefault(tree.node_of(seq) or 0, []).append(seq)
    facts: list[int] = []
    crowded: list[int] = []
    for node, some in nodes.items():
        if tree.size(node) <= room - len(facts):
            facts += tree.under(node)
        else:
            crowded += some
    return facts, crowded


# By a fixed window.


def _windows(sources: Sources, seeds: Rows, window: int) -> Rows:
    """Return the facts in a window around each seed."""
    rows = _around(sources.corpus, seeds, window)
    return rows[facts_among(sources.corpus, sources.derived.judgements, rows, len(rows))]


def _around(corpus: Corpus, seeds: Rows, window: int) -> Rows:
    """Return the living rows of the seeds' sessions at most ``window`` rows away, ascending."""
    columns = corpus.columns
    around = seeds[:, None] + np.arange(-window, window + 1)
    there = (around >= 0) & (around < len(columns))
    safe = np.where(there, around, 0)
    there &= columns.alive[safe] & (columns.session[safe] == columns.session[seeds][:, None])
    return np.unique(around[there])
