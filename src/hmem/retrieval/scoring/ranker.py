"""Learned ranker: fixed weights and boosted trees over the features of ``retrieval.fuse``, small and explainable.

Lexical and semantic scores come from flat recall. The other features relate a candidate to the question (its time, its
answer type, its subject), to its neighbours (a turn that answers a question), and to the other candidates.

``ranker.json`` holds the weights of some features, and trees that were learned to correct them. The trees are padded to
one depth, and every node has the value of a turn that reaches it. A feature adds to a score its weight times its value
and the changes made by its splits; these terms sum to the score. ``benchmarks/train_ranker.py`` makes the file, from
data whose licence allows it.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
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

# Cosine and share of words of a turn without events.
_LEAST: Final = np.array([[-0.1], [0.0]], np.float32)

# Days from the time asked for over which nearness falls by 1/e.
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
    """Agreement with the times asked for: said within, happened within, and nearness of saying; 0 to 1 each."""

    said: Values
    happened: Values
    near: Values


def times(
    spans: Sequence[Span], said: NDArray[np.int64], happened: NDArray[np.int64], counts: NDArray[np.int64]
) -> Times:
    """Return the agreement of turns with the best of some spans: ``said`` in microseconds, ``happened`` in seconds.

    ``happened`` has a row of bounds for each dated event, one turn after the other; ``counts`` is their number per
    turn.
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
    # Computed here, since the distances from the mean are known already.
    spread = np.sqrt((above * above).sum(axis=-1, keepdims=True) / count)
    return values - values.max(axis=-1, keepdims=True), above / np.maximum(spread, np.float32(1e-6))


def best_events(cosines: Values, shares: NDArray[Any], counts: NDArray[np.int64]) -> tuple[Values, Values]:
    """Return the best cosine and the best share of the question's words (0 to 1) among each turn's events.

    Without events they are -0.1 and 0. ``cosines`` and ``shares`` are of all events, one turn after the other;
    ``counts`` is their number per turn.
    """
    best = greatest(np.array([cosines, shares], np.float32), counts, _LEAST)
    return best[0], best[1]


FILE: Final = "ranker.json"
TREES_BASE: Final = "trees.base"


class Ranked(NamedTuple):
    """Scores of candidates, and the terms of each, which sum to its score."""

    scores: Values
    terms: TermRows


class _RankedTerms(NamedTuple):
    """Terms of ranked candidates, computed from their weighted features and the leaves that they reach."""

    ranker: "Ranker"
    fixed: Values
    leaves: NDArray[np.int64]

    def take(self, columns: NDArray[np.int64]) -> "_RankedTerms":
        return _RankedTerms(self.ranker, self.fixed.take(columns, axis=1), self.leaves.take(columns, axis=1))

    def values(self) -> Values:
        return self.ranker.contributions(self.fixed, self.leaves)


