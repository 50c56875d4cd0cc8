"""The word lists of the rules, read from the package's data."""

from functools import lru_cache
from importlib.resources import files

from hmem.language.analyst.rules.formula import FORMULA
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


@lru_cache(maxsize=1)
def subject_stems() -> frozenset[str]:
    """The stems of words that name a subject of their own: those that speak plainly of a domain."""
    plain = (line.partition(":")[2].partition("|")[0] for line in lines_of("domains.txt"))
    return frozenset(stem(word.removeprefix("=")) for words in plain for word in words.split())


@lru_cache(maxsize=50_000)
def is_content(word: str) -> bool:
    """Whether a word, as ``wording.bare`` gives it, can say what a text is about."""
    if len(word) < 2 or word in STOP_WORDS or word[0].isdigit():
        return False
    root = stem(word)
    return root not in vague_stems() and (root not in FORMULA or root in subject_stems())
