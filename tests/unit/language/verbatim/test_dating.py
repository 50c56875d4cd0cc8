from datetime import UTC, datetime

from hmem.language.verbatim.dating import happened

SAID = datetime(2026, 5, 20, 10, tzinfo=UTC)


def test_the_time_of_a_sentence_is_that_of_its_date() -> None:
    span = happened("I adopted Coco yesterday", SAID)
    assert span is not None
    assert (span.start.month, span.start.day) == (5, 19)


def test_a_point_comes_before_a_beginning() -> None:
    span = happened("I have lived in Porto since 2016, and on 3 May 2024 I bought the flat.", SAID)
    assert span is not None
    assert (span.start.year, span.start.month) == (2024, 5)


def test_a_sentence_without_a_date_has_no_time() -> None:
    assert happened("Coco likes carrots", SAID) is None


def test_the_dates_of_a_plan_lie_ahead() -> None:
    span = happened("Fishing in March", SAID, ahead=True)
    assert span is not None
    assert (span.start.year, span.start.month) == (2027, 3)


def test_days_from_one_date_to_another_are_its_time() -> None:
    span = happened("I've booked Brittany, 2 to 16 August.", SAID)
    assert span is not None
    assert (span.start.month, span.start.day, span.end.day) == (8, 2, 17)
    assert happened("I slept for two weeks", SAID) is None


def test_a_decade_is_not_the_time_of_a_sentence() -> None:
    assert happened("I love the look of the 1960s.", SAID) is None
