"""Cross-encoders that run in this process: small transformers that read question and text at once. Extras.

Those of sentence-transformers run by PyTorch, those of fastembed by ONNX. A model must be on disk already: recall never
downloads anything.
"""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import ExtraMissing, RerankerUnavailable
from hmem.language.containment import FAULTS, LOAD_FAULTS, in_words, onnx_faults
from hmem.language.rerank import Reranker

# 22 million parameters, trained on questions and passages (MS MARCO).
_MODEL: Final = "cross-encoder/ms-marco-MiniLM-L6-v2"
_FASTEMBED_MODEL: Final = "Xenova/ms-marco-MiniLM-L-6-v2"


class CrossEncoder(Reranker):
    """Reranker of a loaded model; ``pairs`` scores texts against a question."""

    def __init__(
        self,
        name: str,
        pairs: Callable[[str, Sequence[str]], Iterable[Any]],
        faults: tuple[type[Exception], ...] = FAULTS,
    ) -> None:
        self._name = name
        self._pairs = pairs
        self.faults = faults
        # Each batch sets the tokenizer's padding, which two threads must not do at once.
        self._lock = Lock()

    @property
    def name(self) -> str:
        return self._name

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        if not texts:
            return np.zeros(0, np.float32)
        with self._lock:
            return np.asarray(list(self._pairs(question, texts)), np.float32)


def cross_encoder(variant: str) -> CrossEncoder:
    """Return a reranker of sentence-transformers, by its name or folder; a small one for English if empty.

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

    def pairs(question: str, texts: Sequence[str]) -> Iterable[Any]:
        return encoder.predict([(question, text) for text in texts], show_progress_bar=False)

    return CrossEncoder("cross-encoder" if model == _MODEL else f"cross-encoder:{model}", pairs)


def fastembed(variant: str) -> CrossEncoder:
    """Return a reranker that fastembed knows by name, ``NAME`` or ``NAME@FOLDER``, where its files lie.

    Raises:
        ExtraMissing: fastembed is not installed.
        RerankerUnavailable: the model is not on this disk, or fastembed does not know it.
    """
    model, _, folder = (variant or _FASTEMBED_MODEL).partition("@")
    try:
        make = import_module("fastembed.rerank.cross_encoder").TextCrossEncoder
    except ImportError as error:
        raise ExtraMissing("this reranker needs fastembed - run `pip install 'hmem[fastembed]'`") from error
    options = {"specific_model_path": folder} if folder else {}
    try:
        encoder = make(model, local_files_only=True, **options)
    except onnx_faults(LOAD_FAULTS) as error:
        raise RerankerUnavailable(
            f"fastembed does not know the cross-encoder {model!r}, or it is not on this disk - run `python -c "
            f"\"from fastembed.rerank.cross_encoder import TextCrossEncoder as T; T('{model}')\"` once"
        ) from error
    return CrossEncoder(
        f"fastembed:{variant or _FASTEMBED_MODEL}",
        lambda question, texts: encoder.rerank(question, list(texts)),
        onnx_faults(),
    )
