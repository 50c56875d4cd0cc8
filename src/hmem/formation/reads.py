"""Reads: what the analyst read for a step of formation that another process took first.

Reading is most of the work, and what is read of a turn depends on the turn and on those before it in its session alone.
So whoever loses a step to the turns of other sessions reads nothing twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hmem.formation.session_window import SessionWindow
from hmem.formation.turn_analysis import TurnAnalysis

Sitting = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Run:
    """Turns of a sitting as they were read, the session window before and after them, and the last model's reading."""

    before: SessionWindow
    after: SessionWindow
    items: Sequence[TurnAnalysis]
    number: int


class Reads:
    """Turns of the present step as they were read, by sitting: the session's number, and the owner."""

    def __init__(self) -> None:
        self._runs: dict[Sitting, _Run] = {}

    def keep(
        self, sitting: Sitting, before: SessionWindow, after: SessionWindow, items: Sequence[TurnAnalysis], number: int
    ) -> None:
        """Keep what was read of turns, between two states of their session window, by models up to a reading."""
        self._runs[sitting] = _Run(before, after.copy(), [replace(item) for item in items], number)

    def put_again(
        self, sitting: Sitting, window: SessionWindow, items: Sequence[TurnAnalysis], number: int
    ) -> Sequence[TurnAnalysis]:
        """Fill in turns that were read before, and move their session window past them; return the other turns."""
        run = self._runs.get(sitting)
        if run is None or run.number != number or not run.before.same(window) or len(run.items) > len(items):
            return items
        if not all(_same(item, read) for item, read in zip(items, run.items, strict=False)):
            return items
        for item, read in zip(items, run.items, strict=False):
            item.passage, item.curation, item.coverage, item.cut = read.passage, read.curation, read.coverage, read.cut
            item.statements, item.claims, item.extraction = read.statements, read.claims, read.extraction
            item.labels, item.opens_session = read.labels, read.opens_session
        window.become(run.after)
        return items[len(run.items) :]

    def windows(self) -> dict[Sitting, SessionWindow]:
        """Return the session windows as they were before the step."""
        return {sitting: run.before.copy() for sitting, run in self._runs.items()}

    def clear(self) -> None:
        """Drop all: the step was stored, or turns before these are gone."""
        self._runs.clear()


def _same(item: TurnAnalysis, read: TurnAnalysis) -> bool:
    return (item.seq, item.corrects, item.turn) == (read.seq, read.corrects, read.turn)
