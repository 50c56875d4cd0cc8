"""``Memory``, a front over the services of one memory, its views, and the same for asynchronous code."""

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from datetime import tzinfo
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from hmem.api.cases import Cases
from hmem.api.changes import Changes
from hmem.api.erasure import Erasure
from hmem.api.feedback import Feedback
from hmem.api.ingestion import Ingestion
from hmem.api.interface import (
    AsyncEdits,
    AsyncModelJobs,
    Awaited,
    LocalModelJobs,
    MemoryLike,
    MemoryOperations,
    ServiceMethod,
    ViewLike,
    ViewOperations,
    awaited,
    blocking,
    streaming,
)
from hmem.api.maintenance import Maintenance
from hmem.api.model_work import ModelWork
from hmem.api.opening import OpenRequest, open_parts, storage_of
from hmem.api.queries import Queries, instant
from hmem.api.views import Lookup, Views
from hmem.corpus.corpus import Corpus
from hmem.errors import EmbedderMismatch, InvalidQuery
from hmem.evolution.analyse import WorkOptions
from hmem.formation.worker import WAITING_TURNS
from hmem.language.analyst.language_model import AnswerModel
from hmem.model.key import MemoryKey
from hmem.model.span import PRESENT, Standpoint, from_stored
from hmem.model.tier import TierOptions
from hmem.retrieval.browse import Browser
from hmem.retrieval.filter import Moment
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.storage import Location, OpenOptions, Storage


def _by_class(*services: object) -> dict[str, Any]:
    return {type(service).__name__: service for service in services}


def _class_of(method: Callable[..., Any]) -> str:
    """Return the name of the class that defines a method."""
    return method.__qualname__.partition(".")[0]


