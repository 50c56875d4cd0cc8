"""What the learned ranker looks at: a row of numbers for each candidate turn, each with a plain meaning.

Lexical and semantic scores come from flat recall; the rest says how a candidate stands to the question (its time, its
kind of answer, who is asked about), to its neighbours (a turn that answers a question), and to the other candidates.

The learned ranker: fixed weights and boosted trees over the features of ``read/fuse``, small and explained.

``ranker.json`` holds the weights of some features, and trees that were learned to correct them, each filled up to the
same depth, with the value that a turn has at every node on its way. What a feature adds to a score is its weight times
its value and what its splits changed, and all of that sums to the score.
``benchmarks/train_ranker.py`` makes the file, from data whose licence allows it.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.model.plan import AnswerType
from hmem.model.span import Span
from hmem.retrieval.scoring.combine import TermRows
from hmem.retrieval.sources import greatest

Values = NDArray[np.float32]

_DAY: Final = 86_400.0

# What stands for the cosine and the share of words of an event where there is none.
_LEAST: Final = np.array([[-0.1], [0.0]], np.float32)

# How fast nearness to the time asked for fades.
_NEAR_DAYS: Final = 14.0

_FITS: Final[Mapping[AnswerType, str]] = {
    "time": "has.time",
    "duration": "has.number",
    "frequency": "has.number",
    "count": "has.number",
    "person": "has.name",
    "place": "has.name",
    "organization": "has.name",
}


class Times(NamedTuple):
    """Agreement with the times asked for: said within, happened within, and how near it was said; 0 to 1 each."""

    said: Values
    happened: Values
    near: Values


def times(
    spans: Sequence[Span], said: NDArray[np.int64], happened: NDArray[np.int64], counts: NDArray[np.int64]
) -> Times:
    """How turns agree with the best of some spans: ``said`` in microseconds, ``happened`` in seconds.

    ``happened`` has a row of bounds for each dated event, one turn's after the other's; each turn has ``counts``.
    """
    seconds = said / 1e6
    within, near = np.zeros(len(said), np.float32), np.zeros(len(said), np.float32)
    took_place = np.zeros(len(said), np.float32)
    for span in spans:
        start, end = span.start.timestamp(), span.end.timestamp()
        away = np.maximum(np.maximum(start - seconds, seconds - end), 0.0) / _DAY
        within = np.maximum(within, ((seconds >= start) & (seconds < end)).astype(np.float32))
        near = np.maximum(near, np.exp(-away / _NEAR_DAYS).astype(np.float32))
        within_span = (happened[:, 0] < end) & (happened[:, 1] > start)
        took_place = np.maximum(took_place, greatest(within_span.astype(np.float32), counts, 0.0))
    return Times(within, took_place, near)


def answer_type_match(answer_type: AnswerType, has: Mapping[str, Values], count: int) -> Values:
    """1 where a turn holds what an answer of this type consists of, else 0."""
    needed = _FITS.get(answer_type)
    return has[needed] if needed is not None else np.zeros(count, np.float32)


def relative_scores(values: Values) -> tuple[Values, Values]:
    """Each value less the greatest, and in standard deviations from the mean: what it is among the candidates.

    The candidates stand along the last axis.
    """
    if not values.size:
        return values, values
    count = np.float32(values.shape[-1])
    above = values - values.sum(axis=-1, keepdims=True) / count
    # The standard deviation by hand, since the distances from the mean are there already.
    spread = np.sqrt((above * above).sum(axis=-1, keepdims=True) / count)
    return values - values.max(axis=-1, keepdims=True), above / np.maximum(spread, np.float32(1e-6))


def best_events(cosines: Values, shares: NDArray[Any], counts: NDArray[np.int64]) -> tuple[Values, Values]:
    """The greatest cosine of a turn's events with the question, -0.1 without events, and the greatest share of the
    question's words that stands in one of them, 0 to 1.

    ``cosines`` and ``shares`` are those of all events, one turn's after the other's; ``counts`` is how many each turn
    has.
    """
    best = greatest(np.array([cosines, shares], np.float32), counts, _LEAST)
    return best[0], best[1]


FILE: Final = "ranker.json"
TREES_BASE: Final = "trees.base"


class Ranked(NamedTuple):
    """A score for each candidate, and what each feature adds to it; the terms of a candidate sum to its score."""

    scores: Values
    terms: TermRows


class Ranker:
    """Trees of one depth.

    ``features`` are names. ``splits`` and ``thresholds`` have a row for each tree and a column for each inner node,
    level by level; ``values`` have one for each leaf too. What is above a threshold goes right. ``weights`` are fixed.
    """

    def __init__(
        self,
        features: Sequence[str],
        weights: Mapping[str, float],
        splits: NDArray[np.int64],
        thresholds: Values,
        values: Values,
    ) -> None:
        self.features = tuple(features)
        self.weights = dict(weights)
        # What the nodes ask, each question once.
        asked, questions = _questions(splits, thresholds)
        self._asked = np.array([feature for feature, _ in asked], np.int64)
        self._thresholds = np.array([threshold for _, threshold in asked], np.float32)[:, None]
        # The same, a column for each candidate: to compare alike shapes takes half the time.
        self._spread = np.zeros((len(asked), 0), np.float32)
        self._trees, inner = splits.shape
        # The question of each node, a row for each place in a tree, the nodes of a subtree together.
        self._questions = questions[_subtree(0, inner)]
        self._depth = (inner + 1).bit_length() - 1
        # Leaves are numbered through, one tree's after the other's.
        self._leaf_values = np.ascontiguousarray(values[:, inner:]).reshape(-1)
        self._first_leaf = np.arange(self._trees, dtype=np.int64) * (inner + 1)
        # On the way to each leaf, by level: what a node changes of its parent's value, and the feature that the parent
        # splits by.
        ways = np.array([_way(inner + leaf) for leaf in range(inner + 1)], np.int64)
        above = (ways - 1) // 2
        self._changes = (values[:, ways] - values[:, above]).reshape(-1, self._depth)
        self._causes = splits[:, above].reshape(-1, self._depth)
        self._base = values[:, 0].sum()
        self._weights = np.array(list(self.weights.values()), np.float32)[:, None]
        # The terms by name, with the place of each; a feature with a weight and splits is one of them.
        names = dict.fromkeys((*self.weights, *self.features, TREES_BASE))
        self._terms = {name: at for at, name in enumerate(names)}
        self._explained = np.array([self._terms[name] for name in self.features], np.int64)

    def rank(self, features: Mapping[str, Values], *, learned: bool = True) -> Ranked:
        """The scores of candidates, whose features are given by name; by the weights alone unless ``learned``."""
        fixed = np.array([features[name] for name in self.weights], np.float32)
        fixed = fixed.reshape(len(self.weights), -1) * self._weights
        total = fixed.sum(axis=0)
        if not learned:
            return Ranked(total, TermRows.of({name: at for at, name in enumerate(self.weights)}, fixed))
        # A row for each candidate, so that a sum does not depend on how many candidates there are.
        leaves: NDArray[np.int64] = self._leaves(features, len(total)).T + self._first_leaf
        # Numbers as an index are twice as fast as ``take``, where what is taken are single values.
        total += self._leaf_values[leaves].sum(axis=1)
        terms = TermRows(self._terms, partial(self._told, fixed, leaves), np.arange(len(total)))
        return Ranked(total, terms)

    def _told(self, fixed: Values, leaves: NDArray[np.int64], columns: NDArray[np.int64]) -> Values:
        """What each term adds to the scores of some candidates, a row for each term."""
        values = np.zeros((len(self._terms), len(columns)), np.float32)
        values[: len(fixed)] = fixed.take(columns, axis=1)
        values[self._explained] += self._corrections(leaves.take(columns, axis=0))
        values[self._terms[TREES_BASE]] = self._base
        return values

    def _leaves(self, features: Mapping[str, Values], count: int) -> NDArray[np.uint8]:
        """The leaf that each candidate reaches in each tree, from the left, of shape (trees, candidates)."""
        # Eight candidates share a byte. With bytes that are full, all rows of an array are packed and unpacked at once.
        width = count + -count % 8
        columns = np.zeros((len(self.features), width), np.float32)
        columns[:, :count] = [features[name] for name in self.features]
        thresholds = self._spread
        if thresholds.shape[1] != width:
            self._spread = thresholds = np.repeat(self._thresholds, width, axis=1)
        # Many nodes ask the same, and the nodes at one place of all trees lie together.
        answers = np.packbits(columns.take(self._asked, axis=0) > thresholds).reshape(len(self._asked), -1)
        subtrees = answers.take(self._questions, axis=0)
        codes = np.zeros((self._trees, width), np.uint8)
        for _ in range(self._depth):
            root, middle = subtrees[0], len(subtrees) // 2 + 1
            codes += codes
            codes += np.unpackbits(root).reshape(codes.shape)
            left, right = subtrees[1:middle], subtrees[middle:]
            # Right where the answer is yes, else left: several times as fast as to choose one of two.
            subtrees = left ^ (root & (left ^ right))
        return codes[:, :count]

    def _corrections(self, leaves: NDArray[np.int64]) -> Values:
        """What the trees add, by feature and candidate, given the leaves that each candidate reaches, a row each."""
        count, features = len(leaves), len(self.features)
        slots = self._causes.take(leaves, axis=0) + np.arange(count)[:, None, None] * features
        added = np.bincount(slots.reshape(-1), self._changes.take(leaves, axis=0).reshape(-1), count * features)
        return added.reshape(count, features).T.astype(np.float32)


def _subtree(node: int, inner: int) -> list[int]:
    """A node and the inner ones below it, each before those to its left, and these before those to its right."""
    return [node, *_subtree(2 * node + 1, inner), *_subtree(2 * node + 2, inner)] if node < inner else []


def _way(leaf: int) -> list[int]:
    """The nodes from below the root, which are 1 and 2, to a leaf, itself the last."""
    way = [leaf]
    while way[0] > 2:
        way.insert(0, (way[0] - 1) // 2)
    return way


def _questions(splits: NDArray[np.int64], thresholds: Values) -> tuple[list[tuple[int, float]], NDArray[np.int64]]:
    """What nodes ask, as features and thresholds, each once; the number of each node's question, by place and tree."""
    pairs = list(zip(splits.T.reshape(-1).tolist(), thresholds.T.reshape(-1).tolist(), strict=True))
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    return list(numbers), np.array([numbers[pair] for pair in pairs], np.int64).reshape(splits.T.shape)


@lru_cache(maxsize=1)
def ranker() -> Ranker:
    """The ranker that ships."""
    return read(json.loads((files("hmem.retrieval.scoring") / FILE).read_text("utf-8")))


def read(kept: Mapping[str, Any]) -> Ranker:
    """A ranker from what its file holds."""
    return Ranker(
        kept["features"],
        kept["weights"],
        np.array(kept["splits"], np.int64),
        np.array(kept["thresholds"], np.float32),
        np.array(kept["values"], np.float32),
    )
