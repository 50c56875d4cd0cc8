"""Unit vectors as bytes: one signed byte a component and one scale a vector.

A vector of 256 dimensions takes 260 bytes instead of 1,024, and a cosine moves by about 0.0005. Rounding what
was rounded before changes nothing, so that storage and index may each do it.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]

_LIMIT = np.float32(127)


def to_bytes(vectors: Floats) -> tuple[Bytes, Floats]:
    """Unit rows of shape (n, d) as bytes of that shape and n scales; a byte times its row's scale is the component.

    A scale makes its row of bytes a unit vector again; a row of zeros stays one.
    """
    greatest = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-12).astype(np.float32)
    codes = np.rint(vectors * (_LIMIT / greatest)[:, None])
    lengths = np.maximum(np.linalg.norm(codes, axis=1), 1.0)
    return codes.astype(np.int8), (1 / lengths).astype(np.float32)


def from_bytes(codes: Bytes, scales: Floats) -> Floats:
    """The inverse."""
    return codes.astype(np.float32) * scales[:, None]


def to_nibbles(vectors: Floats) -> tuple[NDArray[np.uint8], Floats]:
    """Unit rows of shape (n, d) as four bits a component, two to a byte (n, (d + 1) // 2), and n scales.

    A vector of 256 dimensions takes 132 bytes, and a cosine moves by about 0.01.
    """
    padded = np.pad(vectors, ((0, 0), (0, vectors.shape[1] % 2)))
    greatest = np.maximum(np.abs(padded).max(axis=1, initial=0.0), 1e-12)
    codes = np.clip(np.rint(padded * (7 / greatest)[:, None]), -7, 7)
    lengths = np.maximum(np.linalg.norm(codes, axis=1), 1.0)
    shifted = (codes + 8).astype(np.uint8)
    return shifted[:, ::2] << 4 | shifted[:, 1::2], (1 / lengths).astype(np.float32)


def from_nibbles(codes: NDArray[np.uint8], scales: Floats) -> Floats:
    """The inverse, of an even dimension."""
    pairs = np.stack([codes >> 4, codes & 15], axis=2).reshape(len(codes), -1)
    return (pairs.astype(np.float32) - 8) * scales[:, None]
