"""Models of fastembed: small transformers that run locally by ONNX, without PyTorch. An extra.

A model must be on disk already: neither writing nor recall downloads anything.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from threading import Lock
from typing import Any, Final, Protocol

import numpy as np

from hmem.errors import EmbedderUnavailable, ExtraMissing
from hmem.language.containment import LOAD_FAULTS, onnx_faults
from hmem.language.embed.base import Role
from hmem.language.embed.measured import MeasuredEmbedder, Rows

_NAME: Final = "fastembed"
_MODEL: Final = "BAAI/bge-small-en-v1.5"


class FastembedModel(Protocol):
    """Part of fastembed's ``TextEmbedding`` that is used here."""

    def query_embed(self, query: list[str]) -> Iterable[Any]: ...

    def passage_embed(self, texts: list[str]) -> Iterable[Any]: ...


class FastembedEmbedder(MeasuredEmbedder):
    """Embedder of a loaded model; ``variant`` is its name, optionally with ``@FOLDER``, the folder of its files."""

    def __init__(self, encoder: FastembedModel, variant: str = _MODEL, release: str = "") -> None:
        super().__init__()
        self._encoder = encoder
        self._variant = variant
        self._release = release
        self._lock = Lock()
        self.faults = onnx_faults()

    @property
    def name(self) -> str:
        return f"{_NAME}:{self._variant}"

    @property
    def version(self) -> str:
        return self._release

    @property
    def model(self) -> str:
        return f"{_NAME}:{self._variant.partition('@')[0]}"

    @property
    def asks_otherwise(self) -> bool:
        # For these the library embeds questions with other weights; otherwise it leaves the prefixes to the caller.
        return super().asks_otherwise or "jina-embeddings-v3" in self.model

    def vectors(self, texts: Sequence[str], role: Role = "passage") -> Rows:
        embed = self._encoder.query_embed if role == "query" else self._encoder.passage_embed
        with self._lock:
            rows = list(embed(list(texts)))
        return np.asarray(rows, np.float32)


def load(variant: str) -> FastembedEmbedder:
    """Return the embedder of a model that fastembed knows by name, ``NAME`` or ``NAME@FOLDER``.

    Raises:
        ExtraMissing: fastembed is not installed.
        EmbedderUnavailable: the model is not on this disk, or fastembed does not know it.
    """
    model, _, folder = (variant or _MODEL).partition("@")
    try:
        make = import_module("fastembed").TextEmbedding
    except ImportError as error:
        raise ExtraMissing("this embedder needs fastembed - run `pip install 'hmem[fastembed]'`") from error
    options = {"specific_model_path": folder} if folder else {}
    try:
        encoder = make(model, local_files_only=True, **options)
    except onnx_faults(LOAD_FAULTS) as error:
        raise EmbedderUnavailable(
            f"fastembed does not know the model {model!r}, or it is not on this disk - "
            f"run `python -c \"from fastembed import TextEmbedding; TextEmbedding('{model}')\"` once"
        ) from error
    return FastembedEmbedder(encoder, variant or _MODEL, version("fastembed"))
