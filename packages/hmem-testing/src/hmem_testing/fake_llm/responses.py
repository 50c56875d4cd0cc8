"""OpenAI's responses protocol, the default of its agents, translated from and to the chat protocol."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from hmem_testing.fake_llm.asking import Unreadable, text_of
from hmem_testing.fake_llm.wire import FakeReply, Head, Json, TokenUsage, as_mapping, pieces

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
        "tools": [_tool(tool) for tool in _objects(request.get("tools")) if tool.get("type") == "function"],
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


def _messages(given: object) -> Iterator[Json]:
    if isinstance(given, str):
        yield {"role": "user", "content": given}
        return
    items = list(_objects(given))
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


def _objects(given: object) -> Iterator[Mapping[str, Any]]:
    listed = cast("list[Any]", given) if isinstance(given, list) else []
    return (each for each in map(as_mapping, listed) if each)


def response(head: Head, said: FakeReply, usage: TokenUsage) -> Json:
    """Return a whole answer."""
    cut = said.finish == "length"
    return {
        **_begun(head),
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [_item(head, said)],
        "usage": {
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage.input + usage.output,
        },
    }


def _begun(head: Head) -> Json:
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


def _item(head: Head, said: FakeReply) -> Json:
    if said.tool is not None:
        name, arguments = said.tool
        return {**_call(head, name), "arguments": arguments, "status": "completed"}
    return {**_message(head), "status": "completed", "content": [_part(said)]}


def _call(head: Head, name: str) -> Json:
    identity = {"id": f"fc_{head.id}", "call_id": f"call_{head.id}"}
    return {"type": "function_call", **identity, "name": name, "arguments": "", "status": "in_progress"}


def _message(head: Head) -> Json:
    return {"type": "message", "id": f"msg_{head.id}", "role": "assistant", "status": "in_progress", "content": []}


def _part(said: FakeReply) -> Json:
    if said.refusal is not None:
        return {"type": "refusal", "refusal": said.refusal}
    return {"type": "output_text", "text": said.text or "", "annotations": [], "logprobs": []}


def events(head: Head, said: FakeReply, usage: TokenUsage) -> Iterator[Json]:
    """Yield the numbered events of a streamed answer."""
    for number, event in enumerate(_events(head, said, usage)):
        yield {**event, "sequence_number": number}


def _events(head: Head, said: FakeReply, usage: TokenUsage) -> Iterator[Json]:
    yield {"type": "response.created", "response": _begun(head)}
    item = _item(head, said)
    begun = _message(head) if said.tool is None else _call(head, said.tool[0])
    yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
    place: Json = {"item_id": item["id"], "output_index": 0}
    yield from _argument_events(place, said.tool[1]) if said.tool else _text_events({**place, "content_index": 0}, said)
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    made = response(head, said, usage)
    yield {"type": f"response.{made['status']}", "response": made}


def _argument_events(place: Json, arguments: str) -> Iterator[Json]:
    for piece in pieces(arguments):
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    yield {"type": "response.function_call_arguments.done", **place, "arguments": arguments}


def _text_events(place: Json, said: FakeReply) -> Iterator[Json]:
    refused = said.refusal is not None
    kind, field, text = ("refusal", "refusal", said.refusal) if refused else ("output_text", "text", said.text)
    more: Json = {} if refused else {"logprobs": []}
    empty = FakeReply(refusal="") if refused else FakeReply(text="")
    yield {"type": "response.content_part.added", **place, "part": _part(empty)}
    for piece in pieces(text or ""):
        yield {"type": f"response.{kind}.delta", **place, "delta": piece, **more}
    yield {"type": f"response.{kind}.done", **place, field: text or "", **more}
    yield {"type": "response.content_part.done", **place, "part": _part(said)}
