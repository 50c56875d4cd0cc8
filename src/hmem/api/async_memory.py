"""``AsyncMemory``: the methods of ``Memory``, to be awaited."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

from hmem.api.memory import Memory
from hmem.language.cancellation import Breakable
from hmem.model.answer import Answer

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _in_thread(
    method: Callable[Concatenate[Memory, _P], _R],
) -> Callable[Concatenate["AsyncMemory", _P], Coroutine[Any, Any, _R]]:
    """The asynchronous twin of a method: the same, in a thread."""

    @wraps(method)
    async def twin(self: "AsyncMemory", /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.to_thread(method, self.memory, *args, **kwargs)

    return twin


async def _each(pieces: Iterator[str | Answer]) -> AsyncIterator[str | Answer]:
    """What an iterator gives, waited for in a thread; the model is not waited for when nobody waits here."""
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
    """``Memory`` for asynchronous code: the same methods, to be awaited. ``memory`` is what it wraps."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @classmethod
    async def open(cls, path: str | Path, **options: Any) -> Self:
        """Open a memory with the arguments of ``Memory``."""
        return cls(await asyncio.to_thread(Memory, path, **options))

    add = _in_thread(Memory.add)
    delete = _in_thread(Memory.delete)
    forget = _in_thread(Memory.forget)
    retain = _in_thread(Memory.retain)
    search = _in_thread(Memory.search)
    context = _in_thread(Memory.context)
    ask = _in_thread(Memory.ask)
    get = _in_thread(Memory.get)
    list = _in_thread(Memory.list)
    sessions = _in_thread(Memory.sessions)
    work = _in_thread(Memory.work)
    halt = _in_thread(Memory.halt)
    reanalyse = _in_thread(Memory.reanalyse)
    budget = _in_thread(Memory.budget)
    consolidate = _in_thread(Memory.consolidate)
    timeline = _in_thread(Memory.timeline)
    topics = _in_thread(Memory.topics)
    layers = _in_thread(Memory.layers)
    evolution = _in_thread(Memory.evolution)
    episodes = _in_thread(Memory.episodes)
    events = _in_thread(Memory.events)
    notes = _in_thread(Memory.notes)
    graph = _in_thread(Memory.graph)
    persona = _in_thread(Memory.persona)
    personas = _in_thread(Memory.personas)
    tiers = _in_thread(Memory.tiers)
    correct = _in_thread(Memory.correct)
    retract = _in_thread(Memory.retract)
    resolve = _in_thread(Memory.resolve)
    rule = _in_thread(Memory.rule)
    rules = _in_thread(Memory.rules)
    conflicts = _in_thread(Memory.conflicts)
    pin = _in_thread(Memory.pin)
    unpin = _in_thread(Memory.unpin)
    pins = _in_thread(Memory.pins)
    undo = _in_thread(Memory.undo)
    history = _in_thread(Memory.history)
    persona_history = _in_thread(Memory.persona_history)
    edit_persona = _in_thread(Memory.edit_persona)
    feedback = _in_thread(Memory.feedback)
    as_of = _in_thread(Memory.as_of)
    valid_at = _in_thread(Memory.valid_at)
    stats = _in_thread(Memory.stats)
    verify = _in_thread(Memory.verify)
    rebuild = _in_thread(Memory.rebuild)
    flush = _in_thread(Memory.flush)
    close = _in_thread(Memory.close)

    @wraps(Memory.ask_stream)
    async def ask_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[str | Answer]:
        return _each(await asyncio.to_thread(self.memory.ask_stream, *args, **kwargs))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
