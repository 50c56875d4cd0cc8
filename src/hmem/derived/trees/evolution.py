"""Evolution tree: similar events of a time window in clusters of week, month and year.

H-Mem: A Novel Memory Mechanism for Evolving and Retrieving Agent Memory via a Hybrid Structure (arXiv 2605.15701),
formation of the temporal-semantic tree. What the paper leaves open is decided in docs/decisions/0043.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.derived.trees.centroids import Values, on_grid
from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.placement import Leaf, Placement, Scale, cosine_at, divide_children, divide_leaves
from hmem.derived.trees.tree import Tree, Window

WEEK: Final = 1
MONTH: Final = 2
YEAR: Final = 3

# The paper's schedules of thresholds for joining a week's, a month's and a year's cluster.
ALPHAS: Final[Mapping[str, tuple[float, float, float]]] = {
    "paper": (0.8, 0.7, 0.6),
    "conservative": (0.9, 0.8, 0.7),
    "aggressive": (0.7, 0.6, 0.5),
    # Ours, at which weeks consolidate: a little more alike than unrelated texts, which have 0.1 (decision 0043).
    "loose": (0.12, 0.12, 0.12),
}

_DAYS_OF_WEEK: Final = 7
_MONTHS: Final = 12
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = timedelta(seconds=1)
_DAY_SECONDS: Final = 86_400

_OLDEST: Final = "oldest"
_NEWEST: Final = "newest"
_ACTIVE: Final = "active"
# The top level reached by age alone, and the latest time at which the age was checked.
_GROWN: Final = "grown"
_LOOKED: Final = "looked"


@dataclass(frozen=True, slots=True)
class EvolutionOptions:
    """Options of the evolution tree.

    ``alpha``: the similarity, on the common scale, at which a node joins a cluster of a week, a month, a year.

    ``capacity``: the number of events of a week's cluster above which it is divided in two. ``largest``: the share of
    all events above which a month's or a year's is, if it holds more than ``capacity``.

    ``month_after`` and ``year_after``: the age of the memory, in days, from which there are months and beyond which
    there are years. ``compared``: the most clusters of a window that a node is compared with, the latest ones.
    """

    alpha: tuple[float, float, float] = ALPHAS["loose"]
    month_after: int = 7
    year_after: int = 30
    compared: int = 512
    capacity: int = 16
    largest: float = 0.08


class Growth(NamedTuple):
    """Growth of a tree: levels that are full now, nodes that were gathered, and nodes that are still waiting."""

    levels: int = 0
    gathered: int = 0
    left: int = 0


class EvolutionPlacement(Placement):
    """Placement of an event in a cluster of its week, that cluster in one of its month, and so on."""

    def __init__(self, options: EvolutionOptions, calibration: Scale) -> None:
        self._options = options
        self._cosines = [cosine_at(calibration, alpha) for alpha in options.alpha]

    def place(self, tree: Tree, leaf: Leaf) -> int:
        at = (leaf.said - _EPOCH) // _SECOND
        active = self._activate(tree, at)
        aim = on_grid(leaf.vector)
        week = week_of(leaf.said.toordinal())
        node = self._joined(tree, WEEK, week, aim)
        if node is None:
            node = self._new_chain(tree, week, aim, active, at)
        else:
            tree.consolidate(node, at)
        tree.put(leaf.number, node, leaf.vector, aim)
        self._divide_week(tree, node)
        self._divide_above(tree, tree.parent(node))
        return tree.path(leaf.number)[-1]

    def grow(self, tree: Tree, now: int, limit: int | None = None) -> Growth:
        """Add the levels that the memory is old enough for at a time, in seconds since 1970.

        This counts the age as if nothing was said since, so that a memory matures while it is idle. The next event
        undoes the levels that it would not make active itself. So the tree depends only on its events and on the time
        of the latest look, not on when it was looked at in between. At most ``limit`` nodes are gathered; another call
        continues.
        """
        oldest, active = tree.memo(_OLDEST), tree.memo(_ACTIVE)
        if oldest is None or active is None or active == YEAR:
            return Growth()
        now = max(now, tree.memo(_LOOKED) or now)
        tree.remember(_LOOKED, now)
        wanted = max(active, tree.memo(_GROWN) or active, self._wanted(now - oldest))
        levels = gathered = 0
        for level in range(active + 1, wanted + 1):
            waiting = _waiting(tree, level)
            some = waiting if limit is None else waiting[: limit - gathered]
            if some:
                tree.remember(_GROWN, max(level, tree.memo(_GROWN) or level))
                self._gather(tree, level, some)
                gathered += len(some)
            if len(some) < len(waiting):
                return Growth(levels, gathered, len(waiting) - len(some))
            levels += bool(some)
        if wanted > active:
            tree.remember(_GROWN, wanted)
        return Growth(levels, gathered)

    def _wanted(self, seconds: int) -> int:
        """Return the top level for an age in seconds."""
        days = seconds / _DAY_SECONDS
        return WEEK + (days >= self._options.month_after) + (days > self._options.year_after)

    def _joined(self, tree: Tree, level: int, window: Window, aim: Values) -> int | None:
        """Return the cluster of a window that ``aim`` is similar enough to join, or None."""
        found = tree.nearest_in_window(level, window[0], aim, self._options.compared)
        return found[0] if found and found[1] >= self._cosines[level - 1] else None

    def _divide_week(self, tree: Tree, node: int) -> None:
        """Divide a week's cluster in two if it holds too many events."""
        if tree.size(node) <= self._options.capacity:
            return
        for half in (node, divide_leaves(tree, node)):
            tree.recount(half, tree.size(half) - 1)

    def _divide_above(self, tree: Tree, node: int | None) -> None:
        """Divide a node, its halves and its ancestors until none holds more than its share, except an only child."""
        most = max(self._options.capacity, int(self._options.largest * len(tree)))
        while node:
            wide = [node]
            while wide:
                each = wide.pop()
                if tree.size(each) > most and tree.wider(each, 1):
                    for half in (each, divide_children(tree, each)):
                        tree.recount(half, len(tree.children(half)) - 1)
                        wide.append(half)
            node = tree.parent(node)

    def _new_chain(self, tree: Tree, week: Window, aim: Values, active: int, at: int) -> int:
        """Make a week's cluster for one event, and new clusters above it up to the first one joined."""
        parent, windows = ROOT, [(WEEK, week)]
        for level in range(MONTH, active + 1):
            window = window_above(level, week)
            joined = self._joined(tree, level, window, aim)
            if joined is not None:
                tree.consolidate(joined, at)
                parent = joined
                break
            windows.append((level, window))
        for level, window in reversed(windows):
            parent = tree.add_node(parent, level, window=window, at=at)
        return parent

    def _activate(self, tree: Tree, at: int) -> int:
        """Return the top active level at the memory's age when an event was said; fill new levels first."""
        active = tree.memo(_ACTIVE) or WEEK
        if active == YEAR:
            return active
        oldest, newest = tree.memo(_OLDEST), tree.memo(_NEWEST)
        oldest, newest = (at if oldest is None else min(oldest, at)), (at if newest is None else max(newest, at))
        tree.remember(_OLDEST, oldest)
        tree.remember(_NEWEST, newest)
        wanted = max(active, self._wanted(newest - oldest))
        grown = tree.memo(_GROWN) or active
        if grown > wanted:
            tree.lower(wanted)
        for level in range(active + 1, wanted + 1):
            self._gather(tree, level, _waiting(tree, level))
        if grown != wanted and tree.memo(_GROWN):
            tree.remember(_GROWN, wanted)
        tree.remember(_ACTIVE, wanted)
        return wanted

    def _gather(self, tree: Tree, level: int, nodes: Sequence[int]) -> None:
        """Put nodes into clusters of the level above theirs, in the order in which they were made."""
        for node in nodes:
            window = tree.window(node)
            if window is None:
                continue
            above = window_above(level, window)
            at = tree.merged(node)
            parent = self._joined(tree, level, above, tree.centroid(node))
            if parent is None:
                parent = tree.add_node(ROOT, level, window=above, at=at)
            else:
                tree.consolidate(parent, at)
            tree.move([node], parent)
            self._divide_above(tree, parent)


