"""The routes, made from the table of operations: who may, what was asked, and what the engine does.

What changes a memory is done once for each Idempotency-Key.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import aclosing
from math import isfinite
from typing import Any, Final, cast

import msgspec
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse
from msgspec import Struct
from starlette.routing import Match, Route
from starlette.types import Scope, Send

from hmem.errors import HmemError, InvalidRequest, NotAllowed
from hmem.interfaces.arguments import LookBack
from hmem.interfaces.operations import OPERATIONS, Arguments, Operation
from hmem.interfaces.operations import Scope as KeyScope
from hmem.interfaces.rest import names
from hmem.interfaces.rest.engine import Engine
from hmem.interfaces.rest.idempotency import Asked, IdempotencyStore
from hmem.interfaces.rest.keys import Key
from hmem.interfaces.rest.openapi import EVENTS, JSON, path_of
from hmem.interfaces.rest.problems import MEDIA, headers_of, problem
from hmem.interfaces.rest.settings import Settings
from hmem.interfaces.serialisation import Page, plain, to_bytes

Endpoint = Callable[[Request], Awaitable[Response]]

# What servers note of those who went away; nobody reads it.
_WENT_AWAY: Final = 499
_VALUE: Final = re.compile(r"(?<=value) '.*'", re.DOTALL)


class Calls:
    """The engine, for requests."""

    def __init__(self, settings: Settings, engine: Engine, repeats: IdempotencyStore) -> None:
        self.settings = settings
        self.engine = engine
        self.repeats = repeats

    async def do(self, request: Request, memory: str, operation: Operation, arguments: Arguments) -> Response:
        """Do an operation; what changes a memory, once for each Idempotency-Key."""

        async def done() -> tuple[int, bytes]:
            body = await self.engine.call(memory, operation.name, arguments)
            if operation.forgets and not arguments.get("preview"):
                self.repeats.forget(memory)
            return operation.status, body

        repeat = request.headers.get("idempotency-key") if operation.writes else None
        if repeat is None:
            code, body = await done()
            return response(body, code)
        asked = Asked.of(request.state.key.id, repeat, memory, operation.name, arguments)
        (code, body), before = await self.repeats.once(asked, done)
        return response(body, code, {"Idempotency-Replayed": "true"} if before else None)


def calls(request: Request) -> Calls:
    """Return what the application was made with."""
    return request.app.state.calls


class _Route(Route):
    """A route that tells who counts requests that it is theirs."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child = super().matches(scope)
        return match, child if match is Match.NONE else {**child, "route": self}


def add_route(app: FastAPI, path: str, endpoint: Endpoint, method: str = "GET") -> None:
    """Give an application a route."""
    route = _Route(path, endpoint, include_in_schema=False)
    # Starlette's would answer to HEAD, too.
    route.methods = {method}
    app.router.routes.append(route)


def add_operations(app: FastAPI) -> None:
    """Give an application the route of each operation."""
    own = {"list_memories": _list_memories, "create_memory": _create_memory}
    for operation in OPERATIONS.values():
        endpoint = own.get(operation.name) or _endpoint(operation)
        add_route(app, path_of(operation), endpoint, operation.method)
    add_route(app, f"{path_of(OPERATIONS['ask'])}/stream", _ask_stream, "POST")


def _endpoint(operation: Operation) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        memory = allowed(request, operation.scope, request.path_params["memory"])
        return await calls(request).do(request, memory, operation, await arguments_of(request, operation))

    return endpoint


async def _list_memories(request: Request) -> Response:
    arguments = await arguments_of(request, OPERATIONS["list_memories"])
    key: Key = request.state.key
    limit: int = arguments.get("limit", 100)
    after: str = arguments.get("after", "")
    mine = [name for name in names.held(calls(request).settings.root) if key.reaches(name) and name > after]
    return response(to_bytes(plain(Page(mine[:limit], mine[limit - 1] if len(mine) > limit else None))))


async def _create_memory(request: Request) -> Response:
    operation = OPERATIONS["create_memory"]
    arguments = await arguments_of(request, operation)
    memory = allowed(request, operation.scope, arguments.pop("name"))
    return await calls(request).do(request, memory, operation, arguments)


# Who may.


def allowed(request: Request, scope: KeyScope, memory: str) -> str:
    """Return the memory's name in its normal form, when the request's key is for doing this with it.

    Raises:
        InvalidName: no memory can have it.
        NotAllowed: the key is not for it; whether there is such a memory is not told.
    """
    name = names.checked(memory)
    check_scope(request, scope, name)
    request.state.memory = name
    return name


def check_scope(request: Request, scope: KeyScope, memory: str | None) -> None:
    """Refuse a key that is not for this.

    Raises:
        NotAllowed: it is not.
    """
    key: Key = request.state.key
    if not key.allows(scope, memory):
        what = "the server itself" if memory is None else "this memory"
        raise NotAllowed(f"this key may not {scope} with {what} - use one that may, see `hmem keys list`")


# What was asked.


