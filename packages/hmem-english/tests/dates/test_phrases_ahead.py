"""Dates without a year, or in words, look forward or back as the sentence does."""

from datetime import UTC, datetime

import pytest

from hmem_english.dates import find_dates

NOVEMBER = datetime(2024, 11, 20, 9, tzinfo=UTC)
MARCH = datetime(2025, 3, 12, 9, tzinfo=UTC)


def starts(text: str, said: datetime, *, ahead: bool = False) -> list[str]:
    return [mention.span.start.date().isoformat() for mention in find_dates(text, said, is_plan=ahead)]


@pytest.mark.parametrize(
    ("text", "said", "start"),
    [
        ("The roof is being mended on 14 January.", NOVEMBER, "2025-01-14"),
        ("She's getting married on 3 May.", NOVEMBER, "2025-05-03"),
        ("They've chosen a new day, the twentieth of June.", MARCH, "2025-06-20"),
        ("The choir sings in August.", MARCH, "2025-08-01"),
        ("The choir sings in January.", MARCH, "2025-01-01"),
        ("The rent goes up from the 23rd.", MARCH, "2025-03-23"),
        ("Dentist on the 5th.", MARCH, "2025-04-05"),
        ("I'm away Friday.", MARCH, "2025-03-14"),
    ],
)
def test_what_is_still_to_come_looks_forward(text: str, said: datetime, start: str) -> None:
    assert starts(text, said) == [start]


@pytest.mark.parametrize(
    ("text", "said", "start"),
    [
        ("We swam there in August.", MARCH, "2024-08-01"),
        ("He said goodbye on the seventh.", MARCH, "2025-03-07"),
        ("They got married on 3 May.", NOVEMBER, "2024-05-03"),
        ("The shop was being painted on 14 October.", NOVEMBER, "2024-10-14"),
        ("I built it in '86.", MARCH, "1986-01-01"),
    ],
)
def test_a_story_looks_back(text: str, said: datetime, start: str) -> None:
    assert starts(text, said) == [start]


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("It ended on the twenty eighth of February.", "2025-02-28"),
        ("It ended on the twenty-eighth of February.", "2025-02-28"),
        ("It ended on February the fourteenth.", "2025-02-14"),
        ("It went from the second to the ninth of February.", "2025-02-02"),
    ],
)
def test_days_in_words_are_read(text: str, start: str) -> None:
    assert starts(text, MARCH) == [start]


@pytest.mark.parametrize(
    "text",
    ["I got it on the second.", "It was the second of three.", "Tues Thurs Sat for running", "the '16 finals"],
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert starts(text, MARCH) == []


def test_the_dates_of_a_plan_look_forward() -> None:
    assert starts("Fishing Saturday", MARCH) == ["2025-03-08"]
    assert starts("Fishing Saturday", MARCH, ahead=True) == ["2025-03-15"]
    assert starts("Fishing in January", MARCH, ahead=True) == ["2026-01-01"]
    assert starts("We fished in January", MARCH, ahead=True) == ["2025-01-01"]
