"""Drawings: the knowledge graph, laid out by networkx, and the evolution tree over time."""

# networkx says nothing of its types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import hypot, log1p, sqrt
from typing import Any, Final

import networkx as nx

from hmem.interfaces.pictures.canvas import FAINT, INK, PAPER, Canvas, label, ticks, width
from hmem.model.entity import Entity, EntityType, KnowledgeGraph, Relation
from hmem.model.node import Branch

_LEAST: Final = 4.0
_GREATEST: Final = 24.0

# The graph: entities as discs, relations as arrows, overlaps of names as dashes.

# The colours that M. Okabe and K. Ito chose for colour-blind readers (2002), two greys, and a wine red of P. Tol's.
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
    "animal": "#882255",
}

_MARGIN: Final = 34.0
_PAGE: Final = (720.0, 300.0)
_TOP: Final = 60.0
_BOTTOM: Final = 36.0
_WIDER: Final = 1.7
_GAP: Final = 12.0
_NAME: Final = 28
_SAID: Final = 26
_LABELLED: Final = 14


@dataclass(slots=True)
class Disc:
    """Entity in the picture, with the centre of its disc."""

    name: str
    type: EntityType
    radius: float
    size: float
    x: float = 0.0
    y: float = 0.0

    @property
    def side(self) -> float:
        """Half of the width of the disc with its name, in points."""
        return max(self.radius, width(self.name, self.size) / 2)


@dataclass(slots=True)
class _RelationLine:
    """Line for all relations between two discs: directions, and labels with their strengths."""

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


def draw_graph(graph: KnowledgeGraph) -> Canvas:
    """Return the picture of a graph."""
    most = max(graph.mentions.values(), default=1) or 1
    discs = [_disc(entity, max(graph.mentions.get(entity.id, 1), 1), most) for entity in graph.entities]
    lines, overlaps = _joined(graph)
    wide, high = arrange_discs(discs, [*lines, *overlaps])
    canvas = Canvas(max(wide + 2 * _MARGIN, _PAGE[0]), max(high + 2 * _MARGIN, _PAGE[1]) + _TOP + _BOTTOM)
    right, up = (canvas.width - wide) / 2, (canvas.height - _TOP + _BOTTOM + high) / 2
    for disc in discs:
        disc.x, disc.y = disc.x + right, disc.y + up
    for one, other in overlaps:
        canvas.line(*_ends(discs[one], discs[other]), linestyle=(0, (4, 3)))
    said = sorted(lines, key=lambda pair: (-lines[pair].strength, pair))[:_LABELLED]
    for pair, line in lines.items():
        start, end = _ends(discs[pair[0]], discs[pair[1]])
        way = (start, end) if line.forward else (end, start)
        canvas.arrow(*way, both=line.forward and line.back, linewidth=0.6 + 0.5 * log1p(line.strength))
        if pair in said:
            paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8, "alpha": 0.9}
            middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            canvas.text(*middle, line.text, 6.5, ha="center", color="#444444", bbox=paper, zorder=3)
    for disc in discs:
        canvas.discs([disc.x], [disc.y], [disc.radius], COLOURS[disc.type], edge=INK)
        canvas.text(disc.x, disc.y - disc.radius - 2, disc.name, disc.size, ha="center", va="top")
    count = len(discs)
    canvas.head(
        _MARGIN,
        "Knowledge graph",
        f"{count} {'entity' if count == 1 else 'entities'}, {len(graph.relations)} relations: a disc grows with the "
        "turns that name it, arrows are relations, dashes join names that resemble each other",
    )
    _legend(canvas, {disc.type for disc in discs}, most if discs else 0)
    return canvas


def _disc(entity: Entity, mentions: int, most: int) -> Disc:
    share = sqrt(mentions / most)
    return Disc(label(entity.name, _NAME) or "?", entity.type, _radius(mentions, most), 7.0 + 5.0 * share)


def _radius(mentions: int, most: int) -> float:
    return _LEAST + (_GREATEST - _LEAST) * sqrt(mentions / most)


