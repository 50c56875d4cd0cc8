"""What was withdrawn, and whether by people or by a framework that put something else in its place."""

from collections.abc import Collection

from hmem import Memory
from hmem.hierarchy.decisions import Decisions


class Withdrawn:
    """The ids of turns that were corrected or retracted, as the log stands now. ``own`` is who acts for a framework."""

    def __init__(self, memory: Memory, own: str) -> None:
        self._corpus = memory.corpus
        self._own = own
        self._decisions = Decisions(self._corpus.storage)
        self._all: frozenset[str] = frozenset()
        self._by_people: frozenset[str] = frozenset()
        self._corrections: frozenset[str] = frozenset()

    def by_anyone(self) -> frozenset[str]:
        """All of them."""
        self._catch_up()
        return self._all

    def by_people(self) -> frozenset[str]:
        """Those that anyone but the framework withdrew: it is not to be given them again."""
        self._catch_up()
        return self._by_people

    def corrections(self) -> Collection[str]:
        """The turns that corrected others, ever."""
        self._catch_up()
        return self._corrections

    def _catch_up(self) -> None:
        with self._corpus.reading():
            if self._decisions.catch_up():
                entries = self._decisions.standing().of("correct", "retract")
                self._corrections = frozenset(self._decisions.corrections)
                self._all = frozenset(entry.target for entry in entries)
                self._by_people = frozenset(entry.target for entry in entries if entry.by != self._own)
