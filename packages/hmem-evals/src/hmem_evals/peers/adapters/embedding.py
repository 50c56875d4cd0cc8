"""Embedders for peers: token vectors, read from their files, or vectors that the other side is asked for."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

# Characters of a text that are embedded, as in hmem.
_CHARACTERS: Final = 32_768

Vectors = NDArray[np.float32]


class TokenVectors:
    """The normalised sum of a text's token vectors, equal to those of hmem's embedder `wordllama`."""

    def __init__(self, name: str, weights: str, tokenizer: str) -> None:
        from safetensors.numpy import load_file  # noqa: PLC0415 - not every peer's environment has it
        from tokenizers import Tokenizer  # noqa: PLC0415 - as above

        self.name = name
        self._weights = np.ascontiguousarray(load_file(weights)["embedding.weight"], np.float32)
        self._tokenizer = Tokenizer.from_file(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.dimension = int(self._weights.shape[1])

    def __call__(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        cut = [text[:_CHARACTERS] for text in texts]
        for row, encoding in zip(rows, self._tokenizer.encode_batch_fast(cut, add_special_tokens=False), strict=True):
            if encoding.ids:
                np.add.reduce(self._weights[encoding.ids], axis=0, out=row)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))


class AskedVectors:
    """Vectors of a model that runs in another process."""

    def __init__(self, name: str, dimension: int, ask: Callable[[list[str]], list[list[float]]]) -> None:
        self.name = name
        self.dimension = dimension
        self._ask = ask

    def __call__(self, texts: Sequence[str]) -> Vectors:
        return np.array(self._ask(list(texts)), np.float32).reshape(len(texts), self.dimension)


def embedder_of(
    description: dict[str, Any], ask: Callable[[list[str]], list[list[float]]]
) -> TokenVectors | AskedVectors:
    """Return the embedder that the description names: files of token vectors, or the dimension of asked ones."""
    if "weights" in description:
        return TokenVectors(description["name"], description["weights"], description["tokenizer"])
    return AskedVectors(description["name"], description["dimension"], ask)
