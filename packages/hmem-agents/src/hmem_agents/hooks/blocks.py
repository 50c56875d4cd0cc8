"""Blocks of recalled text that a session is told: their heads, their budgets, their frame, and what is no question.

Loads little: a user waits for hooks.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from hmem.language.prompt_text import framed
from hmem_agents.hooks.hosts import prompt_of

_USER: Final = "Of the user, across projects:"
_MIN_QUESTION: Final = 12
_LONGEST_QUESTION: Final = 2_000
# Most lines of one memory that a prompt is told.
PROMPT_LINES: Final = 8


class BlockKind(NamedTuple):
    """Head of a block, and the token budgets of the project's memory and of the user's."""

    head: str
    tokens: tuple[int, int]


START: Final = BlockKind(
    "What earlier sessions in this project told, from hmem. Ask its tools for more (context, recall).", (900, 300)
)
PROMPT: Final = BlockKind("What earlier sessions told that this prompt calls to mind, from hmem.", (500, 200))


def asked(event: Mapping[str, Any]) -> str:
    """Return the text of a prompt to recall for; empty for a command and for a word or two."""
    text = prompt_of(event).strip()[:_LONGEST_QUESTION]
    return "" if len(text) < _MIN_QUESTION or text.startswith(("/", "!", "#")) else text


def block(head: str, project: Sequence[str], user: Sequence[str], characters: int) -> str:
    """Return the lines of two memories in one frame of at most ``characters`` characters; the last go first."""
    lines = [head, *project, *([_USER, *user] if user else [])]
    if not project and not user:
        return ""
    while len(lines) > 1 and len(framed("\n".join(lines))) > characters:
        lines.pop()
    text = framed("\n".join(lines))
    return text if len(lines) > 1 and len(text) <= characters else ""
