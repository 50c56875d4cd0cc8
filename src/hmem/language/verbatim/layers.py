"""Labels of a sentence for the layers: its domain and category (H-MEM, formation).

Each line of ``layers.txt`` lists phrases of a category; the mean of their vectors stands for it, and a sentence gets
the labels of the line that it resembles most. The vectors are the encoder's, whatever embedder the memory has, so that
labels are the same in every memory. They place a sentence and are never shown: of 166 sentences labelled by hand .68
were right, and no threshold came to .9. A trace has no label here: it is named from all that comes to lie in it.
"""

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.base import Labels
from hmem.language.embed import embedder
from hmem.language.stemming import reads_as_english

# Labels of a sentence that resembles no line, or whose language the encoder does not know.
UNLIKE_ANY: Final = Labels("everyday life", "this and that", "")

# Minimum cosine of a sentence and its line.
_MIN_COSINE: Final = 0.2
_MODEL: Final = "minilm"

Vectors = NDArray[np.float32]


class Taxonomy(NamedTuple):
    """The labels of each line, and its unit vector, a row each."""

    labels: tuple[Labels, ...]
    rows: Vectors


def labels(texts: Sequence[str], vectors: Vectors) -> list[Labels]:
    """Return the labels of sentences, given their unit vectors, a row each."""
    if not len(texts):
        return []
    layers = taxonomy()
    nearness = vectors @ layers.rows.T
    best = np.round(nearness, 5).argmax(axis=1)
    return [
        layers.labels[line] if nearness[row, line] >= _MIN_COSINE and reads_as_english(texts[row]) else UNLIKE_ANY
        for row, line in enumerate(best.tolist())
    ]


@lru_cache(maxsize=1)
def taxonomy() -> Taxonomy:
    """Return the lines of ``layers.txt``."""
    paths: list[Labels] = []
    phrases: list[str] = []
    owners: list[int] = []
    for line in (files("hmem.language.verbatim") / "layers.txt").read_text("utf-8").splitlines():
        name, _, examples = line.partition(":")
        if not examples or line.startswith("#"):
            continue
        domain, _, category = name.partition(" / ")
        line_phrases = [phrase.strip() for phrase in examples.split(";")]
        phrases += line_phrases
        owners += [len(paths)] * len(line_phrases)
        paths.append(Labels(domain, category, ""))
    sums = np.zeros((len(paths), embedder(_MODEL).dimension))
    np.add.at(sums, owners, embedder(_MODEL).embed(phrases).astype(np.float64))
    return Taxonomy(tuple(paths), (sums / np.linalg.norm(sums, axis=1, keepdims=True)).astype(np.float32))
