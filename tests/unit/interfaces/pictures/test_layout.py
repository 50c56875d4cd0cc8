"""The geometry of pictures."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.interfaces.pictures.layout import Box, Spring, columns, lanes, parts, shelves, spiral, spread, springs, stack

SIDES = st.floats(1, 60)
BOXES = st.lists(st.builds(lambda x, y, z: Box(-x, -y, x, z), SIDES, SIDES, SIDES), max_size=25)


def meeting(boxes: list[Box]) -> list[tuple[Box, Box]]:
    return [(one, other) for one, other in combinations(boxes, 2) if one.meets(other)]


@given(BOXES)
def test_spread_parts_all_boxes(boxes: list[Box]) -> None:
    places = spread(spiral(len(boxes), 3.0), boxes)
    less = [Box(b.left + 0.01, b.bottom + 0.01, b.right - 0.01, b.top - 0.01) for b in boxes]
    assert meeting([box.around(*place) for box, place in zip(less, places.tolist(), strict=True)]) == []


@given(BOXES, st.floats(10, 500))
def test_shelves_put_boxes_side_by_side_within_the_width(boxes: list[Box], wide: float) -> None:
    places = shelves(boxes, wide)
    put = [
        Box(b.left + 0.01, b.bottom + 0.01, b.right - 0.01, b.top - 0.01).around(*place)
        for b, place in zip(boxes, places.tolist(), strict=True)
    ]
    assert meeting(put) == []
    assert all(box.top <= 0 for box in put)
    assert all(box.right <= wide or box.left < 0.1 for box in put)


@given(BOXES, st.floats(10, 500))
def test_columns_put_boxes_one_below_the_other_within_the_height(boxes: list[Box], high: float) -> None:
    places = columns(boxes, high)
    put = [
        Box(b.left + 0.01, b.bottom + 0.01, b.right - 0.01, b.top - 0.01).around(*place)
        for b, place in zip(boxes, places.tolist(), strict=True)
    ]
    assert meeting(put) == []
    assert all(box.left >= 0 for box in put)
    assert all(box.bottom >= -high or box.top > -0.1 for box in put)


@given(st.integers(0, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=12))
def test_what_is_tied_is_in_one_part(count: int, pairs: list[tuple[int, int]]) -> None:
    ties = [Spring(one, other, 1.0) for one, other in pairs if max(one, other) < count]
    found = parts(count, ties)
    assert sorted(number for part in found for number in part) == list(range(count))
    assert all(any({tie.one, tie.other} <= set(part) for part in found) for tie in ties)
    assert [len(part) for part in found] == sorted(map(len, found), reverse=True)
    assert len(found) >= count - len(ties)


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0.5, 30)), max_size=60), st.integers(1, 8))
def test_what_is_in_one_lane_does_not_meet(parts: list[tuple[float, float]], most: int) -> None:
    intervals = [(left, left + length) for left, length in parts]
    found = lanes(intervals, most)
    assert all(lane is None or lane < most for lane in found)
    for (one, lane), (other, another) in combinations(zip(intervals, found, strict=True), 2):
        assert lane is None or lane != another or one[1] <= other[0] or other[1] <= one[0]


def test_springs_draw_together_what_they_hold() -> None:
    ties = [Spring(0, i, 50) for i in range(1, 5)]
    places = springs(10, ties, 50)
    lengths = np.linalg.norm(places - places[0], axis=1)
    assert lengths[1:5].max() < lengths[5:].min()


def test_a_longer_spring_holds_further_apart() -> None:
    near, far = (np.linalg.norm(np.diff(springs(2, [Spring(0, 1, length)], 50), axis=0)) for length in (50, 200))
    assert far > 1.5 * near


def test_springs_are_the_same_every_time() -> None:
    ties = [Spring(i, i // 2, 40 + i) for i in range(1, 20)]
    assert np.array_equal(springs(20, ties, 60), springs(20, ties, 60))


@pytest.mark.parametrize("count", [0, 1])
def test_springs_of_next_to_nothing(count: int) -> None:
    assert np.isfinite(springs(count, [], 50)).all()


def test_a_stack_counts_what_falls_into_a_column() -> None:
    assert stack([1.0, 1.5, 12.0, 2.0], 10.0) == ([0, 0, 1, 0], [0, 1, 0, 2])
