"""The upkeep of a memory: the part of ``Memory`` that consolidates it, when told to and in the background."""

from abc import ABC, abstractmethod
from dataclasses import replace
from datetime import datetime
from math import isfinite
from typing import Final
from weakref import ref

from hmem.corpus.corpus import Corpus
from hmem.corpus.embedding import Progress
from hmem.derived.state import DerivedState
from hmem.errors import InvalidQuery
from hmem.evolution.consolidate import Activity, Background, Consolidator, RunLimit
from hmem.evolution.erase import retained_days
from hmem.evolution.learn import MissingNotes, learn, unlearnt
from hmem.evolution.reconcile import Reconciler
from hmem.formation.pipeline import FormationPipeline
from hmem.language.analyst import Analyst
from hmem.model.report import Consolidation, ModelStats, Stats
from hmem.model.span import now, parse_time
from hmem.model.span import zone as load_zone
from hmem.retrieval.sources import Sources

# So many turns are formed at a time: in the background, and by a run that has a budget.
_AT_ONCE: Final = 4


class Upkeep(ABC):
    """What keeps a memory in order. ``Memory`` sets these."""

    _corpus: Corpus
    _derived: DerivedState
    _analyst: Analyst
    _lacks: MissingNotes
    _reconciler: Reconciler
    _formation: FormationPipeline
    _consolidator: Consolidator
    _sources: Sources
    _zone: str
    _path: str
    _wipe_problem: str | None
    _background: Background | None = None

    @abstractmethod
    def _expire(self) -> int:
        """Forget what is due; how many turns went."""

    @abstractmethod
    def _model_stats(self) -> ModelStats | None:
        """What language models have done."""

    def stats(self) -> Stats:
        """Counts, times and sizes."""
        with self._corpus.reading():
            storage, counts = self._corpus.storage, self._corpus.storage.counts()
            return Stats(
                memory=storage.memory,
                path=self._path,
                schema=storage.schema,
                embedder=self._corpus.embedder.name,
                zone=self._zone,
                turns=counts.turns,
                sessions=counts.sessions,
                speakers=counts.speakers,
                first=counts.first,
                last=counts.last,
                vectors=counts.vectors,
                tail=self._corpus.tail_turns,
                truth_bytes=counts.size_bytes,
                index_bytes=self._corpus.index_bytes(),
                index_problem=self._corpus.index_problem,
                formation_problem=self._formation.problem or self._formation.slip,
                consolidation_problem=(self._background and self._background.problem) or self._consolidator.slip,
                unformed=self._formation.behind(),
                events=len(self._derived.events),
                notes=len(self._derived.notes),
                revised=self._derived.revisions.revised,
                entities=len(self._derived.graph.entities()),
                retain_days=retained_days(storage),
                expiring=len(storage.expiring()),
                forgetting_problem=self._wipe_problem,
                model=self._model_stats(),
            )

    def consolidate(
        self,
        progress: Progress | None = None,
        *,
        budget: float | None = None,
        texts: int | None = None,
        at: datetime | str | float | None = None,
    ) -> Consolidation:
        """Forget what is due, form what is behind, fill the levels that the memory has grown into, and write every
        text that is missing.

        What is done already and still true is left alone, so doing it twice does nothing more, and a run that was
        ended, even by a crash, is taken up where it stopped.

        Args:
            progress: is told how many texts were written, and how many there are to write.
            budget: for how many seconds to work; what is in hand is finished, and what is due to be forgotten is
                forgotten in any case. Without it, until nothing is left.
            texts: how many texts to write at most.
            at: the time by which the memory's age counts; now, if it is not said.

        Returns:
            What was done, and how much is left.

        Raises:
            InvalidQuery, InvalidTime: the budget is no number from 0 on, or the time does not parse.
            MemoryBusy, StorageFull, StorageError: what was stored so far stays.
        """
        _check(budget, texts)
        moment = now() if at is None else parse_time(at, load_zone(self._zone))
        bound = RunLimit(budget, texts)
        forgotten, turns = self._expire(), 0
        # A part of the upkeep that changes how turns are read belongs before this.
        while not bound.late and (formed := self._formation.form(None if budget is None else _AT_ONCE, progress)):
            turns += formed
        self._lacks.write(self._corpus)
        learn(self._corpus, self._derived, self._analyst, self._reconciler.keep, lambda: bound.late)
        self._formation.correct_again()
        done = self._consolidator.run(moment, bound, progress)
        with self._corpus.reading():
            left = self._formation.behind() + len(unlearnt(self._corpus, self._derived))
        return replace(done.and_formed(turns, left), forgotten=forgotten)

    def _begin_background(self) -> None:
        """Consolidate in the background from now on, until the memory is closed or nobody holds it any more."""
        memory = ref(self)

        def activity() -> Activity:
            held = memory()
            return None if held is None else held._activity()

        def work() -> bool:
            held = memory()
            return held is not None and held._tend()

        self._background = Background(activity, work)

    def _activity(self) -> Activity:
        with self._corpus.reading():
            return self._corpus.watermark, self._sources.recalls

    def _tend(self) -> bool:
        """A small piece of upkeep; whether there may be more."""
        if self._expire() or self._formation.form(_AT_ONCE):
            return True
        return self._consolidator.stretch(now()).left > 0


def _check(budget: float | None, texts: int | None) -> None:
    for name, value in (("budget", budget), ("texts", texts)):
        if value is not None and not (isfinite(value) and value >= 0):
            raise InvalidQuery(f"a consolidation's {name} cannot be {value!r} - give a number from 0 on")
