from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.model.tier import TierOptions
from hmem.papers.tiers import TierColumns, drifted, retention, scores, strength
from hmem.retrieval.feedback import StrengthOptions

DAY = 86_400
NOW = 1_750_000_000.0
ROW = st.tuples(
    st.integers(1, 10),  # importance
    st.floats(-1, 1),  # similarity
    st.integers(1, 50),  # uses
    st.integers(0, 900),  # days since the last use
)


def columns(rows: list[tuple[int, float, int, int]]) -> TierColumns:
    importance, similarity, uses, days = np.array(rows, dtype=np.float64).T
    return TierColumns(importance, similarity, uses, NOW - days * DAY)


def score(
    importance: int = 5, similarity: float = 0.3, uses: int = 1, days: int = 10, options: TierOptions | None = None
) -> float:
    return float(scores(columns([(importance, similarity, uses, days)]), NOW, options or TierOptions())[0])


def test_the_score_is_the_papers() -> None:
    options = TierOptions(alpha=0.5, beta=2.0, decay=0.03)
    expected = (0.5 * 7 + 2.0 * 0.4) * log(4) * exp(-0.03 * 20 / log(4))
    assert score(7, 0.4, 3, 20, options) == pytest.approx(expected)


def test_a_record_that_was_used_once_keeps_a_part_of_e_after_a_year() -> None:
    assert score(days=365) / score(days=0) == pytest.approx(exp(-1))


@given(ROW)
def test_the_score_rises_with_importance_similarity_and_use_and_falls_with_age(
    row: tuple[int, float, int, int],
) -> None:
    importance, similarity, uses, days = row
    here = score(importance, similarity, uses, days)
    assert here > 0
    assert score(importance + 1, similarity, uses, days) > here
    assert score(importance, similarity + 0.1, uses, days) >= here
    assert score(importance, similarity, uses + 1, days) > here
    assert score(importance, similarity, uses, days + 1) < here


def test_the_ablations_score_by_one_thing_alone() -> None:
    by_importance, by_similarity = TierOptions(scoring="importance"), TierOptions(scoring="similarity")
    assert score(similarity=0.1, options=by_importance) == score(similarity=0.9, options=by_importance)
    assert score(importance=1, options=by_similarity) == score(importance=9, options=by_similarity)


def test_a_persona_has_drifted_at_the_threshold_and_when_there_is_no_anchor() -> None:
    anchor = np.array([1.0, 0.0])
    assert drifted(anchor, None, 0.1)
    assert not drifted(anchor, anchor, 0.1)
    assert not drifted(anchor + np.array([0.0, 0.09]), anchor, 0.1)
    assert drifted(anchor + np.array([0.0, 0.125]), anchor, 0.125)


def strength_of(importance: float = 5, uses: int = 1, days: float = 10, feedback: float = 1.0) -> float:
    columns = [np.array([value]) for value in (importance, uses, NOW - days * DAY, feedback)]
    return float(strength(*columns, NOW, StrengthOptions())[0])


def test_the_strongest_is_what_is_most_important_and_just_used() -> None:
    assert strength_of(importance=10, days=0) == 1


@given(st.tuples(st.integers(1, 9), st.integers(1, 50), st.integers(1, 900), st.floats(0.2, 2.0)))
def test_strength_rises_with_importance_use_and_approval_and_falls_with_time(row: tuple[int, int, int, float]) -> None:
    importance, uses, days, feedback = row
    here = strength_of(importance, uses, days, feedback)
    assert 0 < here <= 2
    assert strength_of(importance + 1, uses, days, feedback) > here
    assert strength_of(importance, uses + 1, days, feedback) > here
    assert strength_of(importance, uses, days + 10, feedback) < here
    assert strength_of(importance, uses, days, feedback * 1.2) > here


@given(st.integers(0, 100), st.floats(-1e10, 1e10))
def test_what_is_retained_lies_between_nothing_and_all(uses: int, last_used: float) -> None:
    assert 0 <= retention(np.array([uses]), np.array([last_used]), NOW, 0.01)[0] <= 1


def test_many_are_weighed_at_once() -> None:
    rows = np.array([[1, 1, NOW, 1.0], [10, 3, NOW - DAY, 0.5]])
    assert strength(*rows.T, NOW, StrengthOptions()).tolist() == pytest.approx(
        [strength_of(1, days=0), strength_of(10, 3, 1, 0.5)]
    )
