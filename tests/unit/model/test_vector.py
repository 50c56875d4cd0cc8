import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.model.vector import from_bits, from_bytes, to_bits, to_bytes


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
