"""Models of sentence-transformers: small transformers that run locally by PyTorch. An extra.

A model must be on disk already: neither writing nor recall downloads anything.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from threading import Lock
from typing import Any, Final, Protocol

import numpy as np

from hmem.errors import EmbedderUnavailable, ExtraMissing
from hmem.language.embed.base import Prefixes, Role
from hmem.language.embed.measured import MeasuredEmbedder, Rows

_NAME: Final = "sentence-transformers"
_MODEL: Final = "all-MiniLM-L6-v2"
# The library's names for the prompt of passages; the first that exists is used.
_PASSAGE: Final = ("document", "passage", "corpus")


class SentenceEncoder(Protocol):
    """Part of sentence-transformers' ``SentenceTransformer`` that is used here."""

    # Prompts saved with the model, by name.
    prompts: dict[str, str]

    def encode(self, sentences: list[str], *, prompt: str, show_progress_bar: bool, convert_to_numpy: bool) -> Any: ...


class SentenceTransformersEmbedder(MeasuredEmbedder):
    """Embedder of a loaded model; ``variant`` is its name or folder."""

    def __init__(self, encoder: SentenceEncoder, variant: str = _MODEL, release: str = "") -> None:
        super().__init__()
        self._encoder = encoder
        self._variant = variant
        self._release = release
        # Each batch sets the tokenizer's padding, which two threads must not do at once.
        self._lock = Lock()

    @property
    def name(self) -> str:
        return f"{_NAME}:{self._variant}"

    @property
    def version(self) -> str:
        return self._release

    @property
    def model(self) -> str:
        return f"{_NAME}:{self._variant.replace(chr(92), '/').rstrip('/').rpartition('/')[2]}"

    @property
    def prefixes(self) -> Prefixes:
        """Prompts saved with the model, else those of its card."""
        saved = self._encoder.prompts
        passage = next((saved[name] for name in _PASSAGE if saved.get(name)), "")
        model_prefixes = Prefixes(saved.get("query", ""), passage)
        return model_prefixes if any(model_prefixes) else super().prefixes

    def vectors(self, texts: Sequence[str], role: Role = "passage") -> Rows:
        # From version 5 on, the library has models that embed questions with other weights.
        name = "encode_query" if role == "query" else "encode_document"
        encode = getattr(self._encoder, name, self._encoder.encode)
        with self._lock:
            rows = encode(list(texts), prompt="", show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(rows, np.float32)


def load(variant: str) -> SentenceTransformersEmbedder:
    """Return the embedder of a model, by its name or folder; all-MiniLM-L6-v2 if empty.

    Raises:
        ExtraMissing: sentence-transformers is not installed.
        EmbedderUnavailable: the model is not on this disk.
    """
    model = variant or _MODEL
    try:
        make = import_module("sentence_transformers").SentenceTransformer
    except ImportError as error:
        raise ExtraMissing(
            "this embedder needs sentence-transformers - run `pip install 'hmem[sentence-transformers]'`"
        ) from error
    try:
        encoder = make(model, local_files_only=True)
    except (OSError, ValueError) as error:
        raise EmbedderUnavailable(
            f"the model {model!r} is not on this disk - run `hf download {model}` once, or give its folder"
        ) from error
    return SentenceTransformersEmbedder(encoder, model, version("sentence-transformers"))
