"""Encoding of stored vectors: the four bytes of the row's scale, then one signed byte a component."""

import numpy as np
from numpy.typing import NDArray

from hmem.model.vector import from_bytes, to_bytes

SCALE_BYTES = 4


def pack(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return rows of shape (n, d) as bytes of shape (n, d + 4)."""
    codes, scales = to_bytes(vectors)
    packed = np.empty((len(codes), codes.shape[1] + SCALE_BYTES), np.uint8)
    packed[:, :SCALE_BYTES] = scales.astype("<f4")[:, None].view(np.uint8)
    packed[:, SCALE_BYTES:] = codes.view(np.uint8)
    return packed


def unpack(packed: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the rows that ``pack`` was given, up to rounding."""
    scales = packed[:, :SCALE_BYTES].copy().view("<f4")[:, 0].astype(np.float32)
    return from_bytes(packed[:, SCALE_BYTES:].view(np.int8), scales)


def rows_of(data: bytes, count: int, dimension: int) -> NDArray[np.uint8]:
    """Return bytes as ``count`` packed rows.

    Raises:
        ValueError: they are not of this dimension.
    """
    if len(data) != count * (dimension + SCALE_BYTES):
        raise ValueError(f"a vector is not of dimension {dimension}")
    return np.frombuffer(data, np.uint8).reshape(count, dimension + SCALE_BYTES)
