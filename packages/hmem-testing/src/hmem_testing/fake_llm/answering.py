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


def answer(asked: ChatRequest, rule: ReplyRule) -> FakeReply:
    """Return the reply to a request under a rule, cut at the request's token limit."""
    said = _said(asked, rule)
    if asked.limit is None or count_tokens(said.words) <= asked.limit:
        return said
    return _cut(said, asked.limit)


def _said(asked: ChatRequest, rule: ReplyRule) -> FakeReply:
    if rule.do == "refusal":
        return FakeReply(refusal=rule.text or _REFUSAL)
    if rule.do == "tool":
        return FakeReply(tool=(rule.name, dumped(dict(rule.content))), finish="tool_calls")
    if rule.do == "obey-tool":
        return FakeReply(tool=("forget", dumped(_HARM["forget"])), finish="tool_calls")
    text = _WRONG[rule.do](asked, rule) if rule.do in _WRONG else _right(asked)
    if asked.form == "tool" and rule.do not in ("empty", "text", "chatty", "fenced"):
        return FakeReply(tool=(asked.tool, text), finish="length" if rule.do == "unfinished" else "tool_calls")
    return FakeReply(text=text, finish="length" if rule.do == "unfinished" else "stop")


def _right(asked: ChatRequest) -> str:
    if asked.form == "text":
        return talk(asked)
    return dumped(_value(asked))


def _value(asked: ChatRequest) -> Any:
    """Return the right value for a task; for an unknown task, the smallest value that its schema allows."""
    task = TASKS.get(asked.task)
    if task is not None and asked.data is not None:
        return task(asked.data)
    return {"text": talk(asked)} if asked.form == "json" else fill(asked.schema, talk(asked))


def _fenced(asked: ChatRequest, _: ReplyRule) -> str:
    return f"```json\n{json.dumps(_value(asked), ensure_ascii=False, indent=2)}\n```"


def _chatty(asked: ChatRequest, _: ReplyRule) -> str:
    return f"Sure! Here is what you asked for:\n\n{_right(asked)}\n\nLet me know if you need anything else."


def _almost(asked: ChatRequest, _: ReplyRule) -> str:
    """Return JSON as small models write it, with a trailing comma and without the last brace."""
    text = _right(asked)
    return f"{text[:-1]}," if text.endswith(("}", "]")) else text


def _unfinished(asked: ChatRequest, _: ReplyRule) -> str:
    text = _right(asked)
    return text[: len(text) // 2]


def _obeying(asked: ChatRequest, _: ReplyRule) -> str:
    """Return the right answer with every text forged, and with fields that nobody asked for."""
    if asked.form == "text":
        return _HARMFUL
    return dumped({**as_mapping(_forged(_value(asked))), **_HARM})


def _forged(value: Any) -> Any:
    """Return a value whose claims are about everyone, whose importance is 10, and whose free text is harmful."""
    if isinstance(value, list):
        return [_forged(each) for each in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    if not isinstance(value, dict):
        return value
    return {name: _forged_field(name, each) for name, each in value.items()}  # pyright: ignore - JSON


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


def _cut(said: FakeReply, limit: int) -> FakeReply:
    """Return a reply cut after ``limit`` tokens, with the finish reason ``length``."""
    part = said.tool[1] if said.tool else (said.text or said.refusal or "")
    offsets = load_tokenizer().encode(part, add_special_tokens=False).offsets
    kept = part[: offsets[limit - 1][1]] if 0 < limit <= len(offsets) else part
    if said.tool:
        return FakeReply(tool=(said.tool[0], kept), finish="length")
    return FakeReply(text=kept, finish="length") if said.text is not None else FakeReply(refusal=kept, finish="length")


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
        wanted = [str(name) for name in schema.get("required", properties)]
        return {name: _fill(as_mapping(properties.get(name)), text, root, depth + 1) for name in wanted}
    if kind == "array":
        return [_fill(as_mapping(schema.get("items")), text, root, depth + 1)] * int(schema.get("minItems", 0))
    if kind in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1)
        return int(least) if kind == "integer" else float(least)
    return {"boolean": False, "null": None}.get(kind, text[: int(schema.get("maxLength", len(text)))])


def _referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = root
    for part in reference.removeprefix("#/").split("/"):
        found = as_mapping(found.get(part))
    return found


def talk(asked: ChatRequest) -> str:
    """Return the earlier sentence that shares the most stems with the last user message.

    Of a line of a memory's context, that is what was said, if it was not an assistant who said it. If the last message
    is a tool's, return its text. If no sentence shares a stem, echo the question, so that an example shows something.
    """
    last = asked.messages[-1]
    if last["role"] == "tool":
        return text_of(last).strip() or "Done."
    question = next((text_of(each) for each in reversed(asked.messages) if each["role"] == "user"), "").strip()
    wanted = set(stems(question))
    best, most = "", 0
    for sentence in _before(asked, question):
        shared = len(wanted & set(stems(sentence)))
        if shared >= max(most, 1):
            best, most = sentence, shared
    return best or (f"I read: {question}" if question else "I read nothing.")


def _before(asked: ChatRequest, question: str) -> Iterator[str]:
    for message in asked.messages:
        text = text_of(message).strip()
        if text != question:
            told = "\n".join(_REMEMBERED.sub("", line) for line in text.splitlines() if not _REPEATED.match(line))
            sentences = (told[each.start : each.end] for each in analyst(DEFAULT).lexicon.split(told))
            yield from (sentence for sentence in sentences if not sentence.endswith("?"))