def _joined(graph: KnowledgeGraph) -> tuple[dict[tuple[int, int], _RelationLine], list[tuple[int, int]]]:
    """Return a line for each pair of related entities, and the pairs with overlapping names, by index."""
    place = {entity.id: i for i, entity in enumerate(graph.entities)}
    lines: dict[tuple[int, int], _RelationLine] = {}
    for relation in graph.relations:
        if relation.source in place and relation.target in place and relation.source != relation.target:
            _join(lines, place[relation.source], place[relation.target], relation)
    known = [(place[one], place[other]) for one, other in graph.overlaps if one in place and other in place]
    return lines, sorted({(min(pair), max(pair)) for pair in known})


def _join(lines: dict[tuple[int, int], _RelationLine], source: int, target: int, relation: Relation) -> None:
    line = lines.setdefault((min(source, target), max(source, target)), _RelationLine())
    line.forward |= source < target
    line.back |= source > target
    strength = max(len(relation.evidence), 1) * relation.confidence
    line.labels[relation.label] = line.labels.get(relation.label, 0.0) + strength


def arrange_discs(discs: Sequence[Disc], pairs: Sequence[tuple[int, int]]) -> tuple[float, float]:
    """Set the positions of discs, from (0, 0) to the right and down, and return their total width and height.

    Connected components are laid out by springs and stand side by side in rows, the largest first; unconnected discs
    are below them.
    """
    web: Any = nx.Graph()
    web.add_nodes_from(range(len(discs)))
    web.add_edges_from(pairs)
    parts: list[list[int]] = sorted((sorted(part) for part in nx.connected_components(web)), key=lambda p: (-len(p), p))
    sizes = [_spring(web.subgraph(part), [discs[each] for each in part]) for part in parts]
    room = max([_PAGE[0] - 2 * _MARGIN, sqrt(_WIDER**2 * sum(w * h for w, h in sizes)), *(w for w, _ in sizes)])
    left = top = lowest = widest = 0.0
    alone = next((place for place, part in enumerate(parts) if len(part) == 1), 0)
    for place, (part, (wide, high)) in enumerate(zip(parts, sizes, strict=True)):
        if left + wide > room or place == alone:
            left, top = 0.0, lowest
        for each in part:
            discs[each].x += left
            discs[each].y += top
        left += wide
        lowest, widest = min(lowest, top - high), max(widest, left)
    return widest, -lowest


def _spring(web: Any, discs: Sequence[Disc]) -> tuple[float, float]:
    """Set the positions of connected discs, from (0, 0) to the right and down, and return their width and height."""
    scale = min(22.0 * len(discs), 40.0 + 50.0 * sqrt(len(discs)))
    found = nx.spring_layout(web, iterations=300, seed=1, method="force", scale=scale)
    for disc, number in zip(discs, sorted(web), strict=True):
        x, y = found[number]
        disc.x, disc.y = float(x) * _WIDER, float(y)
    left = min(disc.x - disc.side for disc in discs) - _GAP
    top = max(disc.y + disc.radius for disc in discs) + _GAP
    wide = max(disc.x + disc.side for disc in discs) + _GAP - left
    high = top - min(disc.y - disc.radius - 1.5 * disc.size for disc in discs) + _GAP
    for disc in discs:
        disc.x, disc.y = disc.x - left, disc.y - top
    return wide, high


