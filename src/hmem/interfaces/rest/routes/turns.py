"""Turns: add, list; and anything by its id."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from hmem.interfaces.rest.bodies import MemoryName, Message, Messages
from hmem.interfaces.rest.calls import PROBLEMS, Limit, RepeatKey, calls, check_batch
from hmem.model.turn import Receipt

router = APIRouter(prefix="/memories/{memory}", tags=["turns"], responses=PROBLEMS)
Id = Annotated[str, Query(max_length=100)]


@router.post("/turns", operation_id="add", response_model=Receipt)
async def add(request: Request, memory: MemoryName, body: Message, idempotency_key: RepeatKey = None) -> Response:
    """Keep a turn: durable and searchable when this is answered."""
    message = body.given()
    defaults = message.pop("defaults", {})
    if message.pop("wait", False):
        defaults["wait"] = True
    arguments: dict[str, Any] = {"message": message} | ({"defaults": defaults} if defaults else {})
    return await calls(request).write(request, memory, "add", arguments, idempotency_key)


@router.post("/turns/batch", operation_id="add_batch", response_model=list[Receipt])
async def add_batch(
    request: Request, memory: MemoryName, body: Messages, idempotency_key: RepeatKey = None
) -> Response:
    """Keep many turns in one transaction; each has its fate, and what cannot be kept is no error for the others."""
    check_batch(calls(request).settings, len(body.messages))
    return await calls(request).write(request, memory, "add_batch", body.given(), idempotency_key)


@router.get("/turns", operation_id="list")
async def list_turns(
    request: Request,
    memory: MemoryName,
    limit: Limit = 100,
    after: Annotated[str | None, Query(max_length=100, description="`next` of the page before.")] = None,
    session: str | None = None,
    speaker: str | None = None,
) -> Response:
    """Turns in the order of their arrival."""
    return await calls(request).read(
        request, memory, "list", limit=limit, after=after, session=session, speaker=speaker
    )


@router.get("/items", operation_id="get")
async def get(request: Request, memory: MemoryName, id: Id) -> Response:
    """A turn, an event or a note by its id, which says what it is."""
    return await calls(request).read(request, memory, "get", id=id)
