"""Words as they are compared when something is repeated: contractions taken apart, persons told, fillers left out."""

from functools import lru_cache
from typing import Final

from hmem.language.analyst.lexicon import SpokenWord
from hmem.language.regex import regex

_WORD: Final = regex(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_ENDINGS: Final = {"m": "be", "re": "be", "s": "", "ve": "have", "ll": "will", "d": "would"}
_FORMS: Final = {
    "am": "be", "are": "be", "is": "be", "were": "was", "has": "have", "does": "do", "cannot": "can not",
    "can't": "can not", "won't": "will not",
}  # fmt: skip
_FIRST: Final = frozenset(("i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"))
_SECOND: Final = frozenset(("you", "your", "yours", "yourself", "yourselves"))
_THIRD: Final = frozenset(
    ("he", "him", "his", "himself", "she", "her", "hers", "herself", "they", "them", "their", "theirs", "themselves")
)
NEGATIONS: Final = frozenset(("not", "never", "no", "nobody", "nothing", "neither", "nor", "without"))

# Words that are often added or left out when something is repeated.
_FILLERS: Final = frozenset(("have", "had", "just", "also", "really", "already", "that", "so", "very"))


def spoken_words(text: str, start: int, end: int) -> list[SpokenWord]:
    """Return the words of a stretch of text, contractions taken apart."""
    return [
        SpokenWord(_person(part), part, match[0][0].isupper())
        for match in _WORD.finditer(text, start, end)
        for part in _parts(match[0].lower().replace("\u2019", "'"))
        if part not in _FILLERS
    ]


@lru_cache(maxsize=16_384)
def _parts(word: str) -> tuple[str, ...]:
    if word in _FORMS:
        return tuple(_FORMS[word].split())
    if word.endswith("n't"):
        return *_parts(word[:-3]), "not"
    head, mark, ending = word.partition("'")
    if mark and ending in _ENDINGS:
        return tuple(part for part in (*_parts(head), _ENDINGS[ending]) if part)
    return (word,)


def _person(word: str) -> int:
    return 1 if word in _FIRST else 2 if word in _SECOND else 3 if word in _THIRD else 0
