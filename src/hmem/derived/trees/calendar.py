"""Calendar tree: year, month and day of a leaf's local date (H-Mem, two trees: temporal tree)."""

from datetime import date
from typing import Final

from hmem.derived.trees.nodes import ROOT
from hmem.derived.trees.placement import Leaf, Placement
from hmem.derived.trees.tree import Tree, Window

DAY: Final = 1
MONTH: Final = 2
YEAR: Final = 3

_DECEMBER: Final = 12


class CalendarPlacement(Placement):
    """Placement of a leaf under its day. Deterministic, without regard to meaning."""

    def insert(self, tree: Tree, leaf: Leaf) -> int:
        day = leaf.time.date()
        nodes = tree.in_window(DAY, day.toordinal())
        node = nodes[0] if nodes else self._new_day(tree, day)
        tree.add_leaf(leaf.number, node, leaf.vector)
        return node

    def _new_day(self, tree: Tree, day: date) -> int:
        parent = ROOT
        iso_date = day.isoformat()
        for level, label in ((YEAR, iso_date[:4]), (MONTH, iso_date[:7]), (DAY, iso_date)):
            window = window_of(level, day)
            nodes = tree.in_window(level, window[0])
            parent = nodes[0] if nodes else tree.add_node(parent, level, label, window)
        return parent


def window_of(level: int, day: date) -> Window:
    """Return the day, month or year (by level) that contains a day: its first day, and the day after its last."""
    if level == DAY:
        return day.toordinal(), day.toordinal() + 1
    first = day.replace(day=1) if level == MONTH else day.replace(month=1, day=1)
    # The day after the year 9999 has an ordinal but no date.
    last = first.replace(month=_DECEMBER, day=31) if level == YEAR else _last_of_month(first)
    return first.toordinal(), last.toordinal() + 1


def _last_of_month(first: date) -> date:
    if first.month == _DECEMBER:
        return first.replace(day=31)
    return date.fromordinal(first.replace(month=first.month + 1).toordinal() - 1)