async def arguments_of(request: Request, operation: Operation) -> Arguments:
    """Return what a request says, without what it leaves out by null.

    Raises:
        InvalidRequest: it is not of the operation's form.
    """
    arguments: Arguments = {}
    if operation.method == "GET":
        arguments |= _queried(request, operation.arguments)
    elif operation.arguments.__struct_fields__:
        arguments |= _said(await request.body(), operation.arguments)
    if operation.name == "add_batch" and len(arguments["messages"]) > (most := calls(request).settings.batch):
        raise InvalidRequest(f"a batch has up to {most:,} messages here - send them in several")
    return arguments | _queried(request, LookBack) if operation.looks_back else arguments


def _queried(request: Request, model: type[Struct]) -> Arguments:
    """Return the parameters that are a model's."""
    given = {name: value for name, value in request.query_params.items() if name in model.__struct_fields__}
    try:
        checked = msgspec.convert(given, model, strict=False)
    except msgspec.ValidationError as error:
        raise _malformed("query", error) from error
    return {name: value for name in given if (value := getattr(checked, name)) is not None}


def _said(body: bytes, model: type[Struct]) -> Arguments:
    """Return the fields of a body that were sent; null is one that was not, unless it must be there."""
    try:
        # The standard library's: half a surrogate pair in one message of many is that message's own fault.
        said: Any = json.loads(body, parse_constant=_finite, parse_float=_finite)
        msgspec.convert(said, model)
    except (ValueError, RecursionError) as error:
        raise _malformed("body", error) from error
    return _given(said, {each.name for each in msgspec.structs.fields(model) if each.required})


def _finite(said: str) -> float:
    """Return a number that is one.

    Raises:
        ValueError: it is infinite, or none.
    """
    if not isfinite(number := float(said)):
        raise ValueError(said)
    return number


def _given(said: Mapping[str, Any], needed: AbstractSet[str] = frozenset()) -> Arguments:
    given: Arguments = {name: value for name, value in said.items() if value is not None or name in needed}
    return given | ({"defaults": _given(given["defaults"])} if "defaults" in given else {})


def _malformed(part: str, error: Exception) -> InvalidRequest:
    """Return the error that says what is wrong with a request and where, without what was sent."""
    what, _, place = (str(error) if isinstance(error, msgspec.ValidationError) else "no JSON").partition(" - at `$")
    what = _VALUE.sub("", what)
    refused = InvalidRequest(f"the request is not of this form ({part}{place.rstrip('`')}: {what}) - see /docs")
    refused.errors = ({"where": f"{part}{place.rstrip('`')}", "what": what},)
    return refused


# What is answered.


def response(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return JSON as an answer that nobody keeps."""
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def refusal(error: HmemError, status: int | None = None, headers: Mapping[str, str] | None = None) -> Response:
    """Return the problem of an error as an answer."""
    more = {"errors": error.errors} if isinstance(error, InvalidRequest) and error.errors else {}
    code, body = problem(error, status, **more)
    return Response(body, code, {**(headers or {}), **headers_of(error, code)}, MEDIA)


class Events(StreamingResponse):
    """What is told as it goes on. When who reads it goes away, nothing more is made of it, at once."""

    async def stream_response(self, send: Send) -> None:
        """Send it."""
        async with aclosing(cast("AsyncGenerator[bytes]", self.body_iterator)):
            await super().stream_response(send)


async def _ask_stream(request: Request) -> Response:
    operation = OPERATIONS["ask"]
    memory = allowed(request, operation.scope, request.path_params["memory"])
    said = calls(request).engine.stream(memory, "ask_stream", await arguments_of(request, operation))
    # What fails before anything is said is answered as everywhere.
    first = await _first_of(request, said)
    if first is None:
        return Response(status_code=_WENT_AWAY)
    # Proxies are not to gather the pieces.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Events(_events(first, said), 200, headers, EVENTS)


async def _first_of(request: Request, said: AsyncGenerator[tuple[bytes, bool]]) -> tuple[bytes, bool] | None:
    """Return the first that is said; None when who asked went away meanwhile, and nothing more will be said.

    Raises:
        HmemError: as the operation does.
    """
    first, gone = asyncio.ensure_future(anext(said)), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((first, gone), return_when=asyncio.FIRST_COMPLETED)
        return first.result() if first.done() else None
    finally:
        first.cancel()
        gone.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _events(first: tuple[bytes, bool], rest: AsyncGenerator[tuple[bytes, bool]]) -> AsyncGenerator[bytes]:
    """Yield an answer as events: pieces of its text as they are said, the plan, each piece of evidence, the answer.

    What fails when something was said already is told as an event too. Closed, it closes the rest.
    """
    said, last = first
    async with aclosing(rest):
        try:
            while not last:
                yield _event("piece", said.decode())
                said, last = await anext(rest)
        except HmemError as error:
            yield _event("problem", json.loads(problem(error)[1]))
            return
    answer = json.loads(said)
    yield _event("plan", answer["plan"])
    for item in answer["evidence"]:
        yield _event("evidence", item)
    yield _event("answer", {name: value for name, value in answer.items() if name != "evidence"})


def _event(name: str, data: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()
