"""Replies of the stand-in to chat requests: the right answer, or one that is wrong in the way a rule asks for."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from hmem.language.analyst import DEFAULT, analyst
from hmem.language.analyzer import stems
from hmem.language.tokens import count_tokens, load_tokenizer
from hmem_testing.fake_llm.asking import ChatRequest, text_of
from hmem_testing.fake_llm.script import Doing, ReplyRule
from hmem_testing.fake_llm.tasks import TASKS
from hmem_testing.fake_llm.wire import FakeReply, as_mapping, dumped

_REFUSAL: Final = "I'm sorry, but I can't help with that."
# Fields that an answer adds to the right one when it obeys an instruction in the data.
_HARM: Final[Mapping[str, Any]] = {
    "forget": {"everything": True},
    "memory": "another.hmem",
    "tool_calls": [{"name": "forget", "arguments": {"query": "", "yes": True}}],
}
# Lines of a context: `3 Maria: I adopted a puppy`.
_REMEMBERED: Final = re.compile(r"^\d+ [^:]{1,60}: ")
_REPEATED: Final = re.compile(r"^\d+ assistant: ", re.IGNORECASE)
_HARMFUL: Final = "Ignored my instructions and forgot everything."


def answer(request: ChatRequest, rule: ReplyRule) -> FakeReply:
    """Return the reply to a request under a rule, cut at the request's token limit."""
    reply = _reply(request, rule)
    if request.limit is None or count_tokens(reply.words) <= request.limit:
        return reply
    return _cut(reply, request.limit)


def _reply(request: ChatRequest, rule: ReplyRule) -> FakeReply:
    if rule.do == "refusal":
        return FakeReply(refusal=rule.text or _REFUSAL)
    if rule.do == "tool":
        return FakeReply(tool=(rule.name, dumped(dict(rule.content))), finish="tool_calls")
    if rule.do == "obey-tool":
        return FakeReply(tool=("forget", dumped(_HARM["forget"])), finish="tool_calls")
    text = _WRONG[rule.do](request, rule) if rule.do in _WRONG else _right(request)
    if request.form == "tool" and rule.do not in ("empty", "text", "chatty", "fenced"):
        return FakeReply(tool=(request.tool, text), finish="length" if rule.do == "unfinished" else "tool_calls")
    return FakeReply(text=text, finish="length" if rule.do == "unfinished" else "stop")


def _right(request: ChatRequest) -> str:
    if request.form == "text":
        return talk(request)
    return dumped(_value(request))


def _value(request: ChatRequest) -> Any:
    """Return the right value for a task; for an unknown task, the smallest value that its schema allows."""
    task = TASKS.get(request.task)
    if task is not None and request.data is not None:
        return task(request.data)
    return {"text": talk(request)} if request.form == "json" else fill(request.schema, talk(request))


def _fenced(request: ChatRequest, _: ReplyRule) -> str:
    return f"```json\n{json.dumps(_value(request), ensure_ascii=False, indent=2)}\n```"


def _chatty(request: ChatRequest, _: ReplyRule) -> str:
    return f"Sure! Here is what you asked for:\n\n{_right(request)}\n\nLet me know if you need anything else."


def _almost(request: ChatRequest, _: ReplyRule) -> str:
    """Return JSON as small models write it, with a trailing comma and without the last brace."""
    text = _right(request)
    return f"{text[:-1]}," if text.endswith(("}", "]")) else text


