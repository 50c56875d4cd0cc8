"""Where things go in a picture: plain geometry in points, without matplotlib, the same every time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

_GOLDEN_ANGLE: Final = np.pi * (3 - 5**0.5)
_STEPS: Final = 400
_ROUNDS: Final = 200
_WIDER: Final = 1.5
_GRAVITY: Final = 0.2
_NEAREST: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Spring:
    """What pulls two things together: of strength 1, at ``length`` it balances their repulsion."""

    one: int
    other: int
    length: float
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its edges; ``y`` grows upwards."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: "Box") -> bool:
        """Whether the two have a point inside both."""
        return (
            self.left < other.right and other.left < self.right and self.bottom < other.top and other.bottom < self.top
        )

    def around(self, x: float, y: float) -> "Box":
        """The same rectangle, moved."""
        return Box(self.left + x, self.bottom + y, self.right + x, self.top + y)

    def wider(self, by: float) -> "Box":
        """The same rectangle with some air on each side."""
        return Box(self.left - by, self.bottom - by, self.right + by, self.top + by)


def spiral(count: int, distance: float) -> Points:
    """Points from the middle outwards like a sunflower's seeds, about ``distance`` apart."""
    order = np.arange(count)
    angle, radius = order * _GOLDEN_ANGLE, distance * np.sqrt(order + 0.5)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def springs(count: int, ties: Sequence[Spring], distance: float) -> Points:
    """Points that repel each other, held by springs and by a weak pull to the middle.

    T. Fruchterman, E. Reingold, Graph drawing by force-directed placement (1991); the first point starts in the
    middle and later ones further out.
    """
    places = spiral(count, distance)
    ones = np.array([tie.one for tie in ties], np.int64)
    others = np.array([tie.other for tie in ties], np.int64)
    lengths = np.array([tie.length for tie in ties])
    strengths = np.array([tie.strength for tie in ties])
    for step in range(_STEPS):
        apart = places[:, None, :] - places[None, :, :]
        squares = np.maximum((apart**2).sum(axis=2), _NEAREST)
        np.fill_diagonal(squares, np.inf)
        move = (apart * (distance**2 / squares)[:, :, None]).sum(axis=1) - _GRAVITY * places * np.array([1.0, _WIDER])
        if len(ties):
            along = places[others] - places[ones]
            pull = along * (strengths * np.linalg.norm(along, axis=1) * distance**2 / lengths**3)[:, None]
            np.add.at(move, ones, pull)
            np.add.at(move, others, -pull)
        length = np.maximum(np.linalg.norm(move, axis=1, keepdims=True), _NEAREST)
        heat = distance * (1 - step / _STEPS) ** 2
        places = places + move / length * np.minimum(length, heat)
    return places * np.array([_WIDER, 1.0])


def spread(places: Points, boxes: Sequence[Box]) -> Points:
    """Move points apart, little as can be, until no two of the boxes around them meet."""
    if not boxes:
        return places
    low = np.array([[box.left, box.bottom] for box in boxes])
    high = np.array([[box.right, box.top] for box in boxes])
    places = places.copy()
    for turn in range(_ROUNDS * len(boxes)):
        if not _push(places, low, high):
            break
        if turn % _ROUNDS == _ROUNDS - 1:
            places *= 1.05
    return places


def _push(places: Points, low: Points, high: Points) -> bool:
    """Push each pair of boxes that meet apart along the shorter way; whether there was any."""
    reach = np.minimum((places + high)[:, None], (places + high)[None]) - np.maximum(
        (places + low)[:, None], (places + low)[None]
    )
    ones, others = np.nonzero(np.triu((reach > _NEAREST).all(axis=2), 1))
    if not len(ones):
        return False
    inside = reach[ones, others]
    axis = np.argmin(inside, axis=1)
    rows = np.arange(len(ones))
    middles = places + (low + high) / 2
    side = np.where(middles[ones, axis] <= middles[others, axis], -1.0, 1.0)
    by = side * (inside[rows, axis] / 2 + 2 * _NEAREST)
    move = np.zeros_like(places)
    np.add.at(move, (ones, axis), by)
    np.add.at(move, (others, axis), -by)
    places += np.clip(move, -40, 40)
    return True


def parts(count: int, ties: Sequence[Spring]) -> list[list[int]]:
    """What hangs together by springs, each part ascending: the largest parts first, then by their first."""
    named = list(range(count))
    for tie in ties:
        one, other = named[tie.one], named[tie.other]
        if one != other:
            named = [min(one, other) if name in (one, other) else name for name in named]
    found: dict[int, list[int]] = {}
    for number, name in enumerate(named):
        found.setdefault(name, []).append(number)
    return sorted(found.values(), key=lambda part: (-len(part), part))


def bounds(places: Points, boxes: Sequence[Box]) -> Box:
    """The rectangle around boxes at places; a point for none."""
    if not boxes:
        return Box(0.0, 0.0, 0.0, 0.0)
    put = [box.around(*place) for box, place in zip(boxes, places.tolist(), strict=True)]
    return Box(
        min(box.left for box in put),
        min(box.bottom for box in put),
        max(box.right for box in put),
        max(box.top for box in put),
    )


def shelves(boxes: Sequence[Box], wide: float) -> Points:
    """Points for boxes side by side, from left to right and line by line below 0, the lines ``wide`` at most."""
    places: list[tuple[float, float]] = []
    right, top, lowest = 0.0, 0.0, 0.0
    for box in boxes:
        if right > 0 and right + box.right - box.left > wide:
            right, top = 0.0, lowest
        places.append((right - box.left, top - box.top))
        right += box.right - box.left
        lowest = min(lowest, top - box.top + box.bottom)
    return np.array(places).reshape(-1, 2)


def columns(boxes: Sequence[Box], high: float) -> Points:
    """Points for boxes one below the other, and column by column to the right, the columns ``high`` at most."""
    turned = [Box(-box.top, -box.right, -box.bottom, -box.left) for box in boxes]
    return -shelves(turned, high)[:, ::-1]


def lanes(intervals: Sequence[tuple[float, float]], most: int) -> list[int | None]:
    """A lane for each interval so that none meet in one lane; the earlier intervals choose first.

    None for those that find no room in ``most`` lanes.
    """
    taken: list[list[tuple[float, float]]] = []
    found: list[int | None] = []
    for left, right in intervals:
        lane = next(
            (n for n, held in enumerate(taken) if all(right <= start or end <= left for start, end in held)), None
        )
        if lane is None and len(taken) < most:
            lane = len(taken)
            taken.append([])
        if lane is not None:
            taken[lane].append((left, right))
        found.append(lane)
    return found


def stack(places: Sequence[float], width: float) -> tuple[list[int], list[int]]:
    """The column of each place, columns ``width`` wide, and its number in the column, in the order given."""
    heights: dict[int, int] = {}
    columns: list[int] = []
    numbers: list[int] = []
    for place in places:
        column = int(place // width)
        columns.append(column)
        numbers.append(heights.get(column, 0))
        heights[column] = numbers[-1] + 1
    return columns, numbers
