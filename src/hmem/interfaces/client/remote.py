"""``RemoteMemory``: the methods of ``Memory`` over HTTP, each a row of the table of operations."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import wraps
from inspect import signature
from itertools import chain
from types import TracebackType
from typing import Any, Concatenate, Final, ParamSpec, Self, TypeVar, cast, overload

import msgspec

from hmem.api.feedback import ids_of
from hmem.api.memory import Memory
from hmem.errors import InvalidTurn, ServerFault
from hmem.formation.capture import Message
from hmem.interfaces.client.transport import HttpTransport
from hmem.interfaces.operations import OPERATIONS, Done, Retained, Turns
from hmem.interfaces.serialisation import EpisodeShape, GraphShape, NodeShape, Page, PersonaShape, value_of
from hmem.language.analyst.spending import Budget
from hmem.model.answer import Answer
from hmem.model.event import Event
from hmem.model.ids import kind_of
from hmem.model.note import Note
from hmem.model.report import Forgotten, Stats
from hmem.model.span import Duration, parse_time
from hmem.model.turn import KeptReceipt, Receipt, Turn
from hmem.retrieval.filter import Moment

_P = ParamSpec("_P")
_R = TypeVar("_R")

_PAGE: Final = 1_000
# The values are those of ``Memory``, whose scores are explained in full.
_ALL_TERMS: Final = 1_000
_TIMES: Final = frozenset({"at", "since", "until", "after", "before", "expires", "as_of", "valid_at"})
_KINDS: Final[Mapping[str, type[Turn | Event | Note]]] = {"turn": Turn, "event": Event, "note": Note}
_TREES: Final = {"timeline": "calendar", "topics": "topic", "layers": "layers", "evolution": "evolution"}
# Who speaks, and until when, depends on what a message says besides: the memory settles it.
_SETTLED_THERE: Final = ("role", "expires", "ttl")


def _remote(
    method: Callable[Concatenate[Memory, _P], _R],
) -> Callable[Concatenate["RemoteViews", _P], _R]:
    """Return the twin of a method at a server: the same arguments, sent by their names, and the same values."""
    name, form = method.__name__, signature(method)

    @wraps(method)
    def twin(self: "RemoteViews", /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        bound = form.bind(self, *args, **kwargs)
        bound.apply_defaults()
        _, *arguments = bound.arguments.items()
        given = dict(arguments)
        # Progress is not told.
        given.pop("progress", None)
        given |= given.pop("conditions", {})
        return self._call(name, given)  # pyright: ignore[reportPrivateUsage] - it makes methods of it

    return twin


class RemoteViews:
    """Recall, and the views of what was formed, over a line. The methods are those of ``Memory``, with its errors."""

    def __init__(
        self, line: HttpTransport, place: str, as_of: Moment | None = None, valid_at: Moment | None = None
    ) -> None:
        self._line = line
        self._place = place
        self._standpoint = _given({"as_of": as_of, "valid_at": valid_at})

    def _call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return what an operation gives, as ``Memory`` would; an argument that is None is not sent, if it need not."""
        if name == "ask_stream":
            return self._stream(arguments)
        row, given = OPERATIONS[name], dict(arguments)
        needed = {each.name: each.required for each in msgspec.structs.fields(row.arguments)}
        if "terms" in needed:
            given["terms"] = _ALL_TERMS
        if "target" in given:
            given["ids"] = list(ids_of(given.pop("target")))
        if name == "history" and given["limit"] is not None:
            given["limit"] = max(given["limit"], 0)
        if "cursor" in needed:
            return tuple(self._pages(name, given.pop("limit"), given.pop("offset"), given))
        sent = _given(given) | {each: None for each in given if given[each] is None and needed[each]}
        return _value(value_of(row.result, self._said(name, sent)), name)

    def _said(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return what an operation gives, as JSON."""
        row = OPERATIONS[name]
        path = f"{self._place}/{row.path}".rstrip("/")
        if row.method == "GET":
            return self._line.read("GET", path, None, {**arguments, **self._standpoint})
        body = arguments if row.arguments.__struct_fields__ else None
        if row.writes:
            return self._line.write(row.method, path, body)
        return self._line.read(row.method, path, body, self._standpoint)

    def _pages(self, name: str, limit: int | None, offset: int, query: Mapping[str, Any]) -> Iterator[Any]:
        """Yield so many of a list, page by page."""
        cursor: str | None = str(max(offset, 0))
        while cursor is not None and (limit is None or limit > 0):
            asked = {**query, "limit": _PAGE if limit is None else min(limit, _PAGE), "cursor": cursor}
            page: Page[Any] = value_of(OPERATIONS[name].result, self._said(name, _given(asked)))
            yield from (_value(each, name) for each in page.items)
            cursor, limit = page.next, None if limit is None else limit - len(page.items)

    search = _remote(Memory.search)
    context = _remote(Memory.context)
    ask = _remote(Memory.ask)
    ask_stream = _remote(Memory.ask_stream)
    timeline = _remote(Memory.timeline)
    topics = _remote(Memory.topics)
    layers = _remote(Memory.layers)
    evolution = _remote(Memory.evolution)
    episodes = _remote(Memory.episodes)
    events = _remote(Memory.events)
    notes = _remote(Memory.notes)
    conflicts = _remote(Memory.conflicts)
    graph = _remote(Memory.graph)
    persona = _remote(Memory.persona)
    persona_history = _remote(Memory.persona_history)
    personas = _remote(Memory.personas)
    tiers = _remote(Memory.tiers)

    def _stream(self, arguments: Mapping[str, Any]) -> Iterator[str | Answer]:
        """Return pieces of the text as the server says them, at least one, and last the ``Answer``."""
        body = _given({**arguments, "terms": _ALL_TERMS})
        said = self._line.events(f"{self._place}/ask/stream", body, self._standpoint)
        # What is wrong with the question is told now.
        first = next(said)
        return _pieces(first, said)


class RemoteAsOf(RemoteViews):
    """A memory elsewhere, seen from a standpoint; ``as_of`` and ``valid_at`` of ``RemoteMemory`` give it."""

    def as_of(self, moment: Moment) -> "RemoteAsOf":
        """The same, as it was known at a time."""
        return RemoteAsOf(self._line, self._place, moment, self._standpoint.get("valid_at"))

    def valid_at(self, moment: Moment) -> "RemoteAsOf":
        """The same, with what was true at a time."""
        return RemoteAsOf(self._line, self._place, self._standpoint.get("as_of"), moment)


class RemoteMemory(RemoteViews):
    """A memory of a server; ``hmem.connect`` gives it. Thread-safe; a context manager.

    The methods are those of ``Memory`` and raise the same errors, beside ``ServerError`` when the server cannot be
    reached or does not let you. Vectors are not sent: personas and nodes come without. What is of the wrong type is
    an ``InvalidRequest``.
    """

    # Writing.

    @overload
    def add(
        self, message: str | Mapping[str, Any], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> KeptReceipt: ...  # fmt: skip
    @overload
    def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> list[Receipt]: ...  # fmt: skip
    def add(
        self,
        message: Message | Sequence[Message],
        *,
        speaker: str | None = None,
        at: datetime | str | float | None = None,
        session: str | None = None,
        caption: str | None = None,
        message_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        user: str | None = None,
        agent: str | None = None,
        ttl: Duration | None = None,
        wait: bool = False,
    ) -> KeptReceipt | list[Receipt]:
        """Keep a message, or a list of them in one transaction: durable and searchable on return."""
        defaults = _given({"speaker": speaker, "at": at, "session": session, "user": user, "agent": agent, "ttl": ttl})
        if isinstance(message, Sequence) and not isinstance(message, str):
            batch = {"messages": [_sent(each) for each in message], **defaults, "wait": wait}
            return value_of(list[Receipt], self._said("add_batch", batch))
        said: Any = {"text": message} if isinstance(message, str) else message
        if not isinstance(said, Mapping):
            raise InvalidTurn(f"a message is a text or a mapping - this one is {type(message).__name__}")
        fields = _sent(said) | _given(
            {"caption": caption, "message_id": message_id, "metadata": metadata, "wait": wait or None}
        )
        if defaults and any(name in fields for name in _SETTLED_THERE):
            return value_of(KeptReceipt, self._said("add", {**fields, "defaults": defaults}))
        kept = {name: value for name, value in fields.items() if value is not None}
        return value_of(KeptReceipt, self._said("add", {**defaults, **kept}))

    correct = _remote(Memory.correct)
    retract = _remote(Memory.retract)
    resolve = _remote(Memory.resolve)
    rule = _remote(Memory.rule)
    rules = _remote(Memory.rules)
    pin = _remote(Memory.pin)
    unpin = _remote(Memory.unpin)
    pins = _remote(Memory.pins)
    undo = _remote(Memory.undo)
    edit_persona = _remote(Memory.edit_persona)
    feedback = _remote(Memory.feedback)
    history = _remote(Memory.history)
    forget = _remote(Memory.forget)
    retain = _remote(Memory.retain)
    verify = _remote(Memory.verify)
    sessions = _remote(Memory.sessions)
    consolidate = _remote(Memory.consolidate)
    rebuild = _remote(Memory.rebuild)
    work = _remote(Memory.work)
    reanalyse = _remote(Memory.reanalyse)
    flush = _remote(Memory.flush)

    def delete(self, *ids: str) -> Forgotten:
        """The same as ``forget(*ids)``."""
        return self.forget(*ids)

    def get(self, id: str) -> Turn | Event | Note:
        """A turn, an event or a note by its id."""
        return value_of(_KINDS.get(kind_of(id) or "turn", Turn), self._said("get", {"id": id}))

    def list(
        self, *, session: str | None = None, speaker: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[Turn]:
        """Turns in the order of their arrival, a page at a time: the next page is ``after`` the last id of this."""
        found: list[Turn] = []
        while limit > len(found):
            wanted = min(limit - len(found), _PAGE)
            asked = _given({"session": session, "speaker": speaker, "after": after, "limit": wanted})
            page: Page[Turn] = value_of(Page[Turn], self._said("list", asked))
            found += page.items
            after = page.next
            if after is None:
                break
        return found

    def stats(self) -> Stats:
        """Counts, times and sizes; ``path`` is the memory's address."""
        return value_of(Stats, {**self._said("stats", {}), "path": f"{self._line.server}/v1/{self._place}"})

    def as_of(self, moment: Moment) -> RemoteAsOf:
        """The memory as it was known at a time."""
        return RemoteAsOf(self._line, self._place, as_of=moment)

    def valid_at(self, moment: Moment) -> RemoteAsOf:
        """What was true at a time, as far as it is known now."""
        return RemoteAsOf(self._line, self._place, valid_at=moment)

    def budget(self, **limits: float | None) -> Budget:
        """What may be spent on models, after changing limits by name; None takes one away."""
        return self._call("set_budget", {"limits": limits}) if limits else self._call("budget", {})

    def close(self) -> None:
        """Let go of the connection; the memory stays. Every later call raises ``MemoryClosed``."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None, as they are sent.

    Raises:
        InvalidTime: a time is none.
    """
    return {name: _as_sent(name, value) for name, value in values.items() if value is not None}


def _value(told: Any, name: str) -> Any:
    """Return what an operation of a name gives, in place of the form in which it was told."""
    match told:
        case NodeShape():
            return told.value(_TREES[name])
        case EpisodeShape() | GraphShape() | PersonaShape():
            return told.value()
        case Turns():
            return told.turns
        case Done() | Retained():
            return None
        case list():
            return tuple(_value(each, name) for each in cast("list[Any]", told))
        case _:
            return told


def _as_sent(name: str, value: Any) -> Any:
    """Return a time as a text: one without an offset stays so, since the memory knows its zone."""
    if name in _TIMES and not isinstance(value, str):
        return (value if isinstance(value, datetime) else parse_time(value, UTC)).isoformat()
    return value.total_seconds() if isinstance(value, timedelta) else value


def _sent(message: Any) -> Any:
    """Return a message with its times as they are sent."""
    if not isinstance(message, Mapping):
        return message
    said = cast("Mapping[str, Any]", message)
    return {name: value if value is None else _as_sent(name, value) for name, value in said.items()}


def _pieces(first: tuple[str, Any], said: Generator[tuple[str, Any]]) -> Iterator[str | Answer]:
    """Yield pieces of a text, and last the answer, from a server's events; when it is left alone, the server is too.

    Raises:
        ServerFault: it told no answer.
    """
    evidence: list[Any] = []
    with closing(said):
        for name, data in chain((first,), said):
            if name == "piece":
                yield data
            elif name == "evidence":
                evidence.append(data)
            elif name == "answer":
                yield value_of(Answer, {**data, "evidence": evidence})
                return
    raise ServerFault("the server's answer ended early - see whether it is of this version")
