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
_LAST_LOOK: Final = "looked"


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
    node_count: int = 0
    remaining: int = 0


class EvolutionPlacement(Placement):
    """Placement of an event in a cluster of its week, that cluster in one of its month, and so on."""

    def __init__(self, options: EvolutionOptions, calibration: Scale) -> None:
        self._options = options
        self._cosines = [cosine_at(calibration, alpha) for alpha in options.alpha]

    def insert(self, tree: Tree, leaf: Leaf) -> int:
        timestamp = (leaf.time - _EPOCH) // _SECOND
        active = self._activate(tree, timestamp)
        aim = on_grid(leaf.vector)
        week = week_of(leaf.time.toordinal())
        node = self._match(tree, WEEK, week, aim)
        if node is None:
            node = self._new_chain(tree, week, aim, active, timestamp)
        else:
            tree.consolidate(node, timestamp)
        tree.add_leaf(leaf.number, node, leaf.vector, aim)
        self._divide_week(tree, node)
        self._divide_above(tree, tree.parent(node))
        return tree.path(leaf.number)[-1]

    def grow(self, tree: Tree, timestamp: int, limit: int | None = None) -> Growth:
        """Add the levels that the memory is old enough for at a time, in seconds since 1970.

        This counts the age as if nothing was said since, so that a memory matures while it is idle. The next event
        undoes the levels that it would not make active itself. So the tree depends only on its events and on the time
        of the latest look, not on when it was looked at in between. At most ``limit`` nodes are gathered; another call
        continues.
        """
        oldest, active = tree.memo(_OLDEST), tree.memo(_ACTIVE)
        if oldest is None or active is None or active == YEAR:
            return Growth()
        timestamp = max(timestamp, tree.memo(_LAST_LOOK) or timestamp)
        tree.remember(_LAST_LOOK, timestamp)
        top_level = max(active, tree.memo(_GROWN) or active, self._top_level(timestamp - oldest))
        levels = node_count = 0
        for level in range(active + 1, top_level + 1):
            waiting = _waiting(tree, level)
            batch = waiting if limit is None else waiting[: limit - node_count]
            if batch:
                tree.remember(_GROWN, max(level, tree.memo(_GROWN) or level))
                self._gather(tree, level, batch)
                node_count += len(batch)
            if len(batch) < len(waiting):
                return Growth(levels, node_count, len(waiting) - len(batch))
            levels += bool(batch)
        if top_level > active:
            tree.remember(_GROWN, top_level)
        return Growth(levels, node_count)

    def _top_level(self, seconds: int) -> int:
        """Return the top level for an age in seconds."""
        days = seconds / _DAY_SECONDS
        return WEEK + (days >= self._options.month_after) + (days > self._options.year_after)

    def _match(self, tree: Tree, level: int, window: Window, aim: Values) -> int | None:
        """Return the cluster of a window that ``aim`` is similar enough to join, or None."""
        match = tree.nearest_in_window(level, window[0], aim, self._options.compared)
        return match[0] if match and match[1] >= self._cosines[level - 1] else None

    def _divide_week(self, tree: Tree, node: int) -> None:
        """Divide a week's cluster in two if it holds too many events."""
        if tree.size(node) <= self._options.capacity:
            return
        for half in (node, divide_leaves(tree, node)):
            tree.recount(half, tree.size(half) - 1)

    def _divide_above(self, tree: Tree, node: int | None) -> None:
        """Divide a node, its halves and its ancestors until none holds more than its share, except an only child."""
        limit = max(self._options.capacity, int(self._options.largest * len(tree)))
        while node:
            wide = [node]
            while wide:
                wide_node = wide.pop()
                if tree.size(wide_node) > limit and tree.wider(wide_node, 1):
                    for half in (wide_node, divide_children(tree, wide_node)):
                        tree.recount(half, len(tree.children(half)) - 1)
                        wide.append(half)
            node = tree.parent(node)

    def _new_chain(self, tree: Tree, week: Window, aim: Values, active: int, timestamp: int) -> int:
        """Make a week's cluster for one event, and new clusters above it up to the first one joined."""
        parent, windows = ROOT, [(WEEK, week)]
        for level in range(MONTH, active + 1):
            window = window_above(level, week)
            match = self._match(tree, level, window, aim)
            if match is not None:
                tree.consolidate(match, timestamp)
                parent = match
                break
            windows.append((level, window))
        for level, window in reversed(windows):
            parent = tree.add_node(parent, level, window=window, timestamp=timestamp)
        return parent

    def _activate(self, tree: Tree, timestamp: int) -> int:
        """Return the top active level at the memory's age when an event was said; fill new levels first."""
        active = tree.memo(_ACTIVE) or WEEK
        if active == YEAR:
            return active
        oldest, newest = tree.memo(_OLDEST), tree.memo(_NEWEST)
        oldest, newest = (
            (timestamp if oldest is None else min(oldest, timestamp)),
            (timestamp if newest is None else max(newest, timestamp)),
        )
        tree.remember(_OLDEST, oldest)
        tree.remember(_NEWEST, newest)
        top_level = max(active, self._top_level(newest - oldest))
        grown = tree.memo(_GROWN) or active
        if grown > top_level:
            tree.lower(top_level)
        for level in range(active + 1, top_level + 1):
            self._gather(tree, level, _waiting(tree, level))
        if grown != top_level and tree.memo(_GROWN):
            tree.remember(_GROWN, top_level)
        tree.remember(_ACTIVE, top_level)
        return top_level

    def _gather(self, tree: Tree, level: int, nodes: Sequence[int]) -> None:
        """Put nodes into clusters of the level above theirs, in the order in which they were made."""
        for node in nodes:
            window = tree.window(node)
            if window is None:
                continue
            window_of_parent = window_above(level, window)
            timestamp = tree.merged(node)
            parent = self._match(tree, level, window_of_parent, tree.centroid(node))
            if parent is None:
                parent = tree.add_node(ROOT, level, window=window_of_parent, timestamp=timestamp)
            else:
                tree.consolidate(parent, timestamp)
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
