"""Routes, made from the table of operations: authorisation, arguments, and the call of the engine; streams.

An operation that changes a memory is done once for each Idempotency-Key.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import aclosing
from dataclasses import fields
from functools import cache
from math import isfinite
from typing import Any, Final, cast
from urllib.parse import quote

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from msgspec import Struct
from starlette.routing import Match, Route
from starlette.types import Scope, Send

from hmem.errors import HmemError, InvalidRequest, NotAllowed
from hmem.interfaces.arguments import LookBack
from hmem.interfaces.operations import OPERATIONS, Arguments, KeyShape, Operation, RecallTime, Rights
from hmem.interfaces.operations import Scope as KeyScope
from hmem.interfaces.rest import names
from hmem.interfaces.rest.engine import Engine
from hmem.interfaces.rest.idempotency import IdempotencyStore, IdempotentRequest, changes_of
from hmem.interfaces.rest.keys import LOCAL, SCOPES, Key, Keys
from hmem.interfaces.rest.openapi import EVENTS, JSON, LINES, path_of
from hmem.interfaces.rest.pool import EXPORT, IDENTITY, PROGRESS
from hmem.interfaces.rest.problems import MEDIA, headers_of, problem
from hmem.interfaces.rest.settings import Settings
from hmem.interfaces.rest.telemetry import Telemetry, ids_in
from hmem.interfaces.serialisation import Page
from hmem.model.change import Change
from hmem.model.plain import plain, to_bytes
from hmem.storage.catalog import Catalog
from hmem.util.amounts import amount

Endpoint = Callable[[Request], Awaitable[Response]]

# Proxies must not buffer the pieces.
_EVENT_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

# Status for the log when the client went away (as in nginx); nobody receives it.
_WENT_AWAY: Final = 499
# Seconds between two looks at a memory; within that time a change shows.
LOOK_SECONDS: Final = 1.0
# Seconds after which a line says that the connection is alive, as proxies close silent ones.
_SILENCE_SECONDS: Final = 15.0
_VALUE: Final = re.compile(r"(?<=value) '.*'", re.DOTALL)


class Calls:
    """Engine, settings, idempotency store and catalog, as requests use them."""

    def __init__(
        self,
        settings: Settings,
        engine: Engine,
        repeats: IdempotencyStore,
        catalog: Catalog,
        ending: asyncio.Event | None = None,
    ) -> None:
        self.settings = settings
        # Set when the server begins to end, so that streams do not hold it up.
        self.ending = ending or asyncio.Event()
        self.engine = engine
        self.repeats = repeats
        self.catalog = catalog

    async def do(self, request: Request, memory: str, operation: Operation, arguments: Arguments) -> Response:
        """Do an operation; one that changes a memory, once for each Idempotency-Key."""
        (code, body), before = await self._answer(request, memory, operation, arguments)
        if self.settings.audit is not None:
            request.state.ids = ids_in(to_bytes(arguments), body)
        return response(body, code, {"Idempotency-Replayed": "true"} if before else None)

    async def _answer(
        self, request: Request, memory: str, operation: Operation, arguments: Arguments
    ) -> tuple[tuple[int, bytes], bool]:
        """Return the status and the body of an operation, and True if they were kept from before."""

        async def run() -> tuple[int, bytes]:
            return operation.status, await self.engine.call(memory, operation.name, arguments)

        repeat = request.headers.get("idempotency-key") if operation.writes else None
        if repeat is None:
            return await run(), False
        on_server = operation.name in ("create_memory", "delete_memory")
        memory_id = "" if on_server else json.loads(await self.engine.call(memory, IDENTITY, {}))
        client: str = request.state.key.id
        idempotent = IdempotentRequest.build(client, repeat, memory_id, operation, arguments, name=memory)
        (code, body), replayed = await self.repeats.once(idempotent, run)
        return (code, await self._refresh(memory, operation, body) if replayed else body), replayed

    async def _refresh(self, memory: str, operation: Operation, body: bytes) -> bytes:
        """Return a kept answer as it is given again: with changes as the memory's log has them now."""
        changes = changes_of(operation, body)
        if not changes:
            return body
        since = min(change["at"] for change in changes)
        logged = json.loads(await self.engine.call(memory, "history", {"since": since}))
        by_id = {entry["id"]: entry for entry in logged}
        current = [by_id[change["id"]] for change in changes if change["id"] in by_id]
        return to_bytes(current if operation.result is not Change else current[0] if current else None)


