"""Consolidation: fills due levels of the evolution tree and writes missing or outdated texts, also in the background.

It works in short stretches, each stored before the next: a recall or a write waits for at most one of them, and what
was stored is not repeated, however the run ended. ``Background`` runs it in a thread while a memory is idle, and
``Throttle`` has the memories of a process do so one at a time.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Final

from hmem.corpus.corpus import Corpus
from hmem.derived.state import NAMED_TREES, DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.trees.evolution import EvolutionPlacement, Growth
from hmem.derived.trees.nodes import ROOT
from hmem.errors import MemoryClosed, StorageError
from hmem.language.containment import Fault, contained
from hmem.model.report import Consolidation
from hmem.model.span import to_stored
from hmem.storage.base import Formed

# Longest time that a stretch writes, in seconds, and most texts; storing them comes on top.
STRETCH: Final = 0.025
_AT_ONCE: Final = 256
# Number of nodes gathered, or looked at, between two looks at the clock.
_GATHERED: Final = 8
_LOOKED_AT: Final = 256
# Pause between stretches, in seconds: a lock that is taken again at once starves the others.
_BREATH: Final = 0.001

_EVOLUTION: Final = "evolution"

Progress = Callable[[int, int], None]
Task = tuple[str, str, int]


class RunLimit:
    """Limit of a run: seconds from now, or a number of texts; None is no limit."""

    def __init__(self, seconds: float | None = None, texts: int | None = None) -> None:
        self._end = None if seconds is None else monotonic() + seconds
        self.texts = texts

    @property
    def late(self) -> bool:
        """True if the time is up."""
        return self._end is not None and monotonic() >= self._end

    @property
    def spent(self) -> bool:
        """True if nothing more may be written."""
        return self.late or (self.texts is not None and self.texts <= 0)

    def wrote(self, count: int) -> None:
        """Subtract texts that were written."""
        if self.texts is not None:
            self.texts -= count


@dataclass(frozen=True, slots=True)
class ConsolidationStep:
    """Result of a stretch: levels that were filled, texts written by kind, and what is left to do.

    Until everything was ``looked`` at, there may be more than ``left``.
    """

    levels: int = 0
    written: Counter[str] = field(default_factory=Counter[str])
    left: int = 0
    looked: bool = False


class Consolidator:
    """Consolidation of one memory. Thread-safe, as the corpus is. ``evolving`` fills the evolution tree's levels.

    ``slip`` describes the last text that could not be written. It is tried again when the memory is reopened, or when
    its sources change.
    """

    def __init__(
        self, corpus: Corpus, derived: DerivedState, text_writer: TextWriter, evolving: EvolutionPlacement | None = None
    ) -> None:
        self._corpus = corpus
        self._derived = derived
        self._text_writer = text_writer
        self._evolving = evolving
        self._tasks: list[Task] = []
        self._scan: Iterator[Task | None] = iter(())
        self._looked = False
        self._as_of: Formed | None = None
        self._given_up: set[Task] = set()
        self.slip: str | None = None

    def run(self, at: datetime, budget: RunLimit | None = None, progress: Progress | None = None) -> Consolidation:
        """Consolidate in stretches until nothing is left or the budget is spent.

        Levels are filled and missing texts are listed in any case. ``at`` is the time by which the memory's age counts.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was stored so far stays.
        """
        budget = budget or RunLimit()
        levels, written = 0, Counter[str]()
        while True:
            stretch = self.stretch(at, budget)
            levels += stretch.levels
            written += stretch.written
            if progress is not None and stretch.written:
                progress(written.total(), written.total() + stretch.left)
            if stretch.looked and (not stretch.left or budget.spent):
                counts = {kind: written[kind] for kind in ("summaries", "names", "profiles")}
                return Consolidation(0, **counts, levels=levels, left=stretch.left)
            sleep(_BREATH)

    def stretch(self, at: datetime, budget: RunLimit | None = None) -> ConsolidationStep:
        """Fill due levels and write texts for a short time, and store them."""
        budget, until = budget or RunLimit(), monotonic() + STRETCH
        with self._corpus.reading():
            self._derived.catch_up()
            growth = self._grow(at, until)
            if growth.left or not self._look(until):
                stored = not growth.gathered or self._store()
                return ConsolidationStep(growth.levels if stored else 0, left=max(growth.left, 1))
            written = self._write_some(budget, until)
            if (growth.gathered or written) and not self._store():
                return ConsolidationStep(left=1)
            return ConsolidationStep(growth.levels, written, len(self._tasks), looked=True)

    def _write_some(self, budget: RunLimit, until: float) -> Counter[str]:
        """Write the next texts, as many as the stretch and the budget allow; return counts by kind."""
        written = Counter[str]()
        while self._tasks and not budget.spent and written.total() < _AT_ONCE and monotonic() < until:
            task = self._tasks.pop()
            if below := self._below(task):
                self._tasks += [task, *below]
            elif self._write(task):
                budget.wrote(1)
                written[task[0]] += 1
        if written["names"]:
            # A node is named together with its siblings.
            kept = self._derived.written
            left = [task for task in self._tasks if task[0] != "names" or kept[task[1]].names.of(task[2]) is None]
            written["names"] += len(self._tasks) - len(left)
            self._tasks = left
        return written

    def _grow(self, at: datetime, until: float) -> Growth:
        """Fill levels until a time of the monotonic clock."""
        levels = gathered = left = 0
        if self._evolving is not None:
            tree, now = self._derived.trees[_EVOLUTION], to_stored(at)[0] // 1_000_000
            while gathered == 0 or (left and monotonic() < until):
                growth = self._evolving.grow(tree, now, _GATHERED)
                levels, gathered, left = levels + growth.levels, gathered + growth.gathered, growth.left
                if not growth.gathered:
                    break
        if gathered:
            self._derived.outdate_texts()
            self._as_of = None
        return Growth(levels, gathered, left)

    def _look(self, until: float) -> bool:
        """Go on listing missing texts, from the start if more was formed; tell if the list is complete."""
        if self._as_of != self._derived.at:
            self._tasks, self._scan, self._looked = [], self._missing(), False
            self._as_of = self._derived.at
        if not self._looked:
            for task in self._scan:
                if task is not None:
                    self._tasks.append(task)
                elif monotonic() >= until:
                    return False
            self._given_up.intersection_update(self._tasks)
            self._tasks = [task for task in self._tasks if task not in self._given_up][::-1]
            self._looked = True
        return True

    def _store(self) -> bool:
        """Store what was written; return False if another process stored first, and all must be repeated."""
        self._as_of = None
        stored = self._derived.store(self._derived.at.watermark)
        if stored:
            self._as_of = self._derived.at
        return stored

    # Missing texts.

    def _missing(self) -> Iterator[Task | None]:
        """Yield missing texts, lower nodes first as higher summaries build on them; None now and then."""
        derived, options = self._derived, self._text_writer.options
        for name, tree in derived.trees.items():
            texts = derived.written[name]
            for level in range(1, tree.level(ROOT) + 1):
                for place, node in enumerate(tree.nodes(level)):
                    if place % _LOOKED_AT == 0:
                        yield None
                    if options.summaries and tree.size(node) > 1 and texts.summaries.of(node) is None:
                        yield "summaries", name, node
                    if name in NAMED_TREES and node != ROOT and not tree.label(node) and texts.names.of(node) is None:
                        yield "names", name, node
        if options.profiles:
            for place, entity in enumerate(derived.graph.entities()):
                if place % _LOOKED_AT == 0:
                    yield None
                if (
                    derived.profiles.of(entity) is None
                    and derived.graph.mentions(entity)
                    and self._text_writer.salient(entity)
                ):
                    yield "profiles", "", entity

    def _below(self, task: Task) -> list[Task]:
        """Return the missing texts that a summary builds on. These are written first, each as a task."""
        kind, tree, number = task
        found = self._text_writer.unwritten_below(tree, number) if kind == "summaries" else []
        return [below for below in ((kind, tree, node) for node in found) if below not in self._given_up]

    def _write(self, task: Task) -> bool:
        """Write one text; return False if the analyst cannot."""
        kind, tree, number = task
        writer = self._text_writer
        if kind == "summaries":
            written = contained(lambda: writer.summary(tree, number), raising=(StorageError,))
        elif kind == "names":
            written = contained(lambda: writer.name(tree, number), raising=(StorageError,))
        else:
            written = contained(lambda: writer.profile(number), raising=(StorageError,))
        if isinstance(written, Fault):
            self._given_up.add(task)
            self.slip = f"one of the {kind} could not be written: {written} - it is left out"
        return not isinstance(written, Fault)


# Seconds without a write, by any process, or a recall after which a memory is idle.
IDLE: Final = 0.5
# Pause between two pieces of work, in seconds: others get the memory.
_PAUSE: Final = 0.01
# Pause after an error, such as a full disk, in seconds.
_LATER: Final = 5.0

# State of the memory's use, to compare with a later one; None for a memory that is gone.
Activity = tuple[int, ...] | None


class Throttle:
    """Throttle of the background work of a process: one memory works at a time, and seldom while any is recalled from.

    Threads of one interpreter share a core, so that a recall would else wait for all of them. ``recalls`` counts the
    recalls of the process.
    """

    def __init__(
        self, recalls: Callable[[], int], idle: float = IDLE, *, clock: Callable[[], float] = monotonic
    ) -> None:
        self._recalls = recalls
        self._idle = idle
        self._clock = clock
        self._seen = recalls()
        self._ended = -idle
        self._working = Lock()

    def do(self, work: Callable[[], bool]) -> bool:
        """Do a piece of work and return True if there may be more; or return False, without doing it.

        It is not done while another memory works, nor if somebody recalled since the last piece, until that is ``idle``
        seconds ago: so a process that is never idle gets its work done too.
        """
        working = self._working
        if not working.acquire(blocking=False):
            return False
        try:
            recalls = self._recalls()
            if recalls != self._seen and self._clock() < self._ended + self._idle:
                return False
            more = work()
            if more:
                # A look at a memory without work keeps no other from its own.
                self._seen, self._ended = recalls, self._clock()
            return more
        finally:
            working.release()

    def after_fork(self) -> None:
        """Begin anew in the child of a fork, where the thread that worked does not exist."""
        self._working = Lock()


class Background:
    """Thread that calls ``work`` while that returns True and ``activity`` stays the same.

    It is a daemon, and holds nothing between two calls. ``problem`` has the error that keeps it from its work.
    """

    def __init__(
        self,
        activity: Callable[[], Activity],
        work: Callable[[], bool],
        idle: float = IDLE,
        *,
        name: str = "hmem-consolidation",
    ) -> None:
        self._activity = activity
        self._work = work
        self._idle = idle
        self._ended = Event()
        self.problem: str | None = None
        self._thread = Thread(target=self._tend, name=name, daemon=True)
        self._thread.start()

    def stop(self, patience: float | None = None) -> None:
        """Stop after the current piece of work; wait for that ``patience`` seconds, or as long as it takes.

        Stopping twice is no error.
        """
        self._ended.set()
        self._thread.join(patience)

    def _tend(self) -> None:
        seen: Activity = ()
        pause = self._idle
        while not self._ended.wait(pause):
            try:
                looked = contained(partial(self._look, seen), raising=(MemoryClosed,))
            except MemoryClosed:
                return
            if isinstance(looked, Fault):
                self.problem, pause = str(looked), _LATER
                continue
            seen, more = looked
            if seen is None:
                return
            self.problem, pause = None, _PAUSE if more else self._idle

    def _look(self, before: Activity) -> tuple[Activity, bool]:
        """Do a piece of work if the activity is as before; return it, and whether there may be more."""
        seen = self._activity()
        return seen, seen is not None and seen == before and self._work()
