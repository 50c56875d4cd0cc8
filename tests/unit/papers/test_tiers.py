from math import exp, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.model.tier import TierOptions
from hmem.papers.tiers import CODES, TierColumns, arrange, drifted, scores

DAY = 86_400
NOW = 1_750_000_000.0
ROW = st.tuples(
    st.integers(1, 10),  # importance
    st.floats(-1, 1),  # similarity
    st.integers(1, 50),  # uses
    st.integers(0, 900),  # days since the last use
    st.integers(0, 12),  # session
)


def columns(rows: list[tuple[int, float, int, int, int]]) -> TierColumns:
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    last = NOW - table[:, 3] * DAY
    return TierColumns(table[:, 0], table[:, 1], table[:, 2], last, table[:, 4].astype(np.int64), last)


def score(
    importance: int = 5, similarity: float = 0.3, uses: int = 1, days: int = 10, options: TierOptions | None = None
) -> float:
    return float(scores(columns([(importance, similarity, uses, days, 0)]), NOW, options or TierOptions())[0])


def test_the_score_is_the_papers() -> None:
    options = TierOptions(alpha=0.5, beta=2.0, decay=0.03)
    expected = (0.5 * 7 + 2.0 * 0.4) * log(4) * exp(-0.03 * 20 / log(4))
    assert score(7, 0.4, 3, 20, options) == pytest.approx(expected)


def test_a_record_that_was_used_once_keeps_a_part_of_e_after_a_year() -> None:
    assert score(days=365) / score(days=0) == pytest.approx(exp(-1))


@given(ROW)
def test_the_score_rises_with_importance_similarity_and_use_and_falls_with_age(
    row: tuple[int, float, int, int, int],
) -> None:
    importance, similarity, uses, days, _ = row
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


@given(st.lists(ROW, max_size=60), st.integers(0, 4), st.integers(0, 6), st.integers(0, 9))
def test_the_tiers_hold_each_record_once_and_are_as_large_as_they_may_be(
    rows: list[tuple[int, float, int, int, int]], sessions: int, pivotal: int, buffer: int
) -> None:
    given_rows = columns(rows)
    view = arrange(given_rows, NOW, TierOptions(sessions=sessions, pivotal=pivotal, buffer=buffer))
    tiers = [CODES[code] for code in view.codes]
    in_sessions = np.isin(given_rows.session, view.sessions)
    others = len(rows) - int(in_sessions.sum())
    assert len(tiers) == len(rows)
    assert len(view.sessions) == min(sessions, len({row[4] for row in rows}))
    assert view.pivotal.sum() == min(pivotal, others)
    assert tiers.count("cache") == in_sessions.sum() + min(pivotal, others) == len(view.cache)
    assert tiers.count("buffer") == min(buffer, max(others - pivotal, 0)) == len(view.buffer)
    assert {int(row) for row in view.cache} == {i for i, tier in enumerate(tiers) if tier == "cache"}
    assert {int(row) for row in view.buffer} == {i for i, tier in enumerate(tiers) if tier == "buffer"}


@given(st.lists(ROW, min_size=1, max_size=60))
def test_no_record_of_a_lower_tier_outscores_one_that_is_above_it_by_score(
    rows: list[tuple[int, float, int, int, int]],
) -> None:
    view = arrange(columns(rows), NOW, TierOptions(sessions=1, pivotal=3, buffer=5))
    pivotal, buffer = view.scores[view.pivotal], view.scores[view.buffer]
    archive = view.scores[view.codes == CODES.index("archive")]
    assert pivotal.min(initial=np.inf) >= buffer.max(initial=-np.inf)
    assert buffer.min(initial=np.inf) >= archive.max(initial=-np.inf)
    assert list(view.scores[view.cache]) == sorted(view.scores[view.cache], reverse=True)


def test_the_latest_sessions_are_those_with_the_latest_records() -> None:
    rows = [(5, 0.0, 1, age, session) for age, session in ((9, 7), (1, 3), (5, 8), (2, 7), (40, 2))]
    assert arrange(columns(rows), NOW, TierOptions(sessions=3)).sessions == (3, 7, 8)


def test_of_equal_records_the_later_come_first() -> None:
    view = arrange(columns([(5, 0.0, 1, 3, 0)] * 9), NOW, TierOptions(sessions=0, pivotal=2, buffer=3))
    assert list(view.cache) == [8, 7]
    assert list(view.buffer) == [6, 5, 4]


def test_an_empty_memory_has_empty_tiers() -> None:
    view = arrange(columns([]), NOW)
    assert len(view.codes) == len(view.cache) == len(view.buffer) == len(view.sessions) == 0


def test_a_persona_has_drifted_at_the_threshold_and_when_there_is_no_anchor() -> None:
    anchor = np.array([1.0, 0.0])
    assert drifted(anchor, None, 0.1)
    assert not drifted(anchor, anchor, 0.1)
    assert not drifted(anchor + np.array([0.0, 0.09]), anchor, 0.1)
    assert drifted(anchor + np.array([0.0, 0.125]), anchor, 0.125)
