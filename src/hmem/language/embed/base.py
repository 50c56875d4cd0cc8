"""Interface of an embedder, and the prefixes that embedding models expect.

Some models were trained on questions and passages with different prefixes. Their libraries rarely add them, so they are
looked up here by the model's name. The words are those of the models' cards; other models have no prefix.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Chosen with wordllama on the development conversations: `fusion` finds .807 at ten by it, .755 by 1.
_SEMANTIC_WEIGHT: Final = 0.25
PROBE: Final = "Maria adopted a puppy named Coco two weeks ago."


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone map of an embedder's raw cosine onto the common scale of similarity.

    ``points`` are (raw cosine, common similarity) pairs that rise in both; the map is linear between them, and from the
    outer ones to (-1, -1) and (1, 1). On the common scale, unrelated texts lie below 0.3 (so a distance of 0.7 is a
    change of topic), nine in ten paraphrases above 0.7, half of them above 0.85, and 1 is the same text. So the papers'
    thresholds keep their meaning with every embedder.
    """

    points: tuple[tuple[float, float], ...] = ()

    def __call__(self, cosine: float) -> float:
        points = ((-1.0, -1.0), *self.points, (1.0, 1.0))
        clipped = min(max(cosine, -1.0), 1.0)
        right = min(max(bisect_right([raw for raw, _ in points], clipped), 1), len(points) - 1)
        (x0, y0), (x1, y1) = points[right - 1], points[right]
        return y0 + (y1 - y0) * (clipped - x0) / (x1 - x0)


class Embedder(ABC):
    """Turns texts into unit vectors. Safe to call from several threads."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the embedder, such as ``wordllama`` or ``wordllama:128``."""

    @property
    @abstractmethod
    def version(self) -> str:
        """Version of the code or weights that compute the vectors; another version may compute others."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    @abstractmethod
    def calibration(self) -> Calibration:
        """Map of its cosines onto the common scale."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit rows of shape (len(texts), dimension); a text without any token gives a row of zeros.

        Raises:
            EmbedderUnavailable: the vectors cannot be had now.
        """

    def embed_parts(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[NDArray[np.float32]]:
        """Return the unit vectors of parts of texts, given by their spans: a matrix with a row for each, for each text.

        An embedder that reads a text once may give the vector of a part within its text.
        """
        rows = self.embed(
            [text[start:end] for text, text_spans in zip(texts, spans, strict=True) for start, end in text_spans]
        )
        if not spans:
            return []
        ends: list[int] = np.cumsum([len(text_spans) for text_spans in spans])[:-1].tolist()
        return np.split(rows, ends)

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed queries, for models that embed a question differently from a passage; the same shape as ``embed``.

        Raises:
            EmbedderUnavailable: the vectors cannot be had now.
        """
        return self.embed(texts)

    def reads(self, text: str) -> bool:  # noqa: ARG002 - for those that do not read every language
        """Tell if a text is in a language that the embedder knows, as far as its words say."""
        return True

    def semantic_weight(self, text: str) -> float:  # noqa: ARG002 - for those that do not read every language
        """Return what its cosines with a question count beside shared words, in units of the default encoder's.

        The ranker's weights were learned with that one, which tells more by a cosine than a static embedder does.
        """
        return _SEMANTIC_WEIGHT

    @cached_property
    def fingerprint(self) -> str:
        """Name, dimension and a digest of a probe's vector; equal fingerprints mean comparable vectors.

        The probe's vector is rounded to two decimals first, so that another processor's last bits do not matter.
        """
        rounded = np.rint(self.embed([PROBE])[0] * 100).astype("<i2")
        return f"{self.name}/{self.dimension}/{hashlib.sha256(rounded.tobytes()).hexdigest()[:12]}"


# Use of an embedded text: as a query, or as a passage to be found.
Role = Literal["query", "passage"]


class Prefixes(NamedTuple):
    """Prefixes of a model for questions and for passages."""

    query: str = ""
    passage: str = ""


NO_PREFIXES: Final = Prefixes()

_TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"
_REPRESENT: Final = "Represent this sentence for searching relevant passages: "

# The first pattern found in the last part of a model's lower-case name applies.
_MODEL_PREFIXES: Final = tuple(
    (re.compile(pattern), prefixes)
    for pattern, prefixes in (
        (r"\be5\b.*instruct", Prefixes(f"Instruct: {_TASK}\nQuery: ")),
        (r"\be5\b", Prefixes("query: ", "passage: ")),
        (r"\bbge-(?:small|base|large)-en\b", Prefixes(_REPRESENT)),
        (r"\bnomic-embed-text\b|\bmodernbert-embed\b", Prefixes("search_query: ", "search_document: ")),
        (r"\bmxbai-embed-(?:large|xsmall)\b", Prefixes(_REPRESENT)),
        (r"\bsnowflake-arctic-embed.*(?:v2|2)\b", Prefixes("query: ")),
        (r"\bsnowflake-arctic-embed\b", Prefixes(_REPRESENT)),
        (r"\bqwen3-embedding\b", Prefixes(f"Instruct: {_TASK}\nQuery:")),
        (r"\bembeddinggemma\b", Prefixes("task: search result | query: ", "title: none | text: ")),
    )
)


def prefixes_of(model: str) -> Prefixes:
    """Return the prefixes for a model, by its name: ``intfloat/e5-small-v2``, ``nomic-embed-text:latest``."""
    name = model.replace("\\", "/").rstrip("/").rpartition("/")[2].lower().replace("_", "-")
    return next((prefixes for pattern, prefixes in _MODEL_PREFIXES if pattern.search(name)), NO_PREFIXES)
