"""Streams of a memory: events whenever any process changed it, and the lines of its export."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final
from urllib.parse import quote

from fastapi import Request, Response

from hmem.errors import HmemError
from hmem.interfaces.rest.openapi import EVENTS, LINES
from hmem.interfaces.rest.pool import EXPORT, PROGRESS
from hmem.interfaces.rest.problems import problem
from hmem.interfaces.rest.routes import EVENT_HEADERS, WENT_AWAY, EventStream, allowed, calls, event, first_of

# Seconds between two looks at a memory; within that time a change shows.
LOOK_SECONDS: Final = 1.0
# Seconds after which a line says that the connection is alive, as proxies close silent ones.
_SILENCE_SECONDS: Final = 15.0


async def live(request: Request) -> Response:
    """Answer with the events of a memory, until the client leaves or the server ends."""
    request.state.operation = "live"
    memory = allowed(request, "read", request.path_params["memory"])
    # An error now is an ordinary response.
    first = await calls(request).engine.call(memory, PROGRESS, {})
    return EventStream(_events(request, memory, first), 200, EVENT_HEADERS, EVENTS)


async def _events(request: Request, memory: str, progress: bytes) -> AsyncGenerator[bytes]:
    yield event("progress", json.loads(progress))
    engine, ending, silent = calls(request).engine, calls(request).ending, 0.0
    while not await _is_ending(ending):
        try:
            request.state.recheck()
            latest = await engine.call(memory, PROGRESS, {})
        except HmemError as error:
            yield event("problem", json.loads(problem(error)[1]))
            return
        silent += LOOK_SECONDS
        if latest != progress:
            progress, silent = latest, 0.0
            yield event("progress", json.loads(progress))
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
    first = await first_of(request, chunks)
    if first is None:
        return Response(status_code=WENT_AWAY)
    file = f"attachment; filename*=UTF-8''{quote(memory)}.jsonl"
    return EventStream(_lines(first, chunks), 200, {"Cache-Control": "no-store", "Content-Disposition": file}, LINES)


async def _lines(first: tuple[bytes, bool], chunks: AsyncGenerator[tuple[bytes, bool]]) -> AsyncGenerator[bytes]:
    chunk, last = first
    async with aclosing(chunks):
        while not last:
            yield chunk
            chunk, last = await anext(chunks)
