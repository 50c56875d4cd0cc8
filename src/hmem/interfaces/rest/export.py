"""Export of a memory over HTTP: the lines of JSON that ``hmem export`` writes."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from urllib.parse import quote

from fastapi import Request, Response

from hmem.interfaces.rest.openapi import LINES
from hmem.interfaces.rest.pool import EXPORT
from hmem.interfaces.rest.routes import WENT_AWAY, EventStream, allowed, calls, first_of

Chunks = AsyncGenerator[tuple[bytes, bool]]


async def export(request: Request) -> Response:
    """Answer with all that a memory holds, as it is read."""
    request.state.operation = "export"
    memory = allowed(request, "read", request.path_params["memory"])
    chunks = calls(request).engine.stream(memory, EXPORT, {})
    # An error before the first line is an ordinary response; after it, the connection ends early.
    first = await first_of(request, chunks)
    if first is None:
        return Response(status_code=WENT_AWAY)
    file = f"attachment; filename*=UTF-8''{quote(memory)}.jsonl"
    return EventStream(_lines(first, chunks), 200, {"Cache-Control": "no-store", "Content-Disposition": file}, LINES)


async def _lines(first: tuple[bytes, bool], chunks: Chunks) -> AsyncGenerator[bytes]:
    chunk, last = first
    async with aclosing(chunks):
        while not last:
            yield chunk
            chunk, last = await anext(chunks)
