"""Memories themselves: list, make, look at, erase."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from hmem.interfaces.rest import names
from hmem.interfaces.rest.bodies import DeletedShape, MemoryName, MemoryShape, NamesShape, NewMemory
from hmem.interfaces.rest.calls import PROBLEMS, Limit, RepeatKey, calls
from hmem.interfaces.rest.keys import Key

router = APIRouter(tags=["memories"], responses=PROBLEMS)
After = Annotated[str | None, Query(max_length=64, description="`next` of the page before.")]


@router.get("/memories", operation_id="list_memories")
async def list_memories(request: Request, limit: Limit = 100, after: After = None) -> NamesShape:
    """The names of the memories that the key is for, in order."""
    key: Key = request.state.key
    held = names.held(calls(request).settings.root)
    mine = [name for name in held if key.reaches(name) and (after is None or name > after)]
    return NamesShape(items=mine[:limit], next=mine[limit - 1] if len(mine) > limit else None)


@router.post("/memories", operation_id="create_memory", status_code=201, response_model=MemoryShape)
async def create_memory(request: Request, body: NewMemory, idempotency_key: RepeatKey = None) -> Response:
    """Make a memory."""
    arguments = body.given()
    name = arguments.pop("name")
    return await calls(request).write(request, name, "create", arguments, idempotency_key, 201)


@router.get("/memories/{memory}", operation_id="stats", response_model=MemoryShape)
async def stats(request: Request, memory: MemoryName) -> Response:
    """Counts, times and sizes of a memory."""
    return await calls(request).read(request, memory, "stats")


@router.delete("/memories/{memory}", operation_id="delete_memory", response_model=DeletedShape)
async def delete_memory(request: Request, memory: MemoryName, idempotency_key: RepeatKey = None) -> Response:
    """Erase a memory with its files. There is no way back."""
    return await calls(request).write(request, memory, "drop", {}, idempotency_key)
