"""Dates of statements."""

from datetime import UTC, datetime

from hmem.language.english.meaning.dating import dated

SAID = datetime(2024, 3, 14, 18, tzinfo=UTC)


def test_a_relative_date_is_completed_and_spans_its_day() -> None:
    text, happened = dated("Maria sold the boat yesterday.", SAID)
    assert text == "Maria sold the boat yesterday (13 March 2024)."
    assert happened is not None
    assert (happened.start.day, happened.end.day) == (13, 14)


def test_a_full_date_stays_as_it_is() -> None:
    text, happened = dated("Maria sold the boat on 2 May 2022.", SAID)
    assert text == "Maria sold the boat on 2 May 2022."
    assert happened is not None
    assert happened.start.year == 2022


def test_what_just_happened_was_in_the_last_week() -> None:
    text, happened = dated("Maria just sold the boat.", SAID, just=True)
    assert text == "Maria just sold the boat."
    assert happened is not None
    assert (happened.end - happened.start).days == 7
    assert dated("Maria just sold the boat.", SAID)[1] is None
