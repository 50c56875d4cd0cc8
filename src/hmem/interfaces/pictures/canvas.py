"""Canvas: a page of matplotlib without a window, with the point (1/72 inch) as its unit, its fonts and dates."""

# matplotlib's own types leave parts of its signatures open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from matplotlib import font_manager, rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.path import Path as Outline
from matplotlib.patheffects import withStroke
from matplotlib.textpath import TextToPath

INK: Final = "#222222"
FAINT: Final = "#707070"
PAPER: Final = "#ffffff"

# Comes with matplotlib; the others, where installed, have the characters that it lacks.
_OWN: Final = "DejaVu Sans"
_LENDERS: Final = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "WenQuanYi Zen Hei", "PingFang SC", "Hiragino Sans GB",
    "Microsoft YaHei", "Arial Unicode MS", "Noto Sans Devanagari", "Noto Sans Thai", "Noto Sans", "Noto Emoji",
)  # fmt: skip
_LACKING: Final = "\u25a1"
_DOTS_PER_INCH: Final = 150.0
_LONGEST_SIDE: Final = 5_000
_POINTS_PER_INCH: Final = 72.0
_DAY_SECONDS: Final = 86_400
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
# matplotlib looks for ticks a little beyond the bounds, and fails before the year 1 and after 9999.
_FIRST: Final = (datetime(3, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds()
_LAST: Final = (datetime(9998, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds()


@cache
def _families() -> list[str]:
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return [_OWN, *(name for name in _LENDERS if name in installed)]


@cache
def _drawable() -> frozenset[int]:
    """Return the code points that the installed fonts can show."""
    fonts = [font_manager.get_font(font_manager.findfont(FontProperties(family=name))) for name in _families()]
    return frozenset(code for font in fonts for code in font.get_charmap())


def label(text: str, longest: int) -> str:
    """Return a text as one line of at most ``longest`` characters, with a box for each that no font can show."""
    flat = " ".join(text.split())
    cut = flat if len(flat) <= longest else f"{flat[: longest - 1].rstrip()}…"
    return "".join(letter if ord(letter) in _drawable() else _LACKING for letter in cut)


def font(size: float, *, bold: bool = False) -> FontProperties:
    """Return the font of texts, by size in points."""
    return FontProperties(family=_families(), size=size, weight="bold" if bold else "normal")


@cache
def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text, in points."""
    return TextToPath().get_text_width_height_descent(text, font(size, bold=bold), ismath=False)[0]


def ticks(first: float, last: float) -> tuple[list[tuple[float, str]], str]:
    """Return round dates between two times, in seconds since 1970, with short labels; and the part that labels omit."""
    locator = AutoDateLocator(minticks=4, maxticks=12)
    dates = [_EPOCH + timedelta(seconds=min(max(at, _FIRST), _LAST)) for at in (first, last)]
    if dates[0] >= dates[1]:
        return [], ""
    days: list[float] = list(map(float, cast("Any", locator).tick_values(*dates)))
    inside = [day for day in days if first <= day * _DAY_SECONDS <= last]
    formatter = ConciseDateFormatter(locator)
    texts = formatter.format_ticks(inside) if inside else []
    return [(day * _DAY_SECONDS, text) for day, text in zip(inside, texts, strict=True)], formatter.get_offset()


class Canvas:
    """Page with a width and a height in points; (0, 0) is the lower left corner."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self._figure = Figure(figsize=(width / _POINTS_PER_INCH, height / _POINTS_PER_INCH), facecolor=PAPER)
        FigureCanvasAgg(self._figure)
        self._axes = self._figure.add_axes((0.0, 0.0, 1.0, 1.0))
        self._axes.set_axis_off()
        self._axes.set(xlim=(0, width), ylim=(0, height))

    def text(self, x: float, y: float, text: str, size: float, *, bold: bool = False, **look: Any) -> None:
        """Draw a text by its left end and its middle, unless ``ha`` and ``va`` say otherwise, with a halo of paper."""
        halo = [withStroke(linewidth=2.2, foreground=PAPER)]
        given: dict[str, Any] = {"color": INK, "ha": "left", "va": "center", "zorder": 5, "path_effects": halo, **look}
        self._axes.text(x, y, text, fontproperties=font(size, bold=bold), parse_math=False, usetex=False, **given)

    def discs(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        radii: Sequence[float],
        colour: str,
        *,
        edge: str = PAPER,
    ) -> None:
        """Draw filled circles of one colour."""
        areas = [(2 * radius) ** 2 for radius in radii]
        self._axes.scatter(xs, ys, s=areas, c=colour, edgecolors=edge, linewidths=0.6, zorder=4)

    def head(self, x: float, title: str, told: str) -> None:
        """Draw the title at the top, and the explanation below it."""
        self.text(x, self.height - 20, title, 14, bold=True)
        self.text(x, self.height - 38, told, 7.5, color=FAINT)

    def line(self, start: tuple[float, float], end: tuple[float, float], **look: Any) -> None:
        """Draw a straight line."""
        given: dict[str, Any] = {"color": FAINT, "linewidth": 0.8, "zorder": 1, **look}
        self._axes.add_line(Line2D([start[0], end[0]], [start[1], end[1]], **given))

    def curves(self, ends: Sequence[tuple[float, float, float, float]], colour: str, *, alpha: float) -> None:
        """Draw curves that leave and arrive vertically, each from (x, y) to (x, y)."""
        codes = [Outline.MOVETO, Outline.CURVE4, Outline.CURVE4, Outline.CURVE4]
        outlines = [
            Outline([(x, y), (x, (y + to_y) / 2), (to_x, (y + to_y) / 2), (to_x, to_y)], codes)
            for x, y, to_x, to_y in ends
        ]
        look: dict[str, Any] = {"facecolors": "none", "edgecolors": colour, "linewidths": 0.6}
        self._axes.add_collection(PathCollection(outlines, alpha=alpha, zorder=1, **look), autolim=False)

    def arrow(self, start: tuple[float, float], end: tuple[float, float], *, both: bool, **look: Any) -> None:
        """Draw a straight arrow, with two heads or one."""
        given: dict[str, Any] = {"color": FAINT, "linewidth": 0.8, "zorder": 2, "mutation_scale": 7, **look}
        style = "<|-|>" if both else "-|>"
        self._axes.add_patch(
            FancyArrowPatch(start, end, arrowstyle=style, shrinkA=0, shrinkB=0, capstyle="butt", **given)
        )

    def save(self, path: Path) -> None:
        """Write the page in the format of the path's suffix."""
        longest = max(self.width, self.height) / _POINTS_PER_INCH
        with rc_context({"svg.hashsalt": "hmem", "svg.fonttype": "path"}):
            self._figure.savefig(path, dpi=min(_DOTS_PER_INCH, _LONGEST_SIDE / longest), facecolor=PAPER)
