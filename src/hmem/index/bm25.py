"""BM25 as Tantivy computes it, for what Tantivy does not hold yet.

Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), with k1 = 1.2 and
b = 0.75, the constants that Tantivy has built in.
"""

from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

K1: Final = 1.2
B: Final = 0.75

Array = NDArray[np.float32]


def idf(documents: int, containing: int) -> float:
    """How rare a term is: greater than 0, and the greater the fewer of the documents contain it."""
    containing = min(containing, documents)
    return log(1 + (documents - containing + 0.5) / (containing + 0.5))


def _lengths_that_are_kept() -> Array:
    """The lengths that one byte stands for: up to 39 each, then eight to every doubling."""
    codes = np.arange(232)
    shifts = np.maximum((codes >> 3) - 1, 0)
    kept = np.where(codes < 8, codes, (codes & 7 | 8) << shifts)
    return np.concatenate([np.arange(24), 24 + kept]).astype(np.float32)


_LENGTHS: Final = _lengths_that_are_kept()


def rounded_lengths(lengths: Array) -> Array:
    """Lengths as Tantivy keeps them, rounded down, so that a turn scores alike in the tail and in the index."""
    return _LENGTHS[np.searchsorted(_LENGTHS, lengths, side="right") - 1]


def norm(lengths: Array, mean_length: float) -> Array:
    """How often a term stands in a document of each of some lengths when it adds half of the most that it can."""
    return (K1 * (1 - B + B * lengths / max(mean_length, 1.0))).astype(np.float32)


def bm25(frequencies: Array, norms: Array) -> Array:
    """What a term of idf 1 adds to each document, given how often it stands there and the norms of their lengths.

    ``frequencies`` has a document for each of the ``norms`` along its last axis.
    """
    return (frequencies * (K1 + 1) / (frequencies + norms)).astype(np.float32, copy=False)


def best_possible(idfs: list[float]) -> float:
    """What no document reaches: every term, endlessly often. A score over it lies in [0, 1)."""
    return (K1 + 1) * sum(idfs)
