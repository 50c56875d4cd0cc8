"""The picture of the knowledge graph: its entities as discs, relations as arrows, overlaps of names as dashes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import hypot, log1p, sqrt
from typing import Final

import numpy as np

from hmem.interfaces.pictures.canvas import FAINT, INK, PAPER, Canvas, label, width
from hmem.interfaces.pictures.layout import Box, Points, Spring, bounds, columns, parts, shelves, spread, springs
from hmem.model.entity import Entity, EntityType, KnowledgeGraph, Relation

# The colours that M. Okabe and K. Ito chose for colour-blind readers (2002), and two greys.
COLOURS: Final[Mapping[EntityType, str]] = {
    "person": "#0072b2",
    "organization": "#d55e00",
    "location": "#009e73",
    "event": "#cc79a7",
    "product": "#e69f00",
    "work": "#f0e442",
    "date": "#56b4e9",
    "time": "#333333",
    "other": "#aaaaaa",
}

_LEAST: Final = 4.0
_GREATEST: Final = 24.0
_MARGIN: Final = 34.0
_HEAD: Final = 60.0
_FOOT: Final = 36.0
_SMALLEST_PAGE: Final = (720.0, 300.0)
_APART: Final = 60.0
_GAP: Final = 24.0
_WIDER: Final = 1.7
_NAME: Final = 28
_SAID: Final = 26
_LABELLED: Final = 14
_LABEL_SIZE: Final = 6.5
_ALONG: Final = (0.5, 0.42, 0.58, 0.35, 0.65, 0.28, 0.72)


@dataclass(frozen=True, slots=True)
class _Disc:
    """An entity in the picture."""

    name: str
    type: EntityType
    mentions: int
    radius: float
    size: float

    @property
    def box(self) -> Box:
        """What it takes up, with its name below it and some air, around the middle of the disc."""
        side = max(self.radius, width(self.name, self.size) / 2) + 5
        return Box(-side, -self.radius - self.size * 1.5 - 4, side, self.radius + 4)


@dataclass(slots=True)
class _Line:
    """All relations between two discs: which ways they go, what they are called, how strong they are."""

    one: int
    other: int
    forward: bool = False
    back: bool = False
    labels: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def strength(self) -> float:
        return sum(self.labels.values())

    @property
    def text(self) -> str:
        best = sorted(self.labels, key=lambda name: (-self.labels[name], name))
        return label(" · ".join(best[:2]).replace("_", " "), _SAID)


def draw(graph: KnowledgeGraph) -> Canvas:
    """The picture of a graph; names never cover each other."""
    discs = _discs(graph)
    lines, overlaps = _lines(graph)
    places = _places(discs, lines, overlaps)
    around = bounds(places, [disc.box for disc in discs])
    wide = max(around.right - around.left + 2 * _MARGIN, _SMALLEST_PAGE[0])
    high = max(around.top - around.bottom + 2 * _MARGIN, _SMALLEST_PAGE[1])
    places += [(wide - around.left - around.right) / 2, (high - around.bottom - around.top) / 2 + _FOOT]
    canvas = Canvas(wide, high + _FOOT + _HEAD)
    _draw_lines(canvas, places, discs, lines, overlaps)
    for disc, (x, y) in zip(discs, places.tolist(), strict=True):
        canvas.disc(x, y, disc.radius, COLOURS[disc.type], edge=INK)
        canvas.text(x, y - disc.radius - 2, disc.name, disc.size, ha="center", va="top")
    _head(canvas, graph)
    _legend(canvas, discs)
    return canvas


def _discs(graph: KnowledgeGraph) -> list[_Disc]:
    most = max(graph.mentions.values(), default=1) or 1
    return [_disc(entity, max(graph.mentions.get(entity.id, 1), 1), most) for entity in graph.entities]


def _disc(entity: Entity, mentions: int, most: int) -> _Disc:
    name = label(entity.name, _NAME) or "?"
    return _Disc(name, entity.type, mentions, _radius(mentions, most), 7.0 + 5.0 * sqrt(mentions / most))


def _radius(mentions: int, most: int) -> float:
    return _LEAST + (_GREATEST - _LEAST) * sqrt(mentions / most)


def _lines(graph: KnowledgeGraph) -> tuple[list[_Line], list[tuple[int, int]]]:
    """A line for each pair of entities that are related, and the pairs whose names alone overlap."""
    number = {entity.id: i for i, entity in enumerate(graph.entities)}
    lines: dict[tuple[int, int], _Line] = {}
    for relation in graph.relations:
        if relation.source in number and relation.target in number and relation.source != relation.target:
            _join(lines, number[relation.source], number[relation.target], relation)
    pairs = {
        (min(number[one], number[other]), max(number[one], number[other]))
        for one, other in graph.overlaps
        if one in number and other in number
    }
    return list(lines.values()), sorted(pairs)


def _join(lines: dict[tuple[int, int], _Line], source: int, target: int, relation: Relation) -> None:
    pair = (min(source, target), max(source, target))
    line = lines.setdefault(pair, _Line(*pair))
    line.forward |= source == pair[0]
    line.back |= source == pair[1]
    strength = max(len(relation.evidence), 1) * relation.confidence
    line.labels[relation.label] = line.labels.get(relation.label, 0.0) + strength


def _strongest(lines: Sequence[_Line]) -> list[_Line]:
    return sorted(lines, key=lambda line: (-line.strength, line.one, line.other))[:_LABELLED]


def _places(discs: Sequence[_Disc], lines: Sequence[_Line], overlaps: Sequence[tuple[int, int]]) -> Points:
    said = {(line.one, line.other) for line in _strongest(lines)}
    ties = [
        Spring(
            line.one,
            line.other,
            discs[line.one].radius
            + discs[line.other].radius
            + (width(line.text, _LABEL_SIZE) + 36 if (line.one, line.other) in said else 40),
            1 + log1p(line.strength) / 3,
        )
        for line in lines
    ]
    ties += [Spring(one, other, _APART) for one, other in overlaps]
    return _arranged([disc.box for disc in discs], ties)


def _arranged(boxes: Sequence[Box], ties: Sequence[Spring]) -> Points:
    """Places for boxes: what hangs together by itself, side by side, and in rows below what is tied to nothing."""
    places = np.zeros((len(boxes), 2))
    found = parts(len(boxes), ties)
    groups = [part for part in found if len(part) > 1]
    for part in groups:
        inside = {number: i for i, number in enumerate(part)}
        held = [replace(tie, one=inside[tie.one], other=inside[tie.other]) for tie in ties if tie.one in inside]
        places[part] = spread(springs(len(part), held, _APART), [boxes[number] for number in part])
    around = [bounds(places[part], [boxes[number] for number in part]).wider(_GAP / 2) for part in groups]
    area = sum((box.right - box.left) * (box.top - box.bottom) for box in around)
    highest = max((box.top - box.bottom for box in around), default=0.0)
    for part, move in zip(groups, columns(around, max(highest, sqrt(area / _WIDER))), strict=True):
        places[part] += move
    tied = [number for part in groups for number in part]
    alone = sorted(number for part in found if len(part) == 1 for number in part)
    above = bounds(places[tied], [boxes[number] for number in tied])
    page = max(above.right - above.left, _SMALLEST_PAGE[0] - 2 * _MARGIN)
    rows = shelves([boxes[number] for number in alone], page)
    below = bounds(rows, [boxes[number] for number in alone])
    middle = (above.left + above.right - below.left - below.right) / 2
    places[alone] = rows + np.array([middle, above.bottom - (_GAP if tied else 0.0)])
    return places


def _draw_lines(
    canvas: Canvas,
    places: Points,
    discs: Sequence[_Disc],
    lines: Sequence[_Line],
    overlaps: Sequence[tuple[int, int]],
) -> None:
    ends = {
        (one, other): _ends(places, discs, one, other)
        for one, other in [*((line.one, line.other) for line in lines), *overlaps]
    }
    for pair in overlaps:
        canvas.line(*ends[pair], linestyle=(0, (4, 3)), color=FAINT)
    for line in lines:
        start, end = ends[line.one, line.other]
        way = (start, end) if line.forward else (end, start)
        shade = {"linewidth": 0.6 + 0.5 * log1p(line.strength), "color": "#8a8a8a"}
        canvas.arrow(*way, both=line.forward and line.back, **shade)
    taken = [disc.box.around(*place) for disc, place in zip(discs, places.tolist(), strict=True)]
    for line in _strongest(lines):
        _say(canvas, line.text, *ends[line.one, line.other], taken)


def _ends(
    places: Points, discs: Sequence[_Disc], one: int, other: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where a line between two discs leaves them."""
    (x, y), (to_x, to_y) = places[one].tolist(), places[other].tolist()
    length = hypot(to_x - x, to_y - y) or 1.0
    across, up = (to_x - x) / length, (to_y - y) / length
    out, back = discs[one].radius + 1.5, discs[other].radius + 1.5
    return (x + across * out, y + up * out), (to_x - across * back, to_y - up * back)


