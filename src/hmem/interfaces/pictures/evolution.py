"""The picture of the evolution tree: time from left to right, its levels from above to below, the events last."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import sqrt
from typing import Final

from hmem.interfaces.pictures.canvas import FAINT, INK, Canvas, label, ticks, width
from hmem.interfaces.pictures.layout import lanes, stack
from hmem.model.node import Branch

ROWS: Final = {1: "week", 2: "month", 3: "year"}
EVENTS: Final = "events"

_COLOURS: Final = {3: "#0072b2", 2: "#009e73", 1: "#d55e00"}
_ALONE: Final = "#b0b0b0"
_GATHERED: Final = "#555555"

_WIDTH: Final = 1_080.0
_LEFT: Final = 64.0
_RIGHT: Final = 30.0
_HEAD: Final = 52.0
_FOOT: Final = 44.0
_DOT: Final = 1.5
_PITCH: Final = 3.6
_LEAST: Final = 3.0
_GREATEST: Final = 15.0
_LANES: Final = 7
# A stack of dots is so many wide and at most so many high.
_ABREAST: Final = 3
_HIGHEST_STACK: Final = 30
_SIZE: Final = 7.0
_NAME: Final = 30
_GAP: Final = 26.0
_HALF_A_DAY: Final = 43_200.0


@dataclass(slots=True)
class _Thing:
    """A node or an event in the picture: its level (0 for an event), its time, what it holds, where it is."""

    level: int
    when: float
    size: int
    name: str = ""
    below: "list[_Thing]" = field(default_factory=list["_Thing"])
    gathered: bool = False
    x: float = 0.0
    y: float = 0.0
    radius: float = _DOT

    @property
    def cluster(self) -> bool:
        """Whether it gathers anything."""
        return len(self.below) > 1


@dataclass(slots=True)
class _Row:
    """A level: its clusters with the lane that each is in, and the rest, as stacks of dots."""

    level: int
    clusters: list[tuple[_Thing, int]] = field(default_factory=list[tuple[_Thing, int]])
    named: set[int] = field(default_factory=set[int])
    dots: list[_Thing] = field(default_factory=list[_Thing])
    columns: list[int] = field(default_factory=list[int])
    numbers: list[int] = field(default_factory=list[int])
    each: int = 1
    lane_heights: list[float] = field(default_factory=list[float])

    @property
    def height(self) -> float:
        return sum(self.lane_heights) + self.stacked

    @property
    def stacked(self) -> float:
        """How high the stacks of dots are."""
        highest = max(self.numbers, default=-1) + 1
        lines = -(-highest // (_ABREAST * self.each))
        return (lines + 2) * _PITCH


def draw(tree: Branch, said: Mapping[str, datetime]) -> Canvas:
    """The picture of an evolution tree; ``said`` is when each event was said, by its id."""
    things = [_thing(branch, said) for branch in tree.children]
    rows = _rows(things)
    first, last = _bounds(things)
    scale = (_WIDTH - _LEFT - _RIGHT) / ((last - first) or 1.0)
    for row in rows:
        for thing in _all(things, row.level):
            thing.x = _LEFT + (thing.when - first) * scale
        _arrange(row, things)
    canvas = Canvas(_WIDTH, _HEAD + _FOOT + sum(row.height + _GAP for row in rows))
    top = canvas.height - _HEAD
    for row in rows:
        _place(row, top)
        top -= row.height + _GAP
    _draw_links(canvas, things)
    for row in rows:
        _draw_row(canvas, row)
    _head(canvas, tree, things)
    if things:
        _axis(canvas, first, last, scale)
    return canvas


# What is in it.


def _thing(branch: Branch, said: Mapping[str, datetime]) -> _Thing:
    events = [_Thing(0, said[leaf].timestamp(), 1) for leaf in branch.leaves if leaf in said]
    below = [*(_thing(child, said) for child in branch.children), *events]
    node = branch.node
    middle = node.span.start + (node.span.end - node.span.start) / 2
    weight = sum(thing.size for thing in below)
    when = sum(thing.when * thing.size for thing in below) / weight if weight else middle.timestamp()
    for thing in below:
        thing.gathered = len(below) > 1
    return _Thing(node.level, when, max(node.size, 1), label(node.label or node.summary, _NAME), below)


def _walk(things: Sequence[_Thing]) -> Iterator[_Thing]:
    for thing in things:
        yield thing
        yield from _walk(thing.below)


def _all(things: Sequence[_Thing], level: int) -> list[_Thing]:
    return [thing for thing in _walk(things) if thing.level == level]


def _rows(things: Sequence[_Thing]) -> list[_Row]:
    return [_Row(level) for level in sorted({thing.level for thing in _walk(things)}, reverse=True)]


def _bounds(things: Sequence[_Thing]) -> tuple[float, float]:
    times = [thing.when for thing in _walk(things)]
    if not times:
        return 0.0, 1.0
    return min(times) - _HALF_A_DAY, max(times) + _HALF_A_DAY


# Where it goes.


def _arrange(row: _Row, things: Sequence[_Thing]) -> None:
    """Give the clusters of a row their lanes, the largest first, and stack the rest."""
    every = _all(things, row.level)
    most = max((thing.size for thing in _walk(things)), default=1)
    clusters = sorted((thing for thing in every if thing.cluster), key=lambda thing: (-thing.size, thing.when))
    for thing in clusters:
        thing.radius = _LEAST + (_GREATEST - _LEAST) * sqrt(thing.size / most)
    found = lanes([_extent(thing) for thing in clusters], _LANES)
    row.clusters = [(thing, lane) for thing, lane in zip(clusters, found, strict=True) if lane is not None]
    count = max((lane for _, lane in row.clusters), default=-1) + 1
    row.lane_heights = [
        max(2 * max(thing.radius, _SIZE * 0.7) for thing, held in row.clusters if held == lane) + 3
        for lane in range(count)
    ]
    crowded = [thing for thing, lane in zip(clusters, found, strict=True) if lane is None]
    for thing in crowded:
        thing.radius = _DOT * 1.4
    # Those that something gathers stand at the foot of a stack, where their lines reach them.
    alone = [thing for thing in every if not thing.cluster]
    row.dots = sorted([*crowded, *alone], key=lambda thing: (not thing.gathered, thing.when))
    row.columns, row.numbers = stack([thing.x for thing in row.dots], _ABREAST * _PITCH)
    row.each = -(-(max(row.numbers, default=0) + 1) // (_ABREAST * _HIGHEST_STACK))


def _extent(thing: _Thing) -> tuple[float, float]:
    """From where to where a cluster and its name go; a name that would leave the page stands on the left."""
    side, text = thing.radius + 2, width(thing.name, _SIZE) + 6
    if thing.x + side + text > _WIDTH - 4:
        return thing.x - side - text, thing.x + side
    return thing.x - side, thing.x + side + text


def _place(row: _Row, top: float) -> None:
    """Set the heights of a row's things: lanes from above, stacks hanging below them."""
    middles: list[float] = []
    for height in row.lane_heights:
        middles.append(top - height / 2)
        top -= height
    for thing, lane in row.clusters:
        thing.y = middles[lane]
    for thing, column, number in zip(row.dots, row.columns, row.numbers, strict=True):
        place = number // row.each
        thing.x = (column * _ABREAST + place % _ABREAST + 0.5) * _PITCH
        thing.y = top - _PITCH * (1 + place // _ABREAST)


# Drawing.


def _draw_links(canvas: Canvas, things: Sequence[_Thing]) -> None:
    links: dict[int, list[tuple[float, float, float, float]]] = {}
    for thing in _walk(things):
        if thing.cluster:
            links.setdefault(thing.level, []).extend((thing.x, thing.y, child.x, child.y) for child in thing.below)
    for level, ends in links.items():
        canvas.curves(ends, _COLOURS.get(level, FAINT), alpha=min(0.35, 6 / sqrt(len(ends))))


def _draw_row(canvas: Canvas, row: _Row) -> None:
    colour = _COLOURS.get(row.level, _GATHERED)
    for kind, shade in ((False, _ALONE), (True, colour)):
        dots = [thing for thing in row.dots if (thing.gathered or thing.cluster) == kind]
        canvas.discs([dot.x for dot in dots], [dot.y for dot in dots], [dot.radius for dot in dots], shade)
    for thing, _ in row.clusters:
        canvas.disc(thing.x, thing.y, thing.radius, colour)
        left, right = _extent(thing)
        after = right - thing.x > thing.x - left
        x = thing.x + (thing.radius + 3) * (1 if after else -1)
        canvas.text(x, thing.y, thing.name, _SIZE, ha="left" if after else "right")
    ys = [thing.y for thing, _ in row.clusters] + [thing.y for thing in row.dots]
    middle = (max(ys) + min(ys)) / 2
    canvas.text(_LEFT - 14, middle, ROWS.get(row.level, EVENTS), 9, ha="right", bold=True, color=colour)
    if row.each > 1:
        canvas.text(_LEFT - 14, middle - 12, f"a dot: up to {row.each}", 6, ha="right", color=FAINT)


def _axis(canvas: Canvas, first: float, last: float, scale: float) -> None:
    """Days, months or years below, and a thin line up from each."""
    marks, rest = ticks(first, last)
    for at, text in marks:
        x = _LEFT + (at - first) * scale
        canvas.line((x, _FOOT - 8), (x, canvas.height - _HEAD + 8), color="#e6e6e6", linewidth=0.6, zorder=0)
        canvas.text(x, _FOOT - 18, text, 8, ha="center")
    canvas.text(canvas.width - _RIGHT, 12, rest, 8, ha="right", color=FAINT)
    canvas.line((_LEFT, _FOOT - 8), (canvas.width - _RIGHT, _FOOT - 8), color=INK, linewidth=0.6)


def _head(canvas: Canvas, tree: Branch, things: Sequence[_Thing]) -> None:
    count = tree.node.size
    clusters = sum(thing.cluster for thing in _walk(things))
    canvas.text(_LEFT, canvas.height - 18, "Evolution", 14, bold=True)
    said = f"{count:,} {'event' if count == 1 else 'events'}, {clusters:,} {'cluster' if clusters == 1 else 'clusters'}"
    hint = (
        "a disc gathers what is alike and grows with its events; a coloured dot belongs to a disc, a grey one to none"
    )
    canvas.text(_LEFT, canvas.height - 36, f"{said}: {hint}", 7.5, color=FAINT)
