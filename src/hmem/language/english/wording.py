"""Tokenised sentences of a text, read once for all rules."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple, TypeVar

from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.regex import regex
from hmem.model.turn import Turn

# Maximum number of characters read: the topic shows in the first part, and a long paste stays fast.
READ: Final = 6_000

_REMEMBERED: Final = 4_000

# Maximum length of a cached stretch, in characters: longer ones seldom recur.
_LONGEST: Final = 32
_MOST: Final = 32_768

# A number with its decimals, a word with its apostrophe, an end of a sentence, or a quotation mark.
_TOKEN: Final = regex(r"\d+(?:[.,:/]\d+)*\w*|[^\W\d_]+(?:['\u2019][^\W\d_]+)?|[.!?…\n\u3002\uff01\uff1f]+|[\"“”«»]")
_MARKS: Final = frozenset('"“”«»')
_DRAWN_OUT: Final = regex(r"(.)\1{2,}")
_CLITIC: Final = regex(r"['\u2019](?:s|m|re|ve|ll|d|t)$")

# As written, bare, and its stem; of a mark, bare and stem are empty.
_Token = tuple[str, str, str]
_END: Final[_Token] = (".", "", "")

T = TypeVar("T")


class WordedSentence(NamedTuple):
    """Words of a sentence as written, as compared (see ``bare``), their stems, and its kind.

    ``quoted``: it holds a quotation mark.
    """

    written: tuple[str, ...]
    words: tuple[str, ...]
    roots: tuple[str, ...]
    question: bool = False
    exclaimed: bool = False
    quoted: bool = False


def sentences(text: str) -> tuple[WordedSentence, ...]:
    """Return the sentences of the first ``READ`` characters of a text; each has at least one word."""
    return _remembered(text) if len(text) <= _REMEMBERED else _sentences(text[:READ])


@lru_cache(maxsize=4_096)
def _remembered(text: str) -> tuple[WordedSentence, ...]:
    return _sentences(text)


def _sentences(text: str) -> tuple[WordedSentence, ...]:
    # No token holds a blank, so each stretch between blanks is cut once and cached.
    tokens = [*_STRETCHES.of(text), _END]
    found: list[WordedSentence] = []
    start, quoted = 0, False
    for place in [i for i, token in enumerate(tokens) if not token[1]]:
        end = tokens[place][0]
        if end in _MARKS:
            quoted = True
        elif quoted:
            if read := [token for token in tokens[start:place] if token[1]]:
                found.append(_sentence(read, end, quoted=True))
                quoted = False
            start = place + 1
        else:
            if start < place:
                found.append(_sentence(tokens[start:place], end))
            start = place + 1
    return tuple(found)


def _sentence(read: Sequence[_Token], end: str, *, quoted: bool = False) -> WordedSentence:
    written, words, roots = zip(*read, strict=True)
    if end == ".":
        return WordedSentence(written, words, roots, quoted=quoted)
    return WordedSentence(written, words, roots, "?" in end or "\uff1f" in end, "!" in end or "\uff01" in end, quoted)


class Stretches(dict[str, tuple[T, ...]]):
    """Bounded cache of a function on stretches of text without blanks; faster than a cache of calls."""

    def __init__(self, cut: Callable[[str], tuple[T, ...]]) -> None:
        super().__init__()
        self._cut = cut

    def of(self, text: str) -> list[T]:
        """Return the results for all stretches of a text."""
        return [*chain.from_iterable(map(self.__getitem__, text.split(" ")))]

    def __missing__(self, stretch: str) -> tuple[T, ...]:
        tokens = self._cut(stretch)
        if len(stretch) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[stretch] = tokens
        return tokens


def _tokens(stretch: str) -> tuple[_Token, ...]:
    """Return the tokens of a stretch of text without blanks."""
    word = stretch.rstrip(",.!?")
    end = stretch[len(word) :].lstrip(",")
    if word.isalpha() and "," not in end:
        plain = bare(word)
        return ((word, plain, stem(plain)), (end, "", "")) if end else ((word, plain, stem(plain)),)
    found = _TOKEN.findall(stretch)
    words = [bare(token) if token[0].isalnum() else "" for token in found]
    return tuple((token, plain, stem(plain)) for token, plain in zip(found, words, strict=True))


_STRETCHES: Final = Stretches(_tokens)


@lru_cache(maxsize=50_000)
def bare(word: str) -> str:
    """Return a word lower-cased, without clitic and drawn-out letters: ``she`` for ``She's``, ``so`` for ``sooo``."""
    if word[0].isdigit():
        return word
    plain = word.lower()
    if not plain.isalpha():
        plain = _CLITIC.sub("", plain)
    # A tripled letter leaves at least two fewer distinct letters than there are letters.
    return plain if len(frozenset(plain)) > len(plain) - 2 else _DRAWN_OUT.sub(r"\1", plain)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Return a lower-cased English word without its commonest endings: enough to match two forms."""
    if len(word) < 4 or not word.isascii():
        return word
    if word[-1] not in "gdsy":
        return _smooth(word, "")
    for ending, least in (("ing", 3), ("ed", 3), ("es", 3), ("s", 3), ("ly", 4)):
        if word.endswith(ending) and len(word) - len(ending) >= least and not word.endswith("ss"):
            return _smooth(word[: -len(ending)], ending)
    return _smooth(word, "")


def _smooth(root: str, ending: str) -> str:
    """Return the common root of all forms: ``run`` of ``running``, ``stori`` of ``stories`` and ``story``."""
    if ending in ("ing", "ed") and len(root) > 3 and root[-1] == root[-2] and root[-1] not in "ls":
        return root[:-1]
    if root.endswith("y"):
        return f"{root[:-1]}i"
    return root.removesuffix("e")


def turn_stems(turn: Turn) -> tuple[str, ...]:
    """Return the stems of the content words of a turn and its caption; each text is cached separately."""
    if turn.caption and len(turn.text) + len(turn.caption) < READ:
        return tuple(dict.fromkeys((*content_stems(turn.text), *content_stems(turn.caption))))
    return content_stems(turn.content)


@lru_cache(maxsize=4_096)
def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of a text's content words, each once, in order, without function words."""
    return tuple(
        dict.fromkeys(
            root
            for sentence in sentences(text)
            for word, root in zip(sentence.words, sentence.roots, strict=True)
            if word not in STOP_WORDS and len(word) > 1
        )
    )
