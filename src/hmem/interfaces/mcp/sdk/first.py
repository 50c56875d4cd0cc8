"""MCP SDK 1.x, with the names of ``second``.

Type checkers see only one generation, which is the second.
"""
# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportCallIssue=false

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from functools import partial, wraps
from logging import getLogger
from typing import Any, Final

import anyio.to_thread
from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.exceptions import ResourceError, ToolError
from mcp.server.fastmcp.tools import Tool
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import McpError
from mcp.types import CallToolResult, ErrorData, ListRootsRequest, ListRootsResult, ServerRequest
from starlette.types import ASGIApp

from hmem.errors import HmemError

_SECONDS_FOR_ROOTS: Final = timedelta(seconds=2)
# Codes of JSON-RPC: a failure, and wrong parameters.
_FAILED: Final = -32603
_NOT_FOUND: Final = -32602

ListRoots = Callable[[], Awaitable[list[str] | None]]
Before = Callable[[ListRoots], Awaitable[None]]
Streams = Callable[[], AbstractAsyncContextManager[Any]]


class ResourceNotFoundError(ResourceError):
    """There is no such resource."""


class FirstTool(Tool):
    """Tool that runs in a thread, so that one that takes long holds up no other client."""

    @classmethod
    def from_function(cls, fn: Callable[..., Any], **options: Any) -> "FirstTool":
        """Return the tool of a function."""
        made = super().from_function(fn, **options)
        if made.is_async:
            return made

        @wraps(fn)
        async def in_thread(**given: Any) -> Any:
            return await anyio.to_thread.run_sync(partial(fn, **given))

        return made.model_copy(update={"fn": in_thread, "is_async": True})


class FirstServer(FastMCP):
    """Server of tools that calls ``before`` each request that may use a memory."""

    def __init__(
        self,
        name: str,
        *,
        title: str,  # noqa: ARG002 - this generation has none
        instructions: str,
        version: str,
        tools: Sequence[FirstTool],
        before: Before | None,
    ) -> None:
        self._before = before
        super().__init__(name, instructions, tools=list(tools), log_level="WARNING")
        self._mcp_server.version = version

    async def serve(self, streams: Streams) -> None:
        """Serve the client at the other end of some streams until it hangs up."""
        server = self._mcp_server
        async with streams() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    def http(self, path: str, host: str, security: TransportSecuritySettings, body: int) -> ASGIApp:
        """Return the application that serves clients over HTTP; ``body`` is the size of the largest request."""
        self.settings.streamable_http_path = path
        self.settings.host = host
        self.settings.transport_security = security
        self.settings.max_request_body_size = body
        return self.streamable_http_app()

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """Call a tool."""
        await self._prepare()
        return await super().call_tool(name, arguments)

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """Return a prompt."""
        await self._prepare()
        return await super().get_prompt(name, arguments)

    async def read_resource(self, uri: Any) -> Iterable[Any]:
        """Return the contents of a resource.

        Raises:
            McpError: it cannot be read; the message of a bug stays in the log.
        """
        await self._prepare()
        try:
            return await super().read_resource(uri)
        except (ResourceError, ValueError) as error:
            refused = _refusal(error)
            message = f"Error reading resource {uri}" if refused is None else str(refused)
            code = _NOT_FOUND if isinstance(refused, ResourceNotFoundError) else _FAILED
            raise McpError(ErrorData(code=code, message=message)) from error

    async def _prepare(self) -> None:
        if self._before is not None:
            await self._before(self._roots)

    async def _roots(self) -> list[str] | None:
        context = self.get_context().request_context
        told = context.session.client_params
        if getattr(context, "request", None) is not None or told is None or told.capabilities.roots is None:
            return None
        request = ServerRequest(ListRootsRequest(method="roots/list"))
        try:
            answer = await context.session.send_request(request, ListRootsResult, _SECONDS_FOR_ROOTS)
        except McpError:
            return None
        return [str(root.uri) for root in answer.roots]


def _refusal(error: BaseException | None) -> ResourceError | None:
    """Return the refusal of hmem that the SDK's errors came from."""
    while error is not None:
        if isinstance(error, ResourceError) and isinstance(error.__cause__, HmemError):
            return error
        error = error.__cause__ or error.__context__
    return None


def without_structure(result: CallToolResult) -> CallToolResult:
    """Return the result of a tool as its text alone."""
    return result.model_copy(update={"structuredContent": None})


def crash(name: str, error: ToolError) -> ToolError:
    """Return the error for a bug in a tool: it is logged, and its message goes to no client."""
    getLogger(__name__).error("tool %s failed", name, exc_info=error.__cause__)
    return ToolError(f"Error executing tool {name}")
