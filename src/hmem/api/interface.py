"""Interface of a memory: each operation on one line, with the signature and the docstring of the service that does it.

From these lines ``Memory``, its views, the client of a server and their asynchronous twins get their methods.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import getattr_static, signature
from types import CoroutineType, TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Final, Generic, ParamSpec, Self, TypeVar, cast, overload

from hmem.api.cases import Cases
from hmem.api.changes import Changes
from hmem.api.erasure import Erasure
from hmem.api.feedback import Feedback
from hmem.api.ingestion import Ingestion
from hmem.api.maintenance import Maintenance
from hmem.api.model_work import ModelWork
from hmem.api.queries import Queries
from hmem.api.views import Lookup, Views
from hmem.language.cancellation import Breakable
from hmem.model.answer import Answer
from hmem.retrieval.filter import Conditions, Moment

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Method = Callable[..., Any]


# Names of arguments in other libraries, and ours.
_WORDS_OF_OTHERS: Final[Mapping[str, Sequence[str]]] = {
    "user_id": ("user",), "agent_id": ("agent",), "session_id": ("session",), "run_id": ("session",),
    "thread_id": ("session",), "limit": ("k", "limit"), "top_k": ("k", "limit"), "n": ("k", "limit"),
    "n_results": ("k", "limit"), "max_results": ("k", "limit"), "num_results": ("k", "limit"),
    "timestamp": ("at", "since"), "created_at": ("at", "since"), "date": ("at", "since"),
    "messages": ("message",), "content": ("message",), "text": ("message", "text"), "query": ("question",),
    "max_tokens": ("tokens",), "threshold": ("min_score",), "filters": ("metadata",), "name": ("speaker", "name"),
}  # fmt: skip


def _check_words(method: Callable[..., Any], words: Iterable[str]) -> None:
    """Refuse an argument with the name that another library has for it.

    Raises:
        TypeError: the method has it under another name.
    """
    names = {*signature(method).parameters}
    names |= Conditions.__annotations__.keys() if "conditions" in names else set()
    for word in words:
        ours = next((name for name in _WORDS_OF_OTHERS.get(word, ()) if name in names), None)
        if ours is not None and word not in names:
            raise TypeError(f"{method.__name__}() has no argument {word!r} - it is called {ours!r}")


def blocking(method: Callable[Concatenate[Any, _P], _R], name: str | None = None) -> Callable[Concatenate[Any, _P], _R]:
    """Return a method of ``Blocking`` with the signature and docstring of a service's method; ``name`` is not used."""
    del name

    @wraps(method)
    def call(self: "Blocking", /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if kwargs and not _WORDS_OF_OTHERS.keys().isdisjoint(kwargs):
            _check_words(method, kwargs)
        return self._call(method, args, kwargs)  # pyright: ignore[reportPrivateUsage] - its method

    return call


def awaited(
    method: Callable[Concatenate[Any, _P], _R], name: str | None = None
) -> "Callable[Concatenate[Any, _P], CoroutineType[Any, Any, _R]]":
    """Return a coroutine function of ``Awaited`` that calls the wrapped object's method of this name in a thread."""
    name = name or method.__name__

    @wraps(method)
    async def call(self: "Awaited", /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        return await asyncio.to_thread(getattr(self._wrapped, name), *args, **kwargs)  # pyright: ignore[reportPrivateUsage] - its attribute

    return call


def streaming(
    method: Callable[Concatenate[Any, _P], Iterator[str | Answer]],
) -> "Callable[Concatenate[Any, _P], CoroutineType[Any, Any, AsyncIterator[str | Answer]]]":
    """Return the same for a method that yields pieces; each piece is fetched in a thread."""
    start = awaited(method)

    @wraps(method)
    async def call(self: "Awaited", /, *args: _P.args, **kwargs: _P.kwargs) -> AsyncIterator[str | Answer]:
        return _iterate(await start(self, *args, **kwargs))

    return call


async def _iterate(chunks: Iterator[str | Answer]) -> AsyncIterator[str | Answer]:
    """Yield the items of an iterator, each fetched in a thread; break off the model's call when the consumer leaves."""
    end, block = object(), Breakable()

    def following() -> object:
        with block:
            return next(chunks, end)

    try:
        while (chunk := await asyncio.to_thread(following)) is not end:
            yield cast("str | Answer", chunk)
    finally:
        block.break_off()


class ServiceMethod(Generic[_P, _R]):
    """Method of a service in a list: a method of each ``Blocking`` class that inherits it, or a coroutine."""

    def __init__(self, method: Callable[Concatenate[Any, _P], _R]) -> None:
        self.method = method

    if TYPE_CHECKING:

        @overload
        def __get__(
            self, memory: None, owner: "type[Awaited]"
        ) -> Callable[Concatenate[Any, _P], CoroutineType[Any, Any, _R]]: ...
        @overload
        def __get__(self, memory: None, owner: type[Any]) -> Callable[Concatenate[Any, _P], _R]: ...
        @overload
        def __get__(self, memory: "Awaited", owner: type[Any]) -> Callable[_P, CoroutineType[Any, Any, _R]]: ...
        @overload
        def __get__(self, memory: object, owner: type[Any]) -> Callable[_P, _R]: ...
        def __get__(self, memory: object, owner: type[Any]) -> Any: ...


def _define(owner: type[Any], form: Callable[[_Method, str], _Method]) -> None:
    """Make methods of the operations that a class inherits, in their order."""
    for name in dict.fromkeys(name for base in owner.__mro__ for name in vars(base)):
        if isinstance(operation := getattr_static(owner, name), ServiceMethod):
            method = form(cast("ServiceMethod[..., Any]", operation).method, name)
            setattr(owner, name, method)


class Blocking:
    """Object whose operations return their results."""

    def __init_subclass__(cls) -> None:
        _define(cls, blocking)

    def _call(self, method: _Method, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Do an operation, which is a method of a service."""
        raise NotImplementedError


class Awaited:
    """Object whose operations are awaited: each is that of a wrapped object, in a thread."""

    def __init_subclass__(cls) -> None:
        _define(cls, awaited)

    def __init__(self, wrapped: Blocking) -> None:
        self._wrapped = wrapped


# The operations.


class ViewOperations:
    """Operations that read a memory, from now or from another standpoint."""

    search = ServiceMethod(Queries.search)
    context = ServiceMethod(Queries.context)
    ask = ServiceMethod(Queries.ask)
    notes = ServiceMethod(Views.notes)
    profile = ServiceMethod(Views.profile)

    tree = ServiceMethod(Views.tree)
    episodes = ServiceMethod(Views.episodes)
    events = ServiceMethod(Views.events)
    conflicts = ServiceMethod(Views.conflicts)
    graph = ServiceMethod(Views.graph)
    entities = ServiceMethod(Views.entities)
    persona = ServiceMethod(Views.persona)
    persona_history = ServiceMethod(Views.persona_history)
    personas = ServiceMethod(Views.personas)
    tiers = ServiceMethod(Views.tiers)


class MemoryOperations(ViewOperations):
    """Operations on a memory; with ``add`` and ``close`` the first of them are all that most need."""

    search = ServiceMethod(Queries.search)
    context = ServiceMethod(Queries.context)
    ask = ServiceMethod(Queries.ask)
    notes = ServiceMethod(Views.notes)
    profile = ServiceMethod(Views.profile)
    correct = ServiceMethod(Changes.correct)
    forget = ServiceMethod(Erasure.forget)
    undo = ServiceMethod(Changes.undo)
    list = ServiceMethod(Lookup.list)
    get = ServiceMethod(Lookup.get)

    overview = ServiceMethod(Views.overview)
    retract = ServiceMethod(Changes.retract)
    outcome = ServiceMethod(Cases.outcome)
    cases = ServiceMethod(Cases.cases)
    resolve = ServiceMethod(Changes.resolve)
    conflict_rules = ServiceMethod(Changes.conflict_rules)
    pin = ServiceMethod(Changes.pin)
    unpin = ServiceMethod(Changes.unpin)
    pins = ServiceMethod(Changes.pins)
    history = ServiceMethod(Changes.history)
    feedback = ServiceMethod(Feedback.feedback)
    delete = ServiceMethod(Erasure.delete)
    retain = ServiceMethod(Erasure.retain)
    formed = ServiceMethod(Lookup.formed)
    sessions = ServiceMethod(Lookup.sessions)

    stats = ServiceMethod(Maintenance.stats)
    verify = ServiceMethod(Erasure.verify)
    consolidate = ServiceMethod(Maintenance.consolidate)
    rebuild = ServiceMethod(Maintenance.rebuild)
    flush = ServiceMethod(Maintenance.flush)


class EditOperations:
    """Operations on single parts of what was formed."""

    persona = ServiceMethod(Changes.edit_persona)
    merge_entities = ServiceMethod(Changes.merge_entities)
    split_entity = ServiceMethod(Changes.split_entity)
    rename_node = ServiceMethod(Changes.rename_node)
    set_conflict_rule = ServiceMethod(Changes.set_conflict_rule)


class ModelOperations:
    """Operations of the language model that reads a memory."""

    run_jobs = ServiceMethod(ModelWork.run_model_jobs)
    reanalyse = ServiceMethod(ModelWork.reanalyse)
    budget = ServiceMethod(ModelWork.budget)


class LocalModelOperations(ModelOperations):
    """Operations of the model of a memory in this process."""

    stop_jobs = ServiceMethod(ModelWork.stop_model_jobs)
    write_requests = ServiceMethod(ModelWork.write_requests)
    take_responses = ServiceMethod(ModelWork.take_responses)


# What has them.


class OperationGroup(Blocking):
    """Group of operations, in an attribute of a memory."""

    def __init__(self, memory: Blocking) -> None:
        self._call = memory._call  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - a part of the memory


class Edits(EditOperations, OperationGroup):
    """Changes of single parts of what was formed: ``memory.edit``."""


class ModelJobs(ModelOperations, OperationGroup):
    """Work of the language model that reads a memory: ``memory.model``."""


class LocalModelJobs(LocalModelOperations, ModelJobs):
    """Work of the language model that reads a memory in this process: ``memory.model``."""


class AsyncEdits(EditOperations, Awaited):
    """``Edits`` for asynchronous code."""


class AsyncModelJobs(LocalModelOperations, Awaited):
    """``LocalModelJobs`` for asynchronous code."""


class ViewLike(ViewOperations, Blocking):
    """Recall from a memory and views of its derived state, from now or from another standpoint."""

    ask_stream = blocking(Queries.ask_stream)

    def as_of(self, moment: Moment) -> "ViewLike":
        """Return this view as it was known at a time: turns said and decisions made until then.

        Raises: InvalidTime: the moment is not a time.
        """
        raise NotImplementedError

    def valid_at(self, moment: Moment) -> "ViewLike":
        """Return this view, limited to what was true at a time.

        Raises: InvalidTime: the moment is not a time.
        """
        raise NotImplementedError


class MemoryLike(MemoryOperations, ViewLike):
    """A memory in this process (``Memory``) or at a server (``hmem.connect``). A context manager."""

    add = blocking(Ingestion.add)

    @property
    def edit(self) -> Edits:
        """Changes of single parts of what was formed."""
        return Edits(self)

    @property
    def model(self) -> ModelJobs:
        """Work of the language model that reads the memory."""
        return ModelJobs(self)

    def close(self) -> None:
        """Close the memory. Every later call raises ``MemoryClosed``."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