def calls(request: Request) -> Calls:
    """Return the application's ``Calls``."""
    return request.app.state.calls


class _Route(Route):
    """Route that adds itself to the scope, for telemetry."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        return match, child if match is Match.NONE else {**child, "route": self}


def add_route(app: FastAPI, path: str, endpoint: Endpoint, method: str = "GET") -> None:
    """Add a route to an application."""
    route = _Route(path, endpoint, include_in_schema=False)
    # Starlette adds HEAD to GET.
    route.methods = {method}
    app.router.routes.append(route)


def add_operations(app: FastAPI) -> None:
    """Add the route of each operation to an application."""
    handlers = {
        "list_memories": _list_memories,
        "rights": _rights,
        "list_keys": _list_keys,
        "recall_latencies": _recall_latencies,
    }
    for operation in OPERATIONS.values():
        endpoint = _endpoint(operation, handlers.get(operation.name))
        add_route(app, path_of(operation), endpoint, operation.method)
    add_route(app, f"{path_of(OPERATIONS['ask'])}/stream", _ask_stream, "POST")


def _endpoint(operation: Operation, handler: Callable[[Request, Arguments], Awaitable[Any]] | None) -> Endpoint:
    """Return the endpoint of an operation, which a handler does itself, or else the engine on a memory."""

    async def endpoint(request: Request) -> Response:
        request.state.operation = operation.name
        if handler is not None:
            value = await handler(request, await arguments_of(request, operation))
            return response(to_bytes(plain(value)))
        if operation.name == "create_memory":
            arguments = await arguments_of(request, operation)
            memory = allowed(request, operation.scope, arguments.pop("name"))
        else:
            memory = allowed(request, operation.scope, request.path_params["memory"])
            arguments = await arguments_of(request, operation)
        return await calls(request).do(request, memory, operation, arguments)

    return endpoint


async def _list_memories(request: Request, arguments: Arguments) -> Page[str]:
    key: Key = request.state.key
    limit: int = arguments.get("limit", 100)
    after: str = arguments.get("after", "")
    reachable = await asyncio.to_thread(names.visible_names, calls(request).catalog, after, limit + 1, key.reaches)
    return Page(reachable[:limit], reachable[limit - 1] if len(reachable) > limit else None)


async def _rights(request: Request, arguments: Arguments) -> Rights:
    name = arguments.get("memory")
    memory = None if name is None else names.normalise(name)
    key: Key = request.state.key
    may: list[KeyScope] = [scope for scope in SCOPES if key.allows(scope, memory)]
    return Rights(key.id, key.name, may, local=key is LOCAL)


async def _list_keys(request: Request, arguments: Arguments) -> list[KeyShape]:  # noqa: ARG001 - a handler's signature
    check_scope(request, "admin", None)
    keys: Keys = request.app.state.keys
    return [
        KeyShape(*(getattr(key, field.name) for field in fields(KeyShape)))
        for key in await asyncio.to_thread(keys.records)
    ]


async def _recall_latencies(request: Request, arguments: Arguments) -> list[RecallTime]:  # noqa: ARG001
    memory = allowed(request, "read", request.path_params["memory"])
    # A memory that is not there has no recalls, and says so.
    await calls(request).engine.call(memory, IDENTITY, {})
    telemetry: Telemetry = request.app.state.telemetry
    return telemetry.recall_latencies(memory)


# Authorisation.


def allowed(request: Request, scope: KeyScope, memory: str) -> str:
    """Return the memory's normalised name, if the request's key has the scope on it.

    Raises:
        InvalidName: no memory can have it.
        NotAllowed: the key is not for it; whether there is such a memory is not told.
    """
    name = names.normalise(memory)
    check_scope(request, scope, name)
    request.state.memory = name
    return name


def check_scope(request: Request, scope: KeyScope, memory: str | None) -> None:
    """Refuse a key without a scope on a memory; None stands for the server.

    Raises:
        NotAllowed: it is not.
    """
    key: Key = request.state.key
    if not key.allows(scope, memory):
        target = "the server itself" if memory is None else "this memory"
        raise NotAllowed(f"this key may not {scope} with {target} - use one that may, see `hmem keys list`")


# Arguments.


async def arguments_of(request: Request, operation: Operation) -> Arguments:
    """Return the arguments of a request; null counts as absent.

    Raises:
        InvalidRequest: it is not of the operation's form.
    """
    arguments: Arguments = {}
    if operation.method == "GET":
        arguments |= _query_arguments(request, operation.arguments)
    elif operation.arguments.__struct_fields__:
        arguments |= _body_arguments(await request.body(), operation.arguments)
    if operation.name == "add_batch" and len(arguments["messages"]) > (limit := calls(request).settings.batch):
        raise InvalidRequest(f"a batch has up to {amount(limit, 'message')} here - send them in several")
    return arguments | _query_arguments(request, LookBack) if operation.looks_back else arguments


def _query_arguments(request: Request, model: type[Struct]) -> Arguments:
    """Return the query parameters that are fields of a model. Each comes once, and has a value."""
    pairs = [(name, value) for name, value in request.query_params.multi_items() if name in model.__struct_fields__]
    try:
        parsed = msgspec.convert(dict(pairs), model, strict=False)
    except msgspec.ValidationError as error:
        raise _malformed("query", error) from error
    arguments = {name: getattr(parsed, name) for name, _ in pairs}
    # msgspec takes the word "null" for an absent number.
    if len(arguments) < len(pairs) or None in arguments.values():
        raise _malformed("query", msgspec.ValidationError("A parameter came twice, or without a value"))
    return arguments


def _body_arguments(body: bytes, model: type[Struct]) -> Arguments:
    """Return the fields that a body has; null counts as absent unless the field is required."""
    try:
        # Not msgspec: it rejects the whole body for an unpaired surrogate in one message of a batch.
        document: Any = json.loads(body, parse_constant=_finite, parse_float=_finite)
        msgspec.convert(document, model)
    except (ValueError, RecursionError) as error:
        raise _malformed("body", error) from error
    return _without_nulls(document, _required(model))


@cache
def _required(model: type[Struct]) -> frozenset[str]:
    # Reading the types of a model takes a quarter of the time of a request here.
    return frozenset(field.name for field in msgspec.structs.fields(model) if field.required)


def _finite(literal: str) -> float:
    """Return a JSON number as a float.

    Raises:
        ValueError: it is infinite or NaN.
    """
    if not isfinite(number := float(literal)):
        raise ValueError(literal)
    return number


def _without_nulls(values: Mapping[str, Any], required: AbstractSet[str] = frozenset()) -> Arguments:
    arguments: Arguments = {name: value for name, value in values.items() if value is not None or name in required}
    return arguments | ({"defaults": _without_nulls(arguments["defaults"])} if "defaults" in arguments else {})


def _malformed(source: str, error: Exception) -> InvalidRequest:
    """Return the error that says what is wrong with a request and where, without the client's text."""
    fault, _, path = (str(error) if isinstance(error, msgspec.ValidationError) else "no JSON").partition(" - at `$")
    fault = _VALUE.sub("", fault)
    problem_error = InvalidRequest(f"the request is not of this form ({source}{path.rstrip('`')}: {fault}) - see /docs")
    problem_error.errors = ({"where": f"{source}{path.rstrip('`')}", "what": fault},)
    return problem_error


