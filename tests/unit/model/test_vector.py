import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hmem.model.vector import from_bits, from_bytes, pack, rows_of, to_bits, to_bytes, unpack


@given(st.integers(0, 5), st.integers(1, 300), st.integers(0, 2**32 - 1))
def test_a_vector_comes_back_to_a_byte_and_rounding_again_changes_nothing(count: int, size: int, seed: int) -> None:
    rows = np.random.default_rng(seed).normal(size=(count, size)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    codes, scales = to_bytes(rows)
    back = from_bytes(codes, scales)
    np.testing.assert_allclose(np.linalg.norm(back, axis=1), 1, atol=1e-5)
    assert ((back * rows).sum(axis=1) > 0.9999).all()
    np.testing.assert_array_equal(to_bytes(back)[0], codes)


def test_zeros_stay_zeros() -> None:
    assert not from_bytes(*to_bytes(np.zeros((1, 4), np.float32))).any()


@pytest.mark.parametrize("dimension", [64, 255, 256])
@pytest.mark.parametrize(("bits", "least"), [(2, 0.9), (3, 0.95), (4, 0.98)])
def test_a_few_bits_keep_a_direction(dimension: int, bits: int, least: float) -> None:
    rows = np.random.default_rng(3).normal(size=(50, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    packed = to_bits(rows, bits)
    back = from_bits(packed, dimension, bits)
    assert packed.shape == (50, -(-bits * dimension // 8))
    assert (back * rows).sum(axis=1).min() > least
    assert np.allclose(np.linalg.norm(back, axis=1), 1, atol=1e-5)


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
    decoded = unpack(pack(vectors))
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
    once = unpack(pack(vectors))
    assert np.allclose(unpack(pack(once)), once, atol=1e-6)


@given(matrices)
def test_a_row_takes_a_byte_a_component_and_four_more(rows: list[list[float]]) -> None:
    vectors = unit(rows)
    packed = pack(vectors)
    assert (packed.dtype, packed.shape) == (np.uint8, (len(vectors), vectors.shape[1] + 4))


@given(matrices, st.integers(0, 4))
def test_rows_are_encoded_each_by_itself(rows: list[list[float]], place: int) -> None:
    vectors = unit(rows)
    assume(place < len(vectors))
    assert np.array_equal(pack(vectors)[place], pack(vectors[place : place + 1])[0])


def test_random_vectors_keep_their_cosines() -> None:
    rows = np.random.default_rng(0).standard_normal((500, 256)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    decoded = unpack(pack(rows))
    assert np.abs(rows @ rows.T - decoded @ decoded.T).max() < 0.005


def test_a_row_of_zeros_stays_one_and_has_a_scale() -> None:
    packed = pack(np.zeros((2, 8), np.float32))
    assert not unpack(packed).any()
    assert packed[:, :4].any(axis=1).all()


def test_no_vectors_are_no_rows() -> None:
    assert unpack(pack(np.zeros((0, 8), np.float32))).shape == (0, 8)


def test_another_dimension_is_an_error() -> None:
    data = pack(np.eye(8, dtype=np.float32)).tobytes()
    assert rows_of(data, 8, 8).shape == (8, 12)
    with pytest.raises(ValueError, match="dimension 9"):
        rows_of(data, 8, 9)
    with pytest.raises(ValueError, match="dimension 8"):
        rows_of(data[:-1], 8, 8)
