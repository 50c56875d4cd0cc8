"""Maintenance of a memory: consolidation, on request or in the background, rebuilding, flushing and statistics."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, tzinfo
from math import isfinite
from pathlib import Path
from typing import Final
from weakref import ref

from hmem.api.components import Components, Formation
from hmem.api.erasure import Erasure
from hmem.api.model_work import ModelWork
from hmem.api.opening import RECIPE, WRITING, Choice
from hmem.corpus.embedding import Progress
from hmem.errors import InvalidQuery, StorageFull
from hmem.evolution.consolidate import Activity, Background, RunLimit, Throttle
from hmem.evolution.erase import retained_days
from hmem.evolution.learn import learn, unlearnt
from hmem.model.key import MemoryKey
from hmem.model.report import Consolidation, Stats
from hmem.model.span import now, parse_time
from hmem.recipes import to_text
from hmem.retrieval.sources import Sources
from hmem.storage.model_queue import PAIRED
from hmem.util.amounts import amount
from hmem.util.forks import call_in_child
from hmem.util.sizes import resident_bytes

# Number of turns formed at a time in the background and by a run with a budget.
_AT_ONCE: Final = 4

# Shared by all memories of the process.
_THROTTLE: Final = Throttle(lambda: Sources.recall_count)


@call_in_child
def _renew() -> None:
    _THROTTLE.after_fork()


class Maintenance:
    """Consolidation, on request or in the background, rebuilding, and statistics.

    Args:
        components: the components of the memory.
        erasure: erases expired turns.
        model_work: reports the work of language models.
        place: location of the memory, for the statistics.
        zone: time zone of times without an offset.
        rebuilt: the recipe by which ``rebuild`` forms turns, and which it keeps; None to form them as they are formed.
    """

    def __init__(
        self,
        components: Components,
        erasure: Erasure,
        model_work: ModelWork,
        *,
        location: str,
        zone: tzinfo,
        rebuilt: Choice | None = None,
    ) -> None:
        self._components = components
        self._corpus = components.corpus
        self._erasure = erasure
        self._model_work = model_work
        self._location = location
        self._zone = zone
        self._rebuilt = rebuilt
        self._background: Background | None = None

    @property
    def _formation(self) -> Formation:
        """The present components of formation; another thread may replace them meanwhile."""
        return self._components.formation

    def stats(self) -> Stats:
        """Return counts, times and sizes, after forming what was added here."""
        self._components.worker.finish_for_reader()
        with self._corpus.reading():
            storage, counts = self._corpus.storage, self._corpus.storage.counts()
            formation, derived, consolidator = (
                self._formation.pipeline,
                self._formation.derived,
                self._formation.consolidator,
            )
            return Stats(
                memory=storage.memory,
                path=self._location,
                schema=storage.schema,
                embedder=self._corpus.embedder.name,
                zone=str(self._zone),
                turns=counts.turns,
                sessions=counts.sessions,
                speakers=counts.speakers,
                first=counts.first,
                last=counts.last,
                vectors=counts.vectors,
                tail=self._corpus.tail_turns,
                truth_bytes=counts.size_bytes,
                encrypted=storage.encrypted,
                index_bytes=self._corpus.index_bytes(),
                index_problem=self._corpus.index_problem,
                formation_problem=self._components.worker.problem or formation.warning(),
                consolidation_problem=(self._background and self._background.problem) or consolidator.slip,
                unformed=formation.backlog(),
                events=len(derived.events),
                notes=len(derived.notes),
                revised=derived.revisions.revised,
                entities=derived.entity_count,
                retain_days=retained_days(storage),
                expiring=len(storage.expiring()),
                forgetting_problem=self._erasure.problem,
                model=self._model_work.stats(),
                languages=derived.judgements.languages(),
                unread=derived.judgements.unread(),
                formed_by=formation.formed_by(),
                turn_characters=self._components.capture_options.turn_characters,
                resident_bytes=resident_bytes(self._components),
            )

    def consolidate(
        self,
        progress: Progress | None = None,
        *,
        budget: float | None = None,
        texts: int | None = None,
        at: datetime | str | float | None = None,
    ) -> Consolidation:
        """Erase expired turns, form waiting turns, fill new levels of trees, and write every missing text.

        Work that is done and still true is left alone, so a second run does nothing more. A run that was interrupted,
        even by a crash, is continued by the next one.

        Args:
            progress: called with the number of texts written and the number to write.
            budget: seconds to work; the piece of work in progress is finished, and expired turns are erased in any
                case. Without a budget, work until nothing is left.
            texts: the largest number of texts to write.
            at: the time by which the memory's age counts; now by default.

        Returns:
            The work done, and the work left.

        Raises:
            InvalidQuery, InvalidTime: the budget is no number from 0 on, or the time does not parse.
            FormationDelayed, MemoryBusy, StorageFull, StorageError: what was stored so far stays.
        """
        self._components.check_writable()
        _check(budget, texts)
        moment = now() if at is None else parse_time(at, self._zone)
        # What was added here counts as formed by its addition, however soon this follows.
        self._components.worker.finish()
        limit = RunLimit(budget, texts)
        at_once = None if budget is None else _AT_ONCE
        with self._all_turns_kept():
            return self._formation.pipeline.contain(lambda: self._consolidate(limit, at_once, moment, progress))

    def _consolidate(
        self, limit: RunLimit, at_once: int | None, moment: datetime, progress: Progress | None
    ) -> Consolidation:
        expired, turns = self._erasure.expire(), 0
        # Whatever changes how turns are formed must run before this.
        while not limit.late and (count := self._formation.pipeline.form(at_once, progress)):
            turns += count
        self._components.retrieval.missing_notes.write(self._corpus)
        keep = self._formation.reconciler.keep
        learn(self._corpus, self._formation.derived, self._components.analyst, keep, lambda: limit.late)
        self._formation.pipeline.correct_again()
        result = self._formation.consolidator.run(moment, limit, progress)
        with self._corpus.reading():
            backlog = self._formation.pipeline.backlog() + len(unlearnt(self._corpus, self._formation.derived))
        return replace(result.and_formed(turns, backlog), forgotten=expired)

    @contextmanager
    def _all_turns_kept(self) -> Generator[None]:
        """Add to an error of a full disk that all turns are kept."""
        try:
            yield
        except StorageFull as error:
            with self._corpus.reading():
                turn_count, backlog = self._corpus.storage.counts().turns, self._formation.pipeline.backlog()
            turns_text = amount(turn_count, "turn is", "turns are")
            raise error.but_kept(f"all {turns_text} kept, {backlog:,} still to be formed") from error

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make the indices anew from the turns, and form the turns anew: by the recipe given on opening, if any.

        Raises:
            EmbedderUnavailable: missing vectors cannot be made now; the memory is as it was.
            MemoryBusy, StorageFull, StorageError: what was made so far stays, and another call goes on.
        """
        self._components.check_writable()
        with self._all_turns_kept():
            self._rebuild(progress)

    def _rebuild(self, progress: Progress | None) -> None:
        components = self._components
        self._corpus.rebuild(progress)
        with self._corpus.reading():
            config, settings = components.formation.config, dict[str, str]()
            if self._rebuilt is not None:
                config, settings = self._rebuilt.recipe.formation, {RECIPE: self._rebuilt.text()}
            # Decisions are carried over by what the older rules formed, so this is looked at before it is cleared.
            components.formation.pipeline.clear_older()
            self._corpus.storage.clear_formed({WRITING: to_text(config), PAIRED: None, **settings})
            components.arrange(config)
        components.formation.pipeline.form(progress=progress)

    def flush(self) -> None:
        """Form what was added here, bring the indices up to date and save them, without waiting for a full batch."""
        self._components.check_writable()
        with self._all_turns_kept():
            self._components.worker.finish()
            self._corpus.flush()

    def backup(self, path: str | Path, *, key: str | bytes | MemoryKey | None = None) -> None:
        """Write a copy of the memory at this moment into a new file, while it is used.

        What was forgotten is not in it, and indices are made anew when it is opened. It is readable by its owner only,
        and appears when it is complete. The copy of an encrypted memory has the same key unless another is given.

        Raises:
            InvalidFile: the file exists.
            StorageError: it cannot be written, or the memory is no file.
        """
        self._components.worker.finish()
        with self._corpus.locked():
            self._corpus.storage.backup(Path(path), MemoryKey.parse(key))

    # In the background.

    def start(self) -> None:
        """Consolidate in the background until ``stop``, or until nothing refers to this object any more."""
        maintenance = ref(self)

        def activity() -> Activity:
            service = maintenance()
            return None if service is None else service._activity()  # noqa: SLF001 - this object, held weakly

        def work() -> bool:
            service = maintenance()
            return service is not None and service._tend()  # noqa: SLF001 - this object, held weakly

        self._background = Background(activity, work)

    def stop(self) -> None:
        """Stop consolidating in the background, after the piece of work in progress."""
        if self._background is not None:
            self._background.stop()

    def _activity(self) -> Activity:
        with self._corpus.reading():
            return self._corpus.watermark, self._components.retrieval.sources.recalls

    def _tend(self) -> bool:
        """Do a small piece of maintenance; return True if there may be more."""
        # Turns are forgotten when they are due, however busy the process is.
        return bool(self._erasure.expire()) or _THROTTLE.do(self._work)

    def _work(self) -> bool:
        """Form a few turns, or consolidate for a short time; return True if there may be more."""
        if self._formation.pipeline.form(_AT_ONCE):
            return True
        return self._formation.consolidator.stretch(now()).remaining > 0


def _check(budget: float | None, texts: int | None) -> None:
    for name, value in (("budget", budget), ("texts", texts)):
        if value is not None and not (isfinite(value) and value >= 0):
            raise InvalidQuery(f"a consolidation's {name} cannot be {value!r} - give a number from 0 on")
