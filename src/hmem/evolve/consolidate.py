"""Consolidation: the levels that a memory has grown into, and every text that is missing or has become untrue.

It goes by short stretches, each of which is stored before the next: whoever wants to recall or to write meanwhile waits
for one of them at most, and what was stored is not done again, however the run ended.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from time import monotonic, sleep
from typing import Final

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.placement.evolution import EvolutionPlacement
from hmem.hierarchy.scribe import Scribe
from hmem.language.analyst.base import SLIPS
from hmem.model.report import Consolidation
from hmem.model.span import to_stored
from hmem.storage.base import Formed

# A stretch writes for so long, in seconds, or so many texts; storing them comes on top.
STRETCH: Final = 0.025
_AT_ONCE: Final = 256
# Between two stretches others get their turn: a lock that is taken again at once is given to nobody else.
_BREATH: Final = 0.001

_EVOLUTION: Final = "evolution"
_TOPIC: Final = "topic"

Progress = Callable[[int, int], None]
Task = tuple[str, str, int]


class Budget:
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
class Stretch:
    """What one stretch did: levels that were filled, texts written by kind, and how many are left to write."""

    levels: int
    written: Counter[str]
    left: int


class Consolidator:
    """Consolidates one memory. Thread-safe, as the corpus is; ``evolving`` fills the levels of the evolution tree.

    ``slip`` tells of the text that could not be written last. It is tried again when the memory is opened anew, or when
    what it tells of changes.
    """

    def __init__(
        self, corpus: Corpus, arrangement: Arrangement, scribe: Scribe, evolving: EvolutionPlacement | None = None
    ) -> None:
        self._corpus = corpus
        self._arrangement = arrangement
        self._scribe = scribe
        self._evolving = evolving
        self._tasks: list[Task] = []
        self._as_of: Formed | None = None
        self._given_up: set[Task] = set()
        self.slip: str | None = None

    def run(self, at: datetime, budget: Budget | None = None, progress: Progress | None = None) -> Consolidation:
        """Stretch after stretch until nothing is left or the budget is spent; at least the levels are filled.

        ``at`` is the time by which the memory's age counts.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was stored so far stays.
        """
        budget = budget or Budget()
        levels, written = 0, Counter[str]()
        while True:
            stretch = self.stretch(at, budget)
            levels += stretch.levels
            written += stretch.written
            if progress is not None and stretch.written:
                progress(written.total(), written.total() + stretch.left)
            if not stretch.left or budget.spent:
                counts = {kind: written[kind] for kind in ("summaries", "names", "profiles")}
                return Consolidation(0, **counts, levels=levels, left=stretch.left)
            sleep(_BREATH)

    def stretch(self, at: datetime, budget: Budget | None = None) -> Stretch:
        """Fill the levels that are due and write texts for a moment, and store that."""
        budget = budget or Budget()
        with self._corpus.reading():
            self._arrangement.catch_up()
            levels = self._grow(at)
            self._look()
            todo, written = len(self._tasks), self._write_some(budget)
            if (levels or written) and not self._store():
                return Stretch(0, Counter(), max(todo, 1))
            return Stretch(levels, written, len(self._tasks))

    def _write_some(self, budget: Budget) -> Counter[str]:
        """Write the next texts on the list, as many as a stretch and the budget allow; how many, by kind."""
        written, until = Counter[str](), monotonic() + STRETCH
        while self._tasks and not budget.spent and written.total() < _AT_ONCE and monotonic() < until:
            task = self._tasks.pop()
            if self._write(task):
                budget.wrote(1)
                written[task[0]] += 1
        if written["names"]:
            # A node is named together with its siblings.
            names = self._arrangement.written[_TOPIC].names
            left = [task for task in self._tasks if task[0] != "names" or names.of(task[2]) is None]
            written["names"] += len(self._tasks) - len(left)
            self._tasks = left
        return written

    def _grow(self, at: datetime) -> int:
        if self._evolving is None:
            return 0
        levels = self._evolving.grow(self._arrangement.trees[_EVOLUTION], to_stored(at)[0] // 1_000_000)
        if levels:
            self._arrangement.outdate_texts()
            self._as_of = None
        return levels

    def _look(self) -> None:
        """List what is to be written, last first, unless nothing was formed since that was done."""
        if self._as_of != self._arrangement.at:
            missing = list(self._missing())
            self._given_up.intersection_update(missing)
            self._tasks = [task for task in missing if task not in self._given_up][::-1]
            self._as_of = self._arrangement.at

    def _store(self) -> bool:
        """Store what was written; False when another process stored something first, and all is to be done again."""
        self._as_of = None
        stored = self._arrangement.store(self._arrangement.at.watermark)
        if stored:
            self._as_of = self._arrangement.at
        return stored

    # What is to be written.

    def _missing(self) -> Iterator[Task]:
        """Lower nodes come before those above them, whose summaries build on theirs."""
        arrangement, options = self._arrangement, self._scribe.options
        for name, tree in arrangement.trees.items():
            texts = arrangement.written[name]
            for node in sorted(tree.nodes(), key=lambda node: (tree.level(node), node)):
                if options.summaries and tree.size(node) > 1 and texts.summaries.of(node) is None:
                    yield "summaries", name, node
                if (
                    name == _TOPIC
                    and tree.parent(node) is not None
                    and not tree.label(node)
                    and texts.names.of(node) is None
                ):
                    yield "names", name, node
        if options.profiles:
            for entity in arrangement.graph.entities():
                if (
                    arrangement.profiles.of(entity) is None
                    and arrangement.graph.mentions(entity)
                    and self._scribe.salient(entity)
                ):
                    yield "profiles", "", entity

    def _write(self, task: Task) -> bool:
        """Write one text; False for one that the analyst cannot write."""
        kind, tree, number = task
        try:
            if kind == "summaries":
                self._scribe.summary(tree, number)
            elif kind == "names":
                self._scribe.name(tree, number)
            else:
                self._scribe.profile(number)
        except SLIPS as error:
            self._given_up.add(task)
            self.slip = f"one of the {kind} could not be written: {type(error).__name__} - it is left out"
            return False
        return True
