"""The times that a model tells."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from hmem.language.analyst.model.telling_time import holding, span_of
from hmem.language.english.claims import OPEN
from hmem.model.span import Span


def at(*numbers: int) -> datetime:
    return datetime(*numbers, tzinfo=UTC)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "last", "start", "end"),
    [
        ("2023", None, at(2023, 1, 1), at(2024, 1, 1)),
        ("2023-12", "2023-12", at(2023, 12, 1), at(2024, 1, 1)),
        ("2023-05-07", "2023-05-07", at(2023, 5, 7), at(2023, 5, 8)),
        ("2023-05-07", "2023-05-09", at(2023, 5, 7), at(2023, 5, 10)),
        ("2023-05-07T18:30", None, at(2023, 5, 7, 18, 30), at(2023, 5, 7, 18, 31)),
        ("2023-05-07T18:30Z", "2023-05-07T20:00Z", at(2023, 5, 7, 18, 30), at(2023, 5, 7, 20)),
        ("2023-05-07 18:30:12.5+02:00", None, at(2023, 5, 7, 16, 30), at(2023, 5, 7, 16, 31)),
        ("2023-05-09", "2023-05-07", at(2023, 5, 9), at(2023, 5, 10)),
        (None, "2023-05-07", at(2023, 5, 7), at(2023, 5, 8)),
    ],
)
def test_a_time_is_as_long_as_it_is_exact(first: str, last: str, start: datetime, end: datetime) -> None:
    assert span_of(first, last, UTC) == Span(start, end)


@pytest.mark.parametrize(
    "said", [None, "", "soon", "2023-13", "2023-02-30", "0000", "9999", "20230507", "\uff12\uff10\uff12\uff13"]
)
def test_what_is_no_time_is_none(said: str | None) -> None:
    assert span_of(said, said, UTC) is None


def test_a_time_without_an_offset_has_that_of_the_turn() -> None:
    zone = timezone(timedelta(hours=2))
    found = span_of("2023-05-07", None, zone)
    assert found is not None
    assert found.start.utcoffset() == timedelta(hours=2)


def test_what_has_no_end_holds_for_good() -> None:
    assert holding("2023-05", None, UTC) == Span(at(2023, 5, 1), OPEN)
    assert holding("2023-05", "2023-06", UTC) == Span(at(2023, 5, 1), at(2023, 7, 1))
    assert holding(None, "2023-06", UTC) is None
