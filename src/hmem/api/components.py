"""Components of a memory, which its recipe configures and ``rebuild`` replaces.

Services hold the ``Components`` and look a component up when they need it, so that none keeps a replaced one.
"""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from time import monotonic, sleep
from typing import Final

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import ModelOutputs
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.trees.evolution import EvolutionPlacement
from hmem.errors import ReadOnlyMemory, StorageError
from hmem.evolution.consolidate import Consolidator
from hmem.evolution.judge import PrecedingRecall
from hmem.evolution.learn import MissingNotes
from hmem.evolution.reconcile import Reconciler
from hmem.formation.capture import MarkEchoes
from hmem.formation.config import CaptureOptions, FormationConfig
from hmem.formation.echo import RecentRecalls
from hmem.formation.pipeline import FormationPipeline
from hmem.formation.worker import WAITING_TURNS, FormationWorker
from hmem.language.analyst.cached_model import CachedModelAnalyst
from hmem.language.containment import Fault, contained
from hmem.model.span import PRESENT, Standpoint
from hmem.model.turn import Turn
from hmem.recipes import recipe as load_recipe
from hmem.retrieval.browse import Browser
from hmem.retrieval.config import RetrievalConfig
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import rows_visible
from hmem.util.caches import clear_caches

# Seconds between two looks at whether another process stored a step, at first and at most.
_MOMENT: Final = 0.004
_LONGEST_MOMENT: Final = 0.064


@dataclass(frozen=True, slots=True)
class Formation:
    """Components that form turns by one configuration, keep the derived state and show it."""

    config: FormationConfig
    derived: DerivedState
    reconciler: Reconciler
    pipeline: FormationPipeline
    text_writer: TextWriter
    consolidator: Consolidator
    browser: Browser


@dataclass(frozen=True, slots=True)
class LastRecall:
    """Latest recall, its time, and the one session and the one user that it was limited to, if any."""

    recall: PrecedingRecall
    time: datetime
    session: str | None
    user: str | None = None


@dataclass(slots=True)
class Retrieval:
    """Retrieval pipeline with its memory of earlier recalls; replaced when something is forgotten.

    ``mark_echoes`` marks the parts of new turns that repeat what the ``recent_recalls`` showed; ``missing_notes``
    collects what recalls found no note of; ``last`` is the recall that the next message of a person may reply to.
    """

    sources: Sources
    recall: RetrievalPipeline
    recent_recalls: RecentRecalls
    mark_echoes: MarkEchoes
    missing_notes: MissingNotes
    last: LastRecall | None = None
    by_recipe: dict[str, RetrievalPipeline] = field(default_factory=dict[str, RetrievalPipeline])


def _marked(recalls: RecentRecalls, turns: Sequence[Turn]) -> list[Turn]:
    """Mark the echoes in new turns; leave them unmarked if that fails, so that they are kept in any case."""
    marked = contained(lambda: recalls.mark_echoes(turns))
    return list(turns) if isinstance(marked, Fault) else marked


