"""The learned ranker of candidate answers: linear, its weights in a data file (benchmarks/train_reader.py)."""

import json
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.read.answer.spans import names_of_features

_FILE: Final = "weights.json"


@lru_cache(maxsize=1)
def _held() -> dict[str, dict[str, float]]:
    return json.loads((files("hmem.read.answer") / _FILE).read_text("utf-8"))


@lru_cache(maxsize=4)
def coefficients(name: str) -> dict[str, float]:
    """The coefficients of a logistic function over the signs of an answer: ``supported`` or ``right``."""
    return _held().get(name, {})


@lru_cache(maxsize=1)
def weights() -> NDArray[np.float32]:
    """The weights of the candidates' features, in their order; zero for those that the file leaves out."""
    held = _held()["spans"]
    return np.array([held.get(name, 0.0) for name in names_of_features()], np.float32)


def forget() -> None:
    """Read the file again when it is next needed: training has written another."""
    for kept in (_held, coefficients, weights):
        kept.cache_clear()