def _waiting(tree: Tree, level: int) -> list[int]:
    """Return the nodes still to be gathered into a level, in the order in which they were made."""
    return [node for node in tree.children(ROOT).tolist() if tree.level(node) == level - 1]


def week_of(day: int) -> Window:
    """Return the week of a day, from Monday."""
    # The first day of the calendar, number 1, is a Monday.
    start = day - (day - 1) % _DAYS_OF_WEEK
    return start, start + _DAYS_OF_WEEK


@lru_cache(maxsize=1_024)
def window_above(level: int, window: Window) -> Window:
    """Return the month or year of a window below it: all weeks whose first day lies in it.

    So each window covers those below it whole, and a week on the border belongs to the month of its first day.
    """
    first = date.fromordinal(window[0])
    if level == MONTH:
        return _first_monday(first.year, first.month), _first_monday(first.year, first.month + 1)
    return _first_monday(first.year, 1), _first_monday(first.year + 1, 1)


def _first_monday(year: int, month: int) -> int:
    """Return the ordinal of the first Monday of a month; month 13 is January of the next year."""
    year, month = (year + 1, 1) if month > _MONTHS else (year, month)
    # The year 10000 has no dates, but its first day has an ordinal: the one after the last date's.
    first = date(year, month, 1).toordinal() if year <= date.max.year else date.max.toordinal() + 1
    return week_of(first + _DAYS_OF_WEEK - 1)[0]
