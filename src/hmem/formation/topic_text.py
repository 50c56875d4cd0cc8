"""Topic text: what is said without who says it, which is what trees are arranged by."""

from collections.abc import Iterable
from functools import lru_cache
from re import Pattern, escape
from re import compile as pattern_of
from typing import Final

from hmem.formation.turn_analysis import TurnAnalysis

# A shorter name is also a word or a letter.
_SHORTEST: Final = 2

# Number of characters that are read: a longer text is about too much to be placed by all of it.
_READ: Final = 1_200


def speakers(item: TurnAnalysis) -> tuple[str, ...]:
    """Return the names of those who have spoken in a turn's session so far."""
    return tuple(dict.fromkeys((*item.passage.speakers, item.turn.speaker)))


def topic_text(text: str, names: tuple[str, ...]) -> str:
    """Return the beginning of a text without the names of the speakers; with them if nothing else is left."""
    text = text[:_READ]
    pattern = _pattern(names)
    without = " ".join(pattern.sub(" ", text).split()) if pattern else text
    return without if any(map(str.isalnum, without)) else text


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> Pattern[str] | None:
    words = sorted(_words(names), key=lambda word: (-len(word), word))
    return pattern_of(rf"(?<!\w)(?:{'|'.join(map(escape, words))})(?:['\u2019]s)?(?!\w)") if words else None


def _words(names: Iterable[str]) -> set[str]:
    """Return the words of names, as they are written and with a capital; without one "Will" is another word."""
    words = {word for name in names for word in name.split() if len(word) >= _SHORTEST and word[0].isalpha()}
    return {form for word in words for form in (word, word.capitalize())}
