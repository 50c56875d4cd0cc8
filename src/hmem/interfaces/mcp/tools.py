"""The tools of the server, and how their errors are told: hmem's own on one line, a bug without its words."""

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver.context import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import ValidationError

from hmem.errors import HmemError
from hmem.interfaces.framing import on_one_line
from hmem.interfaces.mcp.arguments import ADD, CHANGE, ERASE, READ
from hmem.interfaces.mcp.memories import Memories
from hmem.interfaces.mcp.reading import Reading
from hmem.interfaces.mcp.writing import Writing
from hmem.language.cancellation import Breakable


class PlainTool(Tool):
    """A tool whose errors are one line: the name of the error, what is wrong, and what mends it."""

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:  # noqa: ARG002, FBT001, FBT002 - the SDK's signature
        """Run the tool.

        Raises:
            ToolError: the arguments do not fit, or hmem refused; on one line.
            UnexpectedToolError: a bug, whose words stay in the server's log.
        """
        unknown = sorted(arguments.keys() - self.parameters["properties"].keys())
        if unknown:
            # What is left out silently could be what was to keep something from being forgotten.
            known = ", ".join(self.parameters["properties"])
            raise ToolError(f"InvalidArguments: {on_one_line(unknown[0])}: not an argument - choose from: {known}")
        try:
            # Every tool makes the result itself, of the model that its schema comes of: it need not be checked again.
            return await super().run(arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, HmemError):
                raise ToolError(f"{type(cause).__name__}: {on_one_line(str(cause))}") from cause
            if isinstance(cause, ValidationError) and not isinstance(error, UnexpectedToolError):
                raise ToolError(f"InvalidArguments: {_told(cause)}") from cause
            raise


def _told(error: ValidationError) -> str:
    wrong = [f"{'.'.join(map(str, each['loc']))}: {on_one_line(each['msg'])}" for each in error.errors()]
    return "; ".join(wrong)


def tools_of(memories: Memories) -> list[Tool]:
    """All tools over some memories."""
    reading, writing = Reading(memories), Writing(memories)
    table = [
        (reading.context, "Context from memory", READ),
        (reading.recall, "Recall", READ),
        (_until_cancelled(reading.ask), "Ask the memory", READ),
        (reading.timeline, "Timeline", READ),
        (reading.persona, "Persona", READ),
        (reading.note_history, "History of notes", READ),
        (writing.remember, "Remember", ADD),
        (writing.correct, "Correct", CHANGE),
        (writing.retract, "Retract", CHANGE),
        (writing.feedback, "Feedback on what was recalled", CHANGE),
        (writing.forget, "Forget for good", ERASE),
    ]
    return [_tool(call, title, hints) for call, title, hints in table]


def _until_cancelled(call: Callable[..., CallToolResult]) -> Callable[..., Awaitable[CallToolResult]]:
    """The same in a thread, whose model is not waited for when the client cancels the call."""

    @wraps(call)
    async def called(**arguments: Any) -> CallToolResult:
        with Breakable() as block:
            try:
                return await anyio.to_thread.run_sync(partial(call, **arguments), abandon_on_cancel=True)
            finally:
                block.break_off()

    return called


def _tool(call: Callable[..., Any], title: str, hints: ToolAnnotations) -> Tool:
    annotations = hints.model_copy(update={"title": title})
    tool = PlainTool.from_function(call, title=title, annotations=annotations, structured_output=True)
    tool.parameters["additionalProperties"] = False
    return tool