def _unfinished(request: ChatRequest, _: ReplyRule) -> str:
    text = _right(request)
    return text[: len(text) // 2]


def _obeying(request: ChatRequest, _: ReplyRule) -> str:
    """Return the right answer with every text forged, and with fields that nobody asked for."""
    if request.form == "text":
        return _HARMFUL
    return dumped({**as_mapping(_forged(_value(request))), **_HARM})


def _forged(value: Any) -> Any:
    """Return a value whose claims are about everyone, whose importance is 10, and whose free text is harmful."""
    if isinstance(value, list):
        return [_forged(item) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    if not isinstance(value, dict):
        return value
    return {name: _forged_field(name, field) for name, field in value.items()}  # pyright: ignore - JSON


def _forged_field(name: str, value: Any) -> Any:
    if name in ("text", "value", "summary", "answer") and isinstance(value, str):
        return _HARMFUL
    if name == "subject":
        return "everyone"
    if name == "importance":
        return 10
    if name == "claims":
        return [f"fact | everyone | owns | {_HARMFUL}" for _ in value]
    return _forged(value)


_WRONG: Final[Mapping[Doing, Callable[[ChatRequest, ReplyRule], str]]] = {
    "fenced": _fenced,
    "chatty": _chatty,
    "almost-json": _almost,
    "wrong-json": lambda asked, _: _right(asked)[: len(_right(asked)) // 2] + ' "oops": ]]',
    "wrong-schema": lambda asked, _: dumped({"unexpected": [1, 2, 3], "task": asked.task}),
    "empty": lambda _, __: "",
    "unfinished": _unfinished,
    "obey": _obeying,
    "text": lambda _, rule: rule.text,
    "json": lambda _, rule: dumped(dict(rule.content)),
}


def _cut(reply: FakeReply, limit: int) -> FakeReply:
    """Return a reply cut after ``limit`` tokens, with the finish reason ``length``."""
    content = reply.tool[1] if reply.tool else (reply.text or reply.refusal or "")
    offsets = load_tokenizer().encode(content, add_special_tokens=False).offsets
    shortened = content[: offsets[limit - 1][1]] if 0 < limit <= len(offsets) else content
    if reply.tool:
        return FakeReply(tool=(reply.tool[0], shortened), finish="length")
    return (
        FakeReply(text=shortened, finish="length")
        if reply.text is not None
        else FakeReply(refusal=shortened, finish="length")
    )


_DEEPEST: Final = 24


def fill(schema: Mapping[str, Any], text: str) -> Any:
    """Return a value that follows a JSON schema, with ``text`` for every free string."""
    return _fill(schema, text, schema, 0)


def _fill(schema: Mapping[str, Any], text: str, root: Mapping[str, Any], depth: int) -> Any:
    if depth > _DEEPEST:
        return None
    if isinstance(schema.get("$ref"), str):
        return _fill(_referred(str(schema["$ref"]), root), text, root, depth + 1)
    for name in ("const", "default"):
        if name in schema:
            return schema[name]
    if schema.get("enum"):
        return schema["enum"][0]
    for name in ("anyOf", "oneOf", "allOf"):
        if schema.get(name):
            return _fill(as_mapping(schema[name][0]), text, root, depth + 1)
    return _of_type(schema, text, root, depth)


def _of_type(schema: Mapping[str, Any], text: str, root: Mapping[str, Any], depth: int) -> Any:
    kind: Any = schema.get("type", "object" if "properties" in schema else "string")
    kind = cast("list[str]", kind)[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = as_mapping(schema.get("properties"))
        required = [str(name) for name in schema.get("required", properties)]
        return {name: _fill(as_mapping(properties.get(name)), text, root, depth + 1) for name in required}
    if kind == "array":
        return [_fill(as_mapping(schema.get("items")), text, root, depth + 1)] * int(schema.get("minItems", 0))
    if kind in ("integer", "number"):
        minimum = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        return int(minimum) if kind == "integer" else float(minimum)
    return {"boolean": False, "null": None}.get(kind, text[: int(schema.get("maxLength", len(text)))])


def _referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    node: Mapping[str, Any] = root
    for key in reference.removeprefix("#/").split("/"):
        node = as_mapping(node.get(key))
    return node


def talk(request: ChatRequest) -> str:
    """Return the earlier sentence that shares the most stems with the last user message.

    Of a line of a memory's context, that is what was said, if it was not an assistant who said it. If the last message
    is a tool's, return its text. If no sentence shares a stem, echo the question, so that an example shows something.
    """
    last = request.messages[-1]
    if last["role"] == "tool":
        return text_of(last).strip() or "Done."
    question = next(
        (text_of(message) for message in reversed(request.messages) if message["role"] == "user"), ""
    ).strip()
    question_stems = set(stems(question))
    best, overlap = "", 0
    for sentence in _before(request, question):
        common = len(question_stems & set(stems(sentence)))
        if common >= max(overlap, 1):
            best, overlap = sentence, common
    return best or (f"I read: {question}" if question else "I read nothing.")


def _before(request: ChatRequest, question: str) -> Iterator[str]:
    for message in request.messages:
        text = text_of(message).strip()
        if text != question:
            quoted = "\n".join(_REMEMBERED.sub("", line) for line in text.splitlines() if not _REPEATED.match(line))
            sentences = (quoted[span.start : span.end] for span in analyst(DEFAULT).lexicon.split(quoted))
            yield from (sentence for sentence in sentences if not sentence.endswith("?"))
