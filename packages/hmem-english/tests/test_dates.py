import json
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hmem.errors import InvalidTime
from hmem.language.analyst.lexicon import DateMention
from hmem.model.span import Span, from_stored, to_stored
from hmem_english.dates import find_dates, main_date

TABLE = json.loads((Path(__file__).parent / "date_expressions.json").read_text("utf-8"))
EARLIER = datetime(2026, 5, 20, 10, tzinfo=UTC)
WEDNESDAY = datetime(2023, 7, 5, 13, 56, tzinfo=UTC)

WORDS = """
yesterday today last next this the of in on at since until from to between and every week weekend
month year day two 3 5th
2016 May march Friday sun June summer 90s ago before after early end
Christmas New Year's Eve 7:30 pm - , .
2023-07-05 05/07/2023 half a few couple for past quarter Q3 second 9999 0000 '98 😀 İ ² ٣ twice other night
"""
PIECES = st.sampled_from([*WORDS.split(), "\n"])
PHRASES = st.lists(PIECES, max_size=25).map(" ".join)
TEXTS = PHRASES | st.text(max_size=200)
OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
TIMES = st.datetimes(timezones=OFFSETS)


def told(mention: DateMention) -> dict[str, str]:
    return {
        "text": mention.text,
        "start": mention.span.start.isoformat(),
        "end": mention.span.end.isoformat(),
        "kind": mention.kind,
        "granularity": mention.granularity,
    }


def test_an_expression_means_the_span_that_the_table_gives() -> None:
    found = [
        {**row, "dates": [told(mention) for mention in find_dates(row["text"], datetime.fromisoformat(row["said"]))]}
        for row in TABLE
    ]
    assert [(row, meant) for row, meant in zip(found, TABLE, strict=True) if row != meant] == []


def test_the_table_is_as_long_as_was_promised() -> None:
    assert sum(len(row["dates"]) for row in TABLE) >= 170


@given(TEXTS, TIMES)
@example("the day before the day before the day before the day before yesterday", WEDNESDAY)
@example("İ yesterday", WEDNESDAY)
@example("29 February", datetime(1, 1, 1, tzinfo=UTC))
@example("since last year until next year, two weeks ago", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))))
@example("next decade, for the next two years", datetime(9999, 12, 31, 23, 59, tzinfo=timezone(-timedelta(hours=12))))
def test_any_text_gives_ordered_mentions_within_it(text: str, said: datetime) -> None:
    found = find_dates(text, said)
    for mention in found:
        assert 0 <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        assert mention.span.start <= mention.span.end
        assert mention.span.start.utcoffset() == mention.span.end.utcoffset() == said.utcoffset()
        assert from_stored(*to_stored(mention.span.start)).utctimetuple() == mention.span.start.utctimetuple()
        assert from_stored(*to_stored(mention.span.end)).utctimetuple() == mention.span.end.utctimetuple()
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(PHRASES, TIMES)
def test_the_same_text_said_at_the_same_time_gives_the_same(text: str, said: datetime) -> None:
    assert find_dates(text, said) == find_dates(text, said)


@given(PHRASES)
def test_what_is_not_relative_does_not_need_the_time_of_saying(text: str) -> None:
    def fixed(said: datetime) -> list[tuple[int, int, Span]]:
        return [
            (mention.start, mention.end, mention.span)
            for mention in find_dates(text, said)
            if not mention.relative and mention.kind in ("point", "duration")
        ]

    later = {mention[:2]: mention[2] for mention in fixed(WEDNESDAY + timedelta(days=3))}
    for start, end, span in fixed(WEDNESDAY):
        assert later[start, end] == span


@pytest.mark.parametrize("said", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)])
def test_times_outside_of_the_calendar_are_left_out(said: datetime) -> None:
    for row in TABLE:
        for mention in find_dates(row["text"], said):
            first, last = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
            assert first <= mention.span.start <= mention.span.end <= last, row["text"]


@pytest.mark.parametrize(
    "text",
    [
        *("5" * 76_000, "5/" * 38_000, "5-5 " * 19_000, "the " * 19_000, "the day before " * 5_000, "may " * 19_000),
        *("since from between " * 4_000, "a week ago " * 7_000, "1:1:" * 19_000, "'9" * 38_000, "x" * 76_000),
        *(
            "on monday and " * 5_000,
            "five to " * 9_500,
            "from friday to 5 march 1000 " * 800,
            " " * 75_990 + "yesterday",
        ),
    ],
    ids=lambda text: text[:12].strip(),
)
def test_a_very_long_text_is_read_in_one_pass(text: str) -> None:
    found = find_dates(text, WEDNESDAY)
    assert all(isinstance(mention, DateMention) for mention in found)


def test_a_time_of_saying_without_an_offset_is_refused() -> None:
    with pytest.raises(InvalidTime, match="offset"):
        find_dates("yesterday", datetime(2023, 7, 5))  # noqa: DTZ001 - the case


def test_typographic_quotes_and_dashes_are_read_like_plain_ones() -> None:
    plain_text = "On New Year's Eve, mid-May, 5-9 June '98, I'm free on Friday"
    plain = find_dates(plain_text, WEDNESDAY)
    typeset = find_dates(plain_text.translate({0x27: 0x2019, 0x2D: 0x2013}), WEDNESDAY)
    assert [mention.span for mention in plain] == [mention.span for mention in typeset]
    assert len(plain) == 4