class Components:
    """Corpus and analyst, with the present ``formation`` and ``retrieval`` over them. Thread-safe, as the corpus is.

    Args:
        corpus: the turns, vectors and indices.
        analyst: analyses language, by ``readings`` where a model made one.
        readings: readings of turns by models.
        retrieval_config: configuration of retrieval.
        formation_config: configuration of formation.
        capture_options: bounds of the turns that are kept.
    """

    def __init__(
        self,
        corpus: Corpus,
        analyst: CachedModelAnalyst,
        readings: ModelOutputs,
        retrieval_config: RetrievalConfig,
        formation_config: FormationConfig,
        capture_options: CaptureOptions,
    ) -> None:
        self.corpus = corpus
        self.analyst = analyst
        self.retrieval_config = retrieval_config
        self.capture_options = capture_options
        self._readings = readings
        self.worker = FormationWorker(self._form)
        # True if readers do not wait for a backlog to be formed: they see what is formed by then.
        self.forms_behind = False
        self.arrange(formation_config)
        corpus.on_erased = self._drop_texts

    def arrange(self, config: FormationConfig) -> None:
        """Build all components for this configuration of formation, with nothing loaded."""
        corpus, analyst = self.corpus, self.analyst
        # Verdicts of models are kept with the notes; the fallback judges the rest.
        derived = DerivedState(corpus, analyst.fallback, config.reconciling)
        reconciler = Reconciler(derived, analyst)
        text_writer = TextWriter(corpus, derived, analyst, config.text_options)
        evolving = EvolutionPlacement(config.evolving, corpus.embedder.calibration) if config.evolution else None
        self.formation = Formation(
            config,
            derived,
            reconciler,
            FormationPipeline(corpus, derived, analyst, config, reconciler.keep, self._readings),
            text_writer,
            Consolidator(corpus, derived, text_writer, evolving),
            Browser(corpus, derived, text_writer),
        )
        self.begin_retrieval()

    def begin_retrieval(self) -> None:
        """Replace retrieval by one with fresh sources, which remembers no earlier recall."""
        formation = self.formation
        sources = Sources(self.corpus, formation.derived, formation.text_writer, self.analyst)
        missing_notes, recent_recalls = MissingNotes(), RecentRecalls(self.corpus, self.analyst.lexicon)
        recall = self._pipeline(sources, self.retrieval_config, recent_recalls, missing_notes)
        mark_echoes = partial(_marked, recent_recalls) if formation.config.echo else list
        self.retrieval = Retrieval(sources, recall, recent_recalls, mark_echoes, missing_notes)

    def _pipeline(
        self, sources: Sources, recalling: RetrievalConfig, recent: RecentRecalls, missing: MissingNotes
    ) -> RetrievalPipeline:
        """Return a retrieval pipeline of a configuration over the sources."""
        config = self.formation.config
        # Formation assigns the tiers, so retrieval takes its configuration of them.
        recalling = replace(recalling, tiering=config.tiering)
        learns = config.notes and config.reconciling.learn
        return RetrievalPipeline(sources, recalling, recent.show, missing.notice if learns else None)

    def _drop_texts(self) -> None:
        """Drop what this process remembers of texts, as a process has forgotten turns."""
        clear_caches()
        retrieval = self.retrieval
        retrieval.recent_recalls.clear()
        retrieval.missing_notes.clear()
        retrieval.last = None

    def check_writable(self) -> None:
        """Refuse to write to a memory that can only be read.

        Raises:
            ReadOnlyMemory: it is one.
        """
        if self.corpus.storage.read_only:
            raise ReadOnlyMemory("this memory can only be read - open it where its file may be written")

    def catch_up(self) -> None:
        """Form all turns that any process added, as far as that works now."""
        if not self.corpus.storage.read_only:
            self.formation.pipeline.catch_up()

    def catch_up_for_reader(self) -> None:
        """Form all turns that any process added; of a backlog, only have the thread begin if ``forms_behind``."""
        backlog = self.formation.pipeline.backlog() if self.forms_behind else 0
        if backlog <= WAITING_TURNS or self.corpus.storage.read_only or not self.worker.form_behind(backlog):
            self.catch_up()

    def _form(self, limit: int, *, patient: bool = False) -> int:
        """Form at most so many turns for the worker, as far as that works now; return their number.

        If ``patient``, another process may go first.
        """
        try:
            while True:
                # Another thread may replace the pipeline until the corpus is held.
                with self.corpus.reading():
                    until = self.formation.pipeline.awaits_others() if patient else 0.0
                    if not until:
                        return self.formation.pipeline.catch_up(limit)
                    step = self.corpus.state.progress.step
                self._await_step(step, until)
        except StorageError as error:
            self.formation.pipeline.problem = str(error)
            return 0

    @contextmanager
    def _reading_formed(self, *, patient: bool = False) -> Generator[None]:
        """Hold the corpus still with all turns formed, as far as that works now; look once if nothing is to be done."""
        with ExitStack() as stack:
            stack.enter_context(self.corpus.reading(patient=patient))
            if not (self.corpus.storage.read_only or self.formation.pipeline.is_up_to_date()):
                stack.close()
                self.catch_up_for_reader()
                stack.enter_context(self.corpus.reading(patient=patient))
            self.formation.derived.catch_up()
            yield

    def _await_step(self, step: int, until: float) -> None:
        """Wait until another process stores a step after this one, at most until a time."""
        pause = _MOMENT
        while monotonic() < until:
            sleep(pause)
            # A step that takes long, on a busy machine, is not asked after all the time.
            pause = min(2 * pause, _LONGEST_MOMENT)
            with self.corpus.locked():
                if self.corpus.storage.state().progress.step != step:
                    return

    def recall(self, *, include_formed: bool, recipe: str | None = None) -> RetrievalPipeline:
        """Return the retrieval pipeline, after forming what was added here; with ``include_formed``, by any process.

        Raises:
            UnknownName: there is no such recipe.
        """
        recalling = None if recipe is None else load_recipe(recipe).retrieval
        if include_formed:
            self.catch_up_for_reader()
        else:
            self.worker.finish_for_reader()
        retrieval = self.retrieval
        if recipe is None or recalling is None:
            return retrieval.recall
        # Two threads may make the same one; either will do.
        if recipe not in retrieval.by_recipe:
            retrieval.by_recipe[recipe] = self._pipeline(
                retrieval.sources, recalling, retrieval.recent_recalls, retrieval.missing_notes
            )
        return retrieval.by_recipe[recipe]

    def derived(self) -> DerivedState:
        """Return the derived state, all turns formed, decisions up to date. Call it inside ``corpus.reading()``."""
        self.catch_up_for_reader()
        derived = self.formation.derived
        derived.catch_up()
        return derived

    @contextmanager
    def browsing(self, standpoint: Standpoint = PRESENT, *, patient: bool = False) -> Generator[Browser]:
        """Hold the corpus still and yield a browser of all that is formed, as seen from a standpoint.

        A ``patient`` one lets other calls go first between its items, and raises ``CorpusMoved`` if these change what
        it shows.
        """
        self.corpus.access_log.flush()
        with self._reading_formed(patient=patient):
            sources = self.retrieval.sources
            sources.begin()
            visible = rows_visible(sources, standpoint) if standpoint else None
            yield self.formation.browser.viewed_from(visible, standpoint.known)
