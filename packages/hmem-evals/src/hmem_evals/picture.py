"""Picture of a comparison: a row for each recipe and ablation, a panel for each category and one for the time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hmem.interfaces.pictures.canvas import FAINT, INK, Canvas, label, width

# Safe for colour-blind readers, and far apart in lightness; recipes are bold as well.
_RECIPE: Final = "#0072b2"
_ABLATION: Final = "#d55e00"
_BASELINES: Final = ("bm25", "vector", "flat")
_BASELINE: Final = "#555555"
_GRID: Final = "#e6e6e6"

_EACH: Final = 118.0
_LEFT: Final = 190.0
_RIGHT: Final = 6.0
_BETWEEN: Final = 34.0
_HEAD: Final = 86.0
_FOOT: Final = 34.0
_LINE: Final = 15.0
_GAP: Final = 8.0
_SIZE: Final = 8.0
_SMALL: Final = 7.0
_NAME: Final = 34
_K: Final = "10"

_Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Panel:
    """One measure of all rows; ``most`` is the value at its right end."""

    title: str
    of: Callable[[_Row], float | None]
    most: float
    marks: tuple[float, ...]
    written: Callable[[float], str]
    left: float
    right: float

    def x(self, value: float) -> float:
        """Return the x coordinate of a value."""
        return self.left + (self.right - self.left) * min(value / self.most, 1.0)


def draw_comparison(measured: Mapping[str, Any]) -> Canvas:
    """Draw the rows of a comparison: recall among ten turns by category, and milliseconds of a search."""
    rows: Sequence[_Row] = measured["rows"]
    heights, panels = _heights(rows), _panels(rows)
    canvas = Canvas(panels[-1].right + _BETWEEN + _RIGHT, _HEAD + _FOOT + (heights[-1] if heights else 0.0))
    ys = [canvas.height - _HEAD - height for height in heights]
    for panel in panels:
        _frame(canvas, panel)
    for row, y in zip(rows, ys, strict=True):
        _name(canvas, row, y)
        for panel in panels:
            _dot(canvas, panel, row, y, _whole(rows, row))
    _head(canvas, measured)
    return canvas


def _heights(rows: Sequence[_Row]) -> list[float]:
    """Return the distance of each row below the first; a recipe has a gap above it."""
    heights: list[float] = []
    for number, row in enumerate(rows):
        apart = _GAP if number and row["ablates"] is None and rows[number - 1]["ablates"] is not None else 0.0
        heights.append((heights[-1] + _LINE if heights else 0.0) + apart)
    return heights


def _panels(rows: Sequence[_Row]) -> list[_Panel]:
    categories = [name for name, part in rows[0]["by_category"].items() if part["measured"]] if rows else []
    named: list[tuple[str, Callable[[_Row], float | None]]] = [
        ("all questions", lambda row: row["recall"][_K]),
        *((name, _of_category(name)) for name in categories),
    ]
    slowest = max((row["search_ms"]["p50"] or 0.0 for row in rows), default=0.0) or 1.0
    made = [
        _Panel(title, of, 1.0, (0.0, 0.5, 1.0), lambda value: f"{100 * value:.0f}", *_edges(number))
        for number, (title, of) in enumerate(named)
    ]
    time = _Panel(
        "search, ms", lambda row: row["search_ms"]["p50"], slowest, (0.0,), lambda value: f"{value:.3g}",
        *_edges(len(named)),
    )  # fmt: skip
    return [*made, time]


def _edges(number: int) -> tuple[float, float]:
    left = _LEFT + number * (_EACH + _BETWEEN)
    return left, left + _EACH


def _of_category(name: str) -> Callable[[_Row], float | None]:
    return lambda row: row["by_category"][name]["recall"][_K]


def _whole(rows: Sequence[_Row], row: _Row) -> _Row | None:
    """Return the row of the recipe that a row ablates, if any."""
    return next((other for other in rows if row["ablates"] is not None and other["name"] == row["ablates"]), None)


def _frame(canvas: Canvas, panel: _Panel) -> None:
    top, bottom = canvas.height - _HEAD + _LINE, _FOOT - 10
    for mark in panel.marks:
        canvas.line((panel.x(mark), bottom), (panel.x(mark), top), color=_GRID, linewidth=0.7, zorder=0)
        canvas.text(panel.x(mark), bottom - 8, panel.written(mark), _SMALL, ha="center", color=FAINT)
    canvas.text(panel.left, top + 9, label(panel.title, 26), _SIZE, bold=True)


def _colour(row: _Row) -> str:
    if row["ablates"] is not None:
        return _ABLATION
    return _BASELINE if row["name"] in _BASELINES else _RECIPE


def _name(canvas: Canvas, row: _Row, y: float) -> None:
    whole = row["ablates"] is None
    canvas.text(
        _LEFT - 14, y, label(row["name"], _NAME), _SIZE, ha="right", bold=whole, color=_colour(row) if whole else INK
    )


def _dot(canvas: Canvas, panel: _Panel, row: _Row, y: float, whole: _Row | None) -> None:
    """Draw a value as a dot; a line from its recipe's value shows the loss or gain of an ablation."""
    value, base = panel.of(row), None if whole is None else panel.of(whole)
    if value is None:
        canvas.text(panel.left, y, "-", _SMALL, color=FAINT)
        return
    x, start = panel.x(value), panel.left if whole is None else panel.x(base or 0.0)
    canvas.line((start, y), (x, y), color=_colour(row), linewidth=2.2 if whole is None else 1.4, zorder=2)
    if whole is not None:
        canvas.line((start, y - 4), (start, y + 4), color=_RECIPE, linewidth=1.2, zorder=3)
    canvas.discs([x], [y], [3.4 if whole is None else 2.8], _colour(row))
    written = panel.written(value)
    room = max(x, start) + 6
    canvas.text(room, y, written, _SMALL, bold=whole is None, color=INK)


def _head(canvas: Canvas, measured: Mapping[str, Any]) -> None:
    top = canvas.height
    questions = measured["rows"][0]["questions"] if measured["rows"] else 0
    canvas.text(20, top - 20, f"Recall of evidence among {_K} turns, in percent", 14, bold=True)
    canvas.text(20, top - 40, f"{label(str(measured['dataset']), 30)}, {questions:,} questions", _SIZE, color=FAINT)
    x = 20.0 + width(f"{measured['dataset']}, {questions:,} questions", _SIZE) + 24
    for colour, text in (
        (_RECIPE, "recipe"),
        (_ABLATION, "the same, changed: the line begins where the recipe is"),
        (_BASELINE, "plain"),
    ):
        canvas.discs([x], [top - 40], [3.4], colour)
        canvas.text(x + 8, top - 40, text, _SIZE, color=FAINT)
        x += 8 + width(text, _SIZE) + 22
