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
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]

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
        # Where each tree begins among all values, as a column.
        self._first_value = np.arange(trees, dtype=np.int64)[:, None] * (2 * inner + 1)
        # What each node changes of its parent's value, and the feature that its parent splits by; nothing for a root.
        above = [max(node - 1, 0) // 2 for node in range(2 * inner + 1)]
        self._changes = (values - values[:, above]).reshape(-1)
        self._causes = splits[:, above].reshape(-1)
        self._base = values[:, 0].sum()

    def rank(self, features: Mapping[str, Values], *, learned: bool = True) -> Ranked:
        """The scores of candidates, whose features are given by name; by the weights alone unless ``learned``.

        What each split adds is told of the best ``EXPLAINED``; of the others, what all trees add together.
        """
        terms = {name: features[name] * np.float32(weight) for name, weight in self.weights.items()}
        total = np.stack(list(terms.values())).sum(axis=0)
        if learned:
            ways = self._ways(np.stack([features[name] for name in self.features]))
            # A row for each candidate, so that a sum does not depend on how many candidates there are.
            added = self._values[np.ascontiguousarray((ways[-1] + self._first_value).T)].sum(axis=1)
            total += added
            best = np.argsort(-total, kind="stable")[:EXPLAINED]
            added[best] = 0.0
            corrections = np.zeros((len(self.features) + 1, len(total)), np.float32)
            corrections[:-1, best] = self._corrections(np.stack([way[:, best] for way in ways]) + self._first_value)
            corrections[-1, best] = self._base
            for name, values in zip((*self.features, TREES_BASE), corrections, strict=True):
                terms[name] = terms[name] + values if name in terms else values
            terms[TREES] = added
        return Ranked(total.astype(np.float32), terms)

    def _ways(self, columns: Values) -> list[NDArray[np.int16]]:
        """The node that each candidate reaches in each tree, level by level from below the root.

        ``columns`` has a row for each feature; the shape of a level is (trees, candidates).
        """
        above = columns.take(self._splits, axis=0) > self._thresholds[:, None]
        above = above.reshape(len(self._first_value), 2**self._depth - 1, columns.shape[1])
        node = np.zeros((len(above), columns.shape[1]), np.int16)
        nodes: list[NDArray[np.int16]] = []
        sides: list[NDArray[np.bool_]] = []
        for level in range(self._depth):
            side = above[:, 2**level - 1 : 2 ** (level + 1) - 1]
            for earlier in sides:
                middle = side.shape[1] // 2
                left, right = side[:, :middle], side[:, middle:]
                # Right where the way went right, else left: several times as fast as to choose one of two.
                side = left ^ (earlier & (left ^ right))
            sides.append(side)
            node = 2 * node + 1 + side[:, 0]
            nodes.append(node)
        return nodes

    def _corrections(self, ways: NDArray[np.int64]) -> Values:
        """What the trees add, by feature and candidate; ``ways`` are where the nodes stand among all values."""
        count = ways.shape[2]
        slots: NDArray[np.int64] = self._causes.take(ways) * count + np.arange(count, dtype=np.int64)
        size = len(self.features) * count
        added = np.bincount(slots.reshape(-1), self._changes.take(ways).reshape(-1), size)
        return added.reshape(len(self.features), count).astype(np.float32)


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
