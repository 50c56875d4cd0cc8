"""Tools of the server, and how they report errors: those of hmem on one line, bugs without their message."""

from collections.abc import Awaitable, Callable
from functools import partial, wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, Final, get_args, get_origin

import anyio
import anyio.to_thread
import msgspec
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field, ValidationError

from hmem.errors import HmemError
from hmem.interfaces.mcp.memories import Memories, MemoryName
from hmem.interfaces.mcp.reading import MemoryArgument, Reading
from hmem.interfaces.mcp.results import ChangeItem, change_item, tool_result
from hmem.interfaces.mcp.writing import AUTHOR, Writing
from hmem.interfaces.operations import OPERATIONS, Operation
from hmem.interfaces.operations import Tool as Offered
from hmem.language.cancellation import Breakable
from hmem.language.prompt_text import on_one_line

# What an agent needs from day to day. Each tool takes room in a model's context in every session.
CORE: Final = ("context", "recall", "remember", "correct", "outcome", "forget")


class PlainTool(Tool):
    """Tool whose errors are one line: the name of the error, the fault, and the remedy.

    Without ``structured`` a result is its text alone: clients that find structured content give their model that, and
    drop the text.
    """

    structured: bool = False

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:  # noqa: ARG002, FBT001, FBT002 - the SDK's signature
        """Run the tool.

        Raises:
            ToolError: the arguments do not fit, or hmem refused; on one line.
            UnexpectedToolError: a bug, whose message stays in the log of the server.
        """
        unknown = sorted(arguments.keys() - self.parameters["properties"].keys())
        if unknown:
            # A dropped argument could be the condition that was to protect something from being forgotten.
            accepted = ", ".join(self.parameters["properties"])
            raise ToolError(f"InvalidArguments: {on_one_line(unknown[0])}: not an argument - choose from: {accepted}")
        try:
            # Every tool makes its result from the model of its schema, so it needs no second validation.
            result = await super().run(arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, HmemError):
                raise ToolError(f"{type(cause).__name__}: {on_one_line(str(cause))}") from cause
            if isinstance(cause, ValidationError) and cause.title == self.fn_metadata.arg_model.__name__:
                raise ToolError(f"InvalidArguments: {_wrong(cause)}") from cause
            if isinstance(error, UnexpectedToolError):
                raise
            # A bug, whose message goes to no client.
            raise UnexpectedToolError(f"Error executing tool {self.name}") from cause
        return result if self.structured else result.model_copy(update={"structured_content": None})


def _wrong(error: ValidationError) -> str:
    wrong = [f"{'.'.join(map(str, fault['loc']))}: {on_one_line(fault['msg'])}" for fault in error.errors()]
    return "; ".join(wrong)


def tools_of(memories: Memories, *, all_tools: bool = False, structured: bool = False) -> list[Tool]:
    """Return the tools over some memories: those of ``CORE``, or all with ``all_tools``.

    With ``structured`` they have output schemas, and their results have structured content beside the text.
    """
    reading, writing = Reading(memories), Writing(memories)
    table = [
        (reading.context, "Context from memory", "context"),
        (reading.recall, "Recall", "search"),
        (_until_cancelled(reading.ask), "Ask the memory", "ask"),
        (reading.timeline, "Timeline", "tree"),
        (reading.persona, "Profile of a person", "profile"),
        (reading.note_history, "History of notes", "history"),
        (writing.remember, "Remember", "add"),
        *((_simple(row, row.tool, memories), row.tool.title, row.name) for row in OPERATIONS.values() if row.tool),
        (reading.cases, "Cases like a task", "cases"),
        (writing.outcome, "Outcome of a task", "outcome"),
        (writing.feedback, "Feedback on what was recalled", "feedback"),
        (writing.forget, "Forget for good", "forget"),
    ]
    return [
        _tool(call, title, _hints(operation, title), structured=structured)
        for call, title, operation in table
        if all_tools or call.__name__ in CORE
    ]


def _hints(operation: str, title: str) -> ToolAnnotations:
    """Return the annotations of a tool with a title, from the operation that it does."""
    row = OPERATIONS[operation]
    if not row.writes:
        flags = {"readOnlyHint": True, "idempotentHint": True}
    else:
        flags = {
            "readOnlyHint": False, "destructiveHint": row.scope == "forget", "idempotentHint": row.idempotent,
        }  # fmt: skip
    return ToolAnnotations.model_validate({"title": title, **flags, "openWorldHint": False})


def _simple(operation: Operation, tool: Offered, memories: Memories) -> Callable[..., CallToolResult]:
    """Return the tool of an operation that makes a change, from its row of the table."""

    def call(memory: MemoryName = "project", **values: Any) -> CallToolResult:
        arguments = {name: value for name, value in values.items() if value is not None}
        result = change_item(operation(memories.get(memory), {**arguments, "by": AUTHOR}))
        return tool_result(tool.answer_template.format_map(result.model_dump()), result)

    fields = [field for field in msgspec.structs.fields(operation.arguments) if field.name != "by"]
    parameters = [
        Parameter(field.name, Parameter.KEYWORD_ONLY, annotation=_described(field.type), default=_default(field))
        for field in sorted(fields, key=lambda field: not field.required)
    ]
    memory_parameter = Parameter("memory", Parameter.KEYWORD_ONLY, annotation=MemoryArgument, default="project")
    call.__name__, call.__doc__ = operation.name, tool.description
    form = Signature([*parameters, memory_parameter], return_annotation=Annotated[CallToolResult, ChangeItem])
    vars(call)["__signature__"] = form
    return call


def _described(kind: Any) -> Any:
    """Return the type of an argument for the SDK, with its description from the table."""
    annotated = [form for form in (kind, *get_args(kind)) if get_origin(form) is Annotated]
    if not annotated:
        return kind
    bare, *metas = get_args(annotated[0])
    description = next((meta.description for meta in metas if meta.description), None)
    return Annotated[bare if kind is annotated[0] else bare | None, Field(description=description)]


def _default(field: msgspec.structs.FieldInfo) -> Any:
    return Parameter.empty if field.required else field.default


def _until_cancelled(call: Callable[..., CallToolResult]) -> Callable[..., Awaitable[CallToolResult]]:
    """Return a tool that runs in a thread; its model calls are cancelled when the client cancels the call."""

    @wraps(call)
    async def wrapper(**arguments: Any) -> CallToolResult:
        with Breakable() as block:
            try:
                return await anyio.to_thread.run_sync(partial(call, **arguments), abandon_on_cancel=True)
            finally:
                block.break_off()

    vars(wrapper)["__signature__"] = signature(call)
    return wrapper


def _tool(call: Callable[..., Any], title: str, annotations: ToolAnnotations, *, structured: bool) -> Tool:
    tool = PlainTool.from_function(call, title=title, annotations=annotations, structured_output=structured)
    properties = {name: _terse(schema) for name, schema in tool.parameters["properties"].items()}
    required = {"required": tool.parameters["required"]} if "required" in tool.parameters else {}
    parameters = {"type": "object", "properties": properties, **required, "additionalProperties": False}
    return tool.model_copy(update={"parameters": parameters, "structured": structured})


def _terse(schema: dict[str, Any]) -> dict[str, Any]:
    """Return an argument's schema without what a model has no use for: its title, its default, and that it may be null.

    That it may be left out, the list of required arguments tells.
    """
    fields = {name: value for name, value in schema.items() if name not in ("title", "default", "anyOf")}
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) > 1:
        return fields | {"anyOf": kinds}
    return fields | (kinds[0] if kinds else {})
