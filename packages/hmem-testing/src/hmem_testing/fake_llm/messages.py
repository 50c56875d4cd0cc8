"""Anthropic's messages protocol, translated from and to the chat protocol."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from hmem_testing.fake_llm.asking import CARRYING, text_of
from hmem_testing.fake_llm.wire import FakeReply, Head, Json, TokenUsage, as_mapping, text_chunks

_CHOICES: Final = {"any": "required", "none": "none"}
_REASONS: Final = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}


def as_chat(request: Json) -> Json:
    """Return the equivalent chat request."""
    choice = as_mapping(request.get("tool_choice"))
    chat: Json = {
        "model": request.get("model"),
        "messages": [*_system(request), *_messages(request.get("messages"))],
        "tools": [_tool(tool) for tool in objects(request.get("tools")) if tool.get("name")],
        "tool_choice": {"function": {"name": choice["name"]}}
        if choice.get("name")
        else _CHOICES.get(choice.get("type", "")),
        "stream": request.get("stream"),
        "max_completion_tokens": request.get("max_tokens"),
    }
    form = as_mapping(as_mapping(request.get("output_config")).get("format") or request.get("output_format"))
    if form.get("type") == "json_schema":
        # This protocol gives a schema no name.
        chat["response_format"] = {"type": "json_schema", "json_schema": {"name": CARRYING, **form}}
    return chat


def _system(request: Json) -> Iterator[Json]:
    if request.get("system"):
        yield {"role": "system", "content": text_of({"content": request["system"]})}


def _messages(field: object) -> Iterator[Json]:
    for message in objects(field):
        blocks = list(objects(message.get("content")))
        for block in blocks:
            if block.get("type") == "tool_result":
                yield {"role": "tool", "content": text_of(block)}
        if not any(block.get("type") == "tool_result" for block in blocks):
            yield {"role": message.get("role", "user"), "content": message.get("content")}


def _tool(tool: Mapping[str, Any]) -> Json:
    return {"type": "function", "function": {"name": tool["name"], "parameters": tool.get("input_schema")}}


def objects(field: object) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a JSON list; none of anything else."""
    items = cast("list[Any]", field) if isinstance(field, list) else []
    return (item for item in map(as_mapping, items) if item)


def message(head: Head, reply: FakeReply, usage: TokenUsage) -> Json:
    """Return a whole answer."""
    return {
        **_start(head, usage),
        "content": [block for block in [_block(head, reply)] if block],
        "stop_reason": _reason(reply),
        "usage": {"input_tokens": usage.input, "output_tokens": usage.output},
    }


def _start(head: Head, usage: TokenUsage) -> Json:
    return {
        "id": f"msg_{head.id}",
        "type": "message",
        "role": "assistant",
        "model": head.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": usage.input, "output_tokens": 0},
    }


def _reason(reply: FakeReply) -> str:
    return "refusal" if reply.refusal is not None else _REASONS[reply.finish]


def _block(head: Head, reply: FakeReply) -> Json:
    """Return the reply as a content block; empty for a refusal."""
    if reply.tool is not None:
        name, arguments = reply.tool
        return {"type": "tool_use", "id": f"toolu_{head.id}", "name": name, "input": _object_of(arguments)}
    return {"type": "text", "text": reply.text} if reply.text else {}


def _object_of(arguments: str) -> Mapping[str, Any]:
    """Return a tool's arguments as an object; empty if they are not one, since the protocol has no other form."""
    try:
        return as_mapping(json.loads(arguments))
    except ValueError:
        return {}


def events(head: Head, reply: FakeReply, usage: TokenUsage) -> Iterator[Json]:
    """Yield the events of a streamed answer."""
    yield {"type": "message_start", "message": _start(head, usage)}
    block = _block(head, reply)
    if block:
        empty: Json = {**block, "input": {}} if reply.tool else {**block, "text": ""}
        yield {"type": "content_block_start", "index": 0, "content_block": empty}
        for chunk in text_chunks(reply.tool[1] if reply.tool else reply.text or ""):
            delta = (
                {"type": "input_json_delta", "partial_json": chunk}
                if reply.tool
                else {"type": "text_delta", "text": chunk}
            )
            yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": _reason(reply), "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": usage.output}}
    yield {"type": "message_stop"}
