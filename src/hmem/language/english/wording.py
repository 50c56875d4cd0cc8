"""A text as sentences of words, read once for all the rules that need it."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple, TypeVar

from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.regex import regex
from hmem.model.turn import Turn

# Characters; what a text is about shows in its first part, and rules stay quick on a long paste.
READ: Final = 6_000

_REMEMBERED: Final = 4_000

# Characters; a stretch without blanks that is longer is hardly one that comes again.
_LONGEST: Final = 32
_MOST: Final = 32_768

# A number with its decimals, a word with its apostrophe, what ends a sentence, or a quotation mark.
_TOKEN: Final = regex(r"\d+(?:[.,:/]\d+)*\w*|[^\W\d_]+(?:['\u2019][^\W\d_]+)?|[.!?…\n\u3002\uff01\uff1f]+|[\"“”«»]")
_MARKS: Final = frozenset('"“”«»')
_DRAWN_OUT: Final = regex(r"(.)\1{2,}")
_CLITIC: Final = regex(r"['\u2019](?:s|m|re|ve|ll|d|t)$")

# As written, bare, and its stem; of a mark, bare and stem are empty.
_Token = tuple[str, str, str]
_END: Final[_Token] = (".", "", "")

T = TypeVar("T")


class Sentence(NamedTuple):
    """The words of a sentence as they stand, as rules compare them (see ``bare``), their stems, and its kind.

    ``quoted``: it holds a quotation mark.
    """

    written: tuple[str, ...]
    words: tuple[str, ...]
    roots: tuple[str, ...]
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
    # No token holds a blank, so each stretch between blanks is cut once, however often it comes again.
    tokens = [*_STRETCHES.of(text), _END]
    found: list[Sentence] = []
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


def _sentence(read: Sequence[_Token], end: str, *, quoted: bool = False) -> Sentence:
    written, words, roots = zip(*read, strict=True)
    if end == ".":
        return Sentence(written, words, roots, quoted=quoted)
    return Sentence(written, words, roots, "?" in end or "\uff1f" in end, "!" in end or "\uff01" in end, quoted)


class Stretches(dict[str, tuple[T, ...]]):
    """What a function makes of stretches of text without blanks: quicker to ask than a cache of calls, and bounded."""

    def __init__(self, cut: Callable[[str], tuple[T, ...]]) -> None:
        super().__init__()
        self._cut = cut

    def of(self, text: str) -> list[T]:
        """What it makes of all the stretches of a text."""
        return [*chain.from_iterable(map(self.__getitem__, text.split(" ")))]

    def __missing__(self, stretch: str) -> tuple[T, ...]:
        tokens = self._cut(stretch)
        if len(stretch) <= _LONGEST:
            if len(self) >= _MOST:
                self.clear()
            self[stretch] = tokens
        return tokens


def _tokens(stretch: str) -> tuple[_Token, ...]:
    """The tokens of a stretch of text without blanks: a word, bare, and its stem; or a mark."""
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
    """A word lower-cased, without its clitic and not drawn out: ``she`` for ``She's``, ``so`` for ``sooo``."""
    if word[0].isdigit():
        return word
    plain = word.lower()
    if not plain.isalpha():
        plain = _CLITIC.sub("", plain)
    # A letter that stands thrice leaves at most two fewer different ones than there are letters.
    return plain if len(frozenset(plain)) > len(plain) - 2 else _DRAWN_OUT.sub(r"\1", plain)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A lower-cased English word without its commonest endings: enough to see that two words are one."""
    if len(word) < 4 or not word.isascii():
        return word
    if word[-1] not in "gdsy":
        return _smooth(word, "")
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


def turn_stems(turn: Turn) -> tuple[str, ...]:
    """The stems of the content words of a turn and its caption: that of a text read already is cut by itself."""
    if turn.caption and len(turn.text) + len(turn.caption) < READ:
        return tuple(dict.fromkeys((*content_stems(turn.text), *content_stems(turn.caption))))
    return content_stems(turn.content)


@lru_cache(maxsize=4_096)
def content_stems(text: str) -> tuple[str, ...]:
    """The stems of a text's content words, each once, in order; function words are left out."""
    return tuple(
        dict.fromkeys(
            root
            for sentence in sentences(text)
            for word, root in zip(sentence.words, sentence.roots, strict=True)
            if word not in STOP_WORDS and len(word) > 1
        )
    )
