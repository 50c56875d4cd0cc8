from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem_english.dates import find_dates
from hmem_english.dates.stretch import containing, day_part_interval, relative_unit, season, shift, third, weekday

UNITS = ("minute", "hour", "day", "week", "month", "season", "quarter", "year", "decade")
MOMENTS = st.datetimes(datetime(100, 1, 1), datetime(9000, 1, 1))  # noqa: DTZ001 - local clock


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@given(MOMENTS, st.sampled_from(UNITS))
def test_a_unit_contains_its_moment_and_meets_the_next(moment: datetime, unit: str) -> None:
    this, following = containing(moment, unit), relative_unit(moment, unit, 1)
    assert this.start <= moment < this.end == following.start


@given(MOMENTS, st.integers(0, 6), st.integers(1, 5))
def test_weekdays_lie_on_both_sides_of_today_and_never_on_it(moment: datetime, number: int, count: int) -> None:
    for sign in (-1, 1):
        day = weekday(moment, number, sign * count).start
        days = sign * (day.date() - moment.date()).days
        assert day.weekday() == number
        assert 7 * (count - 1) < days <= 7 * count


@given(MOMENTS, st.sampled_from(("month", "season", "year", "decade")))
def test_thirds_cover_the_whole(moment: datetime, unit: str) -> None:
    whole = containing(moment, unit)
    early, middle, late = (third(whole, which) for which in range(3))
    assert (early.start, early.end, middle.end, late.end) == (whole.start, middle.start, late.start, whole.end)


def test_the_31st_becomes_the_last_day_of_a_shorter_month() -> None:
    assert shift(at("2024-01-31"), "month", 1) == at("2024-02-29")
    assert shift(at("2024-02-29"), "year", -1) == at("2023-02-28")


def test_winter_in_january_began_last_year() -> None:
    assert season(at("2024-01-15"), 12, 0).start == at("2023-12-01")
    assert season(at("2024-02-29"), 12, 0).start == at("2023-12-01")
    assert season(at("2024-03-01"), 12, 0).start == at("2024-12-01")
    assert season(at("2024-07-15"), 12, 0).start == at("2024-12-01")


def test_last_winter_said_in_february_is_the_one_before_that_which_has_begun() -> None:
    assert season(at("2024-02-10"), 12, -1) == (at("2022-12-01"), at("2023-03-01"), "season")
    assert season(at("2024-02-10"), 6, -1).start == at("2023-06-01")


def test_a_night_is_of_its_day() -> None:
    night = day_part_interval(at("2023-07-05T02:00"), "night")
    assert (night.start, night.end - night.start) == (at("2023-07-05T18:00"), timedelta(hours=6))


def test_what_lies_outside_of_the_calendar_is_an_error() -> None:
    with pytest.raises((OverflowError, ValueError)):
        relative_unit(at("9999-12-31"), "year", 1)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("early 2021", "2021-01-01", "2021-05-01"),
        ("mid 2021", "2021-05-01", "2021-09-01"),
        ("late 2021", "2021-09-01", "2022-01-01"),
        ("late summer 2021", "2021-08-01", "2021-09-01"),
        ("early in the first quarter of 2021", "2021-01-01", "2021-02-01"),
        ("the early 1990s", "1990-01-01", "1994-01-01"),
        ("early May 2021", "2021-05-01", "2021-05-11"),
        ("mid May 2021", "2021-05-11", "2021-05-21"),
        ("late May 2021", "2021-05-21", "2021-06-01"),
    ],
)
def test_a_third_is_of_whole_months_years_or_ten_days(text: str, start: str, end: str) -> None:
    (mention,) = find_dates(f"It rained in {text}", datetime(2023, 7, 5, tzinfo=UTC))
    found = (mention.span.start, mention.span.end)
    assert found == tuple(datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (start, end))