def _say(canvas: Canvas, text: str, start: tuple[float, float], end: tuple[float, float], taken: list[Box]) -> None:
    """Write on a line what it means, where that covers nothing; else leave it out."""
    wide, high = width(text, _LABEL_SIZE) / 2 + 1.5, _LABEL_SIZE * 0.7
    for part in _ALONG:
        x, y = start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part
        box = Box(x - wide, y - high, x + wide, y + high)
        if not any(box.meets(other) for other in taken):
            taken.append(box)
            paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8, "alpha": 0.9}
            canvas.text(x, y, text, _LABEL_SIZE, ha="center", color="#444444", bbox=paper, zorder=3)
            return


def _head(canvas: Canvas, graph: KnowledgeGraph) -> None:
    count = len(graph.entities)
    canvas.text(_MARGIN, canvas.height - 20, "Knowledge graph", 14, bold=True)
    said = f"{count} {'entity' if count == 1 else 'entities'}, {len(graph.relations)} relations"
    hint = "a disc grows with the turns that name it, arrows are relations, dashes join names that resemble each other"
    canvas.text(_MARGIN, canvas.height - 38, f"{said}: {hint}", 7.5, color=FAINT)


def _legend(canvas: Canvas, discs: Sequence[_Disc]) -> None:
    """The colours of the types below, the sizes of the discs above on the right."""
    present = {disc.type for disc in discs}
    x = _MARGIN
    for kind, colour in COLOURS.items():
        if kind in present:
            canvas.disc(x + 4, _FOOT / 2, 4, colour, edge=INK)
            canvas.text(x + 12, _FOOT / 2, kind, 8)
            x += width(kind, 8) + 26
    most = max((disc.mentions for disc in discs), default=0)
    x = canvas.width - _MARGIN
    for mentions in _steps(most):
        text, radius = f"{mentions:,}", _radius(mentions, most)
        x -= max(radius, width(text, 7) / 2)
        canvas.disc(x, canvas.height - 12 - radius, radius, PAPER, edge=FAINT)
        canvas.text(x, canvas.height - 12 - radius, text, 7, ha="center", color=FAINT)
        x -= max(radius, width(text, 7) / 2) + 8
    if most:
        canvas.text(x, canvas.height - 20, "turns", 7, ha="right", color=FAINT)


def _steps(most: int) -> list[int]:
    """Numbers of turns to show the size of, the greatest first."""
    return [most, *([most // 4] if most >= 8 else [])] if most else []
