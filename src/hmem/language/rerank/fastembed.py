"""A cross-encoder of fastembed, which runs locally by ONNX, without PyTorch. An extra.

Its model must be on disk already: recall never downloads anything.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module
from threading import Lock
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hmem.errors import ExtraMissing, RerankerUnavailable
from hmem.language.faults import LOAD_FAULTS, onnx_faults
from hmem.language.rerank.base import Reranker

_MODEL: Final = "Xenova/ms-marco-MiniLM-L-6-v2"
_NAME: Final = "fastembed"


class FastembedPairEncoder(Protocol):
    """Part of fastembed's ``TextCrossEncoder`` that is used here."""

    def rerank(self, query: str, documents: Iterable[str]) -> Iterable[float]: ...


class FastembedReranker(Reranker):
    """Reranker of a loaded cross-encoder; ``variant`` is its name, optionally with ``@FOLDER``, where its files lie."""

    def __init__(self, encoder: FastembedPairEncoder, variant: str = _MODEL) -> None:
        self._encoder = encoder
        self._variant = variant
        self._lock = Lock()
        self.faults = onnx_faults()

    @property
    def name(self) -> str:
        return f"{_NAME}:{self._variant}"

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros(0, np.float32)
        with self._lock:
            scores = np.asarray(list(self._encoder.rerank(question, list(texts))), np.float32)
        if scores.shape != (len(texts),):
            raise RerankerUnavailable(
                f"the model {self._variant!r} does not give one score a text - choose one that was trained to rank"
            )
        return scores


def load(variant: str) -> FastembedReranker:
    """Return the reranker of a model that fastembed knows by name, ``NAME`` or ``NAME@FOLDER``.

    Raises:
        ExtraMissing: fastembed is not installed.
        RerankerUnavailable: the model is not on this disk, or fastembed does not know it.
    """
    model, _, folder = (variant or _MODEL).partition("@")
    try:
        make = import_module("fastembed.rerank.cross_encoder").TextCrossEncoder
    except ImportError as error:
        raise ExtraMissing("this reranker needs fastembed - run `pip install 'hmem[fastembed]'`") from error
    place = {"specific_model_path": folder} if folder else {}
    try:
        encoder = make(model, local_files_only=True, **place)
    except onnx_faults(LOAD_FAULTS) as error:
        raise RerankerUnavailable(
            f"fastembed does not know the cross-encoder {model!r}, or it is not on this disk - run `python -c "
            f"\"from fastembed.rerank.cross_encoder import TextCrossEncoder as T; T('{model}')\"` once"
        ) from error
    return FastembedReranker(encoder, variant or _MODEL)
