"""Gemini's protocol of generated content, translated from and to the chat protocol."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hmem_testing.fake_llm.asking import CARRYING
from hmem_testing.fake_llm.messages import objects
from hmem_testing.fake_llm.wire import FakeReply, Head, Json, TokenUsage, as_mapping, text_chunks

_ROLES: Final = {"model": "assistant"}
_REASONS: Final = {"stop": "STOP", "length": "MAX_TOKENS", "tool_calls": "STOP"}
_CHOICES: Final = {"ANY": "required", "NONE": "none"}


def as_chat(request: Json, model: str, *, stream: bool) -> Json:
    """Return the equivalent chat request; model and streaming stand in the path of this protocol."""
    config = as_mapping(request.get("generationConfig"))
    calling = as_mapping(as_mapping(request.get("toolConfig")).get("functionCallingConfig"))
    chat: Json = {
        "model": model,
        "messages": [*_system(request), *_messages(request.get("contents"))],
        "tools": [
            {"type": "function", "function": {"name": tool["name"], "parameters": tool.get("parametersJsonSchema")}}
            for tools in objects(request.get("tools"))
            for tool in objects(tools.get("functionDeclarations"))
        ],
        "tool_choice": _CHOICES.get(str(calling.get("mode"))),
        "stream": stream,
        "max_completion_tokens": config.get("maxOutputTokens"),
    }
    if schema := config.get("responseJsonSchema") or config.get("responseSchema"):
        # This protocol gives a schema no name.
        chat["response_format"] = {"type": "json_schema", "json_schema": {"name": CARRYING, "schema": schema}}
    return chat


def _system(request: Json) -> Iterator[Json]:
    if text := _text(as_mapping(request.get("systemInstruction"))):
        yield {"role": "system", "content": text}


def _messages(field: object) -> Iterator[Json]:
    for content in objects(field):
        results = [part["functionResponse"] for part in objects(content.get("parts")) if "functionResponse" in part]
        for result in results:
            yield {"role": "tool", "content": json.dumps(as_mapping(result).get("response"))}
        if not results:
            role = str(content.get("role") or "user")
            yield {"role": _ROLES.get(role, role), "content": _text(content)}


def _text(content: Mapping[str, Any]) -> str:
    return "\n".join(str(part["text"]) for part in objects(content.get("parts")) if part.get("text"))


def response(head: Head, reply: FakeReply, usage: TokenUsage) -> Json:
    """Return a whole answer."""
    return _response(head, [_part(reply)], _reason(reply), usage)


def events(head: Head, reply: FakeReply, usage: TokenUsage) -> Iterator[Json]:
    """Yield the pieces of a streamed answer."""
    parts = [_part(reply)] if reply.tool else [{"text": text} for text in text_chunks(reply.words)]
    for part in parts[:-1]:
        yield _response(head, [part], None, usage)
    yield _response(head, parts[-1:], _reason(reply), usage)


def _part(reply: FakeReply) -> Json:
    if reply.tool is None:
        return {"text": reply.words}
    try:
        arguments = as_mapping(json.loads(reply.tool[1]))
    except ValueError:
        arguments = {}
    return {"functionCall": {"name": reply.tool[0], "args": arguments}}


def _reason(reply: FakeReply) -> str:
    return "SAFETY" if reply.refusal is not None else _REASONS[reply.finish]


def _response(head: Head, parts: list[Json], reason: str | None, usage: TokenUsage) -> Json:
    candidate: Json = {"index": 0, "content": {"role": "model", "parts": parts}}
    return {
        "candidates": [candidate | ({"finishReason": reason} if reason else {})],
        "usageMetadata": {
            "promptTokenCount": usage.input,
            "candidatesTokenCount": usage.output,
            "totalTokenCount": usage.input + usage.output,
        },
        "modelVersion": head.model,
        "responseId": head.id,
    }