# Responses.


def response(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response that must not be cached."""
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def refusal(error: HmemError, status: int | None = None, headers: Mapping[str, str] | None = None) -> Response:
    """Return the problem of an error as a response."""
    extensions = {"errors": error.errors} if isinstance(error, InvalidRequest) and error.errors else {}
    code, body = problem(error, status, **extensions)
    return Response(body, code, {**(headers or {}), **headers_of(error, code)}, MEDIA)


class EventStream(StreamingResponse):
    """Streaming response that closes its source as soon as the client goes away."""

    async def stream_response(self, send: Send) -> None:
        """Send the events."""
        async with aclosing(cast("AsyncGenerator[bytes]", self.body_iterator)):
            await super().stream_response(send)


# Streams.


async def _ask_stream(request: Request) -> Response:
    operation = OPERATIONS["ask"]
    request.state.operation = "ask_stream"
    memory = allowed(request, operation.scope, request.path_params["memory"])
    chunks = calls(request).engine.stream(memory, "ask_stream", await arguments_of(request, operation))
    # An error before the first piece is an ordinary response.
    first = await _first_of(request, chunks)
    if first is None:
        return Response(status_code=_WENT_AWAY)
    return EventStream(_answer_events(request, first, chunks), 200, _EVENT_HEADERS, EVENTS)


async def _first_of(request: Request, chunks: AsyncGenerator[tuple[bytes, bool]]) -> tuple[bytes, bool] | None:
    """Return the first piece of a stream; None if the client went away first.

    Raises:
        HmemError: as the operation does.
    """
    first, disconnect = asyncio.ensure_future(anext(chunks)), asyncio.ensure_future(_disconnect(request))
    try:
        await asyncio.wait((first, disconnect), return_when=asyncio.FIRST_COMPLETED)
        return first.result() if first.done() else None
    finally:
        first.cancel()
        disconnect.cancel()


async def _disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _answer_events(
    request: Request, first: tuple[bytes, bool], chunks: AsyncGenerator[tuple[bytes, bool]]
) -> AsyncGenerator[bytes]:
    """Yield an answer as events: pieces of its text, the plan, each piece of evidence, the answer.

    An error after the first piece is an event too. Closing this generator closes the rest.
    """
    chunk, last = first
    async with aclosing(chunks):
        try:
            while not last:
                yield _event("piece", chunk.decode())
                chunk, last = await anext(chunks)
        except HmemError as error:
            yield _event("problem", json.loads(problem(error)[1]))
            return
    request.state.ids = ids_in(chunk)
    answer = json.loads(chunk)
    yield _event("plan", answer["plan"])
    for item in answer["evidence"]:
        yield _event("evidence", item)
    yield _event("answer", {name: value for name, value in answer.items() if name != "evidence"})


def _event(name: str, data: Any) -> bytes:
    """Return a server-sent event."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


async def live(request: Request) -> Response:
    """Answer with the events of a memory, until the client leaves or the server ends."""
    request.state.operation = "live"
    memory = allowed(request, "read", request.path_params["memory"])
    # An error now is an ordinary response.
    first = await calls(request).engine.call(memory, PROGRESS, {})
    return EventStream(_live_events(request, memory, first), 200, _EVENT_HEADERS, EVENTS)


async def _live_events(request: Request, memory: str, progress: bytes) -> AsyncGenerator[bytes]:
    yield _event("progress", json.loads(progress))
    engine, ending, silent = calls(request).engine, calls(request).ending, 0.0
    while not await _is_ending(ending):
        try:
            request.state.recheck()
            latest = await engine.call(memory, PROGRESS, {})
        except HmemError as error:
            yield _event("problem", json.loads(problem(error)[1]))
            return
        silent += LOOK_SECONDS
        if latest != progress:
            progress, silent = latest, 0.0
            yield _event("progress", json.loads(progress))
        elif silent >= _SILENCE_SECONDS:
            silent = 0.0
            yield b": nothing new\n\n"


async def _is_ending(ending: asyncio.Event) -> bool:
    """Wait until the next look; return True if the server ends meanwhile."""
    try:
        await asyncio.wait_for(ending.wait(), LOOK_SECONDS)
    except TimeoutError:
        return False
    return True


async def export(request: Request) -> Response:
    """Answer with the lines of JSON that ``hmem export`` writes, as they are read."""
    request.state.operation = "export"
    memory = allowed(request, "read", request.path_params["memory"])
    chunks = calls(request).engine.stream(memory, EXPORT, {})
    # An error before the first line is an ordinary response; after it, the connection ends early.
    first = await _first_of(request, chunks)
    if first is None:
        return Response(status_code=_WENT_AWAY)
    file = f"attachment; filename*=UTF-8''{quote(memory)}.jsonl"
    return EventStream(_lines(first, chunks), 200, {"Cache-Control": "no-store", "Content-Disposition": file}, LINES)


async def _lines(first: tuple[bytes, bool], chunks: AsyncGenerator[tuple[bytes, bool]]) -> AsyncGenerator[bytes]:
    chunk, last = first
    async with aclosing(chunks):
        while not last:
            yield chunk
            chunk, last = await anext(chunks)
