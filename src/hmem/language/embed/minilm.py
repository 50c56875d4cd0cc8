"""The encoder of the package ``hmem-encoder``: all-MiniLM-L6-v2 in 23 MB, by onnxruntime. The default.

It knows English. See docs/decisions/0072-one-encoder.md.
"""

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderUnavailable, UnknownName
from hmem.language.containment import in_words, onnx_faults
from hmem.language.embed.base import Calibration, Embedder
from hmem.language.stemming import reads_as_english
from hmem.util.caches import register_cache

_NAME: Final = "minilm"
_DIMENSION: Final = 384

# Latest questions whose vectors are cached: a host asks the same one of several views.
_QUERY_CACHE_SIZE: Final = 256

# Printed by benchmarks/calibrate.py.
_CALIBRATION: Final = ((0.089, 0.1), (0.258, 0.3), (0.724, 0.7), (0.823, 0.85))


def load(variant: str) -> "MiniLM":
    """Return the encoder; it has no variants.

    Raises:
        UnknownName: a variant is named.
        EmbedderUnavailable: the package ``hmem-encoder`` is not installed, or lacks its files.
    """
    if variant:
        raise UnknownName(f"minilm has no variant {variant!r} - leave it out")
    try:
        package = import_module("hmem_encoder")
        return MiniLM(package.encoder(), package.model_facts()["fingerprint"])
    except (ImportError, OSError, KeyError) as error:
        raise EmbedderUnavailable(f"the encoder cannot be loaded ({error}) - pip install hmem-encoder") from error


class MiniLM(Embedder):
    """all-MiniLM-L6-v2 with 8-bit weights, in 384 dimensions. The model is loaded with the first text."""

    def __init__(self, encoder: Any, digest: str) -> None:
        self._encoder = encoder
        self._digest = digest
        self._queries: dict[str, NDArray[np.float32]] = {}
        register_cache(self)

    @property
    def name(self) -> str:
        return _NAME

    @property
    def dimension(self) -> int:
        return _DIMENSION

    @property
    def calibration(self) -> Calibration:
        return Calibration(_CALIBRATION)

    @property
    def version(self) -> str:
        return version("hmem-encoder")

    @cached_property
    def fingerprint(self) -> str:
        # Of what computes the vectors, so that another processor, whose last bits differ, opens the memory.
        return f"{self.name}/{self.dimension}/{self._digest[:12]}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        try:
            return self._encoder.vectors(texts)
        except onnx_faults() as error:
            raise EmbedderUnavailable(f"the encoder failed ({in_words(error)}) - try again, or free memory") from error

    def embed_parts(
        self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
    ) -> list[NDArray[np.float32]]:
        try:
            return [read.sentences for read in self._encoder.read(texts, spans)]
        except onnx_faults() as error:
            raise EmbedderUnavailable(f"the encoder failed ({in_words(error)}) - try again, or free memory") from error

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        cache = self._queries
        fresh = [text for text in dict.fromkeys(texts) if text not in cache]
        fresh_rows = dict(zip(fresh, self.embed(fresh), strict=True))
        rows = [fresh_rows[text] if text in fresh_rows else cache[text] for text in texts]
        if len(cache) + len(fresh_rows) > _QUERY_CACHE_SIZE:
            self._queries = cache = {}
        cache.update(fresh_rows)
        return np.array(rows, np.float32).reshape(len(texts), self.dimension)

    def reads(self, text: str) -> bool:
        return reads_as_english(text)

    def semantic_weight(self, text: str) -> float:
        # A question in another language meets its turns by words first.
        return 1.0 if self.reads(text) else super().semantic_weight(text)

    def cache_clear(self) -> None:
        """Forget the questions, and the texts that were encoded last."""
        self._queries = {}
        self._encoder.cache_clear()
