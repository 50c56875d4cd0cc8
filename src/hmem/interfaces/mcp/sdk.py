"""Server by the MCP SDK, and how its values and errors are made."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Final, TypeVar

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ListRootsRequest, ListRootsResult
from pydantic import BaseModel
from starlette.types import ASGIApp

__all__ = [
    "ResourceError",
    "ResourceNotFoundError",
    "ToolServer",
    "Tool",
    "ToolError",
    "crash",
    "build",
    "without_structure",
]

SECONDS_FOR_ROOTS: Final = 2.0
# Methods that come before the client may be asked anything, or that use no memory.
_BEFORE: Final = ("initialize", "server/discover", "ping")

# Returns the roots of a client, None if it cannot be asked; and what is done with that before a request.
ListRoots = Callable[[], Awaitable[list[str] | None]]
Before = Callable[[ListRoots], Awaitable[None]]
Streams = Callable[[], AbstractAsyncContextManager[Any]]
Value = TypeVar("Value", bound=BaseModel)


class ToolServer(MCPServer[Any]):
    """Server of tools that calls ``before`` each request that may use a memory."""

    def __init__(
        self,
        name: str,
        *,
        title: str,
        instructions: str,
        version: str,
        tools: Sequence[Tool],
        before: Before | None,
    ) -> None:
        super().__init__(
            name,
            title=title,
            instructions=instructions,
            version=version,
            tools=list(tools),
            log_level="WARNING",
            middleware=[] if before is None else [_Middleware(before)],
        )

    async def serve(self, streams: Streams) -> None:
        """Serve the client at the other end of some streams until it hangs up."""
        server = self._lowlevel_server
        async with streams() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    def http(self, path: str, host: str, security: TransportSecuritySettings, body: int) -> ASGIApp:
        """Return the application that serves clients over HTTP; ``body`` is the size of the largest request."""
        return self.streamable_http_app(
            streamable_http_path=path, transport_security=security, max_request_body_size=body, host=host
        )


class _Middleware:
    """Middleware that calls ``before``."""

    def __init__(self, before: Before) -> None:
        self._before = before

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.request_id is not None and ctx.method not in _BEFORE:
            await self._before(partial(_roots, ctx))
        return await call_next(ctx)


async def _roots(context: ServerRequestContext[Any, Any]) -> list[str] | None:
    can = context.session.client_capabilities
    over_http = context.request is not None
    if over_http or can is None or can.roots is None or not context.session.can_send_request:
        return None
    try:
        answer = await context.session.send_request(ListRootsRequest(), ListRootsResult, SECONDS_FOR_ROOTS)
    except MCPError:
        return None
    return [str(root.uri) for root in answer.roots]


def build(kind: type[Value], fields: Mapping[str, Any]) -> Value:
    """Return a value of the protocol from its fields by their names on the wire."""
    return kind.model_validate(dict(fields))


def without_structure(result: CallToolResult) -> CallToolResult:
    """Return the result of a tool as its text alone."""
    return result.model_copy(update={"structured_content": None})


def crash(name: str, error: ToolError) -> ToolError:
    """Return the error for a bug in a tool: the server logs it, and its message goes to no client."""
    return error if isinstance(error, UnexpectedToolError) else UnexpectedToolError(f"Error executing tool {name}")
