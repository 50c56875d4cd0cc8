"""``Memory``: a front over the services of one memory."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hmem.api.as_of import AsOf
from hmem.api.changes import Changes
from hmem.api.delegation import delegated
from hmem.api.erasure import Erasure
from hmem.api.feedback import Feedback
from hmem.api.ingestion import Ingestion
from hmem.api.lookup import Lookup
from hmem.api.maintenance import Maintenance
from hmem.api.model_work import ModelWork
from hmem.api.opening import Wanted, open_parts, storage_of
from hmem.api.queries import Queries
from hmem.api.views import Views
from hmem.corpus.corpus import Corpus
from hmem.evolution.analyse import WorkOptions
from hmem.model.standpoint import NOW
from hmem.retrieval.filter import Moment
from hmem.storage import Location, Storage

# Turns that may wait to be formed, where that is left to later.
LATER_TURNS: Final = 512


class Memory:
    """Everything that one agent or user remembers, in one file. Thread-safe; a context manager.

    Args:
        path: the memory's file, made when it is not there; ``:memory:`` for one that ends with the process; or the URL
            of a database that an installed package offers a storage for.
        storage: a storage that is open, in the place of a path; it is closed with the memory.
        recipe: how turns are formed and recalled, kept with a new memory. Of a memory that is there, another recipe
            changes the recall only, as long as it is open, until ``rebuild`` forms the turns by it and keeps it.
        settings: constants of the recipe to change, such as ``{"flat.weights.speaker": "0"}``.
        embedder: what turns text into vectors, such as ``wordllama``; by default the one that the memory has.
        analyst: what reads and writes language for it, kept with the memory; ``rules`` by default, which needs no
            language model, ``spacy:MODEL`` for names found by an installed model of spaCy, or a language model such
            as ``openai:gpt-4o-mini``, which reads later what is added from then on (``work``, ``hmem worker``).
        zone: the IANA time zone that times without an offset are in, kept with the memory; UTC by default.
        create: whether to make the memory when it is not there.
        busy_seconds: how long a write waits for another process's.
        background: whether to consolidate in a thread of its own, in small pieces, whenever it has been left alone,
            and to have a language model work in another.
        form_later: whether ``add`` leaves it to the background, or to whoever asks for what was formed, to form turns,
            as long as no more than 512 wait for it. They are durable and searchable on its return all the same.
        working: how a language model works: how many calls at once, how long to wait, when to give up.
        read_only: whether to write nothing; so it is in any case where the file may not be written. What writes raises
            ``ReadOnlyMemory``, and what is not formed yet stays so. The indices are made in the process.

    Raises:
        MemoryNotFound, NotAMemory, SchemaTooNew, MemoryDamaged, MemoryBusy, StorageError: the file cannot be used.
        ReadOnlyMemory: it can only be read, and would have to be brought to a newer schema first.
        EmbedderMismatch: the memory's vectors come from another embedder; ``hmem reembed`` makes new ones.
        UnknownName, InvalidTime: no such recipe, constant, embedder, analyst or zone.
    """

    def __init__(
        self,
        path: str | Path | Location | None = None,
        *,
        storage: Storage | None = None,
        recipe: str | None = None,
        settings: Mapping[str, str] | None = None,
        embedder: str | None = None,
        analyst: str | None = None,
        zone: str | None = None,
        create: bool = True,
        busy_seconds: float = 10.0,
        background: bool = False,
        form_later: bool = False,
        working: WorkOptions | None = None,
        read_only: bool = False,
    ) -> None:
        wanted = Wanted(recipe, settings, embedder, analyst, zone)
        opening = partial(storage_of, path, storage, create=create, busy_seconds=busy_seconds, read_only=read_only)
        self._opened = open_parts(opening, wanted)
        self._components = components = self._opened.components
        of_times = self._opened.zone
        with ExitStack() as unless_open:
            unless_open.callback(components.corpus.close)
            unless_open.callback(self._opened.discard)
            self._model_work = ModelWork(components, working)
            self._feedback = Feedback(components)
            self._lookup = Lookup(components)
            self._queries = Queries(
                lambda formed: components.recall(formed=formed),
                self._model_work.answerer,
                of_times,
                shown=self._feedback.shown,
            )
            self._views = Views(components.browsing, lambda: components.formation.config.tiering)
            self._changes = Changes(components, of_times)
            self._erasure = Erasure(components, of_times)
            self._ingestion = Ingestion(
                components, self._feedback, self._model_work, zone=of_times, later=LATER_TURNS if form_later else 0
            )
            self._maintenance = Maintenance(
                components,
                self._erasure,
                self._model_work,
                place=str(components.corpus.storage.location),
                zone=of_times,
                rebuilt=self._opened.asked_for,
            )
            self._erasure.finish()
            unless_open.pop_all()
        if background and not components.corpus.storage.read_only:
            self._maintenance.start()
            self._model_work.start()

    # Writing.

    add = delegated("_ingestion", Ingestion.add)

    correct = delegated("_changes", Changes.correct)
    retract = delegated("_changes", Changes.retract)
    edit_persona = delegated("_changes", Changes.edit_persona)
    resolve = delegated("_changes", Changes.resolve)
    rule = delegated("_changes", Changes.rule)
    rules = delegated("_changes", Changes.rules)
    pin = delegated("_changes", Changes.pin)
    unpin = delegated("_changes", Changes.unpin)
    pins = delegated("_changes", Changes.pins)
    undo = delegated("_changes", Changes.undo)
    history = delegated("_changes", Changes.history)
    feedback = delegated("_feedback", Feedback.feedback)

    forget = delegated("_erasure", Erasure.forget)
    delete = delegated("_erasure", Erasure.delete)
    retain = delegated("_erasure", Erasure.retain)
    verify = delegated("_erasure", Erasure.verify)

    # Reading.

    search = delegated("_queries", Queries.search)
    context = delegated("_queries", Queries.context)
    ask = delegated("_queries", Queries.ask)
    ask_stream = delegated("_queries", Queries.ask_stream)

    get = delegated("_lookup", Lookup.get)
    list = delegated("_lookup", Lookup.list)
    sessions = delegated("_lookup", Lookup.sessions)

    timeline = delegated("_views", Views.timeline)
    topics = delegated("_views", Views.topics)
    layers = delegated("_views", Views.layers)
    evolution = delegated("_views", Views.evolution)
    episodes = delegated("_views", Views.episodes)
    events = delegated("_views", Views.events)
    notes = delegated("_views", Views.notes)
    conflicts = delegated("_views", Views.conflicts)
    graph = delegated("_views", Views.graph)
    persona = delegated("_views", Views.persona)
    persona_history = delegated("_views", Views.persona_history)
    personas = delegated("_views", Views.personas)
    tiers = delegated("_views", Views.tiers)

    def as_of(self, moment: Moment) -> AsOf:
        """The memory as it was known at a time: when it had been said, and before what was decided later.

        Raises:
            InvalidTime: the moment is none.
        """
        return self._seen.as_of(moment)

    def valid_at(self, moment: Moment) -> AsOf:
        """What was true at a time, as far as it is known now.

        Raises:
            InvalidTime: the moment is none.
        """
        return self._seen.valid_at(moment)

    @property
    def _seen(self) -> AsOf:
        parts = self._components
        recalls = partial(parts.recall, formed=True)
        return AsOf(NOW, self._opened.zone, recalls, parts.browsing, self._model_work.answerer)

    # Upkeep.

    consolidate = delegated("_maintenance", Maintenance.consolidate)
    rebuild = delegated("_maintenance", Maintenance.rebuild)
    flush = delegated("_maintenance", Maintenance.flush)
    stats = delegated("_maintenance", Maintenance.stats)

    work = delegated("_model_work", ModelWork.work)
    halt = delegated("_model_work", ModelWork.halt)
    reanalyse = delegated("_model_work", ModelWork.reanalyse)
    budget = delegated("_model_work", ModelWork.budget)

    @property
    def corpus(self) -> Corpus:
        """The storage and the indices beneath, for tools that measure or repair them."""
        return self._components.corpus

    def close(self) -> None:
        """Let go of the file. Every later call raises ``MemoryClosed``.

        A memory that this made, and to which nothing could be added, is taken away again.
        """
        self._model_work.stop()
        self._maintenance.stop()
        self._components.retrieval.missing_notes.write(self.corpus)
        if self._ingestion.in_vain:
            self._opened.discard()
        self.corpus.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
