from datetime import UTC, datetime, timedelta, timezone

import pytest

from hmem_english.question_times import REACH, QuestionTimes, frame_of

ASKED = datetime(2023, 10, 22, 9, 55, tzinfo=UTC)


def framed(question: str, *people: str) -> QuestionTimes:
    return frame_of(question, ASKED, people)._replace(date_spans=())


@pytest.mark.parametrize(
    ("question", "start", "end", "topic"),
    [
        ("Where was Ana in 2022?", "2022-01-01", "2023-01-01", "Where was Ana?"),
        ("What did Ana eat on 5 July 2023?", "2023-07-05", "2023-07-06", "What did Ana eat?"),
        ("What did Ana sing in July 2023 at home?", "2023-07-01", "2023-08-01", "What did Ana sing at home?"),
        ("What did Ana do last week?", "2023-10-09", "2023-10-16", "What did Ana do?"),
        ("What did Ana buy two months ago?", "2023-08-01", "2023-09-01", "What did Ana buy?"),
        ("What did Ana build during the summer?", "2023-06-01", "2023-09-01", "What did Ana build?"),
        ("What did Ana see in November?", "2022-11-01", "2022-12-01", "What did Ana see?"),
        ("What did Ana see on 24 December?", "2022-12-24", "2022-12-25", "What did Ana see?"),
        ("Where was Ana in the week before 16 August 2023?", "2023-08-09", "2023-08-16", "Where was Ana?"),
        ("Where was Ana between August 11 and August 15 2023?", "2023-08-11", "2023-08-16", "Where was Ana?"),
        ("What did Ana say, as mentioned on 3 June, 2023?", "2023-06-03", "2023-06-04", "What did Ana say?"),
        ("How long had Ana sung, as of May 2023?", "2023-05-01", "2023-06-01", "How long had Ana sung?"),
    ],
)
def test_a_time_frame_is_resolved_and_taken_out(question: str, start: str, end: str, topic: str) -> None:
    found = framed(question)
    assert [(span.start.date().isoformat(), span.end.date().isoformat()) for span in found.spans] == [(start, end)]
    assert found.topic == topic


@pytest.mark.parametrize(
    "question",
    [
        "When did Ana sing?",
        "How did Ana prepare for two years?",
        "Where did Ana go on a 2-day trip?",
        "What does Ana do every Friday?",
        "What does Ana eat in the morning?",
        "What did Ana do recently?",
        "May Ana sing?",
        'What did Ana read in the "Summer of 1969"?',
        "What did Ana suggest for the trip next month?",
        "What did Ana buy at the Sunday market?",
        "How long was it between Ben's visit and the Ash Wednesday service?",
        "Which film do they watch during Thanksgiving?",
    ],
)
def test_what_limits_no_time_is_no_frame(question: str) -> None:
    assert framed(question) == QuestionTimes((), question)


def test_a_name_that_is_a_month_is_a_frame_only_after_a_preposition() -> None:
    assert framed("What did April sing?", "April", "Ana").spans == ()
    assert framed("What did Ana sing in April?", "April", "Ana").spans[0].start.month == 4


def test_a_time_up_to_a_date_reaches_back() -> None:
    (span,) = framed("How many races had Ana won by July 10, 2022?").spans
    assert span.end.date().isoformat() == "2022-07-11"
    assert span.end - span.start == REACH


def test_what_will_be_lies_ahead() -> None:
    assert framed("What will Ana do next month?").spans[0].start.date().isoformat() == "2023-11-01"


def test_spans_have_the_offset_of_the_question() -> None:
    east = timezone(timedelta(hours=9))
    (span,) = frame_of("What did Ana do yesterday?", ASKED.astimezone(east), ()).spans
    assert span.start.utcoffset() == timedelta(hours=9)
    assert span.start.hour == 0


def test_the_frame_of_nothing_else_stays_in_the_topic() -> None:
    assert framed("In 2022?").topic == "In 2022?"
