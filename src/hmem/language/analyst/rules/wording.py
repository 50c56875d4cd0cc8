"""A text as sentences of words, read once for all the rules that need it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hmem.language.stopwords import STOP_WORDS

# Characters; what a text is about shows in its first part, and rules stay quick on a long paste.
READ: Final = 6_000

_REMEMBERED: Final = 4_000

# A number with its decimals, a word with its apostrophe, what ends a sentence, or a quotation mark.
_TOKEN: Final = re.compile(
    r"\d+(?:[.,:/]\d+)*\w*|[^\W\d_]+(?:['\u2019][^\W\d_]+)?|[.!?…\n\u3002\uff01\uff1f]+|[\"“”«»]"
)
_MARKS: Final = frozenset('"“”«»')
_DRAWN_OUT: Final = re.compile(r"(.)\1{2,}")
_CLITIC: Final = re.compile(r"['\u2019](?:s|m|re|ve|ll|d|t)$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of a sentence as they stand and as rules compare them (see ``bare``), and its kind.

    ``quoted``: it holds a quotation mark.
    """

    written: tuple[str, ...]
    words: tuple[str, ...]
    question: bool = False
    exclaimed: bool = False
    quoted: bool = False


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text's first ``READ`` characters; none is without a word."""
    return _remembered(text) if len(text) <= _REMEMBERED else _sentences(text[:READ])


@lru_cache(maxsize=4_096)
def _remembered(text: str) -> tuple[Sentence, ...]:
    return _sentences(text)


def _sentences(text: str) -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    words: list[str] = []
    quoted = False
    for token in [*_TOKEN.findall(text), "."]:
        if token[0].isalnum():
            words.append(token)
        elif token in _MARKS:
            quoted = True
        elif words:
            question, exclaimed = "?" in token or "\uff1f" in token, "!" in token or "\uff01" in token
            found.append(Sentence(tuple(words), tuple(map(bare, words)), question, exclaimed, quoted))
            words, quoted = [], False
    return tuple(found)


@lru_cache(maxsize=50_000)
def bare(word: str) -> str:
    """A word lower-cased, without its clitic and not drawn out: ``she`` for ``She's``, ``so`` for ``sooo``."""
    return word if word[0].isdigit() else _DRAWN_OUT.sub(r"\1", _CLITIC.sub("", word.lower()))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A lower-cased English word without its commonest endings: enough to see that two words are one."""
    if len(word) < 4 or not word.isascii():
        return word
    for ending, least in (("ing", 3), ("ed", 3), ("es", 3), ("s", 3), ("ly", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            return _smooth(word[: -len(ending)], ending)
    return _smooth(word, "")


def _smooth(root: str, ending: str) -> str:
    """The root as it is in all its forms: ``running`` and ``run`` are ``run``, ``stories`` and ``story`` ``stori``."""
    if ending in ("ing", "ed") and len(root) > 3 and root[-1] == root[-2] and root[-1] not in "ls":
        return root[:-1]
    if root.endswith("y"):
        return f"{root[:-1]}i"
    return root.removesuffix("e")


def content_stems(text: str) -> tuple[str, ...]:
    """The stems of a text's content words, each once, in order; function words are left out."""
    words = (word for sentence in sentences(text) for word in sentence.words)
    return tuple(dict.fromkeys(stem(word) for word in words if word not in STOP_WORDS and len(word) > 1))
