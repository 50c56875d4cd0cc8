from datetime import UTC, datetime

import pytest

from hmem.language.dates import find_dates

SAID = datetime(2023, 7, 5, 13, 56, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("yesterday at 12 am", "2023-07-04T00:00"),
        ("yesterday at 12:30 am", "2023-07-04T00:30"),
        ("yesterday at 12 pm", "2023-07-04T12:00"),
        ("yesterday at 12:30 p.m.", "2023-07-04T12:30"),
        ("yesterday at 12", "2023-07-04T12:00"),
        ("yesterday at noon", "2023-07-04T12:00"),
        ("yesterday at midnight", "2023-07-05T00:00"),
        ("yesterday at 1 am", "2023-07-04T01:00"),
        ("yesterday at 11 pm", "2023-07-04T23:00"),
        ("yesterday at 0:15", "2023-07-04T00:15"),
        ("yesterday at 23:59", "2023-07-04T23:59"),
    ],
)
def test_a_time_of_day_is_that_of_the_clock(text: str, start: str) -> None:
    (mention,) = find_dates(text, SAID)
    assert mention.text == text
    assert mention.span.start == datetime.fromisoformat(start).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "hour"),
    [("at 7 yesterday", 19), ("at 8 yesterday", 8), ("at 8 yesterday evening", 20)],
)
def test_an_hour_without_am_or_pm_follows_the_part_of_the_day(text: str, hour: int) -> None:
    (mention,) = find_dates(text, SAID)
    assert mention.span.start == datetime(2023, 7, 4, hour, tzinfo=UTC)


@pytest.mark.parametrize("time", ["24:00", "13:60", "13 pm", "0 am"])
def test_what_no_clock_shows_is_no_time_of_day(time: str) -> None:
    (mention,) = find_dates(f"yesterday at {time}", SAID)
    assert mention.granularity == "day"
