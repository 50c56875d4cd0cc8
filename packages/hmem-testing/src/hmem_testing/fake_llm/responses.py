"""OpenAI's responses protocol, the default of its agents, translated from and to the chat protocol."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hmem_testing.fake_llm.asking import Unreadable, text_of
from hmem_testing.fake_llm.messages import objects
from hmem_testing.fake_llm.wire import FakeReply, Head, Json, TokenUsage, as_mapping, text_chunks

_ROLES: Final = {"developer": "system"}


def as_chat(request: Json) -> Json:
    """Return the equivalent chat request.

    Raises:
        Unreadable: it has no input.
    """
    choice = as_mapping(request.get("tool_choice"))
    chat: Json = {
        "model": request.get("model"),
        "messages": [*_instructions(request), *_messages(request.get("input"))],
        "tools": [_tool(tool) for tool in objects(request.get("tools")) if tool.get("type") == "function"],
        "tool_choice": {"function": {"name": choice["name"]}} if choice.get("name") else request.get("tool_choice"),
        "stream": request.get("stream"),
        "max_completion_tokens": request.get("max_output_tokens"),
    }
    form = as_mapping(as_mapping(request.get("text")).get("format"))
    if form.get("type") in ("json_schema", "json_object"):
        chat["response_format"] = {"type": form["type"], "json_schema": form}
    return chat


def _instructions(request: Json) -> Iterator[Json]:
    if request.get("instructions"):
        yield {"role": "system", "content": str(request["instructions"])}


def _messages(field: object) -> Iterator[Json]:
    if isinstance(field, str):
        yield {"role": "user", "content": field}
        return
    items = list(objects(field))
    if not items:
        raise Unreadable("input must be a text or a list of items")
    for item in items:
        if item.get("type") == "function_call_output":
            yield {"role": "tool", "content": text_of({"content": item.get("output")})}
        elif "role" in item:
            role = str(item["role"])
            yield {"role": _ROLES.get(role, role), "content": item.get("content")}


def _tool(tool: Mapping[str, Any]) -> Json:
    return {"type": "function", "function": {name: tool.get(name) for name in ("name", "parameters")}}


def response(head: Head, reply: FakeReply, usage: TokenUsage) -> Json:
    """Return a whole answer."""
    cut = reply.finish == "length"
    return {
        **_start(head),
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [_item(head, reply)],
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input + usage.output,
        },
    }


def _start(head: Head) -> Json:
    return {
        "id": head.id,
        "object": "response",
        "created_at": head.created,
        "model": head.model,
        "status": "in_progress",
        "output": [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
        "usage": None,
    }


def _item(head: Head, reply: FakeReply) -> Json:
    if reply.tool is not None:
        name, arguments = reply.tool
        return {**_call(head, name), "arguments": arguments, "status": "completed"}
    return {**_message(head), "status": "completed", "content": [_content(reply)]}


def _call(head: Head, name: str) -> Json:
    identity = {"id": f"fc_{head.id}", "call_id": f"call_{head.id}"}
    return {"type": "function_call", **identity, "name": name, "arguments": "", "status": "in_progress"}


def _message(head: Head) -> Json:
    return {"type": "message", "id": f"msg_{head.id}", "role": "assistant", "status": "in_progress", "content": []}


def _content(reply: FakeReply) -> Json:
    if reply.refusal is not None:
        return {"type": "refusal", "refusal": reply.refusal}
    return {"type": "output_text", "text": reply.text or "", "annotations": [], "logprobs": []}


def events(head: Head, reply: FakeReply, usage: TokenUsage) -> Iterator[Json]:
    """Yield the numbered events of a streamed answer."""
    for number, event in enumerate(_events(head, reply, usage)):
        yield {**event, "sequence_number": number}


def _events(head: Head, reply: FakeReply, usage: TokenUsage) -> Iterator[Json]:
    yield {"type": "response.created", "response": _start(head)}
    item = _item(head, reply)
    opening = _message(head) if reply.tool is None else _call(head, reply.tool[0])
    yield {"type": "response.output_item.added", "output_index": 0, "item": opening}
    location: Json = {"item_id": item["id"], "output_index": 0}
    yield from (
        _argument_events(location, reply.tool[1])
        if reply.tool
        else _text_events({**location, "content_index": 0}, reply)
    )
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    body = response(head, reply, usage)
    yield {"type": f"response.{body['status']}", "response": body}


def _argument_events(location: Json, arguments: str) -> Iterator[Json]:
    for chunk in text_chunks(arguments):
        yield {"type": "response.function_call_arguments.delta", **location, "delta": chunk}
    yield {"type": "response.function_call_arguments.done", **location, "arguments": arguments}


def _text_events(location: Json, reply: FakeReply) -> Iterator[Json]:
    is_refusal = reply.refusal is not None
    kind, field, text = ("refusal", "refusal", reply.refusal) if is_refusal else ("output_text", "text", reply.text)
    extra: Json = {} if is_refusal else {"logprobs": []}
    empty = FakeReply(refusal="") if is_refusal else FakeReply(text="")
    yield {"type": "response.content_part.added", **location, "part": _content(empty)}
    for chunk in text_chunks(text or ""):
        yield {"type": f"response.{kind}.delta", **location, "delta": chunk, **extra}
    yield {"type": f"response.{kind}.done", **location, field: text or "", **extra}
    yield {"type": "response.content_part.done", **location, "part": _content(reply)}
