"""A cross-encoder of sentence-transformers: a small transformer that reads question and text at once. An extra.

Its model must be on disk already: recall never downloads anything.
"""

from collections.abc import Sequence
from importlib import import_module
from threading import Lock
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hmem.errors import ExtraMissing, RerankerUnavailable
from hmem.language.faults import LOAD_FAULTS, in_words
from hmem.language.rerank.base import Reranker

# 22 million parameters, trained on questions and passages (MS MARCO).
_MODEL: Final = "cross-encoder/ms-marco-MiniLM-L6-v2"
_NAME: Final = "cross-encoder"


class PairEncoder(Protocol):
    """Part of sentence-transformers' ``CrossEncoder`` that is used here."""

    def predict(self, sentences: list[tuple[str, str]], *, show_progress_bar: bool) -> Any: ...


class CrossEncoderReranker(Reranker):
    """Reranker of a loaded cross-encoder; ``model`` is its name or folder."""

    def __init__(self, encoder: PairEncoder, model: str = _MODEL) -> None:
        self._encoder = encoder
        self._model = model
        # Each batch sets the tokenizer's padding, which two threads must not do at once.
        self._lock = Lock()

    @property
    def name(self) -> str:
        return _NAME if self._model == _MODEL else f"{_NAME}:{self._model}"

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros(0, np.float32)
        with self._lock:
            made = self._encoder.predict([(question, text) for text in texts], show_progress_bar=False)
        scores = np.asarray(made, np.float32)
        if scores.shape != (len(texts),):
            raise RerankerUnavailable(
                f"the model {self._model!r} does not give one score a text - choose one that was trained to rank"
            )
        return scores


def load(variant: str) -> CrossEncoderReranker:
    """Return the reranker of a model, by its name or folder; a small model for English questions if empty.

    Raises:
        ExtraMissing: sentence-transformers is not installed.
        RerankerUnavailable: the model is not on this disk, or is not a cross-encoder.
    """
    model = variant or _MODEL
    try:
        make = import_module("sentence_transformers").CrossEncoder
    except ImportError as error:
        raise ExtraMissing("a cross-encoder needs sentence-transformers - run `pip install 'hmem[rerank]'`") from error
    try:
        encoder = make(model, local_files_only=True)
    except (OSError, ValueError) as error:
        raise RerankerUnavailable(
            f"the model {model!r} is not on this disk - run `hf download {model}` once"
        ) from error
    except LOAD_FAULTS as error:
        raise RerankerUnavailable(
            f"the model {model!r} cannot be loaded ({in_words(error)}) - choose a smaller one, or download it anew"
        ) from error
    return CrossEncoderReranker(encoder, model)
