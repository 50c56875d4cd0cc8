"""Encoding of vectors in SQLite: one blob a row."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmem.storage.vector_codec import SCALE_BYTES, pack, rows_of, unpack


def encode(vectors: NDArray[np.float32]) -> list[bytes]:
    """Return rows of shape (n, d) as n blobs of d + 4 bytes."""
    return [row.tobytes() for row in pack(vectors)]


def decode(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """Return the rows of blobs, shape (n, dimension).

    Raises:
        ValueError: a blob is not of this dimension.
    """
    if set(map(len, blobs)) - {dimension + SCALE_BYTES}:
        raise ValueError(f"a vector is not of dimension {dimension}")
    return unpack(rows_of(b"".join(blobs), len(blobs), dimension))
