"""The word lists of the rules, read from the package's data."""

from functools import lru_cache
from importlib.resources import files

from hmem.language.analyst.rules.wording import stem
from hmem.language.stopwords import STOP_WORDS

_PACKAGE = "hmem.language.analyst.rules"


def lines_of(name: str) -> list[str]:
    """The lines of a word list, without those that are empty or a remark (``#``)."""
    text = (files(_PACKAGE) / "data" / name).read_text("utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def word_set(words: str) -> frozenset[str]:
    """A set of words, written with blanks between them."""
    return frozenset(words.split())


@lru_cache(maxsize=1)
def vague_stems() -> frozenset[str]:
    """The stems of words that name no subject."""
    return frozenset(stem(word) for line in lines_of("vague.txt") for word in line.split())


@lru_cache(maxsize=50_000)
def is_content(word: str) -> bool:
    """Whether a word, as ``wording.bare`` gives it, can say what a text is about."""
    return len(word) > 1 and word not in STOP_WORDS and stem(word) not in vague_stems() and not word[0].isdigit()
