"""What each route does: look whether the key is for it, and let the engine do it, once for each Idempotency-Key."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Final

from fastapi import Header, Query, Request, Response

from hmem.errors import HmemError, InvalidRequest, NotAllowed
from hmem.interfaces.rest import names
from hmem.interfaces.rest.bodies import Moment, ProblemShape
from hmem.interfaces.rest.engine import Engine
from hmem.interfaces.rest.keys import Key, Scope
from hmem.interfaces.rest.operations import OPERATIONS, Arguments
from hmem.interfaces.rest.problems import MEDIA, problem
from hmem.interfaces.rest.repeats import Asked, Repeats
from hmem.interfaces.rest.settings import Settings

JSON: Final = "application/json"
# Every refusal has one form, whatever its status.
PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    "default": {
        "description": "A problem; `name` is that of its error.",
        "model": ProblemShape,
        "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/ProblemShape"}}},
    }
}
_OWN: Final[dict[str, Scope]] = {"create": "admin", "drop": "admin"}
# After these the memory may hold less than it did, and so must what was answered before.
_FORGETTING: Final = frozenset({"forget", "retain", "consolidate", "drop"})

RepeatKey = Annotated[
    str | None, Header(alias="Idempotency-Key", description="The same again, with this key, is done once in 24 hours.")
]
AsOf = Annotated[Moment | None, Query(description="As the memory was known then: what had been said and decided.")]
ValidAt = Annotated[Moment | None, Query(description="Only what was true then, whenever it was told.")]
Limit = Annotated[int, Query(ge=1, le=1_000)]
Cursor = Annotated[str | None, Query(pattern="^[0-9]{1,9}$", description="`next` of the page before.")]


class Calls:
    """The engine, for requests."""

    def __init__(self, settings: Settings, engine: Engine, repeats: Repeats) -> None:
        self.settings = settings
        self.engine = engine
        self.repeats = repeats

    async def read(self, request: Request, memory: str, operation: str, **arguments: Any) -> Response:
        """Do what changes nothing."""
        name = self.allowed(request, memory, operation)
        return _response(await self.engine.call(name, operation, _without_none(arguments)))

    def stream(
        self, request: Request, memory: str, operation: str, **arguments: Any
    ) -> AsyncGenerator[tuple[bytes, bool]]:
        """The same for what says something as it goes on: each piece, and at last (True) the result."""
        name = self.allowed(request, memory, operation)
        return self.engine.stream(name, f"{operation}_stream", _without_none(arguments))

    async def write(
        self, request: Request, memory: str, operation: str, arguments: Arguments, repeat: str | None, status: int = 200
    ) -> Response:
        """Do what changes a memory, once for each Idempotency-Key."""
        name = self.allowed(request, memory, operation)

        async def do() -> tuple[int, bytes]:
            body = await self.engine.call(name, operation, arguments)
            if operation in _FORGETTING and not arguments.get("preview"):
                self.repeats.forget(name)
            return status, body

        if repeat is None:
            code, body = await do()
            return _response(body, code)
        asked = Asked.of(request.state.key.id, repeat, name, operation, arguments)
        (code, body), before = await self.repeats.once(asked, do)
        return _response(body, code, {"Idempotency-Replayed": "true"} if before else None)

    def allowed(self, request: Request, memory: str, operation: str) -> str:
        """The memory's name in its normal form, when the request's key is for doing this with it.

        Raises:
            InvalidName: no memory can have it.
            NotAllowed: the key is not for it; whether there is such a memory is not told.
        """
        name = names.checked(memory)
        known = OPERATIONS.get(operation)
        check_scope(request, _OWN[operation] if known is None else known.scope, name)
        request.state.memory = name
        return name


def check_scope(request: Request, scope: Scope, memory: str | None) -> None:
    """Refuse a key that is not for this.

    Raises:
        NotAllowed: it is not.
    """
    key: Key = request.state.key
    if not key.allows(scope, memory):
        what = "the server itself" if memory is None else "this memory"
        raise NotAllowed(f"this key may not {scope} with {what} - use one that may, see `hmem keys list`")


def calls(request: Request) -> Calls:
    """What the application was made with."""
    return request.app.state.calls


def check_batch(settings: Settings, count: int) -> None:
    """Refuse a batch that is too large.

    Raises:
        InvalidRequest: it is.
    """
    if count > settings.batch:
        raise InvalidRequest(f"a batch has up to {settings.batch:,} messages here - send them in several")


async def first_of(request: Request, said: AsyncGenerator[tuple[bytes, bool]]) -> tuple[bytes, bool] | None:
    """The first that is said; None when who asked went away meanwhile, and nothing more will be said.

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


async def events(first: tuple[bytes, bool], rest: AsyncGenerator[tuple[bytes, bool]]) -> AsyncGenerator[bytes]:
    """An answer as events: pieces of its text as they are said, then the plan, each piece of evidence, the answer.

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


def _response(body: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, JSON)


def _without_none(arguments: Arguments) -> Arguments:
    return {name: value for name, value in arguments.items() if value is not None}
