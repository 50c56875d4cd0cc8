"""``Memory``, a front over the services of one memory, and ``AsyncMemory``, the same for asynchronous code."""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from functools import partial, wraps
from pathlib import Path
from types import CoroutineType, TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast, overload

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
from hmem.errors import EmbedderMismatch
from hmem.evolution.analyse import WorkOptions
from hmem.formation.capture import Message
from hmem.formation.worker import WAITING_TURNS
from hmem.language.cancellation import Breakable
from hmem.model.answer import Answer
from hmem.model.key import MemoryKey
from hmem.model.span import Duration
from hmem.model.standpoint import NOW
from hmem.model.turn import KeptReceipt, Receipt
from hmem.retrieval.filter import Moment
from hmem.storage import Location, OpenOptions, Storage


class Memory:
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
            (``work``, ``hmem worker``).
        zone: the IANA time zone of times without an offset, kept with the memory; UTC by default.
        create: True to make the memory if it does not exist.
        busy_seconds: seconds that a write waits for another process's.
        background: True to consolidate in a thread of its own, in small pieces, whenever the memory is idle, and to
            have a language model work in another.
        form_later: False to form turns within ``add``. Otherwise it returns as soon as they are durable and searchable;
            up to 64 of them wait to be formed by a thread, or by whoever first reads what is formed.
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
        form_later: bool = True,
        working: WorkOptions | None = None,
        read_only: bool = False,
        key: str | bytes | MemoryKey | None = None,
    ) -> None:
        wanted = Wanted(recipe, settings, embedder, analyst, zone)
        options = OpenOptions(create, busy_seconds, read_only, MemoryKey.of(key))
        opening = partial(storage_of, path, storage, options)
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
                lambda formed, recipe: components.recall(formed=formed, recipe=recipe),
                self._model_work.answerer,
                of_times,
                shown=self._feedback.shown,
            )
            self._views = Views(components.browsing, lambda: components.formation.config.tiering, of_times)
            self._changes = Changes(components, of_times)
            self._erasure = Erasure(components, of_times)
            self._ingestion = Ingestion(
                components, self._feedback, self._model_work, zone=of_times, later=WAITING_TURNS if form_later else 0
            )
            self._maintenance = Maintenance(
                components,
                self._erasure,
                self._model_work,
                place=str(components.corpus.storage.location),
                zone=of_times,
                rebuilt=self._opened.asked_for,
            )
            # Another process may have switched the embedder just now: the next call says so.
            with suppress(EmbedderMismatch):
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
    merge_entities = delegated("_changes", Changes.merge_entities)
    split_entity = delegated("_changes", Changes.split_entity)
    rename_node = delegated("_changes", Changes.rename_node)
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
    formed = delegated("_lookup", Lookup.formed)
    list = delegated("_lookup", Lookup.list)
    sessions = delegated("_lookup", Lookup.sessions)

    tree = delegated("_views", Views.tree)
    episodes = delegated("_views", Views.episodes)
    events = delegated("_views", Views.events)
    notes = delegated("_views", Views.notes)
    conflicts = delegated("_views", Views.conflicts)
    graph = delegated("_views", Views.graph)
    entities = delegated("_views", Views.entities)
    persona = delegated("_views", Views.persona)
    persona_history = delegated("_views", Views.persona_history)
    personas = delegated("_views", Views.personas)
    profile = delegated("_views", Views.profile)
    tiers = delegated("_views", Views.tiers)

    def as_of(self, moment: Moment) -> AsOf:
        """Return a view of the memory as it was known at a time: turns said and decisions made until then.

        Raises:
            InvalidTime: the moment is none.
        """
        return self._seen.as_of(moment)

    def valid_at(self, moment: Moment) -> AsOf:
        """Return a view of what was true at a time, as far as it is known now.

        Raises:
            InvalidTime: the moment is none.
        """
        return self._seen.valid_at(moment)

    @property
    def _seen(self) -> AsOf:
        parts = self._components
        return AsOf(
            NOW, self._opened.zone, partial(parts.recall, formed=True), parts.browsing, self._model_work.answerer
        )

    # Maintenance.

    consolidate = delegated("_maintenance", Maintenance.consolidate)
    rebuild = delegated("_maintenance", Maintenance.rebuild)
    flush = delegated("_maintenance", Maintenance.flush)
    backup = delegated("_maintenance", Maintenance.backup)
    stats = delegated("_maintenance", Maintenance.stats)

    work = delegated("_model_work", ModelWork.work)
    halt = delegated("_model_work", ModelWork.halt)
    write_requests = delegated("_model_work", ModelWork.write_requests)
    take_responses = delegated("_model_work", ModelWork.take_responses)
    reanalyse = delegated("_model_work", ModelWork.reanalyse)
    budget = delegated("_model_work", ModelWork.budget)

    @property
    def corpus(self) -> Corpus:
        """The storage and the indices, for tools that measure or repair them."""
        return self._components.corpus

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
            if self._ingestion.in_vain:
                self._opened.discard()

    def __repr__(self) -> str:
        storage = self.corpus.storage
        return f"Memory({str(storage.location)!r}{', read_only=True' if storage.read_only else ''})"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


