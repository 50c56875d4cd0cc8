"""Lines of a turn: its sentences and its caption, cut into tokens with their classes and roots."""

import re
from functools import lru_cache
from typing import Final

import numpy as np

from hmem.language.analyst.answer_reader import LineToken, StatementLine
from hmem.language.analyst.word_classes import DATE, MARK, NUMBER
from hmem.language.english.answers.word_classes import class_of
from hmem.language.english.inflection import root
from hmem.language.english.sentence_types import ASKING, bare, is_question, is_response, straight
from hmem.language.english.sentences import split
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.word_lists import words
from hmem.language.regex import regex

# Greatest number of characters and of sentences of a turn that are read.
_READ: Final = 6_000
_MOST: Final = 60
_WORD: Final = regex(
    r"[$€£]?\d+(?:[.,:/-]\d+)*%?(?:[^\W\d_]+)?|[^\W\d_]+(?:['.&-][^\W_]+)*\+?|[,;:!?()\"…]|[\u2013\u2014]"
    r"|(?<=\s)-+(?=\s)|\.(?=\s|$)"
)
_PICTURED: Final = regex(
    r"^(?:an? |the )?(?:\w+ )?(?:photo|picture|image|photography|painting of a photo|screenshot|close ?up"
    r"|view)(?: of|:)? ",
    re.IGNORECASE,
)
_FIRST: Final = words("i me my mine myself we us our ours i'm i've i'd i'll we're we've we'll we'd im ive")
_SECOND: Final = words("you your yours yourself you're you've you'll you'd")


@lru_cache(maxsize=4_096)
def lines_of(text: str, caption: str | None, names: tuple[str, ...] = ()) -> tuple[StatementLine, ...]:
    """Return the sentences of a turn without interjections and vocatives, then its caption."""
    made = [_line(said) for said in _sentences(text, names)]
    if caption:
        made.append(_line(_pictured(caption), caption=True))
    return tuple(line for line in made if line.tokens)


def _sentences(text: str, names: tuple[str, ...]) -> list[str]:
    return [bare(straight(piece.text), names) for piece in split(text[:_READ])[:_MOST] if not piece.code]


def _pictured(caption: str) -> str:
    return _PICTURED.sub("", straight(caption[:_READ]), count=1)


@lru_cache(maxsize=4_096)
def last_question(text: str, caption: str | None, names: tuple[str, ...]) -> StatementLine | None:
    """Return the last line of a turn that is a question, or None; the other lines are not analysed."""
    if not any(mark in said for said in (text, caption or "") for mark in ASKING):
        return None
    if caption and is_question(shown := _pictured(caption)) and (line := _line(shown, caption=True)).tokens:
        return line
    asking = (said for said in reversed(_sentences(text, names)) if is_question(said))
    return next((line for line in map(_line, asking) if line.tokens), None)


def _line(text: str, *, caption: bool = False) -> StatementLine:
    tokens = tuple([_token(found) for found in _WORD.finditer(text)])
    lower = {token.lower for token in tokens}
    classes = [class_of(token.lower, capital=token.capital and i > 0) for i, token in enumerate(tokens)]
    return StatementLine(
        text,
        tokens,
        np.array(classes, np.int64),
        frozenset([token.root for token in tokens if token.root]),
        is_question(text),
        not _FIRST.isdisjoint(lower),
        not _SECOND.isdisjoint(lower),
        caption,
        is_response(text),
        DATE in classes or NUMBER in classes,
        tuple([token.root for token in tokens if token.content]),
        frozenset([word.removesuffix("'s") for word in lower]),
    )


def _token(found: re.Match[str]) -> LineToken:
    word = found[0]
    lower, said, content = _word(word)
    return LineToken(found.start(), found.end(), lower, said, content, capital=word[0].isupper())


@lru_cache(maxsize=50_000)
def _word(word: str) -> tuple[str, str, bool]:
    """Return a word or a mark in lower case, its root (empty for a mark), and True if it is a content word."""
    lower = word.lower()
    if class_of(lower, capital=False) == MARK:
        return lower, "", False
    plain = lower.removesuffix("'s")
    return lower, root(plain), plain not in STOP_WORDS