class Ranker:
    """Boosted trees of one depth, with fixed weights.

    ``features`` are names. ``splits`` and ``thresholds`` have a row for each tree and a column for each inner node,
    level by level; ``values`` also has one for each leaf. A value above its threshold goes right. ``weights`` are
    fixed. ``learned_from`` are the ids of the benchmark questions that the trees were learned from.
    """

    def __init__(
        self,
        features: Sequence[str],
        weights: Mapping[str, float],
        splits: NDArray[np.int64],
        thresholds: Values,
        values: Values,
        learned_from: Collection[str] = (),
    ) -> None:
        self.features = tuple(features)
        self.weights = dict(weights)
        self.learned_from = frozenset(learned_from)
        # Distinct tests (feature, threshold) of the nodes.
        tests, numbers = _distinct_tests(splits, thresholds)
        self._tested = np.array([feature for feature, _ in tests], np.int64)
        self._thresholds = np.array([threshold for _, threshold in tests], np.float32)[:, None]
        self._trees, inner = splits.shape
        # The test of each node, a row for each place in a tree, the nodes of a subtree together.
        self._tests = numbers[_subtree(0, inner)]
        self._depth = (inner + 1).bit_length() - 1
        # Leaves are numbered consecutively, tree by tree.
        self._leaf_values = np.ascontiguousarray(values[:, inner:]).reshape(-1)
        self._first_leaf = np.arange(self._trees, dtype=np.int64)[:, None] * (inner + 1)
        # For each node on the path to each leaf: its value less its parent's, and the feature of the parent's split.
        leaf_paths = np.array([_path_to(inner + leaf) for leaf in range(inner + 1)], np.int64)
        above = (leaf_paths - 1) // 2
        self._changes = (values[:, leaf_paths] - values[:, above]).reshape(-1, self._depth)
        self._causes = splits[:, above].reshape(-1, self._depth)
        self._base = values[:, 0].sum()
        self._weights = np.array(list(self.weights.values()), np.float32)[:, None]
        # Places of the terms by name; a feature with both a weight and splits has one term.
        names = dict.fromkeys((*self.weights, *self.features, TREES_BASE))
        self._terms = {name: at for at, name in enumerate(names)}
        self._explained = np.array([self._terms[name] for name in self.features], np.int64)

    def rank(self, features: Mapping[str, Values], *, learned: bool = True) -> Ranked:
        """Return the scores of candidates from their features by name; by the weights alone unless ``learned``."""
        fixed = np.array([features[name] for name in self.weights], np.float32)
        fixed = fixed.reshape(len(self.weights), -1) * self._weights
        total = fixed.sum(axis=0)
        if not learned:
            return Ranked(total, TermRows.of({name: at for at, name in enumerate(self.weights)}, fixed))
        leaves: NDArray[np.int64] = self._leaves(features, len(total)) + self._first_leaf
        # For single values, indexing is twice as fast as ``take``. Tree by tree, so that rounding of a sum does not
        # depend on the number of candidates.
        total += self._leaf_values[leaves].sum(axis=0)
        return Ranked(total, TermRows(self._terms, _RankedTerms(self, fixed, leaves)))

    def contributions(self, fixed: Values, leaves: NDArray[np.int64]) -> Values:
        """Return what each term adds to the scores of candidates, a row for each term.

        ``fixed`` are the weighted features, ``leaves`` has a column of reached leaves per candidate.
        """
        values = np.zeros((len(self._terms), leaves.shape[1]), np.float32)
        values[: len(fixed)] = fixed
        values[self._explained] += self._corrections(leaves)
        values[self._terms[TREES_BASE]] = self._base
        return values

    def _leaves(self, features: Mapping[str, Values], count: int) -> NDArray[np.uint8]:
        """Return the leaf, counted from the left, that each candidate reaches in each tree: (trees, candidates)."""
        # Eight candidates share a byte. Padding to full bytes lets all rows be packed and unpacked at once.
        width = count + -count % 8
        columns = np.zeros((len(self.features), width), np.float32)
        columns[:, :count] = [features[name] for name in self.features]
        # Each distinct test is made once; the nodes at one place of all trees lie together.
        answers = np.packbits(columns.take(self._tested, axis=0) > self._thresholds).reshape(len(self._tested), -1)
        subtrees = answers.take(self._tests, axis=0)
        codes = np.zeros((self._trees, width), np.uint8)
        for _ in range(self._depth):
            root, middle = subtrees[0], len(subtrees) // 2 + 1
            codes += codes
            codes += np.unpackbits(root).reshape(codes.shape)
            left, right = subtrees[1:middle], subtrees[middle:]
            # Selects right where the bit of root is 1, else left; several times as fast as np.where.
            subtrees = left ^ (root & (left ^ right))
        return codes[:, :count]

    def _corrections(self, leaves: NDArray[np.int64]) -> Values:
        """Return what the trees add, by feature and candidate."""
        count, features = leaves.shape[1], len(self.features)
        firsts = np.arange(count, dtype=np.int64)[:, None] * features
        causes: NDArray[np.int64] = self._causes.take(leaves, axis=0)
        slots = causes + firsts
        added = np.bincount(slots.reshape(-1), self._changes.take(leaves, axis=0).reshape(-1), count * features)
        return added.reshape(count, features).T.astype(np.float32)


def _subtree(node: int, inner: int) -> list[int]:
    """Return a node and the inner nodes below it in preorder."""
    return [node, *_subtree(2 * node + 1, inner), *_subtree(2 * node + 2, inner)] if node < inner else []


def _path_to(leaf: int) -> list[int]:
    """Return the nodes on the path to a leaf, from below the root (1 or 2) to the leaf."""
    path = [leaf]
    while path[0] > 2:
        path.insert(0, (path[0] - 1) // 2)
    return path


def _distinct_tests(splits: NDArray[np.int64], thresholds: Values) -> tuple[list[tuple[int, float]], NDArray[np.int64]]:
    """Return the distinct tests of nodes (feature, threshold), and the test number of each node, by place and tree."""
    pairs = list(zip(splits.T.reshape(-1).tolist(), thresholds.T.reshape(-1).tolist(), strict=True))
    numbers = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    return list(numbers), np.array([numbers[pair] for pair in pairs], np.int64).reshape(splits.T.shape)


@lru_cache(maxsize=1)
def ranker() -> Ranker:
    """Return the ranker that ships with the package, loaded once."""
    return read(json.loads((files("hmem.retrieval.scoring") / FILE).read_text("utf-8")))


def read(kept: Mapping[str, Any]) -> Ranker:
    """Return a ranker from the contents of its file."""
    return Ranker(
        kept["features"],
        kept["weights"],
        np.array(kept["splits"], np.int64),
        np.array(kept["thresholds"], np.float32),
        np.array(kept["values"], np.float32),
        kept.get("learned_from", ()),
    )
