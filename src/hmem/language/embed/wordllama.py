"""WordLlama: the mean of trained token vectors. Its wheel brings weights and tokenizer; no download, no torch.

The files are read without importing the package: its import configures the root logger and loads an HTTP client, and
its pooling pads a batch to the longest text, so that one long paste takes gigabytes. A test holds our vectors equal to
the package's. See docs/decisions/0064-core-install.md.
"""

from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file  # pyright: ignore[reportUnknownVariableType]

from hmem.errors import EmbedderUnavailable, UnknownName
from hmem.language.embed.base import Calibration, Embedder
from hmem.language.stemming import reads_as_english
from hmem.language.tokens import load_tokenizer, package_folder, tokens_of

DIMENSIONS: Final = (64, 128, 256)
_FULL: Final = 256

# Characters of a text that are embedded: the mean over more tokens says nothing in particular.
_CHARACTERS: Final = 32_768
_FEW_TEXTS: Final = 4

# Printed by benchmarks/calibrate.py.
_CALIBRATION: Final[dict[int, tuple[tuple[float, float], ...]]] = {
    256: ((0.024, 0.1), (0.153, 0.3), (0.599, 0.7), (0.809, 0.85)),
    128: ((0.020, 0.1), (0.183, 0.3), (0.606, 0.7), (0.834, 0.85)),
    64: ((0.038, 0.1), (0.262, 0.3), (0.628, 0.7), (0.854, 0.85)),
}


def load(variant: str) -> "WordLlama":
    """Return the embedder of a dimension, given as text; 256 if empty.

    Raises:
        UnknownName: the dimension is not one of ``DIMENSIONS``.
        EmbedderUnavailable: the package is not installed, or lacks its files.
    """
    if variant and variant not in {str(dimension) for dimension in DIMENSIONS}:
        raise UnknownName(f"wordllama has no variant {variant!r} - choose one of {', '.join(map(str, DIMENSIONS))}")
    return WordLlama(int(variant or _FULL))


class WordLlama(Embedder):
    """WordLlama ``l2_supercat`` in 256 dimensions, or cut to its first 128 or 64 (it is trained for that)."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        file = package_folder() / "weights" / f"l2_supercat_{_FULL}.safetensors"
        try:
            weights = load_file(file)["embedding.weight"]
            self._version = version("wordllama")
        except (OSError, KeyError, PackageNotFoundError) as error:
            raise EmbedderUnavailable(f"wordllama's weights cannot be read ({error}) - reinstall wordllama") from error
        # Single precision: twice the memory (32 MB) for half the time.
        self._weights: NDArray[np.float32] = np.ascontiguousarray(weights[:, :dimension], np.float32)
        self._tokenizer = load_tokenizer()

    @property
    def name(self) -> str:
        return "wordllama" if self._dimension == _FULL else f"wordllama:{self._dimension}"

    @property
    def version(self) -> str:
        return self._version

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def calibration(self) -> Calibration:
        return Calibration(_CALIBRATION[self._dimension])

    def reads(self, text: str) -> bool:
        return reads_as_english(text)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        rows = np.zeros((len(texts), self._dimension), np.float32)
        cut = [text[:_CHARACTERS] for text in texts]
        # The sum has the direction of the mean, and rows are normalised.
        for row, tokens in zip(rows, self._encoded(cut), strict=True):
            if tokens:
                np.add.reduce(self._weights[tokens], axis=0, out=row)
        lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        return rows / np.maximum(lengths, np.float32(1e-12))

    def _encoded(self, texts: Sequence[str]) -> Sequence[Sequence[int]]:
        """Return the tokens of texts; of a few one by one, since waking the threads for a batch takes longer."""
        if len(texts) > _FEW_TEXTS:
            return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        return list(map(tokens_of, texts))
