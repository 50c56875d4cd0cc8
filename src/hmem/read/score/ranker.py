"""The learned ranker: fixed weights and boosted trees over the features of ``read/fuse``, small and explained.

``ranker.json`` holds the weights of some features, and trees that were learned to correct them, each filled up to the
same depth, with the value that a turn has at every node on its way. What a feature adds to a score is its weight times
its value and what its splits changed, and all of that sums to the score.
``benchmarks/train_ranker.py`` makes the file, from data whose licence allows it.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]
_Number = TypeVar("_Number", bound=np.generic)

FILE: Final = "ranker.json"
TREES_BASE: Final = "trees.base"
TREES: Final = "trees"

# So many of the best are explained split by split.
EXPLAINED: Final = 32


class Ranked(NamedTuple):
    """A score for each candidate, and what each feature adds to it; the terms of a candidate sum to its score."""

    scores: Values
    terms: dict[str, Values]


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
        self._splits = splits.reshape(-1)
        self._thresholds = thresholds.reshape(-1)
        self._values = values.reshape(-1)
        trees, inner = splits.shape
        self._depth = (inner + 1).bit_length() - 1
        # Where each tree begins among all splits, and among all values.
        self._first_split = np.arange(trees, dtype=np.int64) * inner
        self._first_value = np.arange(trees, dtype=np.int64) * (2 * inner + 1)

    def rank(self, features: Mapping[str, Values], *, learned: bool = True) -> Ranked:
        """The scores of candidates, whose features are given by name; by the weights alone unless ``learned``.

        What each split adds is told of the best ``EXPLAINED``; of the others, what all trees add together.
        """
        terms = {name: features[name] * np.float32(weight) for name, weight in self.weights.items()}
        total = np.stack(list(terms.values())).sum(axis=0)
        if learned:
            table = np.stack([features[name] for name in self.features], axis=1)
            added = _taken(self._values, self._ways(table)[-1] + self._first_value).sum(axis=1)
            total += added
            best = np.argsort(-total, kind="stable")[:EXPLAINED]
            added[best] = 0.0
            for name, values in self._corrections(table[best]).items():
                term = terms.setdefault(name, np.zeros(len(total), np.float32))
                term[best] += values
            terms[TREES] = added
        return Ranked(total.astype(np.float32), terms)

    def _ways(self, table: Values) -> list[NDArray[np.int64]]:
        """The node that each row reaches in each tree, level by level from the root; shape (rows, trees) each."""
        flat, starts = table.reshape(-1), _starts(table)
        ways = [np.zeros((len(table), len(self._first_split)), np.int64)]
        for _ in range(self._depth):
            at = ways[-1] + self._first_split
            above = _taken(flat, _taken(self._splits, at) + starts) > _taken(self._thresholds, at)
            ways.append(np.asarray(2 * ways[-1] + 1 + above, np.int64))
        return ways

    def _corrections(self, table: Values) -> dict[str, Values]:
        """What the trees add to each row, by feature."""
        count, width = table.shape
        ways, starts = self._ways(table), _starts(table)
        added = np.zeros(count * width)
        for here, there in pairwise(ways):
            split = _taken(self._splits, here + self._first_split) + starts
            change = _taken(self._values, there + self._first_value) - _taken(self._values, here + self._first_value)
            added += np.bincount(split.reshape(-1), change.reshape(-1), len(added))
        terms = added.reshape(count, width).astype(np.float32)
        found = {name: terms[:, i] for i, name in enumerate(self.features)}
        found[TREES_BASE] = np.full(count, self._values[self._first_value].sum(), np.float32)
        return found


def _taken(values: NDArray[_Number], places: NDArray[np.int64]) -> NDArray[_Number]:
    """The values at some places, in the places' shape; faster than indexing."""
    return values.take(places)


def _starts(table: Values) -> NDArray[np.int64]:
    """Where each row begins in a table laid out flat, as a column."""
    count, width = table.shape
    return np.arange(0, count * width, width, dtype=np.int64).reshape(count, 1)


@lru_cache(maxsize=1)
def ranker() -> Ranker:
    """The ranker that ships."""
    return read(json.loads((files("hmem.read.score") / FILE).read_text("utf-8")))


def read(kept: Mapping[str, Any]) -> Ranker:
    """A ranker from what its file holds."""
    return Ranker(
        kept["features"],
        kept["weights"],
        np.array(kept["splits"], np.int64),
        np.array(kept["thresholds"], np.float32),
        np.array(kept["values"], np.float32),
    )
