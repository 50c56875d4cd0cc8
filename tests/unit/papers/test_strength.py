from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.papers.strength import retention, strength

DAY = 86_400
NOW = 1_750_000_000.0
ROW = st.tuples(st.integers(1, 9), st.integers(1, 50), st.integers(1, 900), st.floats(0.2, 2.0))


def of(importance: float = 5, uses: int = 1, days: float = 10, feedback: float = 1.0) -> float:
    columns = [np.array([value]) for value in (importance, uses, NOW - days * DAY, feedback)]
    return float(strength(*columns, NOW)[0])


def test_the_strongest_is_what_is_most_important_and_just_used() -> None:
    assert of(importance=10, days=0) == 1


def test_what_was_used_once_keeps_a_part_of_e_after_a_year() -> None:
    assert of(days=365) / of(days=0) == pytest.approx(exp(-1))


@given(ROW)
def test_strength_rises_with_importance_use_and_approval_and_falls_with_time(row: tuple[int, int, int, float]) -> None:
    importance, uses, days, feedback = row
    here = of(importance, uses, days, feedback)
    assert 0 < here <= 2
    assert of(importance + 1, uses, days, feedback) > here
    assert of(importance, uses + 1, days, feedback) > here
    assert of(importance, uses, days + 10, feedback) < here
    assert of(importance, uses, days, feedback * 1.2) > here


@given(st.integers(0, 100), st.floats(-1e10, 1e10))
def test_what_is_retained_lies_between_nothing_and_all(uses: int, last_used: float) -> None:
    assert 0 <= retention(np.array([uses]), np.array([last_used]), NOW)[0] <= 1


def test_many_are_weighed_at_once() -> None:
    rows = np.array([[1, 1, NOW, 1.0], [10, 3, NOW - DAY, 0.5]])
    assert strength(*rows.T, NOW).tolist() == pytest.approx([of(1, days=0), of(10, 3, 1, 0.5)])