# Asynchronous code.

_P = ParamSpec("_P")
_R = TypeVar("_R")
# ``wraps`` needs one callable; the overloads stand on ``AsyncMemory.add``.
_ADD: Callable[..., Any] = Memory.add


def _in_thread(
    wrapped: str, method: Callable[Concatenate[Any, _P], _R]
) -> "Callable[Concatenate[Any, _P], CoroutineType[Any, Any, _R]]":
    """Return a coroutine function that runs a method of the object in an attribute in a thread."""

    @wraps(method)
    async def twin(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.to_thread(method, getattr(self, wrapped), *args, **kwargs)

    return twin


def _in_pieces(
    wrapped: str, method: Callable[Concatenate[Any, _P], Iterator[str | Answer]]
) -> "Callable[Concatenate[Any, _P], CoroutineType[Any, Any, AsyncIterator[str | Answer]]]":
    """Return the same for a method that yields pieces; each piece is fetched in a thread."""

    @wraps(method)
    async def twin(self: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> AsyncIterator[str | Answer]:
        return _each(await asyncio.to_thread(method, getattr(self, wrapped), *args, **kwargs))

    return twin


async def _each(pieces: Iterator[str | Answer]) -> AsyncIterator[str | Answer]:
    """Yield the items of an iterator, each fetched in a thread; break off the model's call when the consumer leaves."""
    end, block = object(), Breakable()

    def following() -> object:
        with block:
            return next(pieces, end)

    try:
        while (piece := await asyncio.to_thread(following)) is not end:
            yield cast("str | Answer", piece)
    finally:
        block.break_off()


class AsyncMemory:
    """``Memory`` for asynchronous code: the same methods as coroutines. ``memory`` is the wrapped one."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def __repr__(self) -> str:
        return f"AsyncMemory({self.memory!r})"

    @classmethod
    async def open(cls, path: str | Path | Location | None = None, **options: Any) -> Self:
        """Open a memory with the arguments of ``Memory``."""
        return cls(await asyncio.to_thread(Memory, path, **options))

    @overload
    async def add(
        self, message: str | Mapping[str, Any], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> KeptReceipt: ...  # fmt: skip
    @overload
    async def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> list[Receipt]: ...  # fmt: skip
    @wraps(_ADD)
    async def add(self, *args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(_ADD, self.memory, *args, **kwargs)

    delete = _in_thread("memory", Memory.delete)
    forget = _in_thread("memory", Memory.forget)
    retain = _in_thread("memory", Memory.retain)
    search = _in_thread("memory", Memory.search)
    context = _in_thread("memory", Memory.context)
    ask = _in_thread("memory", Memory.ask)
    ask_stream = _in_pieces("memory", Memory.ask_stream)
    get = _in_thread("memory", Memory.get)
    formed = _in_thread("memory", Memory.formed)
    list = _in_thread("memory", Memory.list)
    sessions = _in_thread("memory", Memory.sessions)
    work = _in_thread("memory", Memory.work)
    halt = _in_thread("memory", Memory.halt)
    write_requests = _in_thread("memory", Memory.write_requests)
    take_responses = _in_thread("memory", Memory.take_responses)
    reanalyse = _in_thread("memory", Memory.reanalyse)
    budget = _in_thread("memory", Memory.budget)
    consolidate = _in_thread("memory", Memory.consolidate)
    tree = _in_thread("memory", Memory.tree)
    episodes = _in_thread("memory", Memory.episodes)
    events = _in_thread("memory", Memory.events)
    notes = _in_thread("memory", Memory.notes)
    graph = _in_thread("memory", Memory.graph)
    entities = _in_thread("memory", Memory.entities)
    persona = _in_thread("memory", Memory.persona)
    personas = _in_thread("memory", Memory.personas)
    profile = _in_thread("memory", Memory.profile)
    tiers = _in_thread("memory", Memory.tiers)
    correct = _in_thread("memory", Memory.correct)
    retract = _in_thread("memory", Memory.retract)
    resolve = _in_thread("memory", Memory.resolve)
    rule = _in_thread("memory", Memory.rule)
    rules = _in_thread("memory", Memory.rules)
    conflicts = _in_thread("memory", Memory.conflicts)
    pin = _in_thread("memory", Memory.pin)
    unpin = _in_thread("memory", Memory.unpin)
    merge_entities = _in_thread("memory", Memory.merge_entities)
    split_entity = _in_thread("memory", Memory.split_entity)
    rename_node = _in_thread("memory", Memory.rename_node)
    pins = _in_thread("memory", Memory.pins)
    undo = _in_thread("memory", Memory.undo)
    history = _in_thread("memory", Memory.history)
    persona_history = _in_thread("memory", Memory.persona_history)
    edit_persona = _in_thread("memory", Memory.edit_persona)
    feedback = _in_thread("memory", Memory.feedback)
    stats = _in_thread("memory", Memory.stats)
    verify = _in_thread("memory", Memory.verify)
    rebuild = _in_thread("memory", Memory.rebuild)
    flush = _in_thread("memory", Memory.flush)
    backup = _in_thread("memory", Memory.backup)
    close = _in_thread("memory", Memory.close)

    def as_of(self, moment: Moment) -> "AsyncAsOf":
        """Return a view of the memory as it was known at a time: turns said and decisions made until then.

        Raises:
            InvalidTime: the moment is none.
        """
        return AsyncAsOf(self.memory.as_of(moment))

    def valid_at(self, moment: Moment) -> "AsyncAsOf":
        """Return a view of what was true at a time, as far as it is known now.

        Raises:
            InvalidTime: the moment is none.
        """
        return AsyncAsOf(self.memory.valid_at(moment))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()


class AsyncAsOf:
    """``AsOf`` for asynchronous code, returned by ``AsyncMemory.as_of`` and ``valid_at``.

    Making it needs no waiting; awaiting it returns itself. ``view`` is the wrapped one.
    """

    def __init__(self, view: AsOf) -> None:
        self.view = view

    def __await__(self) -> Generator[Any, Any, Self]:
        yield from ()
        return self

    search = _in_thread("view", AsOf.search)
    context = _in_thread("view", AsOf.context)
    ask = _in_thread("view", AsOf.ask)
    ask_stream = _in_pieces("view", AsOf.ask_stream)
    tree = _in_thread("view", AsOf.tree)
    episodes = _in_thread("view", AsOf.episodes)
    events = _in_thread("view", AsOf.events)
    notes = _in_thread("view", AsOf.notes)
    conflicts = _in_thread("view", AsOf.conflicts)
    graph = _in_thread("view", AsOf.graph)
    entities = _in_thread("view", AsOf.entities)
    persona = _in_thread("view", AsOf.persona)
    persona_history = _in_thread("view", AsOf.persona_history)
    personas = _in_thread("view", AsOf.personas)
    profile = _in_thread("view", AsOf.profile)
    tiers = _in_thread("view", AsOf.tiers)

    def as_of(self, moment: Moment) -> "AsyncAsOf":
        """Return this view as it was known at a time: turns said and decisions made until then."""
        return AsyncAsOf(self.view.as_of(moment))

    def valid_at(self, moment: Moment) -> "AsyncAsOf":
        """Return this view, limited to what was true at a time."""
        return AsyncAsOf(self.view.valid_at(moment))
