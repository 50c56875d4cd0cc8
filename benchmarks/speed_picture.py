"""Picture of growth: milliseconds of a call by the number of turns, both on scales of powers of ten, as SVG."""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 62, 150, 24, 48
INK, GRID = "#222222", "#dddddd"
# Safe for colour-blind readers.
LINES = (
    ("fusion search", "recall", ("search",), "#0072b2"),
    ("flat search", "recall", ("flat",), "#d55e00"),
    ("context", "recall", ("context",), "#009e73"),
    ("formation, a turn", "formation", (), "#555555"),
)

# A line has two ends.
_LEAST = 2

Points = Sequence[tuple[float, float]]


def points(figures: Mapping[str, Any], section: str, path: Sequence[str]) -> Points:
    """Return (turns, milliseconds) of a figure at every size at which it was measured."""
    found: list[tuple[float, float]] = []
    for size, each in figures.get(section, {}).items():
        value: Any = each
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        if size.isdigit() and isinstance(value, int | float):
            found.append((float(size), float(value)))
    return sorted(found)


def draw(figures: Mapping[str, Any]) -> str:
    """Return the picture."""
    found = [(name, colour, points(figures, section, path)) for name, section, path, colour in LINES]
    drawn = [line for line in found if len(line[2]) >= _LEAST]
    every = [point for _, _, some in drawn for point in some] or [(1_000.0, 1.0), (10_000.0, 10.0)]
    x = _scale([turns for turns, _ in every], LEFT, WIDTH - RIGHT)
    y = _scale([value for _, value in every], HEIGHT - BOTTOM, TOP)
    parts = [_grid(x, y)]
    for name, colour, some in drawn:
        path = " ".join(f"{x.at(turns):.1f},{y.at(value):.1f}" for turns, value in some)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for turns, value in some:
            place = f'cx="{x.at(turns):.1f}" cy="{y.at(value):.1f}"'
            parts.append(f'<circle {place} r="3" fill="{colour}"><title>{name}: {value:g} ms</title></circle>')
        end, last = some[-1]
        parts.append(_text(x.at(end) + 8, y.at(last) + 4, f"{name} {last:.3g}", colour))
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif" font-size="12">'
    title = "<title>Milliseconds of a call by the number of turns</title>"
    return "\n".join([head, title, f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>', *parts, "</svg>", ""])


class _Scale:
    """Scale of powers of ten, which contains all values, from one coordinate to another."""

    def __init__(self, least: int, most: int, start: float, end: float) -> None:
        self.powers = range(least, most + 1)
        self._start = start
        self._step = (end - start) / max(most - least, 1)

    def at(self, value: float) -> float:
        """Return the coordinate of a value."""
        return self._start + (log10(value) - self.powers[0]) * self._step


def _scale(values: Sequence[float], start: float, end: float) -> _Scale:
    logs = [log10(value) for value in values]
    least = int(min(logs) // 1)
    return _Scale(least, max(-int(-max(logs) // 1), least + 1), start, end)


def _grid(x: _Scale, y: _Scale) -> str:
    parts: list[str] = []
    for power in x.powers:
        at = x.at(10**power)
        parts.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}" stroke="{GRID}"/>')
        parts.append(_text(at, HEIGHT - BOTTOM + 18, f"{10**power:,}", INK, "middle"))
    for power in y.powers:
        at = y.at(10**power)
        parts.append(f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="{GRID}"/>')
        parts.append(_text(LEFT - 8, at + 4, f"{10**power:g}", INK, "end"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "turns", INK, "middle"))
    parts.append(_text(LEFT - 8, TOP - 8, "ms", INK, "end"))
    return "\n".join(parts)


def _text(x: float, y: float, text: str, colour: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">{text}</text>'