def _ends(one: Disc, other: Disc) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of a line between two discs, at their edges."""
    length = hypot(other.x - one.x, other.y - one.y) or 1.0
    across, up = (other.x - one.x) / length, (other.y - one.y) / length
    out, back = one.radius + 1.5, other.radius + 1.5
    return (one.x + across * out, one.y + up * out), (other.x - across * back, other.y - up * back)


def _legend(canvas: Canvas, present: set[EntityType], most: int) -> None:
    """Draw the colours of the types below, and the sizes of the discs above on the right."""
    x = _MARGIN
    for kind, colour in COLOURS.items():
        if kind in present:
            canvas.discs([x + 4], [_BOTTOM / 2], [4], colour, edge=INK)
            canvas.text(x + 12, _BOTTOM / 2, kind, 8)
            x += width(kind, 8) + 26
    x = canvas.width - _MARGIN
    for mentions in [most, *([most // 4] if most >= 8 else [])] if most else []:
        text, radius = f"{mentions:,}", _radius(mentions, most)
        side = max(radius, width(text, 7) / 2)
        canvas.discs([x - side], [canvas.height - 12 - radius], [radius], PAPER, edge=FAINT)
        canvas.text(x - side, canvas.height - 12 - radius, text, 7, ha="center", color=FAINT)
        x -= 2 * side + 8
    if most:
        canvas.text(x, canvas.height - 20, "turns", 7, ha="right", color=FAINT)


# The evolution tree: time from left to right, its levels from above to below, the events last.

ROWS: Final = {0: "events", 1: "week", 2: "month", 3: "year"}

_OF_LEVEL: Final = {0: "#555555", 1: "#d55e00", 2: "#009e73", 3: "#0072b2"}
_ALONE: Final = "#b0b0b0"

_WIDTH: Final = 1_080.0
_START: Final = 64.0
_END: Final = 30.0
_ABOVE: Final = 52.0
_BELOW: Final = 44.0
_BETWEEN: Final = 26.0
_SMALL: Final = 3.0
_LARGE: Final = 15.0
_LANES: Final = 7
_TEXT: Final = 7.0
_LONGEST: Final = 30
_DOT: Final = 1.5
_PITCH: Final = 3.6
# Width and maximal height of a stack, in dots.
_ABREAST: Final = 3
_HIGHEST: Final = 30
_HALF_A_DAY: Final = 43_200.0


@dataclass(slots=True)
class _Thing:
    """Node or event in the picture: level (0 for an event), time, weight, name, children and position."""

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
        """True if it has more than one child."""
        return len(self.below) > 1

    @property
    def named_after(self) -> bool:
        """True if its name is on the right; on the left where it would leave the page."""
        return self.x + self.radius + width(self.name, _TEXT) + 8 <= _WIDTH - 4

    @property
    def extent(self) -> tuple[float, float]:
        """Left and right bounds of it with its name, in points."""
        side, text = self.radius + 2, width(self.name, _TEXT) + 6
        return (self.x - side, self.x + side + text) if self.named_after else (self.x - side - text, self.x + side)


def draw_evolution(tree: Branch, said: Mapping[str, datetime]) -> Canvas:
    """Return the picture of an evolution tree; ``said`` is when each event was said, by its id."""
    things = list(_walk([_thing(branch, said) for branch in tree.children]))
    times = [thing.when for thing in things] or [_HALF_A_DAY]
    first, last = min(times) - _HALF_A_DAY, max(times) + _HALF_A_DAY
    scale = (_WIDTH - _START - _END) / (last - first)
    for thing in things:
        thing.x = _START + (thing.when - first) * scale
    rows = {level: [thing for thing in things if thing.level == level] for level in sorted(ROWS, reverse=True)}
    each, y = dict.fromkeys(rows, 1), 0.0
    for level, row in rows.items():
        if row:
            y, each[level] = _arrange_row(row, y, max(thing.size for thing in things))
            y -= _BETWEEN
    canvas = Canvas(_WIDTH, _ABOVE + _BELOW - y)
    for thing in things:
        thing.y += canvas.height - _ABOVE
    for level, row in rows.items():
        if row:
            _draw_row(canvas, level, row, each[level])
    clusters = sum(thing.cluster for thing in things)
    canvas.head(
        _START,
        "Evolution",
        f"{tree.node.size:,} {'event' if tree.node.size == 1 else 'events'}, {clusters:,} "
        f"{'cluster' if clusters == 1 else 'clusters'}: a disc gathers what is alike and grows with its events; "
        "a coloured dot belongs to a disc, a grey one to none",
    )
    if things:
        _axis(canvas, first, last, scale)
    return canvas


def _thing(branch: Branch, said: Mapping[str, datetime]) -> _Thing:
    events = [_Thing(0, said[leaf].timestamp(), 1) for leaf in branch.leaves if leaf in said]
    below = [*(_thing(child, said) for child in branch.children), *events]
    node = branch.node
    middle = node.span.start + (node.span.end - node.span.start) / 2
    weight = sum(thing.size for thing in below)
    when = sum(thing.when * thing.size for thing in below) / weight if weight else middle.timestamp()
    for thing in below:
        thing.gathered = len(below) > 1
    return _Thing(node.level, when, max(node.size, 1), label(node.label or node.summary, _LONGEST), below)


def _walk(things: Sequence[_Thing]) -> Iterator[_Thing]:
    for thing in things:
        yield thing
        yield from _walk(thing.below)


def _arrange_row(row: Sequence[_Thing], top: float, most: int) -> tuple[float, int]:
    """Set the heights of a level's things: clusters in lanes, the largest first, the rest as stacks of dots.

    Returns the lower end of the row, and the number of things that one of its dots stands for.
    """
    lanes: list[list[_Thing]] = []
    dots = [thing for thing in row if not thing.cluster]
    for thing in sorted((each for each in row if each.cluster), key=lambda each: (-each.size, each.when)):
        thing.radius = _SMALL + (_LARGE - _SMALL) * sqrt(thing.size / most)
        free = next((lane for lane in lanes if not any(_meet(thing, other) for other in lane)), None)
        if free is not None:
            free.append(thing)
        elif len(lanes) < _LANES:
            lanes.append([thing])
        else:
            thing.radius, thing.name = _DOT * 1.4, ""
            dots.append(thing)
    for lane in lanes:
        height = 2 * max(_TEXT * 0.7, *(thing.radius for thing in lane)) + 3
        for thing in lane:
            thing.y = top - height / 2
        top -= height
    # Members of clusters are at the top of a stack, where their lines reach them.
    dots.sort(key=lambda thing: (not thing.gathered, thing.when))
    columns = [int(thing.x // (_ABREAST * _PITCH)) for thing in dots]
    highest = max(Counter(columns).values(), default=0)
    each = max(-(-highest // (_ABREAST * _HIGHEST)), 1)
    filled = Counter[int]()
    for thing, column in zip(dots, columns, strict=True):
        place = filled[column] // each
        filled[column] += 1
        thing.x = (column * _ABREAST + place % _ABREAST + 0.5) * _PITCH
        thing.y = top - _PITCH * (1 + place // _ABREAST)
    return top - (-(-highest // (_ABREAST * each)) + 2) * _PITCH, each


def _meet(one: _Thing, other: _Thing) -> bool:
    (left, right), (start, end) = one.extent, other.extent
    return left < end and start < right


def _draw_row(canvas: Canvas, level: int, row: Sequence[_Thing], each: int) -> None:
    colour = _OF_LEVEL[level]
    clusters = [thing for thing in row if thing.cluster]
    links = [(thing.x, thing.y, child.x, child.y) for thing in clusters for child in thing.below]
    canvas.curves(links, colour, alpha=min(0.35, 6 / sqrt(len(links) or 1)))
    for shade in (_ALONE, colour):
        shown = [thing for thing in row if (thing.gathered or thing.cluster) == (shade == colour)]
        canvas.discs([dot.x for dot in shown], [dot.y for dot in shown], [dot.radius for dot in shown], shade)
    for thing in clusters:
        x = thing.x + (thing.radius + 3) * (1 if thing.named_after else -1)
        canvas.text(x, thing.y, thing.name, _TEXT, ha="left" if thing.named_after else "right")
    middle = (max(thing.y for thing in row) + min(thing.y for thing in row)) / 2
    canvas.text(_START - 14, middle, ROWS[level], 9, ha="right", bold=True, color=colour)
    if each > 1:
        canvas.text(_START - 14, middle - 12, f"a dot: up to {each}", 6, ha="right", color=FAINT)


def _axis(canvas: Canvas, first: float, last: float, scale: float) -> None:
    """Draw days, months or years below, with a thin line up from each."""
    marks, rest = ticks(first, last)
    for at, text in marks:
        x = _START + (at - first) * scale
        canvas.line((x, _BELOW - 8), (x, canvas.height - _ABOVE + 8), color="#e6e6e6", linewidth=0.6, zorder=0)
        canvas.text(x, _BELOW - 18, text, 8, ha="center")
    canvas.text(canvas.width - _END, 12, rest, 8, ha="right", color=FAINT)
    canvas.line((_START, _BELOW - 8), (canvas.width - _END, _BELOW - 8), color=INK, linewidth=0.6)
