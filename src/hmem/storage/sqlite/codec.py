"""Encoding of vectors in SQLite: the four bytes of the row's scale, then one signed byte a component."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmem.model.vector import from_bytes, to_bytes


def encode(vectors: NDArray[np.float32]) -> list[bytes]:
    """Return rows of shape (n, d) as n blobs of d + 4 bytes."""
    codes, scales = to_bytes(vectors)
    packed = np.empty((len(codes), codes.shape[1] + 4), np.uint8)
    packed[:, :4] = scales.astype("<f4")[:, None].view(np.uint8)
    packed[:, 4:] = codes.view(np.uint8)
    return [row.tobytes() for row in packed]


def decode(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """Return the rows of blobs, shape (n, dimension).

    Raises:
        ValueError: a blob is not of this dimension.
    """
    if set(map(len, blobs)) - {dimension + 4}:
        raise ValueError(f"a vector is not of dimension {dimension}")
    packed = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), dimension + 4)
    scales = packed[:, :4].copy().view("<f4")[:, 0].astype(np.float32)
    return from_bytes(packed[:, 4:].view(np.int8), scales)
