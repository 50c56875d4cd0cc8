from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.model.plan import AnswerType
from hmem.model.span import Span
from hmem.retrieval.scoring.ranker import answer_type_match, best_events, relative_scores, times

MAY = Span(datetime(2025, 5, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC))
DAY = 86_400

SECONDS = st.integers(631_152_000, 2_524_608_000)
MOMENTS = SECONDS.map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
SPANS = st.builds(lambda start, days: Span(start, start + timedelta(days=days)), MOMENTS, st.integers(0, 800))
BOUNDS = st.lists(SPANS.map(lambda span: (int(span.start.timestamp()), int(span.end.timestamp()))), max_size=3)
TURNS = st.lists(st.tuples(MOMENTS, BOUNDS), max_size=6)
FINITE = st.lists(st.floats(-1e3, 1e3, width=32), max_size=20).map(lambda values: np.array(values, np.float32))


def bounds_of(turns: Sequence[Sequence[tuple[int, int]]]) -> tuple[np.ndarray, np.ndarray]:
    """The bounds of all turns end to end, and how many each has."""
    bounds = [each for own in turns for each in own]
    return np.array(bounds, np.int64).reshape(-1, 2), lengths(turns)


def lengths(lists: Sequence[Any]) -> np.ndarray:
    return np.array([len(each) for each in lists], np.int64)


def said(*moments: datetime) -> np.ndarray:
    return np.array([int(moment.timestamp()) * 1_000_000 for moment in moments], np.int64)


@given(st.lists(SPANS, max_size=3), TURNS)
def test_agreement_with_times_lies_between_0_and_1(spans: list[Span], turns: list) -> None:
    found = times(spans, said(*(moment for moment, _ in turns)), *bounds_of([bounds for _, bounds in turns]))
    for values in found:
        assert values.shape == (len(turns),)
        assert values.dtype == np.float32
        assert ((values >= 0) & (values <= 1)).all()
    # What was said within a time is as near to it as can be.
    assert (found.near[found.said == 1] == 1).all()


@given(st.lists(SPANS, min_size=1, max_size=3), TURNS)
def test_several_times_count_as_the_best_of_them(spans: list[Span], turns: list) -> None:
    moments, bounds = said(*(moment for moment, _ in turns)), bounds_of([each for _, each in turns])
    together = times(spans, moments, *bounds)
    alone = [times([span], moments, *bounds) for span in spans]
    for place, values in enumerate(together):
        assert np.array_equal(values, np.max([each[place] for each in alone], axis=0))


def test_without_a_time_nothing_agrees() -> None:
    for values in times([], said(MAY.start), *bounds_of([[(0, 1)]])):
        assert values.tolist() == [0.0]


def test_a_turn_agrees_when_it_was_said_or_tells_of_what_happened_then() -> None:
    start = int(MAY.start.timestamp())
    moments = said(
        MAY.start, MAY.start + timedelta(days=10), MAY.end + timedelta(days=14), datetime(2020, 1, 1, tzinfo=UTC)
    )
    found = times([MAY], moments, *bounds_of([[], [], [], [(0, 10), (start + DAY, start + 2 * DAY)]]))
    assert found.said.tolist() == [1, 1, 0, 0]
    assert found.happened.tolist() == [0, 0, 0, 1]
    assert found.near[2] == pytest.approx(np.exp(-1), abs=1e-3)
    assert found.near[3] < 1e-6


def test_what_ends_as_the_time_begins_happened_before_it() -> None:
    start, end = int(MAY.start.timestamp()), int(MAY.end.timestamp())
    moments = said(MAY.start, MAY.start, MAY.start)
    happened = [[(start - DAY, start)], [(end, end + DAY)], [(start - DAY, start + 1)]]
    found = times([MAY], moments, *bounds_of(happened))
    assert found.happened.tolist() == [0, 0, 1]


@pytest.mark.parametrize("answer_type", get_args(AnswerType))
def test_an_answer_of_any_type_fits_what_holds_the_like(answer_type: AnswerType) -> None:
    has = {name: np.array([1, 0], np.float32) for name in ("has.time", "has.number", "has.name")}
    fitting = answer_type_match(answer_type, has, 2)
    named = {"time", "duration", "frequency", "count", "person", "place", "organization"}
    assert fitting.tolist() == ([1, 0] if answer_type in named else [0, 0])


@given(FINITE)
def test_the_best_has_a_gap_of_0_and_equal_scores_have_none(values: np.ndarray) -> None:
    gap, zscore = relative_scores(values)
    assert gap.shape == zscore.shape == values.shape
    assert np.isfinite(zscore).all()
    assert (gap <= 0).all()
    assert not len(values) or gap.max() == 0


def test_candidates_that_are_all_alike_do_not_stand_out() -> None:
    for values in relative_scores(np.full(4, 0.5, np.float32)):
        assert values.tolist() == [0, 0, 0, 0]


VECTORS = st.lists(st.integers(0, 3), max_size=6).map(
    lambda counts: [np.random.default_rng(sum(counts)).normal(size=(count, 4)).astype(np.float32) for count in counts]
)


@given(VECTORS)
def test_the_best_event_of_a_turn_is_its_nearest_one(events: list[np.ndarray]) -> None:
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in events]
    vector = np.array([0, 1, 0, 0], np.float32)
    cosines = np.concatenate([np.zeros((0, 4), np.float32), *units]) @ vector
    found, _ = best_events(cosines, np.zeros(len(cosines)), lengths(units))
    assert found.shape == (len(units),)
    assert ((found >= -0.1) & (found <= 1 + 1e-6)).all()
    for value, rows in zip(found.tolist(), units, strict=True):
        assert value == pytest.approx(max([-0.1, *(rows @ vector).tolist()]), abs=1e-6)


STEMS = st.sampled_from("abcdefgh")
WEIGHTS = st.dictionaries(STEMS, st.floats(0, 10), max_size=6)
EVENTS = st.lists(st.lists(st.frozensets(STEMS, max_size=5), max_size=3), max_size=6)


def words_of(weights: dict[str, float], events: Sequence[Sequence[frozenset[str]]]) -> np.ndarray:
    """The best share of each turn, whose events have these stems."""
    told = [each for own in events for each in own]
    total = max(sum(weights.values()), 1e-6)
    shares = np.array([sum(weights.get(stem, 0.0) for stem in each) / total for each in told])
    return best_events(np.zeros(len(told), np.float32), shares, lengths(events))[1]


@given(WEIGHTS, EVENTS)
def test_the_words_of_the_best_event_are_a_share_of_the_questions(weights: dict[str, float], events: list) -> None:
    found = words_of(weights, events)
    total = max(sum(weights.values()), 1e-6)
    assert found.shape == (len(events),)
    assert found.dtype == np.float32
    for value, told in zip(found.tolist(), events, strict=True):
        shares = [sum(weights[stem] for stem in each & weights.keys()) / total for each in told]
        assert value == pytest.approx(max([0.0, *shares]), abs=1e-5)


def test_all_words_in_one_event_count_more_than_in_two() -> None:
    weights = {"dog": 2.0, "beach": 1.0}
    found = words_of(weights, [[frozenset({"dog", "beach"})], [frozenset({"dog"}), frozenset({"beach"})], []])
    assert found.tolist() == pytest.approx([1, 2 / 3, 0])
