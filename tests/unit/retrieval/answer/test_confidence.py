import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.retrieval.answer.confidence import SIGNS, chance


@given(st.dictionaries(st.sampled_from(SIGNS), st.floats(-1e6, 1e6)), st.floats(-1e6, 1e6))
def test_a_chance_is_from_0_to_1(coefficients: dict[str, float], value: float) -> None:
    assert 0.0 <= chance(coefficients, dict.fromkeys(SIGNS, value)) <= 1.0


def test_without_coefficients_a_chance_is_even() -> None:
    assert chance({}, {"bias": 1.0}) == pytest.approx(0.5)
