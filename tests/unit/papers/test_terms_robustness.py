import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.papers.terms import robustness

YEAR = 365 * 86_400.0
ages = st.floats(-10, 50, allow_nan=False).map(lambda years: years * YEAR)
merges = st.integers(0, 10_000)


def score(age: float, times: int) -> float:
    return float(robustness(0.0, np.array([-age]), np.array([times]))[0])


def test_after_a_year_without_consolidation_0_368_is_left() -> None:
    assert score(YEAR, 0) == pytest.approx(0.368, abs=5e-4)


@given(ages, merges)
def test_r_lies_between_0_and_1(age: float, times: int) -> None:
    assert 0 <= score(age, times) <= 1


@given(ages, ages, merges)
def test_r_falls_with_age(one: float, other: float, times: int) -> None:
    young, old = sorted((one, other))
    assert score(young, times) >= score(old, times)


@given(ages, merges, merges)
def test_r_rises_with_consolidation(age: float, one: int, other: int) -> None:
    few, many = sorted((one, other))
    assert score(age, many) >= score(age, few)


def test_what_is_consolidated_after_the_question_is_as_fresh_as_can_be() -> None:
    assert score(-YEAR, 0) == 1


def test_a_shorter_tau_forgets_faster() -> None:
    refreshed, times = np.array([-YEAR]), np.array([0])
    assert robustness(0.0, refreshed, times, tau_days=30)[0] < robustness(0.0, refreshed, times)[0]
