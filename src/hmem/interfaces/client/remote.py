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
from hmem.interfaces.serialisation import Page, value_of
from hmem.language.analyst.spending import Budget
from hmem.model.answer import Answer
from hmem.model.entity import GraphShape
from hmem.model.episode import EpisodeShape
from hmem.model.event import Event
from hmem.model.formed_items import FormedShape
from hmem.model.ids import kind_of
from hmem.model.node import NodeShape
from hmem.model.note import Note
from hmem.model.persona import PersonaShape
from hmem.model.report import Forgotten, Stats
from hmem.model.span import Duration, parse_time
from hmem.model.turn import KeptReceipt, Receipt, Turn
from hmem.model.value import Listed
from hmem.retrieval.filter import Moment

_P = ParamSpec("_P")
_R = TypeVar("_R")

_PAGE: Final = 1_000
# All terms of a score, as ``Memory`` returns them.
_ALL_TERMS: Final = 1_000
_TIMES: Final = frozenset({"at", "since", "until", "after", "before", "expires", "as_of", "valid_at"})
_KINDS: Final[Mapping[str, type[Turn | Event | Note]]] = {"turn": Turn, "event": Event, "note": Note}
# With one of these fields the speaker or the expiry depends on the whole message, so the server applies the defaults.
_SETTLED_THERE: Final = ("role", "expires", "ttl")


