"""Embeddings and rerankings by the bundled embedder, in the form of their protocols."""

import base64
from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from hmem.language.embed.wordllama import WordLlama, load
from hmem.language.tokens import count_tokens
from hmem.util.amounts import amount
from hmem_testing.fake_llm.asking import Unreadable
from hmem_testing.fake_llm.wire import Json, as_mapping

# OpenAI's own limit.
_MAX_TEXTS: Final = 2_048
_WIDEST: Final = 4_096


def _embedder() -> WordLlama:
    return _embedders.setdefault(0, load(""))


_embedders: dict[int, WordLlama] = {}


def embeddings(request: Json) -> tuple[Json, int]:
    """Return the answer to an embedding request, and its number of tokens.

    Raises:
        Unreadable: the input is missing, has an empty text or tokens instead of text, or has too many texts.
    """
    texts = _texts(request.get("input"), "input")
    if "" in texts:
        raise Unreadable("input cannot be an empty string")
    if len(texts) > _MAX_TEXTS:
        raise Unreadable(f"input has {amount(len(texts), 'text')}, which is more than {_MAX_TEXTS}")
    rows = _sized(_embedder().embed(texts), request.get("dimensions"))
    encoded = request.get("encoding_format") == "base64"
    data = [{"object": "embedding", "index": index, "embedding": _form(row, encoded)} for index, row in enumerate(rows)]
    tokens = sum(map(count_tokens, texts))
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": str(request.get("model") or ""), "usage": usage}, tokens


def _form(row: NDArray[np.float32], encoded: bool) -> str | list[float]:  # noqa: FBT001 - the protocol's own choice
    return base64.b64encode(row.astype("<f4").tobytes()).decode() if encoded else row.tolist()


def _sized(rows: NDArray[np.float32], dimensions: object) -> NDArray[np.float32]:
    """Return rows cut or zero-padded to a number of dimensions, as unit vectors."""
    if dimensions is None:
        return rows
    if not isinstance(dimensions, int) or not 0 < dimensions <= _WIDEST:
        raise Unreadable(f"dimensions must be a number from 1 to {_WIDEST}")
    sized = np.zeros((len(rows), dimensions), np.float32)
    width = min(dimensions, rows.shape[1])
    sized[:, :width] = rows[:, :width]
    return sized / np.maximum(np.linalg.norm(sized, axis=1, keepdims=True), np.float32(1e-12))


def reranking(request: Json) -> tuple[Any, int]:
    """Return the answer to a reranking request, in the form of the request, and its number of tokens.

    Cohere and Jina take ``documents``, text-embeddings-inference takes ``texts``.

    Raises:
        Unreadable: the query or the texts are missing.
    """
    question = request.get("query")
    if not isinstance(question, str) or not question:
        raise Unreadable("query must be a text")
    plain = "texts" in request
    texts = _texts(request.get("texts" if plain else "documents"), "texts" if plain else "documents")
    scores = (_embedder().embed(texts) @ _embedder().embed([question])[0] + 1.0) / 2.0
    order = sorted(range(len(texts)), key=lambda index: (-float(scores[index]), index))
    tokens = count_tokens(question) * len(texts) + sum(map(count_tokens, texts))
    if plain:
        return [{"index": index, "score": float(scores[index])} for index in order], tokens
    limit = request.get("top_n")
    order = order[:limit] if isinstance(limit, int) else order
    results = [{"index": index, "relevance_score": float(scores[index])} for index in order]
    usage = {"total_tokens": tokens, "prompt_tokens": tokens}
    return {"id": "rerank", "model": str(request.get("model") or ""), "results": results, "usage": usage}, tokens


def _texts(value: Any, field: str) -> Sequence[str]:
    """Return texts given as one text, as a list, or as a list of objects with a text."""
    entries = cast("list[Any]", value if isinstance(value, list) else [value])
    texts = [as_mapping(entry).get("text", entry) for entry in entries]
    if not texts or not all(isinstance(text, str) for text in texts):
        raise Unreadable(f"{field} must be a text or a list of texts; tokens cannot be read")
    return cast("list[str]", texts)
