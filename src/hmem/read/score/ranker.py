"""The learned ranker: boosted trees over the features of ``score/features``, small enough to ship and to explain.

``ranker.json`` holds the trees, each filled up to the same depth, with the value that a turn has at every node on its
way: what a feature adds to a score is the sum of what its splits changed, and all of that sums to the score.
``benchmarks/train_ranker.py`` makes the file, from data whose licence allows it.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]

FILE: Final = "ranker.json"
BASE: Final = "base"


class Ranked(NamedTuple):
    """A score for each candidate, and what each feature adds to it; the terms of a candidate sum to its score."""

    scores: Values
    terms: dict[str, Values]


class Ranker:
    """Trees of one depth.

    ``features`` are names. ``splits`` and ``thresholds`` have a row for each tree and a column for each inner node,
    level by level; ``values`` have one for each leaf too. What is above a threshold goes right.
    """

    def __init__(self, features: list[str], splits: NDArray[np.int64], thresholds: Values, values: Values) -> None:
        self.features = features
        self._splits = splits
        self._thresholds = thresholds
        self._values = values
        self._depth = (splits.shape[1] + 1).bit_length() - 1

    def rank(self, features: Mapping[str, Values]) -> Ranked:
        """The scores of candidates, whose features are given by name."""
        rows = np.stack([features[name] for name in self.features])
        count, trees = rows.shape[1], np.arange(len(self._splits))
        node = np.zeros((count, len(trees)), np.int64)
        held = np.broadcast_to(self._values[:, 0], (count, len(trees)))
        added = np.zeros(count * len(self.features))
        each: NDArray[np.int64] = np.arange(count)[:, None]
        for _ in range(self._depth):
            split = self._splits[trees, node]
            node = 2 * node + 1 + (rows[split, each] > self._thresholds[trees, node])
            reached = self._values[trees, node]
            places: NDArray[np.int64] = each * len(self.features) + split
            added += np.bincount(places.ravel(), (reached - held).ravel(), len(added))
            held = reached
        table = added.reshape(count, len(self.features)).astype(np.float32)
        terms = {name: table[:, i] for i, name in enumerate(self.features)}
        terms[BASE] = np.full(count, self._values[:, 0].sum(), np.float32)
        return Ranked(held.sum(axis=1).astype(np.float32), terms)


@lru_cache(maxsize=1)
def ranker() -> Ranker:
    """The ranker that ships."""
    return read(json.loads((files("hmem.read.score") / FILE).read_text("utf-8")))


def read(kept: Mapping[str, Any]) -> Ranker:
    """A ranker from what its file holds."""
    return Ranker(
        list(kept["features"]),
        np.array(kept["splits"], np.int64),
        np.array(kept["thresholds"], np.float32),
        np.array(kept["values"], np.float32),
    )
