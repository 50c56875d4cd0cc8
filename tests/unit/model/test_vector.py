import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.model.vector import from_bytes, from_nibbles, to_bytes, to_nibbles


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


@pytest.mark.parametrize("dimension", [2, 64, 255, 256])
def test_four_bits_keep_a_direction(dimension: int) -> None:
    rows = np.random.default_rng(3).normal(size=(50, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    codes, scales = to_nibbles(rows)
    back = from_nibbles(codes, scales)[:, :dimension]
    assert codes.shape == (50, (dimension + 1) // 2)
    assert (back * rows).sum(axis=1).min() > 0.97
    assert np.allclose(np.linalg.norm(back, axis=1), 1, atol=1e-5)


def test_four_bits_of_nothing_are_nothing() -> None:
    assert not from_nibbles(*to_nibbles(np.zeros((2, 8), np.float32))).any()
