"""Lexical scores, and how much of them belongs to which size of context."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]

# Of a turn's words: up to 60 it leans fully on its window, from 100 on it is a context of its own.
_LEANS: Final = 60
_STANDS: Final = 100
_LONG_ENOUGH: Final = 60


# Both are looked up by the number of words, which is a fraction of computing them. What is longer is as the last.
_SHARES: Final = np.clip((_STANDS - np.arange(_STANDS + 1)) / (_STANDS - _LEANS), 0.0, 1.0).astype(np.float32)
_SUBSTANCE: Final = (np.log1p(np.arange(_LONG_ENOUGH + 1)) / np.log1p(_LONG_ENOUGH)).astype(np.float32)


def window_share(word_counts: NDArray[np.int32]) -> Values:
    """How much a turn's window says about it, from 1 for a short turn to 0 for a long one.

    A short turn means little without its neighbours; the neighbours of a long one only blur it.
    """
    return _SHARES[np.minimum(word_counts, _STANDS)]


def substance(word_counts: NDArray[np.int32]) -> Values:
    """How much a turn can tell by its length: 0 for none, 1 from 60 words on, growing as the logarithm."""
    return _SUBSTANCE[np.minimum(word_counts, _LONG_ENOUGH)]
