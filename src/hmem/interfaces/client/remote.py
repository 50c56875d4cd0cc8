"""``RemoteMemory``: the methods of ``Memory`` over HTTP, each a row of the table of operations."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from inspect import Signature, signature
from itertools import chain
from typing import Any, Final, cast

import msgspec

from hmem.api.feedback import ids_of
from hmem.api.ingestion import warn_of_rejected
from hmem.api.interface import Blocking, MemoryLike, ViewLike
from hmem.errors import InvalidTurn, ServerFault
from hmem.formation.capture import Message
from hmem.formation.messages import fields_of, plain
from hmem.interfaces.client.transport import HttpTransport
from hmem.interfaces.operations import OPERATIONS, Done, Retained, Turns
from hmem.interfaces.serialisation import Page, value_of
from hmem.language.analyst.spending import Budget
from hmem.model.answer import Answer
from hmem.model.entity import GraphShape
from hmem.model.event import EpisodeShape, Event, FormedShape
from hmem.model.ids import kind_of
from hmem.model.node import NodeShape
from hmem.model.note import Note
from hmem.model.persona import PersonaShape
from hmem.model.report import Forgotten, Stats
from hmem.model.span import parse_time
from hmem.model.turn import KeptReceipt, Receipt, Turn
from hmem.model.value import Listed
from hmem.retrieval.filter import Moment

_PAGE: Final = 1_000
# All terms of a score, as ``Memory`` returns them.
_ALL_TERMS: Final = 1_000
_TIMES: Final = frozenset({"at", "since", "until", "after", "before", "expires", "as_of", "valid_at"})
_KINDS: Final[Mapping[str, type[Turn | Event | Note]]] = {"turn": Turn, "event": Event, "note": Note}
# With one of these fields the speaker or the expiry depends on the whole message, so the server applies the defaults.
_SETTLED_THERE: Final = ("role", "expires", "ttl")


@cache
def _form(method: Callable[..., Any]) -> Signature:
    return signature(method)


class _Remote(Blocking):
    """Operations over HTTP: each sends its arguments by their names, and returns the values of ``Memory``."""

    def __init__(
        self, line: HttpTransport, path: str, as_of: Moment | None = None, valid_at: Moment | None = None
    ) -> None:
        self._transport = line
        self._path = path
        self._standpoint = _drop_nulls({"as_of": as_of, "valid_at": valid_at})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({f'{self._transport.server}/v1/{self._path}'!r})"

    def _call(self, method: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        binding = _form(method).bind(self, *args, **kwargs)
        binding.apply_defaults()
        _, *arguments = binding.arguments.items()
        values = dict(arguments)
        # The server does not report progress.
        values.pop("progress", None)
        values |= values.pop("conditions", {})
        handler = getattr(self, f"_{method.__name__}", None)
        return self._request(method.__name__, values) if handler is None else handler(**values)

    def _request(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of an operation, as ``Memory`` would; arguments that are None are sent only if required."""
        row, values = OPERATIONS[name], dict(arguments)
        required = {field.name: field.required for field in msgspec.structs.fields(row.arguments)}
        if "terms" in required:
            values["terms"] = _ALL_TERMS
        if "target" in values:
            values["ids"] = list(ids_of(values.pop("target")))
        if name == "history" and values["limit"] is not None:
            values["limit"] = max(values["limit"], 0)
        if "cursor" in required:
            return Listed(self._pages(name, values.pop("limit"), values.pop("offset"), values))
        body = _drop_nulls(values) | {
            argument: None for argument in values if values[argument] is None and required[argument]
        }
        return _value(value_of(row.result, self._fetch(name, body)), values)

    def _fetch(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return the result of an operation as JSON."""
        row = OPERATIONS[name]
        path = f"{self._path}/{row.path}".rstrip("/")
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
            arguments = {**query, "limit": _PAGE if limit is None else min(limit, _PAGE), "cursor": cursor}
            page: Page[Any] = value_of(OPERATIONS[name].result, self._fetch(name, _drop_nulls(arguments)))
            yield from (_value(item, query) for item in page.items)
            cursor, limit = page.next, None if limit is None else limit - len(page.items)

    def _ask_stream(self, **arguments: Any) -> Iterator[str | Answer]:
        body = _drop_nulls({**arguments, "terms": _ALL_TERMS})
        events = self._transport.events(f"{self._path}/ask/stream", body, self._standpoint)
        # Read the first event now, so that a bad question raises here.
        first = next(events)
        return _answer_chunks(first, events)


class RemoteAsOf(_Remote, ViewLike):
    """Remote memory from a standpoint; ``as_of`` and ``valid_at`` of ``RemoteMemory`` return it."""

    def as_of(self, moment: Moment) -> "RemoteAsOf":
        """Return the same view, as the memory was known at a time."""
        return RemoteAsOf(self._transport, self._path, moment, self._standpoint.get("valid_at"))

    def valid_at(self, moment: Moment) -> "RemoteAsOf":
        """Return the same view, with what was true at a time."""
        return RemoteAsOf(self._transport, self._path, self._standpoint.get("as_of"), moment)


class RemoteMemory(_Remote, MemoryLike):
    """Memory at a server; ``hmem.connect`` returns it. Thread-safe; a context manager.

    The methods are those of ``Memory`` and raise the same errors, and ``ServerError`` when the server cannot be reached
    or refuses the request. Vectors are not sent: personas and nodes have none. An argument of the wrong type is an
    ``InvalidRequest``.
    """

    def _add(
        self,
        *,
        message: Message | Sequence[Message],
        caption: str | None,
        message_id: str | None,
        metadata: Mapping[str, Any] | None,
        wait: bool,
        **options: Any,
    ) -> KeptReceipt | list[Receipt]:
        defaults = _drop_nulls(options)
        if isinstance(message, Sequence) and not isinstance(message, str):
            batch = {"messages": [_encode_times(entry) for entry in message], **defaults, "wait": wait}
            receipts = value_of(list[Receipt], self._fetch("add_batch", batch))
            warn_of_rejected(receipts)
            return receipts
        mapping: Any = {"text": message} if isinstance(message, str) else _encode_times(message)
        if not isinstance(mapping, dict):
            raise InvalidTurn(f"a message is a text, a mapping or an object of an SDK - it is {type(message).__name__}")
        fields = cast("dict[str, Any]", mapping) | _drop_nulls(
            {"caption": caption, "message_id": message_id, "metadata": metadata, "wait": wait or None}
        )
        if defaults and any(name in fields for name in _SETTLED_THERE):
            return value_of(KeptReceipt, self._fetch("add", {**fields, "defaults": defaults}))
        values = {name: value for name, value in fields.items() if value is not None}
        return value_of(KeptReceipt, self._fetch("add", {**defaults, **values}))

    def _delete(self, ids: tuple[str, ...]) -> Forgotten:
        return self.forget(*ids)

    def _get(self, id: str) -> Turn | Event | Note:
        return value_of(_KINDS.get(kind_of(id) or "turn", Turn), self._fetch("get", {"id": id}))

    def _list(self, *, before: str | None, after: str | None, limit: int, **conditions: Any) -> list[Turn]:
        turns: list[Turn] = []
        bounds, backwards = {"before": before, "after": after}, before is not None and after is None
        while limit > len(turns):
            arguments = _drop_nulls({**conditions, **bounds, "limit": min(limit - len(turns), _PAGE)})
            page: Page[Turn] = value_of(Page[Turn], self._fetch("list", arguments))
            turns = [*page.items, *turns] if backwards else [*turns, *page.items]
            if page.next is None:
                break
            bounds["before" if backwards else "after"] = page.next
        return turns

    def _stats(self) -> Stats:
        # The path is the memory's address.
        return value_of(Stats, {**self._fetch("stats", {}), "path": f"{self._transport.server}/v1/{self._path}"})

    def _budget(self, limits: Mapping[str, float | None]) -> Budget:
        return self._request("set_budget", {"limits": limits}) if limits else self._request("budget", {})

    def as_of(self, moment: Moment) -> RemoteAsOf:
        """Return a view of the memory as it was known at a time."""
        return RemoteAsOf(self._transport, self._path, as_of=moment)

    def valid_at(self, moment: Moment) -> RemoteAsOf:
        """Return a view of what was true at a time, as far as it is known now."""
        return RemoteAsOf(self._transport, self._path, valid_at=moment)

    def close(self) -> None:
        """Close the connection; the memory stays. Every later call raises ``MemoryClosed``."""
        self._transport.close()


def _drop_nulls(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that are not None, as they are sent.

    Raises:
        InvalidTime: a value is no time.
    """
    return {name: _as_sent(name, value) for name, value in values.items() if value is not None}


def _value(shape: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the value of an operation from the form in which it was sent, and its arguments."""
    match shape:
        case NodeShape():
            return shape.value(arguments["name"])
        case EpisodeShape() | FormedShape() | GraphShape() | PersonaShape():
            return shape.value()
        case Turns():
            return shape.turns
        case Done() | Retained():
            return None
        case list():
            return Listed(_value(item, arguments) for item in cast("list[Any]", shape))
        case _:
            return shape


def _as_sent(name: str, value: Any) -> Any:
    """Return a time as a text; without an offset it stays so, since only the memory knows its zone."""
    if name in _TIMES and not isinstance(value, str):
        return (value if isinstance(value, datetime) else parse_time(value, UTC)).isoformat()
    return value.total_seconds() if isinstance(value, timedelta) else value


def _encode_times(message: Any) -> Any:
    """Return a message with its times as they are sent."""
    if not isinstance(message, Mapping):
        return message if fields_of(message) is None else plain(message)
    fields = cast("Mapping[str, Any]", message)
    sent = {name: value if value is None else _as_sent(name, value) for name, value in fields.items()}
    return plain(sent) if "content" in sent or "parts" in sent else sent


def _answer_chunks(first: tuple[str, Any], events: Generator[tuple[str, Any]]) -> Iterator[str | Answer]:
    """Yield the pieces of a text and last the answer, from events. Closing it closes the events.

    Raises:
        ServerFault: the events ended without an answer.
    """
    evidence: list[Any] = []
    with closing(events):
        for name, data in chain((first,), events):
            if name == "piece":
                yield data
            elif name == "evidence":
                evidence.append(data)
            elif name == "answer":
                yield value_of(Answer, {**data, "evidence": evidence})
                return
    raise ServerFault("the server's answer ended early - see whether it is of this version")
