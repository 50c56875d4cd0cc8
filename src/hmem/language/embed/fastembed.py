"""Models of fastembed: small transformers that run here by ONNX, without PyTorch. An extra.

A model must be on the disk already: neither writing nor recall ever downloads anything.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.metadata import version
from threading import Lock
from typing import Any, Final, Protocol

import numpy as np

from hmem.errors import EmbedderUnavailable, ExtraMissing
from hmem.language.embed.base import Role
from hmem.language.embed.measured import MeasuredEmbedder, Rows
from hmem.language.faults import LOAD_FAULTS, onnx_faults

_NAME: Final = "fastembed"
_MODEL: Final = "BAAI/bge-small-en-v1.5"


class FastembedModel(Protocol):
    """What is used of fastembed's ``TextEmbedding``."""

    def query_embed(self, query: list[str]) -> Iterable[Any]: ...

    def passage_embed(self, texts: list[str]) -> Iterable[Any]: ...


class FastembedEmbedder(MeasuredEmbedder):
    """Embeds by a loaded model; ``variant`` is its name, and ``@FOLDER`` behind it where its files lie."""

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
        # Of these the library embeds questions by other weights; of all others it leaves the prefixes to its caller.
        return super().asks_otherwise or "jina-embeddings-v3" in self.model

    def vectors(self, texts: Sequence[str], role: Role = "passage") -> Rows:
        embed = self._encoder.query_embed if role == "query" else self._encoder.passage_embed
        with self._lock:
            made = list(embed(list(texts)))
        return np.asarray(made, np.float32)


def load(variant: str) -> FastembedEmbedder:
    """The embedder of a model that fastembed knows by name, ``NAME`` or ``NAME@FOLDER``.

    Raises:
        ExtraMissing: fastembed is not installed.
        EmbedderUnavailable: the model is not on this disk, or fastembed does not know it.
    """
    model, _, folder = (variant or _MODEL).partition("@")
    try:
        make = import_module("fastembed").TextEmbedding
    except ImportError as error:
        raise ExtraMissing("this embedder needs fastembed - run `pip install 'hmem[fastembed]'`") from error
    place = {"specific_model_path": folder} if folder else {}
    try:
        encoder = make(model, local_files_only=True, **place)
    except onnx_faults(LOAD_FAULTS) as error:
        raise EmbedderUnavailable(
            f"fastembed does not know the model {model!r}, or it is not on this disk - "
            f"run `python -c \"from fastembed import TextEmbedding; TextEmbedding('{model}')\"` once"
        ) from error
    return FastembedEmbedder(encoder, variant or _MODEL, version("fastembed"))
