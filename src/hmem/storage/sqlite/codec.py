"""How vectors lie in SQLite: one signed byte a component, behind a float32 scale.

A unit vector of 256 dimensions takes 260 bytes, and its cosines move by less than 0.005.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def encode(vectors: NDArray[np.float32]) -> list[bytes]:
    """Rows of shape (n, d) as n blobs of d + 4 bytes."""
    scales = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-12).astype(np.float32) / np.float32(127)
    codes = np.rint(vectors / scales[:, None]).astype(np.int8)
    packed = np.empty((len(vectors), vectors.shape[1] + 4), np.uint8)
    packed[:, :4] = scales.astype("<f4")[:, None].view(np.uint8)
    packed[:, 4:] = codes.view(np.uint8)
    return [row.tobytes() for row in packed]


def decode(blobs: Sequence[bytes], dimension: int) -> NDArray[np.float32]:
    """The inverse: unit rows of shape (n, dimension); a row of zeros stays one.

    Raises:
        ValueError: a blob is not of this dimension.
    """
    if set(map(len, blobs)) - {dimension + 4}:
        raise ValueError(f"a vector is not of dimension {dimension}")
    packed = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), dimension + 4)
    rows = packed[:, 4:].view(np.int8).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, 1e-12, dtype=np.float32)
