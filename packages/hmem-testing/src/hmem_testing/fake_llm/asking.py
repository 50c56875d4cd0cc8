"""Parser of chat requests: their task, their data, and the form of the answer."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from hmem.language.tokens import count_tokens
from hmem_testing.fake_llm.wire import Json, as_mapping

CHAT: Final = "chat"
# Prefix of pydantic-ai's names for the tools that carry an answer.
CARRYING: Final = "final_result"
_DATA: Final = re.compile(r"<data>(.*?)</data>", re.DOTALL)
# A message that a host puts behind the conversation on each call; OpenClaw tells there what runs.
_OF_THE_HOST: Final = re.compile(
    r"\s*<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*<<<END_OPENCLAW_INTERNAL_CONTEXT>>>\s*", re.DOTALL
)

Form = Literal["text", "json", "schema", "tool"]


class Unreadable(Exception):
    """Request that a real endpoint would refuse too. The text says why."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """Parsed chat request.

    ``task`` is the name of the schema or of the tool that must be called; if these say nothing, the data name it.
    ``form``: a text, any JSON object, JSON by ``schema``, or a call of ``tool`` whose arguments follow ``schema``.
    ``data`` is the JSON of the last user message's ``<data>`` block; None without one. ``limit`` counts tokens.
    """

    task: str
    tool: str
    form: Form
    schema: Mapping[str, Any]
    data: Mapping[str, Any] | None
    messages: tuple[Json, ...]
    tools: tuple[str, ...]
    model: str
    stream: bool
    usage_in_stream: bool
    limit: int | None
    input_tokens: int

    @property
    def prompt(self) -> str:
        """The text of all messages."""
        return "\n".join(text_of(message) for message in self.messages)


def read(request: Json) -> ChatRequest:
    """Parse a chat request.

    Raises:
        Unreadable: it has no messages, or breaks the protocol.
    """
    messages = _messages(request)
    tools = dict(_tools(request))
    name, form, schema = _expected_answer(request, tools)
    data = _data(messages)
    task = str((data or {}).get("task") or name) if name.startswith((CHAT, CARRYING)) else name
    limit = request.get("max_completion_tokens") or request.get("max_tokens")
    return ChatRequest(
        task=task,
        tool=name if form == "tool" else "",
        form="json" if form == "text" and task != CHAT else form,
        schema=schema,
        data=data,
        messages=messages,
        tools=tuple(tools),
        model=str(request.get("model") or ""),
        stream=request.get("stream") is True,
        usage_in_stream=as_mapping(request.get("stream_options")).get("include_usage") is True,
        limit=limit if isinstance(limit, int) and not isinstance(limit, bool) else None,
        input_tokens=_input_tokens(request, messages),
    )


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a message, whose content may be a text or a list of parts."""
    content: Any = message.get("content")
    if isinstance(content, str):
        return content
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    return "\n".join(str(as_mapping(block).get("text") or "") for block in blocks)


def _messages(request: Json) -> tuple[Json, ...]:
    field: Any = request.get("messages")
    if not isinstance(field, list) or not field:
        raise Unreadable("messages must be a list of at least one message")
    messages = cast("list[Any]", field)
    if not all(isinstance(message, dict) and "role" in message for message in messages):
        raise Unreadable("each message must be an object with a role")
    return tuple(message for message in messages if not _OF_THE_HOST.fullmatch(text_of(message))) or tuple(messages)


def _tools(request: Json) -> Iterator[tuple[str, Mapping[str, Any]]]:
    field: Any = request.get("tools") or []
    for tool in cast("list[Any]", field) if isinstance(field, list) else []:
        function = as_mapping(as_mapping(tool).get("function"))
        if not function.get("name"):
            raise Unreadable("each tool must have a function with a name")
        yield str(function["name"]), as_mapping(function.get("parameters"))


def _expected_answer(request: Json, tools: Mapping[str, Mapping[str, Any]]) -> tuple[str, Form, Mapping[str, Any]]:
    """Return task, form and schema: from the response format, else from the tool that must be called."""
    form = as_mapping(request.get("response_format"))
    if form.get("type") == "json_schema":
        described = as_mapping(form.get("json_schema"))
        if not described.get("name"):
            raise Unreadable("response_format.json_schema must have a name")
        return str(described["name"]), "schema", as_mapping(described.get("schema"))
    tool = _tool(request, tuple(tools))
    if tool is None:
        return CHAT, "json" if form.get("type") == "json_object" else "text", {}
    if tool not in tools:
        raise Unreadable(f"tool_choice names {tool!r}, which is none of the tools")
    return tool, "tool", tools[tool]


def _tool(request: Json, tools: tuple[str, ...]) -> str | None:
    """Return the tool that must be called: the named one, else one that carries the answer, else any if required."""
    choice: Any = request.get("tool_choice")
    name = as_mapping(as_mapping(choice).get("function")).get("name")
    if name is not None or choice == "none":
        return name
    carrying = (tool for tool in tools if tool.startswith(CARRYING))
    return next(carrying, tools[0] if choice == "required" and tools else None)


def _data(messages: tuple[Json, ...]) -> Mapping[str, Any] | None:
    """Return the JSON between ``<data>`` and ``</data>`` in the last user message that has it; None without one."""
    for message in reversed(messages):
        match = _DATA.search(text_of(message)) if message["role"] == "user" else None
        if match is not None:
            try:
                return as_mapping(json.loads(match[1]))
            except ValueError as error:
                raise Unreadable(f"the block of data is no JSON ({error})") from error
    return None


def _input_tokens(request: Json, messages: tuple[Json, ...]) -> int:
    """Count the request's tokens message by message, so that the cache of counts serves repeated messages."""
    schemas = [json.dumps(request[name]) for name in ("response_format", "tools") if request.get(name)]
    return sum(count_tokens(text) for text in (*(text_of(message) for message in messages), *schemas))
