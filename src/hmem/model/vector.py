"""Unit vectors as bytes: one signed byte per component and one scale per vector.

A vector of 256 dimensions takes 260 bytes instead of 1,024, and a cosine moves by about 0.0005. Rounding a rounded
vector changes nothing, so storage and index may each do it. Stored are the four bytes of the row's scale, then one
signed byte a component.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.int8]

_LIMIT = np.float32(127)

# The step between two levels, in standard deviations, that loses least of a normal distribution (Max, 1960, table I).
_STEPS = {2: 0.9957, 3: 0.5860, 4: 0.3352}


def to_bytes(vectors: Floats) -> tuple[Bytes, Floats]:
    """Return unit rows of shape (n, d) as bytes of that shape and n scales; byte times scale is the component.

    A scale makes its row of bytes a unit vector again; a row of zeros stays zero.
    """
    greatest = np.maximum(np.abs(vectors).max(axis=1, initial=0.0), 1e-12).astype(np.float32)
    codes = np.rint(vectors * (_LIMIT / greatest)[:, None])
    lengths = np.maximum(np.linalg.norm(codes, axis=1), 1.0)
    return codes.astype(np.int8), (1 / lengths).astype(np.float32)


def from_bytes(codes: Bytes, scales: Floats) -> Floats:
    """Return the unit rows that ``to_bytes`` was given, up to rounding."""
    return codes.astype(np.float32) * scales[:, None]


def to_bits(vectors: Floats, bits: int = 3) -> NDArray[np.uint8]:
    """Return unit rows of shape (n, d) with ``bits`` bits per component, packed: shape (n, ceil(bits * d / 8)).

    The levels are equal steps over the middle of a normal distribution, where most components of a unit vector lie.
    With three bits a vector of 256 dimensions takes 96 bytes, and its cosine with the original is about 0.98.
    """
    half = (1 << bits) / 2
    step = _STEPS[bits] / max(vectors.shape[1], 1) ** 0.5
    codes = np.clip(np.floor(vectors / step) + half, 0, 2 * half - 1).astype(np.uint8)
    planes = codes[:, :, None] >> np.arange(bits, dtype=np.uint8) & 1
    return np.packbits(planes.reshape(len(vectors), vectors.shape[1] * bits), axis=1)


def from_bits(code_bits: NDArray[np.uint8], dimension: int, bits: int = 3) -> Floats:
    """Return approximate unit rows of shape (n, dimension) from the result of ``to_bits``."""
    planes = np.unpackbits(code_bits, axis=1, count=dimension * bits).reshape(len(code_bits), dimension, bits)
    codes = planes[:, :, 0].copy()
    for bit in range(1, bits):
        codes |= planes[:, :, bit] << bit
    rows = codes.astype(np.float32) + np.float32(0.5 - (1 << bits) / 2)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))


SCALE_BYTES = 4


def pack(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return rows of shape (n, d) as bytes of shape (n, d + 4)."""
    codes, scales = to_bytes(vectors)
    rows = np.empty((len(codes), codes.shape[1] + SCALE_BYTES), np.uint8)
    rows[:, :SCALE_BYTES] = scales.astype("<f4")[:, None].view(np.uint8)
    rows[:, SCALE_BYTES:] = codes.view(np.uint8)
    return rows


def unpack(rows: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return the rows that ``pack`` was given, up to rounding."""
    scales = rows[:, :SCALE_BYTES].copy().view("<f4")[:, 0].astype(np.float32)
    return from_bytes(rows[:, SCALE_BYTES:].view(np.int8), scales)


def rows_of(data: bytes, count: int, dimension: int) -> NDArray[np.uint8]:
    """Return bytes as ``count`` packed rows.

    Raises:
        ValueError: they are not of this dimension.
    """
    if len(data) != count * (dimension + SCALE_BYTES):
        raise ValueError(f"a vector is not of dimension {dimension}")
    return np.frombuffer(data, np.uint8).reshape(count, dimension + SCALE_BYTES)
