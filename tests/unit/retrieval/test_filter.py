from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formation import formation
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.errors import InvalidQuery, InvalidTime, UnknownId
from hmem.model.span import zone
from hmem.recipes import FLAT_WEIGHTS
from hmem.retrieval.filter import Conditions, Filter, rows_allowed
from hmem.retrieval.strategies.flat import FlatOptions, flat

TURNS: list[dict[str, Any]] = [
    {"text": "I moved to Lisbon", "speaker": "Maria", "session": "a", "at": "2025-01-01T10:00Z", "metadata": {"n": 1}},
    {"text": "How is Lisbon?", "speaker": "Tom", "session": "a", "at": "2025-01-01T10:01Z", "user": "u"},
    {"text": "It rains", "speaker": "Maria", "session": "b", "at": "2025-02-01T10:00Z", "metadata": {"n": 2, "s": "x"}},
    {"text": "Oslo is dry", "speaker": "Tom", "session": "b", "at": "2025-03-01T10:00Z", "agent": "z"},
]


@pytest.fixture
def held(path: Path) -> Iterator[Memory]:
    with Memory(path) as memory:
        memory.add(TURNS)
        formation(memory).form()
        yield memory


def allowed(memory: Memory, **conditions: Any) -> list[int]:
    """The places of the turns that pass."""
    with sources(memory) as read:
        rows = rows_allowed(read, Filter(**conditions).validate(UTC))
    return [] if rows is None else np.flatnonzero(rows).tolist()


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"speaker": "Maria"}, [0, 2]),
        ({"speaker": "nobody"}, []),
        ({"session": "b"}, [2, 3]),
        ({"session": "none"}, []),
        ({"since": "2025-02-01T10:00Z"}, [2, 3]),
        ({"until": "2025-02-01T10:00Z"}, [0, 1]),
        ({"since": datetime(2025, 1, 15, tzinfo=UTC), "until": 1_740_000_000}, [2]),
        ({"entity": "Lisbon"}, [0, 1]),
        ({"entity": "Atlantis"}, []),
        ({"entity": "Lisbon", "user": "u"}, [1]),
        ({"speaker": "MARIA "}, [0, 2]),
        ({"metadata": {"n": [2, 3]}}, [2]),
        ({"metadata": {"n": True}}, []),
        ({"metadata": {"n": 2, "s": "y"}}, []),
        ({"user": "u"}, [1]),
        ({"agent": "z", "speaker": "Tom"}, [3]),
        ({"agent": "z", "speaker": "Maria"}, []),
    ],
)
def test_a_filter_lets_pass_what_meets_every_condition(
    held: Memory, conditions: dict[str, Any], expected: list[int]
) -> None:
    assert allowed(held, **conditions) == expected


def test_a_filter_without_conditions_is_none(held: Memory) -> None:
    with sources(held) as read:
        assert rows_allowed(read, Filter()) is None
        assert rows_allowed(read, None) is None


def test_an_entity_goes_by_its_id_too_and_an_unknown_id_is_told(held: Memory) -> None:
    known = {each.user: each.id for each in held.graph().entities if each.name == "Lisbon"}
    assert {user: allowed(held, entity=entity) for user, entity in known.items()} == {None: [0], "u": [1]}
    with pytest.raises(UnknownId, match="no entity"):
        allowed(held, entity=known[None][:-2] + "ZZ")


def test_a_time_without_an_offset_is_in_the_given_zone() -> None:
    checked = Filter(since="2025-07-01T00:00").validate(zone("Europe/Lisbon"))
    assert checked.bounds == (Filter(since="2025-06-30T23:00Z").validate(UTC).bounds[0], None)


@pytest.mark.parametrize(
    "conditions",
    [
        {"speaker": 3},
        {"speaker": " "},
        {"entity": ""},
        {"session": "\ud800"},
        {"metadata": 3},
        {"metadata": {"a": {"b": 1}}},
        {"metadata": {1: "a"}},
    ],
)
def test_a_condition_that_cannot_be_used_is_told(conditions: dict[str, Any]) -> None:
    with pytest.raises(InvalidQuery):
        Filter(**conditions).validate(UTC)


@pytest.mark.parametrize("conditions", [{"since": "soon"}, {"since": "2025-01-02", "until": "2025-01-01"}])
def test_a_time_that_cannot_be_used_is_told(conditions: dict[str, Any]) -> None:
    with pytest.raises(InvalidTime):
        Filter(**conditions).validate(UTC)


@pytest.mark.parametrize("conditions", [{}, {"speaker": None}, {"metadata": {}, "since": None}])
def test_of_no_conditions_there_is_no_filter(conditions: Conditions) -> None:
    assert Filter.from_conditions(conditions, UTC) is None


def test_a_filter_of_conditions_is_checked_and_keeps_what_is_false_but_given() -> None:
    some = Filter.from_conditions({"speaker": "0", "since": 0, "metadata": {"n": 0}}, UTC)
    assert some is not None
    assert (some.speaker, some.bounds, some.metadata) == ("0", (0, None), {"n": 0})
    assert Filter.from_conditions({"since": "2025-01-01", "speaker": None}, UTC) == Filter(since="2025-01-01").validate(
        UTC
    )
    with pytest.raises(InvalidTime):
        Filter.from_conditions({"since": "soon"}, UTC)


def test_conditions_are_the_fields_of_a_filter() -> None:
    # From when the memory is looked at is no condition of the caller.
    assert [*Conditions.__annotations__, "standpoint"] == [each.name for each in fields(Filter)]


def test_a_filter_sees_what_was_written_since(held: Memory) -> None:
    with sources(held) as read:
        some = Filter(metadata={"n": 1}).validate(UTC)
        assert np.flatnonzero(rows_allowed(read, some)).tolist() == [0]  # pyright: ignore[reportArgumentType, reportCallIssue]
        held.add("again", speaker="Ann", metadata={"n": 1})
    with sources(held) as read:
        assert np.flatnonzero(rows_allowed(read, some)).tolist() == [0, 4]  # pyright: ignore[reportArgumentType, reportCallIssue]


def test_flat_finds_allowed_turns_only_and_scores_them_as_without_a_filter(memory: Memory) -> None:
    memory.add(chatter(300))
    memory.flush()
    memory.add(chatter(60, seed=1))
    options = FlatOptions(weights=FLAT_WEIGHTS)
    with sources(memory) as read:
        rows = rows_allowed(read, Filter(speaker="Anna", since="2025-01-10").validate(UTC))
        assert rows is not None
        every = flat(read, query(read, "violin market"), options)
        some = flat(read, query(read, "violin market", allowed=rows), options)
    assert rows[some.rows].all()
    assert len(some.rows) == rows.sum()
    before = dict(zip(every.rows.tolist(), every.scores.tolist(), strict=True))
    assert some.scores.tolist() == pytest.approx([before[row] for row in some.rows.tolist()], abs=1e-5)
