"""OpenAI wire protocol: the JSON of an answer, whole or streamed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Finish = Literal["stop", "length", "tool_calls"]
Json = dict[str, Any]

# Characters in one piece of a stream.
_CHUNK_CHARACTERS: Final = 24


@dataclass(frozen=True, slots=True)
class FakeReply:
    """Content of an answer: a text, a tool call (its name and its arguments as JSON), or a refusal."""

    text: str | None = None
    tool: tuple[str, str] | None = None
    refusal: str | None = None
    finish: Finish = "stop"

    @property
    def words(self) -> str:
        """The whole content as one text, for counting tokens."""
        return "".join(text for text in (self.text, *(self.tool or ()), self.refusal) if text)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Input and output tokens of a call."""

    input: int
    output: int

    @property
    def json(self) -> Json:
        """The usage in the JSON of an answer."""
        return {"prompt_tokens": self.input, "completion_tokens": self.output, "total_tokens": self.input + self.output}


@dataclass(frozen=True, slots=True)
class Head:
    """Fields that every piece of an answer repeats: id, time of creation (seconds since 1970), model name."""

    id: str
    created: int
    model: str

    def json(self, kind: str) -> Json:
        """Return the JSON of an answer's head, for an object kind."""
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def dumped(value: object) -> str:
    """Return a value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def completion(head: Head, reply: FakeReply, usage: TokenUsage) -> Json:
    """Return a whole answer."""
    message: Json = {"role": "assistant", "content": reply.text, "refusal": reply.refusal}
    if reply.tool is not None:
        message["tool_calls"] = [_call(head, *reply.tool)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish}
    return {**head.json("chat.completion"), "choices": [choice], "usage": usage.json}


def _call(head: Head, name: str, arguments: str) -> Json:
    return {"id": f"call_{head.id}", "type": "function", "function": {"name": name, "arguments": arguments}}


def chunks(head: Head, reply: FakeReply, usage: TokenUsage | None) -> Iterator[Json]:
    """Yield the pieces of a streamed answer; ``usage``, if given, is the last one."""
    first: Json = {"role": "assistant", "content": "" if reply.tool is None else None, "refusal": None}
    if reply.tool is not None:
        first["tool_calls"] = [{"index": 0, **_call(head, reply.tool[0], "")}]
    yield _chunk(head, first, None)
    for text in text_chunks(reply.text or ""):
        yield _chunk(head, {"content": text}, None)
    for text in text_chunks(reply.refusal or ""):
        yield _chunk(head, {"refusal": text}, None)
    for text in text_chunks(reply.tool[1] if reply.tool else ""):
        yield _chunk(head, {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}, None)
    yield _chunk(head, {}, reply.finish)
    if usage is not None:
        yield {**head.json("chat.completion.chunk"), "choices": [], "usage": usage.json}


def text_chunks(text: str) -> Iterator[str]:
    """Yield a text in pieces of ``_CHUNK_CHARACTERS`` characters."""
    return (text[start : start + _CHUNK_CHARACTERS] for start in range(0, len(text), _CHUNK_CHARACTERS))


def _chunk(head: Head, delta: Json, finish: Finish | None) -> Json:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {**head.json("chat.completion.chunk"), "choices": [choice], "usage": None}


def models(names: Sequence[str]) -> Json:
    """Return the list of models."""
    return {"object": "list", "data": [model(name) for name in names]}


def model(name: str) -> Json:
    """Return one model."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "hmem"}


def error(message: str, kind: str, code: str | None = None) -> Json:
    """Return an error in the protocol's JSON."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return a JSON object, or an empty one for any other value."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON's keys are text
