"""Intersective recall (H-Mem, two trees): facts of the question's topic and of the time that it names.

The topic is searched from the root of the topic tree down to categories. The time is matched with the calendar's nodes
by F1 over their days, and with the times of a fact's events: a trip in July that is mentioned in August belongs to
July. If the two have nothing in common, or the question names no time, nothing is found, and the story says to use
sequential recall instead. The paper answers from these facts alone; ``with_others`` ranks them among others, so that
nothing is lost that was said at another time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, Literal

import numpy as np

from hmem.derived.events import Events
from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.tree import Tree, Window
from hmem.model.span import Span
from hmem.papers.seeds import Measure
from hmem.papers.terms import best_of, permitted, share_within
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Rows, ScoredTurns, Values, rank

NAME: Final = "intersective"
FALLBACK: Final = "sequential"
# The paper ranks by similarity alone; the times separate what happened then from what was only said then.
WEIGHTS: Final[Mapping[str, float]] = {"happened": 0.3, "said": 0.3}

_DAY: Final = 1
# Number of facts nearest to the topic where there is no tree of topics.
_WITHOUT_TREE: Final = 100
_STORY: Final = 12
_INSTANT: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class IntersectiveOptions:
    """Options of intersective recall.

    ``min_f1``: the F1 with the time asked for from which on a whole month or year matches; below it, only its days
    within that time match. ``joined``: the facts are ranked among those of sequential recall.
    """

    topics: int = 10
    nearest: int = 20
    min_f1: float = 0.5
    joined: bool = True
    similarity: Literal["semantic", "hybrid"] = "hybrid"
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)


def intersective(sources: Sources, query: Query, options: IntersectiveOptions) -> ScoredTurns:
    """Return the facts of the question's topic and time, best first, or nothing if none have both.

    Call it inside ``corpus.reading()``.
    """
    spans = query.part.spans
    if not spans:
        return _no_facts(options, {"reason": "the question names no time"})
    measure = Measure(sources, query, hybrid=options.similarity == "hybrid", topic=query.part.topic)
    rows, topic_story = _of_topic(sources, query, measure, options)
    derived = sources.derived
    calendar = derived.trees["calendar"]
    nodes = _matching_nodes(calendar, spans, options.min_f1)
    seqs: list[int] = sources.corpus.columns.seq[rows].tolist()
    said_values, event_values = _said_values(calendar, seqs, spans, nodes), _event_values(derived.events, seqs, spans)
    is_of_time = (said_values > 0) | (event_values > 0)
    story = topic_story | {
        "of_topic": len(rows),
        "of_time": int(is_of_time.sum()),
        "times": _match_story(calendar, nodes),
    }
    if not is_of_time.any():
        return _no_facts(options, story | {"reason": "the topic and the time have nothing in common"})
    rows = rows[is_of_time]
    terms = {**measure.terms(rows), "said": said_values[is_of_time], "happened": event_values[is_of_time]}
    return rank(NAME, rows, terms, {**options.weights, **measure.weights}, {"facts": len(rows)}, story=story)


def with_others(facts: ScoredTurns, other_facts: ScoredTurns) -> ScoredTurns:
    """Return facts of a time ranked among others, by the terms of both; a term that one of them lacks is 0."""
    rows = np.union1d(facts.rows, other_facts.rows)
    weights = {**facts.weights, **other_facts.weights}
    terms = {name: np.zeros(len(rows), np.float32) for name in weights}
    # For a fact in both, the values of ``other_facts`` stay: they are measured by the whole question.
    for scored in (facts, other_facts):
        indices = np.searchsorted(rows, scored.rows)
        for name, values in scored.terms.items():
            terms[name][indices] = values
    sizes = {**other_facts.sizes, **facts.sizes, "others": len(other_facts.rows)}
    return rank(f"{facts.name}+{other_facts.name}", rows, terms, weights, sizes, story=facts.story)


def _no_facts(options: IntersectiveOptions, story: Mapping[str, Any]) -> ScoredTurns:
    no_terms = dict.fromkeys(options.weights, np.zeros(0, np.float32))
    story = {**story, "fallback": FALLBACK}
    return rank(NAME, np.zeros(0, np.int64), no_terms, options.weights, {"facts": 0}, story=story)


# The topic.


def _of_topic(
    sources: Sources, query: Query, measure: Measure, options: IntersectiveOptions
) -> tuple[Rows, dict[str, Any]]:
    """Return the rows of the allowed facts in the categories most similar to the topic."""
    tree = sources.derived.trees["topic"]
    if not len(tree):
        return measure.facts(_WITHOUT_TREE), {"topics": []}
    facts = sources.corpus.columns.seq[measure.facts(options.nearest)].tolist()
    homes = [node for node in map(tree.node_of, facts) if node is not None]
    nodes = list(dict.fromkeys([*tree.descend(measure.vector, options.topics), *homes]))
    rows = sources.corpus.columns.rows_of([seq for node in nodes for seq in tree.leaves_below(node)])
    rows = permitted(query, rows[rows >= 0])
    return rows, {"topics": nodes[:_STORY]}


# The time.


def _matching_nodes(tree: Tree, spans: Sequence[Span], min_f1: float) -> dict[int, float]:
    """Return the matching nodes of the calendar, each with the F1 of its days and those asked for."""
    f1_of_node: dict[int, float] = {}
    if not len(tree):
        return f1_of_node
    for days in map(_days, spans):
        stack = tree.children(ROOT).tolist()
        while stack:
            node = stack.pop()
            window = tree.window(node)
            shared_days = _shared_days(window, days) if window else 0
            if window is None or not shared_days:
                continue
            f1 = 2 * shared_days / (window[1] - window[0] + days[1] - days[0])
            if f1 >= min_f1 or tree.level(node) == _DAY or shared_days == window[1] - window[0]:
                f1_of_node[node] = max(f1, f1_of_node.get(node, 0.0))
            else:
                stack += tree.children(node).tolist()
    return f1_of_node


def _days(span: Span) -> Window:
    """Return the days that a span touches, by its own offset."""
    last = max(span.start, span.end - _INSTANT)
    return span.start.toordinal(), last.toordinal() + 1


def _shared_days(first: Window, second: Window) -> int:
    return max(min(first[1], second[1]) - max(first[0], second[0]), 0)


def _said_values(tree: Tree, seqs: Sequence[int], spans: Sequence[Span], f1_of_node: Mapping[int, float]) -> Values:
    """Return 1 for each fact said on a day asked for, else the F1 of the matching node that it was said in, or 0."""
    windows = [_days(span) for span in spans]
    of_day: dict[int | None, float] = {None: 0.0}
    days = [tree.node_of(seq) for seq in seqs]
    for day in dict.fromkeys(days):
        if day is not None:
            of_day[day] = _day_value(tree, day, windows, f1_of_node)
    return np.array([of_day[day] for day in days], np.float32)


def _day_value(tree: Tree, day: int, windows: Sequence[Window], f1_of_node: Mapping[int, float]) -> float:
    window = tree.window(day)
    if window and any(_shared_days(window, days) for days in windows):
        return 1.0
    best, node = 0.0, tree.parent(day)
    while node is not None:
        best, node = max(best, f1_of_node.get(node, 0.0)), tree.parent(node)
    return best


def _event_values(events: Events, seqs: Sequence[int], spans: Sequence[Span]) -> Values:
    """Return the share of the time of a fact's events that is asked for; the best of its events, else 0."""
    intervals = [
        (index, event.start, event.end)
        for index, seq in enumerate(seqs)
        for event in events.of_turn(seq)
        if event.start is not None and event.end is not None
    ]
    if not intervals:
        return np.zeros(len(seqs), np.float32)
    owners, starts, ends = np.array(intervals, np.float64).T
    values = share_within(starts, ends, spans)
    return np.maximum(best_of(owners.astype(np.int64), values, len(seqs)), 0)


def _match_story(tree: Tree, f1_of_node: Mapping[int, float]) -> dict[str, float]:
    """Return the labels of matching nodes with their F1, the best first."""
    best = sorted(f1_of_node.items(), key=lambda item: (-item[1], item[0]))[:_STORY]
    return {tree.label(node): round(f1, 3) for node, f1 in best}
