"""Labels of a statement for the layers: its domain and category (H-MEM, formation).

The domains and categories are those of ``data/layers.txt``. Each of its lines lists phrases; the mean of their vectors
stands for the line, and a statement gets the labels of the line that it resembles most. The vectors are WordLlama's,
whatever embedder the memory has, so that labels are the same in every memory. A trace has no label here: it is named
from all that comes to lie in it.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.base import Labels
from hmem.language.embed import embedder
from hmem.language.english.word_lists import lines_of

# Labels of a statement that resembles no line.
UNLIKE_ANY: Final = Labels("everyday life", "this and that", "")

# Minimum cosine of a statement and its line.
_LEAST: Final = 0.11

# Steps of the grid that vectors are rounded to. Sums of products of such whole numbers are exact in single precision,
# so that a label does not depend on how many statements are labelled at once.
_GRID: Final = 4_000

# Number of characters of a statement that are read.
_READ: Final = 600

# Weight of a turn's vector beside that of its statement.
_CONTEXT: Final = 0.5

_MODEL: Final = "wordllama"


class _Taxonomy(NamedTuple):
    """The labels of each line, and its vector on the grid, a row each."""

    labels: tuple[Labels, ...]
    rows: NDArray[np.float32]


def labels(statements: Sequence[str], speakers: Sequence[str], turns: Sequence[str] = ()) -> list[Labels]:
    """Return the labels of statements.

    ``speakers`` names the speaker of each, whose name tells nothing. ``turns`` are the texts of their turns, which tell
    what a short statement is about; empty for an unknown one.
    """
    if not statements:
        return []
    taxonomy = _taxonomy()
    texts = [_subject_matter(text, speaker) for text, speaker in zip(statements, speakers, strict=True)]
    products = _on_grid(_vectors(texts, speakers, turns)) @ taxonomy.rows.T
    nearest = products.argmax(axis=1)
    return [
        taxonomy.labels[line] if like[line] >= _LEAST * _GRID * _GRID and any(map(str.isalpha, text)) else UNLIKE_ANY
        for text, like, line in zip(texts, products, nearest.tolist(), strict=True)
    ]


def _vectors(texts: Sequence[str], speakers: Sequence[str], turns: Sequence[str]) -> NDArray[np.float32]:
    """Return the unit vector of each text, drawn to that of its turn."""
    rows = embedder(_MODEL).embed(texts)
    if not turns:
        return rows
    around = {each: _subject_matter(*each) for each in dict.fromkeys(zip(turns, speakers, strict=True))}
    vectors = dict(zip(around, embedder(_MODEL).embed(list(around.values())), strict=True))
    rows = rows + np.float32(_CONTEXT) * np.stack([vectors[each] for each in zip(turns, speakers, strict=True)])
    return rows / np.maximum(np.sqrt(np.square(rows).sum(axis=1, keepdims=True)), np.float32(1e-12))


def _subject_matter(text: str, speaker: str) -> str:
    """Return the beginning of a statement without the speaker's name."""
    read = text[:_READ]
    for name in {speaker, speaker.capitalize()}:
        if name:
            read = read.replace(f"{name}'s", " ").replace(name, " ")
    return read


def _on_grid(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.rint(rows * np.float32(_GRID))


@lru_cache(maxsize=1)
def _taxonomy() -> _Taxonomy:
    found: list[Labels] = []
    phrases: list[str] = []
    owners: list[int] = []
    for line in lines_of("layers.txt"):
        name, _, said = line.partition(":")
        domain, _, category = name.partition(" / ")
        own = [phrase.strip() for phrase in said.split(";")]
        phrases += own
        owners += [len(found)] * len(own)
        found.append(Labels(domain, category, ""))
    vectors = embedder(_MODEL).embed(phrases).astype(np.float64)
    sums = np.zeros((len(found), vectors.shape[1]))
    np.add.at(sums, owners, vectors)
    rows = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return _Taxonomy(tuple(found), _on_grid(rows.astype(np.float32)))
