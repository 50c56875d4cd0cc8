"""Vectors in one byte a component: as true as promised, for any vector."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hmem.storage.sqlite.codec import decode, encode

component = st.floats(-1, 1, width=32, allow_subnormal=False)
matrices = st.integers(1, 40).flatmap(
    lambda dimension: st.lists(st.lists(component, min_size=dimension, max_size=dimension), min_size=1, max_size=5)
)


def unit(rows: list[list[float]]) -> NDArray[np.float32]:
    """Unit rows; one that is next to nothing becomes a row of zeros."""
    made = np.array(rows, np.float64)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    return np.where(lengths > 1e-6, made / np.maximum(lengths, 1e-6), 0).astype(np.float32)


@given(matrices)
def test_a_decoded_vector_is_a_unit_vector_within_a_byte_of_the_encoded_one(rows: list[list[float]]) -> None:
    vectors = unit(rows)
    decoded = decode(encode(vectors), vectors.shape[1])
    lengths = np.linalg.norm(decoded, axis=1)
    assert decoded.shape == vectors.shape
    assert decoded.dtype == np.float32
    assert np.allclose(lengths, vectors.any(axis=1), atol=1e-5)
    # Half a step of the greatest component, and what bringing the row back to length 1 adds to it.
    step = np.abs(vectors).max(axis=1, keepdims=True) / 127
    slack = (0.5 + 0.5 * np.sqrt(vectors.shape[1])) * step + 1e-6
    assert (np.abs(decoded - vectors) <= slack).all()


@given(matrices)
def test_encoding_what_was_decoded_changes_nothing(rows: list[list[float]]) -> None:
    vectors = unit(rows)
    once = decode(encode(vectors), vectors.shape[1])
    assert np.allclose(decode(encode(once), vectors.shape[1]), once, atol=1e-6)


@given(matrices)
def test_a_blob_takes_a_byte_a_component_and_four_more(rows: list[list[float]]) -> None:
    vectors = unit(rows)
    assert {len(blob) for blob in encode(vectors)} == {vectors.shape[1] + 4}


@given(matrices, st.integers(0, 4))
def test_rows_are_encoded_each_by_itself(rows: list[list[float]], place: int) -> None:
    vectors = unit(rows)
    assume(place < len(vectors))
    assert encode(vectors)[place] == encode(vectors[place : place + 1])[0]


def test_random_vectors_keep_their_cosines() -> None:
    rows = np.random.default_rng(0).standard_normal((500, 256)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    decoded = decode(encode(rows), 256)
    assert np.abs(rows @ rows.T - decoded @ decoded.T).max() < 0.005


def test_a_row_of_zeros_stays_one() -> None:
    assert not decode(encode(np.zeros((2, 8), np.float32)), 8).any()


def test_no_vectors_are_no_blobs() -> None:
    assert encode(np.zeros((0, 8), np.float32)) == []
    assert decode([], 8).shape == (0, 8)


def test_another_dimension_is_an_error() -> None:
    blobs = encode(np.eye(8, dtype=np.float32))
    with pytest.raises(ValueError, match="dimension 9"):
        decode(blobs, 9)
    with pytest.raises(ValueError, match="dimension 8"):
        decode([*blobs, blobs[0][:-1]], 8)
