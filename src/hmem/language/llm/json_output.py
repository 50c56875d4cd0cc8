"""JSON as models write it: in a fence, amid prose, with a comma too many, cut off, or still growing.

A cut-off answer is reduced to its last whole item, since half a statement must not be used.
"""

import json
import re
from typing import Any, Final, cast

from json_repair import repair_json
from pydantic_core import from_json

_FENCED: Final = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_THOUGHT: Final = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_OBJECT_END: Final = re.compile(r"""(?:["\d\]}]|true|false|null)\s*}\Z""")
_CLOSING: Final = {"{": "}", "[": "]"}
_OPENING: Final = re.compile(r"[{\[]")
# A line break within a text, which JSON does not allow.
_CONTROLS: Final = dict.fromkeys(range(0x20), " ")

# Depth of an item in a list of the outermost object.
_ITEM: Final = 2

# Characters; no task has a longer answer.
_LONGEST: Final = 1_000_000


class NotJson(ValueError):
    """A text without a readable JSON object."""


def repaired_json(text: str) -> Any:
    """Return the JSON value in a text, repaired; of a cut-off value, its whole items.

    Raises:
        NotJson: the text holds none.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    if len(text) > _LONGEST:
        raise NotJson("the answer is far too long")
    fragment = _object_in(text)
    if fragment is None:
        raise NotJson("the answer holds no JSON object")
    complete = _whole_items(fragment)
    try:
        return json.loads(complete)
    except (ValueError, RecursionError):
        pass
    try:
        value: Any = repair_json(complete, return_objects=True, skip_json_loads=True)
    except (ValueError, RecursionError) as error:
        raise NotJson("the answer is not JSON") from error
    if not isinstance(value, dict | list) or not value:
        raise NotJson("the answer is not JSON")
    return value  # pyright: ignore[reportUnknownVariableType] - any JSON


def _object_in(text: str) -> str | None:
    """Return a text from its first brace on, inside a fence if there is one, without the model's thoughts."""
    visible = _THOUGHT.sub(" ", text)
    for fenced in _FENCED.finditer(visible):
        if (start := fenced[1].find("{")) >= 0:
            return fenced[1][start:].rstrip()
    start = visible.find("{")
    return visible[start:].rstrip() if start >= 0 else None


def _whole_items(text: str) -> str:
    """Return the first object of a text without the text after it; of a cut-off object, its whole items, closed.

    Raises:
        NotJson: nothing in it is whole.
    """
    stack: list[str] = []
    cut, closing = 0, ""
    in_string = escaped = False
    for index, letter in enumerate(text):
        if in_string:
            in_string = escaped or letter != '"'
            escaped = not escaped and letter == "\\"
        elif letter == '"':
            in_string = True
        elif letter in _CLOSING:
            stack.append(_CLOSING[letter])
        elif letter == "," and len(stack) == 1:
            cut, closing = index, stack[0]
        elif letter in "}]" and stack:
            stack.pop()
            if not stack:
                return text[: index + 1]
            if len(stack) <= _ITEM:
                cut, closing = index + 1, "".join(reversed(stack))
    if in_string and _OBJECT_END.search(text):
        # A quotation mark within a string was not escaped; the object is whole all the same.
        return text
    if not cut:
        raise NotJson("the answer was cut off before anything in it was whole")
    return text[:cut] + closing


class PartialJson:
    """A JSON object that is being generated; ``value`` is the part known so far.

    It validates nothing: malformed JSON gives some text of a field, or none.
    """

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}
        self._text = ""

    def feed(self, chunk: str, field: str) -> str:
        """Take the next piece; return the new text of ``field``, a text field of the outermost object."""
        self._text += chunk
        previous = self.value.get(field)
        visible = _THOUGHT.sub(" ", self._text)
        start = _OPENING.search(visible)
        try:
            value = start and from_json(visible[start.start() :].translate(_CONTROLS), allow_partial="trailing-strings")
        except ValueError:
            return ""
        if isinstance(value, dict):
            self.value = cast("dict[str, Any]", value)
        text = self.value.get(field)
        return text[len(previous) if isinstance(previous, str) else 0 :] if isinstance(text, str) else ""
