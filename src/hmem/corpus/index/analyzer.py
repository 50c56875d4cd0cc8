"""Text analysis: words and stems, the same for the index, the tail and questions.

A word is a run of letters, digits and marks of any script, lower-cased, without accents, and stemmed as English. In
scripts without spaces between words, or with endings that an English stemmer leaves on, each character counts as a
word: Chinese, Japanese, Korean, Thai, Lao, Khmer and Burmese.

Each turn is analysed once, here, and every index takes the stems as they are: one stemmer with a cache of words is
several times faster than one inside an index, which meets the same text in three sizes of context.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

# Increase it with every change of the analysis: every lexical index is then rebuilt.
VERSION: Final = 1

# Longer than any word: what remains is encoded data, and it would only fill the index.
_LONGEST: Final = 64

# Characters; the stems of longer texts are not kept.
_REMEMBERED: Final = 4_000

# Thai and Lao, Burmese, Hangul's parts, Khmer, kana, ideographs, Hangul.
_BY_CHARACTER: Final = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\ua4cf\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff"  # fmt: skip # noqa: E501

# Marks that ``\w`` leaves out and that stand inside words: accents, Hebrew and Arabic points, the Indic scripts.
_MARKS: Final = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"

_ASCII: Final = re.compile(r"[A-Za-z0-9]+")
_ANY: Final = re.compile(rf"[{_BY_CHARACTER}]|(?:(?![{_BY_CHARACTER}_])[\w{_MARKS}])+")


def words(text: str) -> list[str]:
    """Return a text's words in order, neither lower-cased nor stemmed.

    Text that looks the same counts as the same (Unicode's NFKC): composed accents, full-width letters, ligatures.
    """
    if text.isascii():
        return _ASCII.findall(text)
    return _ANY.findall(unicodedata.normalize("NFKC", text))


def stems(text: str) -> Sequence[str]:
    """Return the stems of a text's words, in order, without those of overlong words."""
    # A turn is analysed three times in short succession: when it is written, for the tail and for the index.
    return _remembered_stems(text) if len(text) <= _REMEMBERED else _stems(text)


@lru_cache(maxsize=4_096)
def _remembered_stems(text: str) -> Sequence[str]:
    return _stems(text)


def _stems(text: str) -> Sequence[str]:
    return tuple(filter(None, map(_stem, words(text.lower()))))


@lru_cache(maxsize=1)
def _stemmer() -> TextAnalyzer:
    folded = TextAnalyzerBuilder(Tokenizer.raw()).filter(Filter.lowercase()).filter(Filter.ascii_fold())
    return folded.filter(Filter.stemmer("english")).build()


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    if len(word) > _LONGEST:
        return ""
    return "".join(_stemmer().analyze(word))
