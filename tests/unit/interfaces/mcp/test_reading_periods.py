"""The calendar as stretches of time."""

import pytest

from hmem import Memory
from hmem.errors import InvalidTime
from hmem.interfaces.mcp import reading
from hmem.interfaces.mcp.memories import Memories


@pytest.fixture
def memory(memories: Memories) -> Memory:
    made = memories.get()
    made.add("I sold the boat to my brother", speaker="Ben", session="s3", at="2024-02-29T12:00:00Z")
    return made


def test_a_stretch_with_a_single_turn_is_what_that_says(memory: Memory) -> None:
    for level, label in (("year", "2024"), ("month", "2024-02"), ("day", "2024-02-29")):
        made = [reading.time_period(memory, each) for each in reading.periods_of(memory, level)]  # pyright: ignore[reportArgumentType]
        assert (made[-1].label, made[-1].turns, made[-1].summary) == (label, 1, "Ben: I sold the boat to my brother")
        assert all(each.summary for each in made)


@pytest.mark.parametrize(
    ("since", "until", "days"),
    [
        (None, None, 3),
        ("2023-09", None, 2),
        ("2023-09-14", "2024", 1),
        ("2023-09-15", "2024-02-29", 0),
        ("2024-02-29T00:00:00Z", "2024-03", 1),
    ],
)
def test_stretches_are_chosen_by_times_that_may_be_cut(
    memory: Memory, since: str | None, until: str | None, days: int
) -> None:
    assert len(reading.periods_of(memory, "day", since, until)) == days


def test_an_empty_memory_has_no_stretches(memories: Memories) -> None:
    assert reading.periods_of(memories.get("user"), "day") == []


def test_a_time_that_is_none_is_told(memory: Memory) -> None:
    for wrong in ("soon", "", "2023-99"):
        with pytest.raises(InvalidTime):
            reading.periods_of(memory, "day", wrong)
