"""``AsyncMemory``: the methods of ``Memory`` as coroutines, each run in a thread."""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from datetime import datetime
from functools import wraps
from pathlib import Path
from types import CoroutineType, TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast, overload

from hmem.api.as_of import AsOf
from hmem.api.memory import Memory
from hmem.formation.capture import Message
from hmem.language.cancellation import Breakable
from hmem.model.answer import Answer
from hmem.model.span import Duration
from hmem.model.turn import KeptReceipt, Receipt
from hmem.retrieval.filter import Moment
from hmem.storage.location import Location

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
    list = _in_thread("memory", Memory.list)
    sessions = _in_thread("memory", Memory.sessions)
    work = _in_thread("memory", Memory.work)
    halt = _in_thread("memory", Memory.halt)
    reanalyse = _in_thread("memory", Memory.reanalyse)
    budget = _in_thread("memory", Memory.budget)
    consolidate = _in_thread("memory", Memory.consolidate)
    timeline = _in_thread("memory", Memory.timeline)
    topics = _in_thread("memory", Memory.topics)
    layers = _in_thread("memory", Memory.layers)
    evolution = _in_thread("memory", Memory.evolution)
    episodes = _in_thread("memory", Memory.episodes)
    events = _in_thread("memory", Memory.events)
    notes = _in_thread("memory", Memory.notes)
    graph = _in_thread("memory", Memory.graph)
    persona = _in_thread("memory", Memory.persona)
    personas = _in_thread("memory", Memory.personas)
    tiers = _in_thread("memory", Memory.tiers)
    correct = _in_thread("memory", Memory.correct)
    retract = _in_thread("memory", Memory.retract)
    resolve = _in_thread("memory", Memory.resolve)
    rule = _in_thread("memory", Memory.rule)
    rules = _in_thread("memory", Memory.rules)
    conflicts = _in_thread("memory", Memory.conflicts)
    pin = _in_thread("memory", Memory.pin)
    unpin = _in_thread("memory", Memory.unpin)
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
    timeline = _in_thread("view", AsOf.timeline)
    topics = _in_thread("view", AsOf.topics)
    layers = _in_thread("view", AsOf.layers)
    evolution = _in_thread("view", AsOf.evolution)
    episodes = _in_thread("view", AsOf.episodes)
    events = _in_thread("view", AsOf.events)
    notes = _in_thread("view", AsOf.notes)
    conflicts = _in_thread("view", AsOf.conflicts)
    graph = _in_thread("view", AsOf.graph)
    persona = _in_thread("view", AsOf.persona)
    persona_history = _in_thread("view", AsOf.persona_history)
    personas = _in_thread("view", AsOf.personas)
    tiers = _in_thread("view", AsOf.tiers)

    def as_of(self, moment: Moment) -> "AsyncAsOf":
        """Return this view as it was known at a time: turns said and decisions made until then."""
        return AsyncAsOf(self.view.as_of(moment))

    def valid_at(self, moment: Moment) -> "AsyncAsOf":
        """Return this view, limited to what was true at a time."""
        return AsyncAsOf(self.view.valid_at(moment))
