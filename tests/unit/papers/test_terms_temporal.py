from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.model.span import Span
from hmem.papers.terms import share_within, temporal

START = datetime(2023, 7, 1, tzinfo=UTC)
BASE = START.timestamp()
DAY = 86_400.0

days = st.floats(-4_000, 4_000, allow_nan=False)
lengths = st.one_of(st.just(0.0), st.floats(0.01, 800))
balances = st.floats(0, 1)


def span(day: float, length: float) -> Span:
    start = START + timedelta(days=day)
    return Span(start, start + timedelta(days=length))


def score(day: float, length: float, *spans: Span, balance: float = 0.5) -> float:
    start = np.array([BASE + day * DAY])
    return float(temporal(start, start + length * DAY, spans, balance)[0])


@given(days, lengths, days, lengths, balances)
def test_t_lies_between_0_and_1(day: float, length: float, asked: float, asked_length: float, balance: float) -> None:
    assert 0 <= score(day, length, span(asked, asked_length), balance=balance) <= 1


@given(days, st.floats(0.01, 800), balances)
def test_the_very_time_that_is_asked_for_scores_1(day: float, length: float, balance: float) -> None:
    assert score(day, length, span(day, length), balance=balance) == pytest.approx(1, abs=1e-4)


@given(lengths, lengths, days, days)
def test_of_two_memories_alike_the_one_nearer_in_time_scores_no_less(
    length: float, asked_length: float, day: float, other: float
) -> None:
    middle = asked_length / 2 - length / 2
    near, far = sorted((day, other), key=abs)
    asked = span(0, asked_length)
    assert score(middle + near, length, asked) >= score(middle + far, length, asked) - 1e-5


def test_without_a_hint_t_is_0() -> None:
    assert score(0, 3) == 0


def test_what_lies_far_off_scores_0_and_not_less() -> None:
    assert score(3_000, 1, span(0, 1)) == 0


def test_the_best_of_several_times_asked_for_counts() -> None:
    assert score(10, 1, span(100, 1), span(10, 1)) == pytest.approx(score(10, 1, span(10, 1)))


def test_an_instant_within_the_time_scores_by_how_near_to_its_middle_it_lies() -> None:
    month = span(0, 30)
    middle, edge = score(15, 0, month), score(0, 0, month)
    assert middle == pytest.approx(0.5, abs=1e-4)
    assert edge == pytest.approx(0.25, abs=1e-4)


def test_the_share_within_a_time_is_that_of_the_memory() -> None:
    starts = np.array([BASE, BASE + 10 * DAY, BASE + 29 * DAY, BASE + 30 * DAY, BASE])
    ends = np.array([BASE + 365 * DAY, BASE + 11 * DAY, BASE + 31 * DAY, BASE + 30 * DAY, BASE])
    assert share_within(starts, ends, [span(0, 30)]) == pytest.approx([30 / 365, 1, 0.5, 0, 1])


@given(days, lengths, days, lengths)
def test_a_share_lies_between_0_and_1(day: float, length: float, asked: float, asked_length: float) -> None:
    start = np.array([BASE + day * DAY])
    assert 0 <= share_within(start, start + length * DAY, [span(asked, asked_length)])[0] <= 1
