from datetime import UTC, datetime

import pytest

from hmem_english.dates import find_dates

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
    [
        ("at 7 yesterday", 19),
        ("at 8 yesterday", 8),
        ("at 8 yesterday evening", 20),
        ("at 8 in the evening yesterday", 20),
        ("yesterday at 8 in the morning", 8),
        ("yesterday at 3 in the morning", 3),
        ("yesterday morning at 12", 0),
        ("yesterday afternoon at 12", 12),
        ("yesterday night at 6", 18),
        ("yesterday at 11 at night", 23),
    ],
)
def test_an_hour_without_am_or_pm_follows_the_part_of_the_day(text: str, hour: int) -> None:
    (mention,) = find_dates(text, SAID)
    assert mention.span.start == datetime(2023, 7, 4, hour, tzinfo=UTC)


@pytest.mark.parametrize(("text", "hour"), [("last night at 12", 0), ("last night at 2", 2), ("at 5 last night", 5)])
def test_small_hours_of_a_night_come_after_midnight(text: str, hour: int) -> None:
    (mention,) = find_dates(text, SAID)
    assert mention.span.start == datetime(2023, 7, 5, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "granularity"),
    [
        ("7 pm on Friday", "2023-06-30T19:00", "hour"),
        ("3 pm, tomorrow", "2023-07-06T15:00", "hour"),
        ("7:30 tomorrow evening", "2023-07-06T19:30", "minute"),
        ("07:15 yesterday", "2023-07-04T07:15", "minute"),
        ("7:15 in the evening", "2023-07-05T19:15", "minute"),
        ("8 tonight", "2023-07-05T20:00", "hour"),
        ("11 this morning", "2023-07-05T11:00", "hour"),
        ("last night at 11", "2023-07-04T23:00", "hour"),
        ("tomorrow, 7:30", "2023-07-06T19:30", "minute"),
        ("tomorrow from 9", "2023-07-06T09:00", "hour"),
        ("tomorrow after 7", "2023-07-06T19:00", "hour"),
        ("tomorrow before 11", "2023-07-06T11:00", "hour"),
        ("tomorrow by 3", "2023-07-06T15:00", "hour"),
        ("tomorrow around 4 o'clock", "2023-07-06T16:00", "hour"),
        ("tomorrow late evening", "2023-07-06T18:00", "part"),
        ("tomorrow early morning", "2023-07-06T06:00", "part"),
        ("tomorrow at night", "2023-07-06T18:00", "part"),
        ("tomorrow in the morning", "2023-07-06T06:00", "part"),
        ("the morning of 5 May", "2023-05-05T06:00", "part"),
        ("morning of 5 May 2021", "2021-05-05T06:00", "part"),
        ("the afternoon of 3 June at 4", "2023-06-03T16:00", "hour"),
        ("noon yesterday", "2023-07-04T12:00", "hour"),
    ],
)
def test_a_day_takes_in_the_part_and_the_time_beside_it(text: str, start: str, granularity: str) -> None:
    (mention,) = find_dates(f"It rained {'at ' if text[0] in '81' else ''}{text}.", SAID)
    assert (mention.text, mention.granularity) == (text, granularity)
    assert mention.span.start == datetime.fromisoformat(start).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "hour"), [("at 7 this morning", 7), ("at 2 this afternoon", 14), ("at 12 this afternoon", 12)]
)
def test_an_hour_follows_the_part_of_the_day_behind_it(text: str, hour: int) -> None:
    (mention,) = find_dates(text, SAID)
    assert mention.span.start == datetime(2023, 7, 5, hour, tzinfo=UTC)


@pytest.mark.parametrize("time", ["7 pm on", "the morning of", "7:15 in the morning on"])
def test_a_time_hangs_on_the_time_of_saying_as_its_day_does(time: str) -> None:
    (fixed,), (said,) = (
        find_dates(f"{time} 5 May 2021", SAID),
        find_dates(f"{time.removesuffix(' on')} yesterday", SAID),
    )
    assert (fixed.relative, said.relative) == (False, True)


@pytest.mark.parametrize("word", ["noon", "7 pm", "at 5", "5", "the morning of it", "the night of the fair"])
def test_a_time_of_no_day_is_none(word: str) -> None:
    assert find_dates(f"It is {word}", SAID) == []


@pytest.mark.parametrize("word", ["at", "by", "around", "until", "till", "before", "after", "since", "from", "about"])
def test_a_sure_time_behind_its_word_is_of_the_day_of_saying(word: str) -> None:
    (mention,) = find_dates(f"I slept {word} noon", SAID)
    assert mention.span.start == datetime(2023, 7, 5, 12, tzinfo=UTC)


def test_a_number_of_what_is_counted_is_no_time() -> None:
    (mention,) = find_dates("On Friday about 5 people came", SAID)
    assert (mention.text, mention.granularity) == ("Friday", "day")


@pytest.mark.parametrize(
    "rest",
    ["", ", people came", ":30 people came", " o", " sharp", " and it rained", " in Bath", " with her", " for tea",
     " at hers", " on foot", " to swim", " if it is dry", " but not late", " so we ate"],
)  # fmt: skip
def test_a_number_before_what_cannot_be_counted_is_a_time(rest: str) -> None:
    (mention,) = find_dates(f"On Friday at 5{rest}", SAID)
    assert mention.text in ("Friday at 5", "Friday at 5:30")
    assert mention.span.start.hour == 17


@pytest.mark.parametrize("time", ["24:00", "13:60", "13 pm", "0 am"])
def test_what_no_clock_shows_is_no_time_of_day(time: str) -> None:
    (mention,) = find_dates(f"yesterday at {time}", SAID)
    assert mention.granularity == "day"
