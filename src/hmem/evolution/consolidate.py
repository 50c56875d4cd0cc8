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
from hmem.storage.base import FormationProgress

# Longest time that a stretch writes, in seconds, and most texts; storing them comes on top.
STRETCH: Final = 0.025
_AT_ONCE: Final = 256
# Number of nodes gathered, or looked at, between two looks at the clock.
_NODES_A_CHECK: Final = 8
_NODES_A_PAUSE: Final = 256
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
    def is_reached(self) -> bool:
        """True if nothing more may be written."""
        return self.late or (self.texts is not None and self.texts <= 0)

    def wrote(self, count: int) -> None:
        """Subtract texts that were written."""
        if self.texts is not None:
            self.texts -= count


@dataclass(frozen=True, slots=True)
class ConsolidationStep:
    """Result of a stretch: levels that were filled, texts written by kind, and how much is left to do.

    Before the missing texts are all listed (``is_surveyed``), there may be more than ``remaining``.
    """

    levels: int = 0
    text_counts: Counter[str] = field(default_factory=Counter[str])
    remaining: int = 0
    is_surveyed: bool = False


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
        self._as_of: FormationProgress | None = None
        self._given_up: set[Task] = set()
        self.slip: str | None = None

    def run(self, moment: datetime, budget: RunLimit | None = None, progress: Progress | None = None) -> Consolidation:
        """Consolidate in stretches until nothing is left or the budget is spent.

        Levels are filled and missing texts are listed in any case. The memory's age counts by ``moment``.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was stored so far stays.
        """
        budget = budget or RunLimit()
        levels, text_counts = 0, Counter[str]()
        while True:
            stretch = self.stretch(moment, budget)
            levels += stretch.levels
            text_counts += stretch.text_counts
            if progress is not None and stretch.text_counts:
                progress(text_counts.total(), text_counts.total() + stretch.remaining)
            if stretch.is_surveyed and (not stretch.remaining or budget.is_reached):
                counts = {kind: text_counts[kind] for kind in ("summaries", "names", "profiles")}
                return Consolidation(0, **counts, levels=levels, left=stretch.remaining)
            sleep(_BREATH)

    def stretch(self, moment: datetime, budget: RunLimit | None = None) -> ConsolidationStep:
        """Fill due levels and write texts for a short time, and store them."""
        budget, until = budget or RunLimit(), monotonic() + STRETCH
        with self._corpus.reading():
            self._derived.catch_up()
            growth = self._grow(moment, until)
            if growth.remaining or not self._look(until):
                is_stored = not growth.node_count or self._store()
                return ConsolidationStep(growth.levels if is_stored else 0, remaining=max(growth.remaining, 1))
            text_counts = self._write_some(budget, until)
            if (growth.node_count or text_counts) and not self._store():
                return ConsolidationStep(remaining=1)
            return ConsolidationStep(growth.levels, text_counts, len(self._tasks), is_surveyed=True)

    def _write_some(self, budget: RunLimit, until: float) -> Counter[str]:
        """Write the next texts, as many as the stretch and the budget allow; return counts by kind."""
        text_counts = Counter[str]()
        while self._tasks and not budget.is_reached and text_counts.total() < _AT_ONCE and monotonic() < until:
            task = self._tasks.pop()
            if children := self._missing_children(task):
                self._tasks += [task, *children]
            elif self._write(task):
                budget.wrote(1)
                text_counts[task[0]] += 1
        if text_counts["names"]:
            # A node is named together with its siblings.
            texts = self._derived.written
            remaining = [
                task for task in self._tasks if task[0] != "names" or texts[task[1]].names.get(task[2]) is None
            ]
            text_counts["names"] += len(self._tasks) - len(remaining)
            self._tasks = remaining
        return text_counts

    def _grow(self, moment: datetime, until: float) -> Growth:
        """Fill levels until a time of the monotonic clock."""
        levels = node_count = remaining = 0
        if self._evolving is not None:
            tree, seconds = self._derived.trees[_EVOLUTION], to_stored(moment)[0] // 1_000_000
            while node_count == 0 or (remaining and monotonic() < until):
                growth = self._evolving.grow(tree, seconds, _NODES_A_CHECK)
                levels, node_count, remaining = levels + growth.levels, node_count + growth.node_count, growth.remaining
                if not growth.node_count:
                    break
        if node_count:
            self._derived.outdate_texts()
            self._as_of = None
        return Growth(levels, node_count, remaining)

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
        is_stored = self._derived.store(self._derived.at.watermark)
        if is_stored:
            self._as_of = self._derived.at
        return is_stored

    # Missing texts.

    def _missing(self) -> Iterator[Task | None]:
        """Yield missing texts, lower nodes first as higher summaries build on them; None now and then."""
        derived, options = self._derived, self._text_writer.options
        for name, tree in derived.trees.items():
            texts = derived.written[name]
            for level in range(1, tree.level(ROOT) + 1):
                for position, node in enumerate(tree.nodes(level)):
                    if position % _NODES_A_PAUSE == 0:
                        yield None
                    if options.summaries and tree.size(node) > 1 and texts.summaries.get(node) is None:
                        yield "summaries", name, node
                    is_named = name not in NAMED_TREES or node == ROOT or texts.names.get(node) is not None
                    if not is_named and not derived.label_of(name, node):
                        yield "names", name, node
        if options.profiles:
            for position, entity in enumerate(derived.graph.entities()):
                if position % _NODES_A_PAUSE == 0:
                    yield None
                if (
                    derived.profiles.get(entity) is None
                    and derived.graph.mentions(entity)
                    and self._text_writer.salient(entity)
                ):
                    yield "profiles", "", entity

    def _missing_children(self, task: Task) -> list[Task]:
        """Return the missing texts that a summary builds on. These are written first, each as a task."""
        kind, tree, number = task
        nodes = self._text_writer.unwritten_below(tree, number) if kind == "summaries" else []
        return [child for child in ((kind, tree, node) for node in nodes) if child not in self._given_up]

    def _write(self, task: Task) -> bool:
        """Write one text; return False if the analyst cannot."""
        kind, tree, number = task
        writer = self._text_writer
        if kind == "summaries":
            text = contained(lambda: writer.summary(tree, number), raising=(StorageError,))
        elif kind == "names":
            text = contained(lambda: writer.name(tree, number), raising=(StorageError,))
        else:
            text = contained(lambda: writer.profile(number), raising=(StorageError,))
        if isinstance(text, Fault):
            self._given_up.add(task)
            self.slip = f"one of the {kind} could not be written: {text} - it is left out"
        return not isinstance(text, Fault)


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
            is_busy = work()
            if is_busy:
                # A look at a memory without work keeps no other from its own.
                self._seen, self._ended = recalls, self._clock()
            return is_busy
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
        activity: Activity = ()
        pause = self._idle
        while not self._ended.wait(pause):
            try:
                outcome = contained(partial(self._look, activity), raising=(MemoryClosed,))
            except MemoryClosed:
                return
            if isinstance(outcome, Fault):
                self.problem, pause = str(outcome), _LATER
                continue
            activity, is_busy = outcome
            if activity is None:
                return
            self.problem, pause = None, _PAUSE if is_busy else self._idle

    def _look(self, before: Activity) -> tuple[Activity, bool]:
        """Do a piece of work if the activity is as before; return it, and whether there may be more."""
        activity = self._activity()
        return activity, activity is not None and activity == before and self._work()
