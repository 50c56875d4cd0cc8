"""The OpenAI wire protocol: what an answer looks like as JSON, whole or in a stream."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

Finish = Literal["stop", "length", "tool_calls"]
Json = dict[str, Any]

# So many characters of an answer go into a piece of a stream.
_PIECE: Final = 24


@dataclass(frozen=True, slots=True)
class FakeReply:
    """What an answer says: a text, or a call of a tool (its name and its arguments as JSON), or a refusal."""

    text: str | None = None
    tool: tuple[str, str] | None = None
    refusal: str | None = None
    finish: Finish = "stop"

    @property
    def words(self) -> str:
        """All of it as one text, which its tokens are counted of."""
        return "".join(part for part in (self.text, *(self.tool or ()), self.refusal) if part)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens that went in and came out."""

    input: int
    output: int

    @property
    def json(self) -> Json:
        """As it stands in an answer."""
        return {"prompt_tokens": self.input, "completion_tokens": self.output, "total_tokens": self.input + self.output}


@dataclass(frozen=True, slots=True)
class Head:
    """What every piece of one answer repeats: its id, when it was made (seconds since 1970), the model's name."""

    id: str
    created: int
    model: str

    def json(self, kind: str) -> Json:
        """As it stands in an answer of a kind."""
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def dumped(value: object) -> str:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def completion(head: Head, said: FakeReply, usage: TokenUsage) -> Json:
    """A whole answer."""
    message: Json = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    if said.tool is not None:
        message["tool_calls"] = [_call(head, *said.tool)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": said.finish}
    return {**head.json("chat.completion"), "choices": [choice], "usage": usage.json}


def _call(head: Head, name: str, arguments: str) -> Json:
    return {"id": f"call_{head.id}", "type": "function", "function": {"name": name, "arguments": arguments}}


def chunks(head: Head, said: FakeReply, usage: TokenUsage | None) -> Iterator[Json]:
    """An answer in pieces; ``usage`` comes as a piece of its own where it was asked for."""
    first: Json = {"role": "assistant", "content": "" if said.tool is None else None, "refusal": None}
    if said.tool is not None:
        first["tool_calls"] = [{"index": 0, **_call(head, said.tool[0], "")}]
    yield _chunk(head, first, None)
    for piece in pieces(said.text or ""):
        yield _chunk(head, {"content": piece}, None)
    for piece in pieces(said.refusal or ""):
        yield _chunk(head, {"refusal": piece}, None)
    for piece in pieces(said.tool[1] if said.tool else ""):
        yield _chunk(head, {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}, None)
    yield _chunk(head, {}, said.finish)
    if usage is not None:
        yield {**head.json("chat.completion.chunk"), "choices": [], "usage": usage.json}


def pieces(text: str) -> Iterator[str]:
    """A text in the pieces that a stream brings."""
    return (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))


def _chunk(head: Head, delta: Json, finish: Finish | None) -> Json:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return {**head.json("chat.completion.chunk"), "choices": [choice], "usage": None}


def models(names: Sequence[str]) -> Json:
    """The list of models."""
    return {"object": "list", "data": [model(name) for name in names]}


def model(name: str) -> Json:
    """One model."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "hmem"}


def error(message: str, kind: str, code: str | None = None) -> Json:
    """An error, as clients read it."""
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def as_mapping(value: object) -> Mapping[str, Any]:
    """A JSON object, or an empty one in the place of anything else."""
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON's keys are text
