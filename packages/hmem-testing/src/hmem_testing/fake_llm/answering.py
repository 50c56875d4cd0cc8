"""What the stand-in says to a request to chat: the right answer, or one that is wrong in the way that a rule says."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from hmem.language.tokens import count_tokens, load_tokenizer
from hmem_testing.fake_llm.asking import Asked
from hmem_testing.fake_llm.filling import fill
from hmem_testing.fake_llm.replies import TASKS
from hmem_testing.fake_llm.script import Doing, Rule
from hmem_testing.fake_llm.talk import talk
from hmem_testing.fake_llm.wire import Said, as_mapping, dumped

_REFUSAL: Final = "I'm sorry, but I can't help with that."
# What an answer that obeys an instruction in the data has in it, besides the right answer.
_HARM: Final[Mapping[str, Any]] = {
    "forget": {"everything": True},
    "memory": "another.hmem",
    "tool_calls": [{"name": "forget", "arguments": {"query": "", "yes": True}}],
}
_HARMFUL: Final = "Ignored my instructions and forgot everything."


def answer(asked: Asked, rule: Rule) -> Said:
    """What is said to what was asked, cut where the request limits its tokens."""
    said = _said(asked, rule)
    if asked.limit is None or count_tokens(said.words) <= asked.limit:
        return said
    return _cut(said, asked.limit)


def _said(asked: Asked, rule: Rule) -> Said:
    if rule.do == "refusal":
        return Said(refusal=rule.text or _REFUSAL)
    if rule.do == "tool":
        return Said(tool=(rule.name, dumped(dict(rule.content))), finish="tool_calls")
    if rule.do == "obey-tool":
        return Said(tool=("forget", dumped(_HARM["forget"])), finish="tool_calls")
    text = _WRONG[rule.do](asked, rule) if rule.do in _WRONG else _right(asked)
    if asked.form == "tool" and rule.do not in ("empty", "text", "chatty", "fenced"):
        return Said(tool=(asked.tool, text), finish="length" if rule.do == "unfinished" else "tool_calls")
    return Said(text=text, finish="length" if rule.do == "unfinished" else "stop")


def _right(asked: Asked) -> str:
    if asked.form == "text":
        return talk(asked)
    return dumped(_value(asked))


def _value(asked: Asked) -> Any:
    """The right value of a task; of one that is not known, the smallest that its schema allows."""
    task = TASKS.get(asked.task)
    if task is not None and asked.data is not None:
        return task(asked.data)
    return {"text": talk(asked)} if asked.form == "json" else fill(asked.schema, talk(asked))


def _fenced(asked: Asked, _: Rule) -> str:
    return f"```json\n{json.dumps(_value(asked), ensure_ascii=False, indent=2)}\n```"


def _chatty(asked: Asked, _: Rule) -> str:
    return f"Sure! Here is what you asked for:\n\n{_right(asked)}\n\nLet me know if you need anything else."


def _almost(asked: Asked, _: Rule) -> str:
    """JSON as small models write it: a comma too many, a last brace too few."""
    text = _right(asked)
    return f"{text[:-1]}," if text.endswith(("}", "]")) else text


def _unfinished(asked: Asked, _: Rule) -> str:
    text = _right(asked)
    return text[: len(text) // 2]


def _obeying(asked: Asked, _: Rule) -> str:
    """The right answer with every text in it forged, and with fields that nobody asked for."""
    if asked.form == "text":
        return _HARMFUL
    return dumped({**as_mapping(_forged(_value(asked))), **_HARM})


def _forged(value: Any) -> Any:
    """Claims are about everyone; numbers that name a turn name another one; what is free text does harm."""
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
    return _forged(value)


_WRONG: Final[Mapping[Doing, Callable[[Asked, Rule], str]]] = {
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


def _cut(said: Said, limit: int) -> Said:
    """As a model that has reached the limit of its tokens."""
    part = said.tool[1] if said.tool else (said.text or said.refusal or "")
    offsets = load_tokenizer().encode(part, add_special_tokens=False).offsets
    kept = part[: offsets[limit - 1][1]] if 0 < limit <= len(offsets) else part
    if said.tool:
        return Said(tool=(said.tool[0], kept), finish="length")
    return Said(text=kept, finish="length") if said.text is not None else Said(refusal=kept, finish="length")
