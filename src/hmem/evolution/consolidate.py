"""Consolidation: the levels that a memory has grown into, and every text that is missing or has become untrue.

It goes by short stretches, each of which is stored before the next: whoever wants to recall or to write meanwhile waits
for one of them at most, and what was stored is not done again, however the run ended.

Work in the background: a thread that wakes when a memory was left alone for a moment, and works in small pieces.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event, Thread
from time import monotonic, sleep
from typing import Final

from hmem.corpus.corpus import Corpus
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.trees.evolution import EvolutionPlacement, Growth
from hmem.derived.trees.nodes import ROOT
from hmem.errors import HmemError, MemoryClosed
from hmem.language.analyst.base import SLIPS
from hmem.model.report import Consolidation
from hmem.model.span import to_stored
from hmem.storage.base import Formed

# A stretch writes for so long, in seconds, or so many texts; storing them comes on top.
STRETCH: Final = 0.025
_AT_ONCE: Final = 256
# The time is looked at after so many nodes that were gathered, or looked at.
_GATHERED: Final = 8
_LOOKED_AT: Final = 256
# Between two stretches others get their turn: a lock that is taken again at once is given to nobody else.
_BREATH: Final = 0.001

_EVOLUTION: Final = "evolution"
_TOPIC: Final = "topic"

Progress = Callable[[int, int], None]
Task = tuple[str, str, int]


class RunLimit:
    """How much a run may do: for so many seconds from now on, or so many texts; None bounds nothing."""

    def __init__(self, seconds: float | None = None, texts: int | None = None) -> None:
        self._end = None if seconds is None else monotonic() + seconds
        self.texts = texts

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return self._end is not None and monotonic() >= self._end

    @property
    def spent(self) -> bool:
        """Whether nothing more may be written."""
        return self.late or (self.texts is not None and self.texts <= 0)

    def wrote(self, count: int) -> None:
        """So many texts were written."""
        if self.texts is not None:
            self.texts -= count


@dataclass(frozen=True, slots=True)
class ConsolidationStep:
    """What one stretch did: levels that were filled, texts written by kind, and how much is left to do.

    As long as not everything was ``looked`` at, there may be more than ``left``.
    """

    levels: int = 0
    written: Counter[str] = field(default_factory=Counter[str])
    left: int = 0
    looked: bool = False


class Consolidator:
    """Consolidates one memory. Thread-safe, as the corpus is; ``evolving`` fills the levels of the evolution tree.

    ``slip`` tells of the text that could not be written last. It is tried again when the memory is opened anew, or when
    what it tells of changes.
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
        """Stretch after stretch until nothing is left or the budget is spent.

        Levels are filled and what is missing is listed in any case.

        ``at`` is the time by which the memory's age counts.

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
        """Fill the levels that are due and write texts for a moment, and store that."""
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
        """Write the next texts on the list, as many as a stretch and the budget allow; how many, by kind."""
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
            names = self._derived.written[_TOPIC].names
            left = [task for task in self._tasks if task[0] != "names" or names.of(task[2]) is None]
            written["names"] += len(self._tasks) - len(left)
            self._tasks = left
        return written

    def _grow(self, at: datetime, until: float) -> Growth:
        """Fill levels for a moment."""
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
        """Go on listing what is to be written, from the beginning when more was formed; whether all is listed."""
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
        """Store what was written; False when another process stored something first, and all is to be done again."""
        self._as_of = None
        stored = self._derived.store(self._derived.at.watermark)
        if stored:
            self._as_of = self._derived.at
        return stored

    # What is to be written.

    def _missing(self) -> Iterator[Task | None]:
        """Lower nodes come before those above them, whose summaries build on theirs; None now and then."""
        derived, options = self._derived, self._text_writer.options
        for name, tree in derived.trees.items():
            texts = derived.written[name]
            for level in range(1, tree.level(ROOT) + 1):
                for place, node in enumerate(tree.nodes(level)):
                    if place % _LOOKED_AT == 0:
                        yield None
                    if options.summaries and tree.size(node) > 1 and texts.summaries.of(node) is None:
                        yield "summaries", name, node
                    if name == _TOPIC and node != ROOT and not tree.label(node) and texts.names.of(node) is None:
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
        """The texts that a summary builds on, and that are written first: one text is what others wait for at most."""
        kind, tree, number = task
        found = self._text_writer.unwritten_below(tree, number) if kind == "summaries" else []
        return [below for below in ((kind, tree, node) for node in found) if below not in self._given_up]

    def _write(self, task: Task) -> bool:
        """Write one text; False for one that the analyst cannot write."""
        kind, tree, number = task
        try:
            if kind == "summaries":
                self._text_writer.summary(tree, number)
            elif kind == "names":
                self._text_writer.name(tree, number)
            else:
                self._text_writer.profile(number)
        except SLIPS as error:
            self._given_up.add(task)
            self.slip = f"one of the {kind} could not be written: {type(error).__name__} - it is left out"
            return False
        return True


# A memory is idle when for so many seconds nothing was written to it, by any process, or recalled from it.
IDLE: Final = 0.5
# Between two pieces of work, in seconds: whoever waits for the memory gets it.
_PAUSE: Final = 0.01
# After an error, such as a full disk.
_LATER: Final = 5.0

# What the memory was last asked and told, as anything that can be compared; None for a memory that is gone.
Activity = tuple[int, ...] | None


class Background:
    """A thread that calls ``work`` as long as it says that there is more, while ``activity`` stays the same.

    It is a daemon, and holds nothing between two calls. ``problem`` tells what keeps it from its work.
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
        """End it: the piece of work in hand is the last, for which it is waited so many seconds, or as long as it
        takes. Stopping twice is no error."""
        self._ended.set()
        self._thread.join(patience)

    def _tend(self) -> None:
        seen: Activity = ()
        pause = self._idle
        while not self._ended.wait(pause):
            try:
                before, seen = seen, self._activity()
                if seen is None:
                    return
                pause = _PAUSE if seen == before and self._work() else self._idle
                self.problem = None
            except MemoryClosed:
                return
            except HmemError as error:
                self.problem, pause = str(error), _LATER