class Memory(MemoryLike):
    """Memory of one agent or user, in one file. Thread-safe; a context manager.

    Args:
        path: the memory's file, made if it does not exist; ``:memory:`` for one that ends with the process; or the URL
            of a database that an installed package offers a storage for.
        storage: an open storage, instead of a path; it is closed with the memory.
        recipe: how turns are formed and recalled, kept with a new memory. For an existing memory another recipe
            changes only the recall, as long as it is open, until ``rebuild`` forms the turns by it and keeps it.
        settings: constants of the recipe to change, such as ``{"flat.weights.speaker": "0"}``.
        embedder: makes vectors of texts, such as ``wordllama``; by default the memory's own.
        analyst: reads and writes language, kept with the memory: ``verbatim`` by default, which needs no language
            model, or a language model such as ``openai:gpt-4o-mini``, which reads turns added from then on, later
            (``memory.model.run_jobs``, ``hmem worker``).
        zone: the IANA time zone of times without an offset, kept with the memory; UTC by default.
        create: True to make the memory if it does not exist.
        busy_seconds: seconds that a write waits for another process's.
        background: True to consolidate in a thread of its own, in small pieces, whenever the memory is idle, and to
            have a language model work in another. Readers then do not wait for a backlog of more than 64 turns: it is
            formed behind them, and they see what is formed by then.
        form_later: False to form turns within ``add``. Otherwise it returns as soon as they are durable and searchable;
            up to 64 of them (or as many as a number says) wait to be formed by a thread, or by whoever first reads what
            is formed.
        working: parallel calls of a language model, its waiting times and its limit of failures.
        read_only: True to write nothing; set in any case if the file may not be written. Methods that write raise
            ``ReadOnlyMemory``, turns not yet formed stay so, and indices are made in the process.
        key: the key of an encrypted memory; a new one is encrypted with it. By default what ``HMEM_KEY``,
            ``HMEM_KEY_FILE`` or ``HMEM_KEY_COMMAND`` names. Indices are then kept in the process.

    Raises:
        MemoryNotFound, NotAMemory, SchemaTooNew, MemoryDamaged, MemoryBusy, StorageError: the file cannot be used.
        KeyNeeded, WrongKey, KeyUnavailable: it is encrypted, and the key is missing, another, or cannot be had.
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
        form_later: bool | int = True,
        working: WorkOptions | None = None,
        read_only: bool = False,
        key: str | bytes | MemoryKey | None = None,
    ) -> None:
        request = OpenRequest(recipe, settings, embedder, analyst, zone)
        options = OpenOptions(create, busy_seconds, read_only, MemoryKey.parse(key))
        opening = partial(storage_of, path, storage, options)
        self._opened = open_parts(opening, request)
        self._components = components = self._opened.components
        with ExitStack() as unless_open:
            unless_open.callback(components.corpus.close)
            unless_open.callback(self._opened.discard)
            self._open_services(working, WAITING_TURNS if form_later is True else int(form_later))
            # Another process may have switched the embedder just now: the next call says so.
            with suppress(EmbedderMismatch):
                self._services["Erasure"].finish()
            unless_open.pop_all()
        if background and not components.corpus.storage.read_only:
            components.forms_behind = True
            self._maintenance.start()
            self._model_work.start()

    def _open_services(self, working: WorkOptions | None, later: int) -> None:
        """Make the services; ``later`` turns may wait to be formed behind ``add``."""
        components, zone = self._components, self._opened.zone
        self._model_work = ModelWork(components, working)
        feedback = Feedback(components)
        erasure = Erasure(components, zone)
        self._ingestion = Ingestion(components, feedback, self._model_work, zone=zone, later=later)
        self._maintenance = Maintenance(
            components,
            erasure,
            self._model_work,
            location=str(components.corpus.storage.location),
            zone=zone,
            rebuilt=self._opened.asked_for,
        )

        def recall(formed: bool, recipe: str | None) -> RetrievalPipeline:  # noqa: FBT001 - an argument of `Queries`
            return components.recall(include_formed=formed, recipe=recipe)

        self._services = _by_class(
            Queries(recall, self._model_work.answerer, zone, on_recall=feedback.on_recall),
            Cases(components, self._ingestion, Queries(recall, self._model_work.answerer, zone)),
            Views(
                lambda patient: components.browsing(patient=patient), lambda: components.formation.config.tiering, zone
            ),
            Changes(components, zone),
            Lookup(components, zone),
            feedback,
            erasure,
            self._model_work,
            self._ingestion,
            self._maintenance,
        )

    def _call(self, method: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return method(self._services[_class_of(method)], *args, **kwargs)

    def as_of(self, moment: Moment) -> "AsOf":
        """Return a view of the memory as it was known at a time: turns said and decisions made until then.

        Raises: InvalidTime: the moment is not a time.
        """
        return self._view.as_of(moment)

    def valid_at(self, moment: Moment) -> "AsOf":
        """Return a view of what was true at a time, as far as it is known now.

        Raises: InvalidTime: the moment is not a time.
        """
        return self._view.valid_at(moment)

    @property
    def _view(self) -> "AsOf":
        components = self._components
        return AsOf(
            PRESENT,
            self._opened.zone,
            partial(components.recall, include_formed=True),
            components.browsing,
            self._model_work.answerer,
        )

    @property
    def model(self) -> LocalModelJobs:
        """Work of the language model that reads the memory."""
        return LocalModelJobs(self)

    backup = blocking(Maintenance.backup)

    @property
    def corpus(self) -> Corpus:
        """The storage and the indices, for tools that measure or repair them."""
        return self._components.corpus

    @property
    def unformed(self) -> tuple[int, int]:
        """Number of turns that wait to be formed, and number of all turns; neither is waited for."""
        with self.corpus.reading():
            return self._components.formation.pipeline.waiting(), self.corpus.columns.alive_count

    def close(self) -> None:
        """Close the file. Every later call raises ``MemoryClosed``.

        A memory that this object made, and whose every message was refused, is deleted again.
        """
        with ExitStack() as closing:
            closing.callback(self.corpus.close)
            self._model_work.stop()
            self._maintenance.stop()
            self._components.worker.close()
            self._components.retrieval.missing_notes.write(self.corpus)
            if self._ingestion.rejected_everything:
                self._opened.discard()

    def __repr__(self) -> str:
        storage = self.corpus.storage
        return f"Memory({str(storage.location)!r}{', read_only=True' if storage.read_only else ''})"


class AsOf(ViewLike):
    """Read-only view of a memory from a standpoint, returned by ``Memory.as_of`` and ``Memory.valid_at``.

    It has the recall methods and views of ``Memory``. Tiers are refused: they exist for the present only.
    """

    def __init__(
        self,
        standpoint: Standpoint,
        zone: tzinfo,
        recalls: Callable[..., RetrievalPipeline],
        browsing: Callable[..., AbstractContextManager[Browser]],
        answerer: Callable[[str | None], AnswerModel | None],
    ) -> None:
        self._standpoint = standpoint
        self._zone = zone
        self._parts = recalls, browsing, answerer
        # Nobody reacts to a recall of the past.
        queries = Queries(lambda _, recipe: recalls(recipe=recipe), answerer, zone, standpoint)
        self._services = _by_class(queries, Views(partial(browsing, standpoint), _no_tiers, zone))

    def _call(self, method: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return method(self._services[_class_of(method)], *args, **kwargs)

    def __repr__(self) -> str:
        bounds = (("as_of", self._standpoint.known), ("valid_at", self._standpoint.valid))
        fields = (f"{name}={from_stored(micros, 0).isoformat()}" for name, micros in bounds if micros is not None)
        return f"AsOf({', '.join(fields)})"

    def as_of(self, moment: Moment) -> "AsOf":
        """Return this view as it was known at a time: turns said and decisions made until then."""
        return AsOf(Standpoint(instant(moment, self._zone), self._standpoint.valid), self._zone, *self._parts)

    def valid_at(self, moment: Moment) -> "AsOf":
        """Return this view, limited to what was true at a time."""
        return AsOf(Standpoint(self._standpoint.known, instant(moment, self._zone)), self._zone, *self._parts)


def _no_tiers() -> TierOptions:
    raise InvalidQuery("the tiers are of now - ask the memory itself for them")


# Asynchronous code.


class AsyncMemory(MemoryOperations, Awaited):
    """``Memory`` for asynchronous code: the same methods as coroutines. ``memory`` is the wrapped one."""

    add = awaited(Ingestion.add)
    ask_stream = streaming(Queries.ask_stream)
    backup = ServiceMethod(Maintenance.backup)
    close = ServiceMethod(Memory.close)

    def __init__(self, memory: Memory) -> None:
        super().__init__(memory)
        self.memory = memory

    def __repr__(self) -> str:
        return f"AsyncMemory({self.memory!r})"

    @classmethod
    async def open(cls, path: str | Path | Location | None = None, **options: Any) -> Self:
        """Open a memory with the arguments of ``Memory``."""
        return cls(await asyncio.to_thread(Memory, path, **options))

    @property
    def edit(self) -> AsyncEdits:
        """Changes of single parts of what was formed."""
        return AsyncEdits(self.memory.edit)

    @property
    def model(self) -> AsyncModelJobs:
        """Work of the language model that reads the memory."""
        return AsyncModelJobs(self.memory.model)

    def as_of(self, moment: Moment) -> "AsyncAsOf":
        """Return a view of the memory as it was known at a time: turns said and decisions made until then.

        Raises: InvalidTime: the moment is not a time.
        """
        return AsyncAsOf(self.memory.as_of(moment))

    def valid_at(self, moment: Moment) -> "AsyncAsOf":
        """Return a view of what was true at a time, as far as it is known now.

        Raises: InvalidTime: the moment is not a time.
        """
        return AsyncAsOf(self.memory.valid_at(moment))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


class AsyncAsOf(ViewOperations, Awaited):
    """``AsOf`` for asynchronous code, returned by ``AsyncMemory.as_of`` and ``valid_at``.

    Making it needs no waiting; awaiting it returns itself. ``view`` is the wrapped one.
    """

    ask_stream = streaming(Queries.ask_stream)

    def __init__(self, view: AsOf) -> None:
        super().__init__(view)
        self.view = view

    def __await__(self) -> Generator[Any, Any, Self]:
        yield from ()
        return self

    def as_of(self, moment: Moment) -> "AsyncAsOf":
        """Return this view as it was known at a time: turns said and decisions made until then."""
        return AsyncAsOf(self.view.as_of(moment))

    def valid_at(self, moment: Moment) -> "AsyncAsOf":
        """Return this view, limited to what was true at a time."""
        return AsyncAsOf(self.view.valid_at(moment))
