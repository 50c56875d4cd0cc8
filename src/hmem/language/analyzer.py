"""Text analysis: words and stems, the same for the index and questions.

A word is a run of letters, digits and marks of any script, lower-cased, without accents, and stemmed:

- in Latin letters as English, and in a text that is in another language as that, too. So a word that stands alone, or
  in a question too short to tell its language, still meets itself, and English texts have English stems only;
- in letters that tell the language, such as Cyrillic or Devanagari ones, as that language;
- in scripts without spaces between words, or with particles behind each (Chinese, Japanese, Korean, Thai, Lao, Khmer,
  Burmese), by each pair of neighbours, and for words of one character by each ideograph and syllable. The letters of an
  alphabet say less: they stand in threes, too, and kana, most of which are endings, in pairs only.

Each turn is analysed once, here, and the index takes the stems as they are.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from hmem.language.stemming import language_by_letters, language_of, stem_of

# Increase it with every change of the analysis: every lexical index is then rebuilt.
VERSION: Final = 3

# Longer than any word: what remains is encoded data, and it would only fill the index.
_LONGEST: Final = 64

# Latin letters that no accent parts from a plain one.
_LATIN: Final = {
    "\u00df": "ss", "\u00e6": "ae", "\u00f0": "d", "\u00f8": "o", "\u00fe": "th", "\u0111": "d", "\u0127": "h",
    "\u0131": "i", "\u0138": "q", "\u0142": "l", "\u014b": "n", "\u0153": "oe", "\u0167": "t", "\u0180": "b",
    "\u0188": "c", "\u0192": "f", "\u0199": "k", "\u01b4": "y", "\u01b6": "z", "\u01dd": "e", "\u01e3": "ae",
    "\u01fd": "ae", "\u01ff": "o", "\u0253": "b", "\u0254": "o", "\u0256": "d", "\u0257": "d", "\u0259": "e",
    "\u025b": "e", "\u0272": "n", "\u028b": "v",
}  # fmt: skip

# Characters; the stems of longer texts are not kept.
_REMEMBERED: Final = 4_000

# Letters of scripts whose words are not parted, or carry particles: the alphabets of Thai and Lao, Burmese and Khmer;
# hiragana; katakana; and ideographs, Hangul and what is rare of the others.
_ALPHABETS: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_HIRAGANA: Final = "\u3040-\u309f"
_KATAKANA: Final = "\u30a0-\u30ff\u31f0-\u31ff"
_SYLLABLES: Final = "\u1100-\u11ff\u3100-\u318f\u31a0-\u31bf\u3400-\u4dbf\u4e00-\ua4cf\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"  # fmt: skip # noqa: E501
_RUNS: Final = _ALPHABETS + _HIRAGANA + _KATAKANA + _SYLLABLES

# Marks that ``\w`` leaves out and that stand inside words: accents, Hebrew and Arabic points, the vowels of the Indic
# scripts, but not what ends their sentences.
_MARKED: Final = ((0x300, 0x370), (0x591, 0x5C8), (0x610, 0x61B), (0x64B, 0x660), (0x900, 0xE00))
_MARKS: Final = "".join(
    mark for start, end in _MARKED for mark in map(chr, range(start, end)) if unicodedata.category(mark).startswith("M")
)

_ASCII: Final = re.compile(r"[A-Za-z0-9]+")
_TOKEN: Final = re.compile(rf"[{_RUNS}]+|(?:(?![{_RUNS}_])[\w{_MARKS}])+")
_RUN: Final = re.compile(rf"[{_RUNS}]")
# A change of script is mostly the end of a word in Japanese.
_SCRIPT_RUN: Final = re.compile(
    rf"(?P<alphabet>[{_ALPHABETS}]+)|(?P<kana>[{_HIRAGANA}]+|[{_KATAKANA}]+)|(?P<syllables>[{_SYLLABLES}]+)"
)
# The least and the greatest number of neighbours that stand for a part.
_SIZES: Final = {"alphabet": (2, 3), "kana": (2, 2), "syllables": (1, 2)}


def words(text: str) -> list[str]:
    """Return a text's words in order, neither lower-cased nor stemmed.

    Text that looks the same counts as the same (Unicode's NFKC): composed accents, full-width letters, ligatures. A run
    of letters of a script without spaces is one word.
    """
    if text.isascii():
        return _ASCII.findall(text)
    return _TOKEN.findall(unicodedata.normalize("NFKC", text))


def stems(text: str) -> Sequence[str]:
    """Return the stems of a text's words, in order, without those of overlong words.

    The stems of a text have all those that any of its words has by itself.
    """
    # A turn is analysed twice in short succession: when it is written, and for the index.
    return _remembered_stems(text) if len(text) <= _REMEMBERED else _stems(text)


def language(text: str) -> str:
    """Return Snowball's name of the language that a text's words are stemmed as besides English, or an empty text."""
    return language_of(words(text.lower()))


def query_stems(word: str, language: str) -> Sequence[str]:
    """Return the stems to search for, of a word of a question in a language (one that ``language`` returns)."""
    return tuple(_stems_of_word(word.lower(), language))


@lru_cache(maxsize=4_096)
def _remembered_stems(text: str) -> Sequence[str]:
    return _stems(text)


def required_stems(text: str) -> list[Sequence[str]]:
    """Return alternatives of stems: a text that has every word of this one has a stem of each of them.

    A run of letters without spaces has several parts, which are all required.
    """
    tokens = words(text.lower())
    name = language_of(tokens)
    parts = [[(gram,) for gram in _grams(word)] if _RUN.match(word) else [_stems_of_parted_word(word, name)]
             for word in tokens]  # fmt: skip
    return list(dict.fromkeys(stems for alternatives in parts for stems in alternatives if stems))


def _stems(text: str) -> Sequence[str]:
    tokens = words(text.lower())
    language = language_of(tokens)
    if not language and text.isascii():
        return tuple(filter(None, map(_stem, tokens)))
    return tuple(stem for word in tokens for stem in _stems_of_word(word, language))


def _stems_of_word(word: str, language: str) -> Iterable[str]:
    """Return the different stems of a word in lower case, in a text of a language."""
    return _grams(word) if _RUN.match(word) else _stems_of_parted_word(word, language)


@lru_cache(maxsize=100_000)
def _stems_of_parted_word(word: str, language: str) -> Sequence[str]:
    if word.isascii() or not (script_language := language_by_letters(word)):
        stems = (_stem(word), _folded(stem_of(word, language)) if language and len(word) <= _LONGEST else "")
        return tuple(dict.fromkeys(filter(None, stems)))
    return (_folded(stem_of(word, script_language)),) if len(word) <= _LONGEST else ()


def _grams(run: str) -> Iterator[str]:
    """Yield the terms of a run of letters without spaces: sequences of neighbours; a short run is one term."""
    for match in _SCRIPT_RUN.finditer(run):
        letters = match[0]
        shortest, longest = _SIZES[match.lastgroup or "syllables"]
        if len(letters) < shortest:
            yield letters
        for start in range(len(letters)):
            for size in range(shortest, min(longest, len(letters) - start) + 1):
                yield letters[start : start + size]


def _folded(stem: str) -> str:
    """Return a stem without accents."""
    return stem if stem.isascii() else stem.translate(_unaccented())


@lru_cache(maxsize=1)
def _unaccented() -> dict[int, str]:
    """Return the plain letters of Latin letters with accents."""
    composed = [*range(0xC0, 0x250), *range(0x1E00, 0x1F00)]
    plain = {code: unicodedata.normalize("NFD", chr(code))[0] for code in composed}
    return plain | str.maketrans(_LATIN)


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    return stem_of(_folded(word), "english") if len(word) <= _LONGEST else ""
