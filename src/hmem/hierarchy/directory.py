"""Where a tree's nodes are found: by the window that they stand for, and by their name below their parent."""

from bisect import bisect_left
from functools import lru_cache
from typing import TypeVar

import numpy as np

from hmem.hierarchy.forest import Forest

Key = TypeVar("Key", int, tuple[int, str])


class Directory:
    """The nodes of a forest by window and by name."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._windows: dict[int, list[int]] = {}
        self._named: dict[tuple[int, str], list[int]] = {}

    def in_window(self, window: int) -> list[int]:
        """The nodes that stand for a window, by its number, ascending. Not to be changed."""
        return self._windows.get(window) or []

    def named(self, parent: int, label: str) -> int | None:
        """The first of a node's children that is called so."""
        found = self._named.get((parent, plain(label)))
        return found[0] if found else None

    def enter(self, node: int) -> None:
        """Let a node be found."""
        forest = self._forest
        if window := forest.window(node):
            _insert(self._windows, window, node)
        if node in forest.labels:
            self.enter_name(node)

    def strike(self, node: int) -> None:
        """Let a node not be found any more."""
        forest = self._forest
        if window := forest.window(node):
            _remove(self._windows, window, node)
        self.strike_name(node)

    def enter_name(self, node: int) -> None:
        """Let a node be found by its name: it has got one, or another parent."""
        forest = self._forest
        if node in forest.labels:
            _insert(self._named, (forest.parent[node], plain(forest.labels[node])), node)

    def strike_name(self, node: int) -> None:
        """Let a node not be found by its name, which is about to change, or by its parent."""
        forest = self._forest
        if node in forest.labels:
            _remove(self._named, (forest.parent[node], plain(forest.labels[node])), node)

    def enter_all(self) -> None:
        """Let all nodes be found, none of which is entered yet."""
        forest = self._forest
        level, start, end = (np.array(column, np.int64) for column in (forest.level, forest.start, forest.end))
        nodes = np.flatnonzero(end)
        keys = level[nodes] << 40 | start[nodes]
        order = np.argsort(keys, kind="stable")
        firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        for group in np.split(nodes[order], firsts[1:]) if len(firsts) else []:
            self._windows[forest.window(int(group[0]))] = group.tolist()
        for node in sorted(forest.labels):
            self.enter_name(node)


@lru_cache(maxsize=8_192)
def plain(label: str) -> str:
    """A label without what is not told apart: case and spacing."""
    return " ".join(label.casefold().split())


def _insert(listed: dict[Key, list[int]], key: Key, node: int) -> None:
    nodes = listed.get(key)
    if nodes is None:
        listed[key] = [node]
    elif node > nodes[-1]:
        nodes.append(node)
    else:
        at = bisect_left(nodes, node)
        if nodes[at] != node:
            nodes.insert(at, node)


def _remove(listed: dict[Key, list[int]], key: Key, node: int) -> None:
    nodes = listed[key]
    del nodes[bisect_left(nodes, node)]
    if not nodes:
        del listed[key]
