"""The evidence as statements: sentences and captions, each with who it is about and how well it fits the question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.rules.clauses import ASKING, bare, is_question, is_response, straight
from hmem.language.analyst.rules.wordlist import words
from hmem.language.inflection import root
from hmem.language.regex import regex
from hmem.language.sentences import split
from hmem.language.stopwords import STOP_WORDS
from hmem.model.evidence import Evidence
from hmem.model.turn import Turn
from hmem.read.answer.classes import DATE, MARK, NUMBER, class_of

# Characters of a turn that are read, and its sentences.
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


class Token(NamedTuple):
    """A word or a mark: where it stands, lower-cased, its root (empty for a mark), and whether it says something."""

    start: int
    end: int
    lower: str
    root: str
    content: bool
    capital: bool


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A sentence, cut into tokens. ``asks``: it is a question. ``first``, ``second``: it speaks of "I", of "you".

    ``response``: it only answers what another said; ``dated``: it names a date or a number; ``content`` are the roots
    of its words that say something, ``plain`` its words in lower case.
    """

    text: str
    tokens: tuple[Token, ...]
    classes: NDArray[np.int64]
    roots: frozenset[str]
    asks: bool
    first: bool
    second: bool
    caption: bool = False
    response: bool = False
    dated: bool = False
    content: tuple[str, ...] = ()
    plain: frozenset[str] = frozenset()


@dataclass(slots=True)
class Statement:
    """A line of a piece of evidence, with what the question finds in it."""

    line: Line
    evidence: Evidence
    turn: int
    place: int
    before: Line | None
    hits: frozenset[str] = frozenset()
    features: dict[str, float] = field(default_factory=dict[str, float])
    score: float = 0.0


@lru_cache(maxsize=4_096)
def lines_of(text: str, caption: str | None, names: tuple[str, ...] = ()) -> tuple[Line, ...]:
    """The sentences of a turn without interjections and the names called, then its caption."""
    made = [_line(said) for said in _sentences(text, names)]
    if caption:
        made.append(_line(_pictured(caption), caption=True))
    return tuple(line for line in made if line.tokens)


def _sentences(text: str, names: tuple[str, ...]) -> list[str]:
    return [bare(straight(piece.text), names) for piece in split(text[:_READ])[:_MOST] if not piece.code]


def _pictured(caption: str) -> str:
    return _PICTURED.sub("", straight(caption[:_READ]), count=1)


@lru_cache(maxsize=4_096)
def _last_question(text: str, caption: str | None, names: tuple[str, ...]) -> Line | None:
    """The last of a turn's lines that asks something; no other is made."""
    if not any(mark in said for said in (text, caption or "") for mark in ASKING):
        return None
    if caption and is_question(told := _pictured(caption)) and (line := _line(told, caption=True)).tokens:
        return line
    asking = (said for said in reversed(_sentences(text, names)) if is_question(said))
    return next((line for line in map(_line, asking) if line.tokens), None)


def _line(text: str, *, caption: bool = False) -> Line:
    tokens = tuple([_token(found) for found in _WORD.finditer(text)])
    lower = {token.lower for token in tokens}
    classes = [class_of(token.lower, capital=token.capital and i > 0) for i, token in enumerate(tokens)]
    return Line(
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


def _token(found: re.Match[str]) -> Token:
    word = found[0]
    lower, said, content = _word(word)
    return Token(found.start(), found.end(), lower, said, content, capital=word[0].isupper())


@lru_cache(maxsize=50_000)
def _word(word: str) -> tuple[str, str, bool]:
    """A word or a mark in lower case, its root (empty for a mark), and whether it says something."""
    lower = word.lower()
    if class_of(lower, capital=False) == MARK:
        return lower, "", False
    plain = lower.removesuffix("'s")
    return lower, root(plain), plain not in STOP_WORDS


def statements_of(
    found: Sequence[Evidence], previous: Sequence[Turn | None], names: tuple[str, ...]
) -> list[Statement]:
    """All statements of the evidence, best evidence first; ``previous`` is the turn before each, where known."""
    made: list[Statement] = []
    for turn, (evidence, earlier) in enumerate(zip(found, previous, strict=True)):
        asked = _last_question(earlier.text, earlier.caption, names) if earlier is not None else None
        lines = lines_of(evidence.text, evidence.caption, names)
        for place, line in enumerate(lines):
            before = asked if line.caption or place < 2 else None
            made.append(Statement(line, evidence, turn, place, before))
    return made
