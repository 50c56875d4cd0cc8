from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.errors import InvalidTime
from hmem.model.span import Span, from_stored, parse_time, to_stored, zone

OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(timezones=OFFSETS).filter(lambda moment: 2 <= moment.year <= 9998)


@given(TIMES)
def test_a_stored_time_comes_back_with_its_offset(moment: datetime) -> None:
    back = from_stored(*to_stored(moment))
    assert back == moment
    assert back.utcoffset() == moment.utcoffset()


def test_a_naive_time_takes_the_given_zone_and_never_the_machines() -> None:
    lisbon = zone("Europe/Lisbon")
    assert parse_time("2025-07-01T12:00:00", lisbon) == datetime(2025, 7, 1, 11, tzinfo=UTC)
    assert parse_time("2025-01-01T12:00:00", lisbon) == datetime(2025, 1, 1, 12, tzinfo=UTC)
    assert parse_time("2025-07-01T12:00:00", UTC) == datetime(2025, 7, 1, 12, tzinfo=UTC)


def test_an_offset_in_the_text_counts_for_more_than_the_zone() -> None:
    moment = parse_time("2025-07-01T12:00:00+09:00", zone("Europe/Lisbon"))
    assert moment == datetime(2025, 7, 1, 3, tzinfo=UTC)
    assert moment.utcoffset() == timedelta(hours=9)


@pytest.mark.parametrize("value", ["2025-03-14", "2025-03-14T19:02", "20250314T190200Z", " 2025-03-14T19:02:00Z "])
def test_the_forms_of_iso_8601_are_read(value: str) -> None:
    assert parse_time(value, UTC).date().isoformat() == "2025-03-14"


def test_seconds_since_1970_are_utc() -> None:
    assert parse_time(0, ZoneInfo("Asia/Tokyo")) == datetime(1970, 1, 1, tzinfo=UTC)
    assert parse_time(1.5, UTC) == datetime(1970, 1, 1, 0, 0, 1, 500_000, tzinfo=UTC)


@pytest.mark.parametrize("value", ["yesterday", "", "2025-13-01", "2025-02-30", True, 1e30, float("nan")])
def test_what_is_no_time_is_refused_by_name(value: str | float) -> None:
    with pytest.raises(InvalidTime, match="ISO 8601"):
        parse_time(value, UTC)


def test_an_unknown_zone_is_refused_by_name() -> None:
    for name in ("Europe/Atlantis", "", "../../etc/passwd"):
        with pytest.raises(InvalidTime, match="zone"):
            zone(name)


def test_a_span_holds_its_start_and_not_its_end() -> None:
    start, end = datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 1, 2, tzinfo=UTC)
    span = Span(start, end)
    assert start in span
    assert end not in span
    assert span.length == timedelta(days=1)


def test_a_span_without_zone_or_with_its_bounds_swapped_is_refused() -> None:
    start = datetime(2025, 1, 1, tzinfo=UTC)
    with pytest.raises(InvalidTime, match="aware"):
        Span(start.replace(tzinfo=None), start)
    with pytest.raises(InvalidTime, match="before"):
        Span(start + timedelta(days=1), start)


def test_a_leap_second_is_the_moment_after_it() -> None:
    for written in (
        "2016-12-31T23:59:60Z",
        "2016-12-31 23:59:60.5+00:00",
        "20161231T235960Z",
        "2017-01-01T05:29:60+05:30",
    ):
        assert parse_time(written, UTC) == datetime(2017, 1, 1, tzinfo=UTC)
    for written in ("2016-12-31T23:58:60Z", "2016-12-31T23:59:61Z", "9999-12-31T23:59:60Z"):
        with pytest.raises(InvalidTime):
            parse_time(written, UTC)


def test_the_repr_of_a_span_stays_since_digests_of_what_models_read_hold_it() -> None:
    moment = datetime(2025, 3, 14, tzinfo=UTC)
    assert repr(Span(moment, moment)) == f"Span(start={moment!r}, end={moment!r})"