def _remote(
    method: Callable[Concatenate[Memory, _P], _R],
) -> Callable[Concatenate["RemoteViews", _P], _R]:
    """Return the remote twin of a method: it sends the same arguments by their names, and returns the same values."""
    name, form = method.__name__, signature(method)

    @wraps(method)
    def twin(self: "RemoteViews", /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        bound = form.bind(self, *args, **kwargs)
        bound.apply_defaults()
        _, *arguments = bound.arguments.items()
        given = dict(arguments)
        # The server does not report progress.
        given.pop("progress", None)
        given |= given.pop("conditions", {})
        return self._call(name, given)  # pyright: ignore[reportPrivateUsage] - it makes methods of it

    return twin


class RemoteViews:
    """Recall and views over HTTP. The methods are those of ``Memory``, with its errors."""

    def __init__(
        self, line: HttpTransport, place: str, as_of: Moment | None = None, valid_at: Moment | None = None
    ) -> None:
        self._transport = line
        self._place = place
        self._standpoint = _given({"as_of": as_of, "valid_at": valid_at})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({f'{self._transport.server}/v1/{self._place}'!r})"

    def _call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of an operation, as ``Memory`` would; arguments that are None are sent only if required."""
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
            return Listed(self._pages(name, given.pop("limit"), given.pop("offset"), given))
        sent = _given(given) | {each: None for each in given if given[each] is None and needed[each]}
        return _value(value_of(row.result, self._said(name, sent)), given)

    def _said(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of an operation as JSON."""
        row = OPERATIONS[name]
        path = f"{self._place}/{row.path}".rstrip("/")
        if row.method == "GET":
            return self._transport.read("GET", path, None, {**arguments, **self._standpoint})
        body = arguments if row.arguments.__struct_fields__ else None
        if row.writes:
            return self._transport.write(row.method, path, body)
        return self._transport.read(row.method, path, body, self._standpoint)

    def _pages(self, name: str, limit: int | None, offset: int, query: Mapping[str, Any]) -> Iterator[Any]:
        """Yield ``limit`` items of a list, page by page; all for None."""
        cursor: str | None = str(max(offset, 0))
        while cursor is not None and (limit is None or limit > 0):
            asked = {**query, "limit": _PAGE if limit is None else min(limit, _PAGE), "cursor": cursor}
            page: Page[Any] = value_of(OPERATIONS[name].result, self._said(name, _given(asked)))
            yield from (_value(each, query) for each in page.items)
            cursor, limit = page.next, None if limit is None else limit - len(page.items)

    search = _remote(Memory.search)
    context = _remote(Memory.context)
    ask = _remote(Memory.ask)
    ask_stream = _remote(Memory.ask_stream)
    tree = _remote(Memory.tree)
    episodes = _remote(Memory.episodes)
    events = _remote(Memory.events)
    notes = _remote(Memory.notes)
    conflicts = _remote(Memory.conflicts)
    graph = _remote(Memory.graph)
    entities = _remote(Memory.entities)
    persona = _remote(Memory.persona)
    persona_history = _remote(Memory.persona_history)
    personas = _remote(Memory.personas)
    profile = _remote(Memory.profile)
    tiers = _remote(Memory.tiers)

    def _stream(self, arguments: Mapping[str, Any]) -> Iterator[str | Answer]:
        """Return the pieces of the text as the server says them, at least one, and last the ``Answer``."""
        body = _given({**arguments, "terms": _ALL_TERMS})
        said = self._transport.events(f"{self._place}/ask/stream", body, self._standpoint)
        # Read the first event now, so that a bad question raises here.
        first = next(said)
        return _pieces(first, said)


class RemoteAsOf(RemoteViews):
    """Remote memory from a standpoint; ``as_of`` and ``valid_at`` of ``RemoteMemory`` return it."""

    def as_of(self, moment: Moment) -> "RemoteAsOf":
        """Return the same view, as the memory was known at a time."""
        return RemoteAsOf(self._transport, self._place, moment, self._standpoint.get("valid_at"))

    def valid_at(self, moment: Moment) -> "RemoteAsOf":
        """Return the same view, with what was true at a time."""
        return RemoteAsOf(self._transport, self._place, self._standpoint.get("as_of"), moment)


class RemoteMemory(RemoteViews):
    """Memory at a server; ``hmem.connect`` returns it. Thread-safe; a context manager.

    The methods are those of ``Memory`` and raise the same errors, and ``ServerError`` when the server cannot be reached
    or refuses the request. Vectors are not sent: personas and nodes have none. An argument of the wrong type is an
    ``InvalidRequest``.
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
    merge_entities = _remote(Memory.merge_entities)
    split_entity = _remote(Memory.split_entity)
    rename_node = _remote(Memory.rename_node)
    pins = _remote(Memory.pins)
    undo = _remote(Memory.undo)
    edit_persona = _remote(Memory.edit_persona)
    feedback = _remote(Memory.feedback)
    history = _remote(Memory.history)
    forget = _remote(Memory.forget)
    retain = _remote(Memory.retain)
    verify = _remote(Memory.verify)
    sessions = _remote(Memory.sessions)
    formed = _remote(Memory.formed)
    consolidate = _remote(Memory.consolidate)
    rebuild = _remote(Memory.rebuild)
    work = _remote(Memory.work)
    reanalyse = _remote(Memory.reanalyse)
    flush = _remote(Memory.flush)

    def delete(self, *ids: str) -> Forgotten:
        """Forget turns by their ids; the same as ``forget(*ids)``."""
        return self.forget(*ids)

    def get(self, id: str) -> Turn | Event | Note:
        """Return a turn, an event or a note by its id."""
        return value_of(_KINDS.get(kind_of(id) or "turn", Turn), self._said("get", {"id": id}))

    def list(
        self,
        *,
        session: str | None = None,
        speaker: str | None = None,
        entity: str | None = None,
        node: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> list[Turn]:
        """Return turns in the order of their arrival; the next page is ``after`` the last id of this one."""
        found: list[Turn] = []
        given = {"session": session, "speaker": speaker, "entity": entity, "node": node}
        while limit > len(found):
            wanted = min(limit - len(found), _PAGE)
            asked = _given({**given, "after": after, "limit": wanted})
            page: Page[Turn] = value_of(Page[Turn], self._said("list", asked))
            found += page.items
            after = page.next
            if after is None:
                break
        return found

    def stats(self) -> Stats:
        """Return counts, times and sizes; ``path`` is the memory's address."""
        return value_of(Stats, {**self._said("stats", {}), "path": f"{self._transport.server}/v1/{self._place}"})

    def as_of(self, moment: Moment) -> RemoteAsOf:
        """Return a view of the memory as it was known at a time."""
        return RemoteAsOf(self._transport, self._place, as_of=moment)

    def valid_at(self, moment: Moment) -> RemoteAsOf:
        """Return a view of what was true at a time, as far as it is known now."""
        return RemoteAsOf(self._transport, self._place, valid_at=moment)

    def budget(self, **limits: float | None) -> Budget:
        """Return the budget for models, after changing limits by name; None removes one."""
        return self._call("set_budget", {"limits": limits}) if limits else self._call("budget", {})

    def close(self) -> None:
        """Close the connection; the memory stays. Every later call raises ``MemoryClosed``."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None, as they are sent.

    Raises:
        InvalidTime: a value is no time.
    """
    return {name: _as_sent(name, value) for name, value in values.items() if value is not None}


def _value(told: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the value of an operation from the form in which it was sent, and its arguments."""
    match told:
        case NodeShape():
            return told.value(arguments["name"])
        case EpisodeShape() | FormedShape() | GraphShape() | PersonaShape():
            return told.value()
        case Turns():
            return told.turns
        case Done() | Retained():
            return None
        case list():
            return Listed(_value(each, arguments) for each in cast("list[Any]", told))
        case _:
            return told


def _as_sent(name: str, value: Any) -> Any:
    """Return a time as a text; without an offset it stays so, since only the memory knows its zone."""
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
    """Yield the pieces of a text and last the answer, from events. Closing it closes the events.

    Raises:
        ServerFault: the events ended without an answer.
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
