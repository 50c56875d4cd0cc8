"""Prose of a turn: what is read of it. Code, logs, tables, quotes, data and addresses stay in the turn unread.

Blocks, control characters, and what comes after the first ``MOST`` characters are replaced by blanks, so that places in
the rest are places in the turn.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.language.analyst.base import Coverage, Passage
from hmem.language.blocks import EXAMINED, blocks
from hmem.language.detect import language
from hmem.language.regex import regex

# Number of characters of prose that are read of a turn.
MOST: Final = 16_000

# Number of turns before a turn that tell the language of their conversation. Formation gives as many.
_EARLIER: Final = 4

_CONTROL: Final = regex(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


class Prose(NamedTuple):
    """Text with blanks for what is not read, and the reasons, such as ``code`` and ``length``."""

    text: str
    unread: tuple[str, ...]


@lru_cache(maxsize=1_024)
def prose(text: str) -> Prose:
    """Return the prose of a text, in as many characters."""
    parts: list[str] = []
    reasons = dict[str, None]()
    at = 0
    for block in blocks(text[:EXAMINED]):
        parts += (text[at : block.start], _blank(text[block.start : block.end]))
        reasons[block.kind] = None
        at = block.end
    masked = "".join((*parts, text[at:]))
    if len(masked) > MOST:
        reasons["length"] = None
        end = max(masked.rfind(" ", 0, MOST), masked.rfind("\n", 0, MOST), 0) or MOST
        masked = masked[:end] + "\n" * (len(masked) - end)
    return Prose(_CONTROL.sub(" ", masked), tuple(reasons))


def _blank(text: str) -> str:
    """Return as many blanks: within a line spaces, else ends of lines, so that no sentence goes across."""
    return ("\n" if "\n" in text or "\r" in text else " ") * len(text)


def coverage(passage: Passage) -> list[Coverage]:
    """Return the language of each wanted turn, and why parts of it are not read."""
    turns = passage.turns
    told: list[Coverage] = []
    for at in range(passage.start, len(turns)):
        found = prose(turns[at].text)
        earlier = [_said(turn.text) for turn in turns[max(at - _EARLIER, 0) : at]]
        told.append(Coverage(language(_said(turns[at].text), earlier), found.unread))
    return told


def _said(text: str) -> str:
    return " ".join(prose(text).text[:EXAMINED].split())


def languages(turns: Sequence[str]) -> list[str]:
    """Return the language of each text by itself."""
    return [language(_said(text)) for text in turns]
