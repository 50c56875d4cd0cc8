"""Word lists of the rules: in the code as texts, or in the package's data."""

from functools import lru_cache
from importlib.resources import files
from typing import Final

from hmem.language.english.wording import stem

_PACKAGE: Final = "hmem.language.english"


def words(text: str) -> frozenset[str]:
    """Return the words of a text, split at blanks."""
    return frozenset(text.split())


def lines_of(name: str) -> list[str]:
    """Return the lines of a word list, without empty lines and comments (``#``)."""
    text = (files(_PACKAGE) / "data" / name).read_text("utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def word_set(words: str) -> frozenset[str]:
    """Return the set of words in a text, split at blanks."""
    return frozenset(words.split())


@lru_cache(maxsize=1)
def vague_stems() -> frozenset[str]:
    """Return the stems of words that are no topic."""
    return frozenset(stem(word) for line in lines_of("vague.txt") for word in line.split())