def test_letters_that_grow_in_lower_case_do_not_move_a_mention() -> None:
    (mention,) = find_dates("İİİ yesterday", WEDNESDAY)
    assert mention.text == "yesterday"


def test_a_day_is_that_of_the_speaker_and_not_of_utc() -> None:
    late = datetime(2023, 7, 5, 23, 30, tzinfo=timezone(-timedelta(hours=7)))
    (mention,) = find_dates("today", late)
    assert mention.span.start.isoformat() == "2023-07-05T00:00:00-07:00"


def test_only_dates_that_hang_on_the_time_of_saying_are_relative() -> None:
    found = find_dates(
        "yesterday, 5 July 2023, in March, since 2016, every Tuesday, the 90s, June of last year", WEDNESDAY
    )
    assert [mention.relative for mention in found] == [True, False, True, True, False, False, True]


@pytest.mark.parametrize(
    ("said", "text", "named", "start"),
    [
        ("2024-06-12", "The party is on Saturday in two weeks.", "Saturday in two weeks", "2024-06-29"),
        ("2024-06-12", "It's Saturday in a fortnight.", "Saturday in a fortnight", "2024-06-29"),
        ("2024-06-12", "We sail Friday, three weeks from now.", "Friday, three weeks from now", "2024-07-05"),
        ("2024-06-12", "The concert is two weeks on Sunday.", "two weeks on Sunday", "2024-06-30"),
        ("2024-06-12", "I start a week on Monday.", "a week on Monday", "2024-06-24"),
        ("2024-06-12", "I will do it Saturday fortnight.", "Saturday fortnight", "2024-06-29"),
        ("2024-11-04", "The audit is on the next but one Friday.", "the next but one Friday", "2024-11-15"),
        ("2024-11-04", "The resit is next Friday but one.", "next Friday but one", "2024-11-15"),
        ("2024-11-04", "I left the last Friday but one.", "the last Friday but one", "2024-10-25"),
        ("2024-11-04", "Let's talk the next week but one.", "the next week but one", "2024-11-18"),
        ("2024-06-12", "It began two fortnights ago.", "two fortnights ago", "2024-05-13"),
        ("2024-03-05", "My gran turns 90 in June.", "June", "2024-06-01"),
        ("2024-08-05", "My gran turns 90 in June.", "June", "2025-06-01"),
        ("2024-03-05", "My gran turned 90 in June.", "June", "2023-06-01"),
        ("2024-06-12", "We leave on Friday.", "Friday", "2024-06-14"),
        ("2024-06-12", "I saw them at the end of it on Friday.", "Friday", "2024-06-07"),
        ("2024-06-12", "It's in the last week of September.", "the last week of September", "2024-09-24"),
        ("2024-06-12", "We stayed for two weeks on Sunday's farm.", "Sunday", "2024-06-09"),
    ],
)
def test_a_day_is_the_nearest_that_its_words_and_its_tense_allow(said: str, text: str, named: str, start: str) -> None:
    found = [
        (each.text, f"{each.span.start:%Y-%m-%d}")
        for each in find_dates(text, datetime.fromisoformat(f"{said}T10:00Z"))
    ]
    assert (named, start) in found


def test_the_time_of_a_sentence_is_that_of_its_date() -> None:
    span = main_date("I adopted Coco yesterday", EARLIER)
    assert span is not None
    assert (span.start.month, span.start.day) == (5, 19)


def test_a_point_comes_before_a_beginning() -> None:
    span = main_date("I have lived in Porto since 2016, and on 3 May 2024 I bought the flat.", EARLIER)
    assert span is not None
    assert (span.start.year, span.start.month) == (2024, 5)


def test_a_sentence_without_a_date_has_no_time() -> None:
    assert main_date("Coco likes carrots", EARLIER) is None


def test_the_dates_of_a_plan_lie_ahead() -> None:
    span = main_date("Fishing in March", EARLIER, is_plan=True)
    assert span is not None
    assert (span.start.year, span.start.month) == (2027, 3)


def test_days_from_one_date_to_another_are_its_time() -> None:
    span = main_date("I've booked Brittany, 2 to 16 August.", EARLIER)
    assert span is not None
    assert (span.start.month, span.start.day, span.end.day) == (8, 2, 17)
    assert main_date("I slept for two weeks", EARLIER) is None


def test_a_decade_is_not_the_time_of_a_sentence() -> None:
    assert main_date("I love the look of the 1960s.", EARLIER) is None


def test_a_time_of_day_to_come_is_no_time_of_a_sentence_that_is_no_plan() -> None:
    for text in ("The bakery closes at 6 pm.", "It rings at 22:00.", "Nobody picks up at noon."):
        assert main_date(text, EARLIER) is None
        ahead = main_date(text, EARLIER, is_plan=True)
        assert ahead is not None
        assert ahead.start.date() == EARLIER.date()
    past = main_date("We left at 9 am.", EARLIER)
    assert past is not None
    assert past.start.hour == 9
    told = main_date("It rings from 22:00, as I set it on 2 February.", EARLIER)
    assert told is not None
    assert (told.start.month, told.start.day) == (2, 2)
    tonight = main_date("The train leaves today at 22:00.", EARLIER)
    assert tonight is not None
    assert tonight.start.hour == 22
