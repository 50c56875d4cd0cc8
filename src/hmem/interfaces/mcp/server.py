"""MCP server: tools, resources and prompts over some memories."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from threading import Thread
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import ListRootsRequest, ListRootsResult
from starlette.types import ASGIApp

from hmem import __version__
from hmem.errors import HmemError
from hmem.interfaces.mcp.greeting import INSTRUCTIONS, NAME, TITLE
from hmem.interfaces.mcp.memories import Memories, folder_of
from hmem.interfaces.mcp.resources import add_prompts, add_resources
from hmem.interfaces.mcp.tools import tools_of

SECONDS_FOR_ROOTS: Final = 2.0
# Methods that come before the client may be asked anything, or that use no memory.
_BEFORE: Final = ("initialize", "server/discover", "ping")


class ToolServer(MCPServer[Any]):
    """Server of tools over streams or over HTTP."""

    async def serve(self, streams: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        """Serve the client at the other end of some streams until it hangs up."""
        server = self._lowlevel_server
        async with streams() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    def http(self, path: str, host: str, security: TransportSecuritySettings, body: int) -> ASGIApp:
        """Return the application that serves clients over HTTP; ``body`` is the size of the largest request."""
        return self.streamable_http_app(
            streamable_http_path=path, transport_security=security, max_request_body_size=body, host=host
        )


def server_of(
    memories: Memories, *, user: bool = False, all_tools: bool = False, structured: bool = False
) -> ToolServer:
    """Return a server over some memories; with ``user``, the user's has resources too.

    ``all_tools`` and ``structured`` are those of ``tools_of``: all tools, and results for programs beside the text.
    """
    server = ToolServer(
        NAME,
        title=TITLE,
        instructions=INSTRUCTIONS,
        version=__version__,
        tools=tools_of(memories, all_tools=all_tools, structured=structured),
        log_level="WARNING",
        middleware=[FolderMiddleware(memories)] if memories.wants_folder else [],
    )
    add_resources(server, memories, user=user)
    add_prompts(server, memories)
    return server


def warm_up(memories: Memories) -> None:
    """Load the engine in a thread, so that the first call finds it ready, and the memory too if the project is known.

    Call it when the client was greeted: the greeting would else wait for the interpreter's lock behind the thread.
    """
    Thread(target=_warm, args=(memories,), name="hmem-warm", daemon=True).start()


def _warm(memories: Memories) -> None:
    """Load the engine, open the memory and recall once; an error is left for the first call to report."""
    if memories.wants_folder:
        import_module("hmem.api.memory")
        return
    try:
        memories.get().search("warm up", 1)
    except HmemError:
        return


class FolderMiddleware:
    """Middleware that asks a client on stdio, once, for its working folder.

    A client that does not answer works in the folder of the server: since 2026-07-28 the protocol has no such request.
    """

    def __init__(self, memories: Memories) -> None:
        self._memories = memories
        self._asked = False

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Ask before the first request that may use a memory."""
        if not self._asked and ctx.request_id is not None and ctx.method not in _BEFORE:
            self._asked = True
            roots = await _roots(ctx)
            if roots is not None:
                self._memories.folder = next(
                    (folder for root in roots if (folder := folder_of(root)) is not None), None
                )
        return await call_next(ctx)


async def _roots(context: ServerRequestContext[Any, Any]) -> list[str] | None:
    """Return the roots of a client; None if it cannot be asked."""
    can = context.session.client_capabilities
    over_http = context.request is not None
    if over_http or can is None or can.roots is None or not context.session.can_send_request:
        return None
    try:
        answer = await context.session.send_request(ListRootsRequest(), ListRootsResult, SECONDS_FOR_ROOTS)
    except MCPError:
        return None
    return [str(root.uri) for root in answer.roots]
