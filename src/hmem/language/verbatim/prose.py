"""Prose of a turn: what is read of it. Code, logs, tables, quotes, data and addresses stay in the turn unread.

Blocks, control characters, and the text after the first ``LONGEST`` characters become blanks, so that positions in the
rest are positions in the turn.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.language.analyst.base import Coverage, Passage
from hmem.language.blocks import EXAMINED, blocks
from hmem.language.detect import language
from hmem.language.regex import regex

# Number of characters of prose that are read of a turn.
LONGEST: Final = 16_000

# Number of turns before a turn that tell the language of their conversation. Formation gives as many.
_EARLIER: Final = 4

_CONTROL: Final = regex(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


class Prose(NamedTuple):
    """Text with blanks for what is not read, and the reasons, such as ``code`` and ``length``."""

    text: str
    skip_reasons: tuple[str, ...]


@lru_cache(maxsize=1_024)
def prose(text: str) -> Prose:
    """Return the prose of a text, in as many characters."""
    fragments: list[str] = []
    reasons = dict[str, None]()
    position = 0
    for block in blocks(text[:EXAMINED]):
        fragments += (text[position : block.start], _blank(text[block.start : block.end]))
        reasons[block.kind] = None
        position = block.end
    masked = "".join((*fragments, text[position:]))
    if len(masked) > LONGEST:
        reasons["length"] = None
        end = max(masked.rfind(" ", 0, LONGEST), masked.rfind("\n", 0, LONGEST), 0) or LONGEST
        masked = masked[:end] + "\n" * (len(masked) - end)
    return Prose(_CONTROL.sub(" ", masked), tuple(reasons))


def _blank(text: str) -> str:
    """Return as many blanks: within a line spaces, else ends of lines, so that no sentence goes across."""
    return ("\n" if "\n" in text or "\r" in text else " ") * len(text)


def coverage(passage: Passage) -> list[Coverage]:
    """Return the language of each wanted turn, and why parts of it are not read."""
    turns = passage.turns
    coverages: list[Coverage] = []
    for index in range(passage.start, len(turns)):
        turn_prose = prose(turns[index].text)
        earlier = [_beginning(turn.text) for turn in turns[max(index - _EARLIER, 0) : index]]
        coverages.append(Coverage(language(_beginning(turns[index].text), earlier), turn_prose.skip_reasons))
    return coverages


def _beginning(text: str) -> str:
    return " ".join(prose(text).text[:EXAMINED].split())


def languages(turns: Sequence[str]) -> list[str]:
    """Return the language of each text by itself."""
    return [language(_beginning(text)) for text in turns]
