"""Calibrating an embedder: where its cosines lie for pairs of which it is known how alike they are.

The pairs come from bundled triples of sentences: a sentence, one that says the same in other words, and one about the
same topic. A sentence and one of another triple have nothing to do with each other.
"""

import json
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.embed.base import Calibration

# On the common scale: the median of unrelated pairs and their 95th percentile; the 10th percentile of pairs that say
# the same, and their median.
ANCHORS: Final = (0.1, 0.3, 0.7, 0.85)

_FILE: Final = "similarity_triples.json"
# Cosines closer together than this are one point.
_APART: Final = 0.002


@lru_cache(maxsize=1)
def triples() -> tuple[tuple[str, str, str], ...]:
    """The bundled triples: a text, the same in other words, another of its topic."""
    held = json.loads(files("hmem.language.embed").joinpath(_FILE).read_text("utf-8"))
    return tuple((each["text"], each["same"], each["related"]) for each in held)


def calibrating_texts() -> list[str]:
    """The texts whose vectors ``calibrate`` needs, in its order."""
    return [text for said in (0, 1) for text in (each[said] for each in triples())]


def quantiles(rows: NDArray[np.float32]) -> tuple[float, float, float, float]:
    """Raw cosines at the anchors, from the unit vectors of ``calibrating_texts``."""
    texts, same = np.split(rows.astype(np.float64), 2)
    cosines = texts @ texts.T
    apart = cosines[~np.eye(len(texts), dtype=bool)]
    alike = (texts * same).sum(axis=1)
    found = (np.median(apart), np.quantile(apart, 0.95), np.quantile(alike, 0.1), np.median(alike))
    return tuple(round(float(value), 3) for value in found)  # pyright: ignore[reportReturnType] - four of them


def calibrate(rows: NDArray[np.float32]) -> Calibration:
    """The calibration that follows from the unit vectors of ``calibrating_texts``.

    An embedder that takes unrelated texts for alike has anchors that do not rise; those that do not are left out, so
    that the map is monotone all the same.
    """
    points: list[tuple[float, float]] = []
    for raw, common in zip(quantiles(rows), ANCHORS, strict=True):
        if (not points or raw - points[-1][0] >= _APART) and -1.0 + _APART < raw < 1.0 - _APART:
            points.append((raw, common))
    return Calibration(tuple(points))
