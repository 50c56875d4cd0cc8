"""The data of a call as it is sent: one block of JSON that no text within it can end or add to."""

import json
from collections.abc import Mapping
from typing import Any, Final

_ESCAPES: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def as_json(value: Any) -> str:
    """A value as JSON in which no ``<``, ``>`` or ``&`` stands."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)


def block(task: str, data: Mapping[str, Any]) -> str:
    """The user message of a call: what a task is to work on, and nothing else."""
    return f"<data>{as_json({'task': task, **data})}</data>"
