from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.derived.plants import Garden, unit

from hmem.derived.trees.calendar import DAY, MONTH, YEAR, CalendarPlacement, window_of
from hmem.derived.trees.placement import Leaf


def labels_of(said: datetime) -> list[str]:
    garden = Garden([Leaf(1, said, unit([1])[0])])
    tree = garden.grown(CalendarPlacement())
    return [tree.label(node) for node in tree.path(1)]


def test_the_path_is_root_year_month_day() -> None:
    assert labels_of(datetime(2023, 8, 11, 10, tzinfo=UTC)) == ["", "2023", "2023-08", "2023-08-11"]


def test_the_date_is_that_of_the_times_own_offset() -> None:
    said = datetime(2023, 12, 31, 23, 30, tzinfo=UTC)
    assert labels_of(said)[-1] == "2023-12-31"
    assert labels_of(said.astimezone(timezone(timedelta(hours=1))))[-1] == "2024-01-01"


@pytest.mark.parametrize("said", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, tzinfo=UTC)])
def test_the_first_and_the_last_day_have_their_place(said: datetime) -> None:
    assert labels_of(said)[-1] == said.date().isoformat()
    assert labels_of(said)[1] == f"{said.year:04}"


@given(st.dates())
def test_a_day_lies_in_its_month_and_its_month_in_its_year(day: date) -> None:
    inner = window_of(DAY, day)
    assert inner == (day.toordinal(), day.toordinal() + 1)
    for level in (MONTH, YEAR):
        outer = window_of(level, day)
        assert outer[0] <= inner[0] < inner[1] <= outer[1]
        assert date.fromordinal(outer[0]).day == 1
        inner = outer


def test_leaves_of_one_day_share_a_node_and_are_told_apart_from_the_next() -> None:
    days = [datetime(2024, 2, 29, hour, tzinfo=UTC) for hour in (0, 23)] + [datetime(2024, 3, 1, tzinfo=UTC)]
    tree = Garden([Leaf(i, said, unit([i])[0]) for i, said in enumerate(days)]).grown(CalendarPlacement())
    assert tree.node_of(0) == tree.node_of(1) != tree.node_of(2)
    assert tree.label(tree.common_ancestor([0, 2])) == "2024"
    assert tree.window(tree.path(0)[2]) == window_of(MONTH, date(2024, 2, 1))
