from datetime import datetime

import pytest

from hmem_english.dates.holidays import in_year, match_holiday, nearest, strictly


@pytest.mark.parametrize(
    ("words", "year", "day"),
    [
        ("thanksgiving", 2022, "2022-11-24"),
        ("thanksgiving", 2023, "2023-11-23"),
        ("black friday", 2024, "2024-11-29"),
        ("memorial day", 2023, "2023-05-29"),
        ("labor day", 2025, "2025-09-01"),
        ("mother day", 2024, "2024-05-12"),
        ("easter", 2024, "2024-03-31"),
        ("good friday", 2025, "2025-04-18"),
        ("ash wednesday", 2024, "2024-02-14"),
        ("presidents day", 2023, "2023-02-20"),
    ],
)
def test_a_holiday_falls_on_its_day(words: str, year: int, day: str) -> None:
    assert in_year(tuple(words.split()), year).start == datetime.fromisoformat(day)


def test_the_longest_name_wins() -> None:
    assert match_holiday(("christmas", "eve", "dinner")) == ("christmas", "eve")
    assert match_holiday(("christmas", "tree")) == ("christmas",)
    assert match_holiday(("good", "morning")) is None


def test_on_the_day_itself_the_last_one_was_a_year_ago() -> None:
    christmas = datetime.fromisoformat("2022-12-25T10:00")
    assert nearest(("christmas",), christmas, -1).start.year == 2022
    assert strictly(("christmas",), christmas, -1).start.year == 2021
    assert strictly(("christmas",), christmas, 1).start.year == 2023


def test_easter_outside_of_its_rule_is_an_error() -> None:
    with pytest.raises(ValueError, match="no rule"):
        in_year(("easter",), 1200)
