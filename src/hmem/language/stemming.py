"""Stems of words by Snowball, and the language that says which stemmer applies.

Greek, Cyrillic, Arabic and Indic letters tell the language of a word by themselves. A text in Latin letters is taken
for another language than English only if several of its function words are of that language, and more than are
English: an English text must never be stemmed in another way.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from threading import local
from typing import Any, Final

from hmem.language.function_words import function_words

# Number of words of a text that tell its language.
_READ: Final = 80
# Least evidence of a language: more than one function word, or one with a letter that English does not have; by word
# that is read; and by word that is English only. They leave English alone: `python benchmarks/detection.py`.
_MIN_WEIGHT: Final = 3
_SHARE: Final = 0.25
_AGAINST: Final = 4

# First letters of a script's block with Snowball's name for its most frequent language.
_SCRIPTS: Final = (
    (0x0370, 0x03FF, "greek"),
    (0x0400, 0x04FF, "russian"),
    (0x0530, 0x058F, "armenian"),
    (0x0600, 0x06FF, "arabic"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
    (0x1F00, 0x1FFF, "greek"),
)

# Letters of these scripts that their most frequent language does not have: Ukrainian, Belarusian and Serbian ones, and
# those of Persian and Urdu.
_OTHER_LETTERS: Final = frozenset("іїєґўјљњђћџ" + "پچژگکیٹڈڑںےۓہھ")

_LETTERS: Final = re.compile(r"[^\W\d_]+")
# The first letter of the scripts behind the Latin ones.
_BEYOND_LATIN: Final = "\u0370"

# A stemmer keeps the word at work in itself, so each thread has its own.
_stemmers: Final = local()


def language_of(words: Sequence[str]) -> str:
    """Return Snowball's name of the language in Latin letters that words in lower case are in.

    It is empty for English, and where the words do not tell.
    """
    table = function_words()
    read = words[:_READ]
    if table.indicators.keys().isdisjoint(read):
        return ""
    weights: dict[str, int] = {}
    distinct: set[str] = set()
    english: list[str] = []
    for word in read:
        if word in table.english:
            english.append(word)
        if (entry := table.indicators.get(word)) is not None and word not in distinct:
            distinct.add(word)
            for language in entry[1]:
                weights[language] = weights.get(language, 0) + entry[0]
    for letter in set("".join(word for word in read if not word.isascii() and word not in distinct)):
        for language in table.letters.get(letter, ()):
            if language in weights:
                weights[language] += 1
    # Of equals the one with more speakers, which stands first.
    best = max(table.by_language, key=lambda language: weights.get(language, 0))
    # "A", "no" or "was" are words of either.
    only_english = sum(word not in table.by_language[best] for word in english)
    enough = weights[best] >= max(_MIN_WEIGHT, _AGAINST * only_english + 1, _SHARE * len(read))
    return best if enough else ""


def language_by_letters(word: str) -> str:
    """Return Snowball's name of the language that the letters of a word in lower case tell; empty if they do not."""
    first = ord(word[0])
    for start, end, language in _SCRIPTS:
        if start <= first <= end:
            return "" if not _OTHER_LETTERS.isdisjoint(word) else language
    return ""


@lru_cache(maxsize=100_000)
def stem_of(word: str, language: str) -> str:
    """Return the stem of a word in lower case, by Snowball's stemmer of a language."""
    stemmer: Any = getattr(_stemmers, language, None)
    if stemmer is None:
        # Without a cache of its own.
        stemmer = import_module("Stemmer").Stemmer(language, 0)
        setattr(_stemmers, language, stemmer)
    return stemmer.stemWord(word)


def is_function_word(word: str, language: str) -> bool:
    """Tell if a word in lower case is a function word of the language that its letters tell, else of its text's."""
    script_language = "" if word.isascii() else language_by_letters(word)
    return word in function_words().by_language.get(script_language or language, ())


def reads_as_english(text: str) -> bool:
    """Tell if nothing in a text says that it is in another language than English."""
    words = _LETTERS.findall(text.lower())
    return not (language_of(words) or any(map(_is_foreign, words)))


def _is_foreign(word: str) -> bool:
    """Tell if the letters of a word are of another script than the Latin one."""
    return not word.isascii() and (bool(language_by_letters(word)) or any(letter >= _BEYOND_LATIN for letter in word))
