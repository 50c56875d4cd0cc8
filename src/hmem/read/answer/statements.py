"""The evidence as statements: sentences and captions, each with who it is about and how well it fits the question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.rules.clauses import bare, is_question, is_response, straight
from hmem.language.analyst.rules.wordlist import words
from hmem.language.inflection import root
from hmem.language.sentences import split
from hmem.language.stopwords import STOP_WORDS
from hmem.model.evidence import Evidence
from hmem.model.turn import Turn
from hmem.read.answer.classes import DATE, MARK, NUMBER, class_of

# Characters of a turn that are read, and its sentences.
_READ: Final = 6_000
_MOST: Final = 60
_WORD: Final = re.compile(
    r"[$€£]?\d+(?:[.,:/-]\d+)*%?(?:[^\W\d_]+)?|[^\W\d_]+(?:['.&-][^\W_]+)*\+?|[,;:!?()\"…]|[\u2013\u2014]"
    r"|(?<=\s)-+(?=\s)|\.(?=\s|$)"
)
_PICTURED: Final = re.compile(
    r"^(?:an? |the )?(?:\w+ )?(?:photo|picture|image|photography|painting of a photo|screenshot|close ?up"
    r"|view)(?: of|:)? ",
    re.IGNORECASE,
)
_FIRST: Final = words("i me my mine myself we us our ours i'm i've i'd i'll we're we've we'll we'd im ive")
_SECOND: Final = words("you your yours yourself you're you've you'll you'd")


@dataclass(frozen=True, slots=True)
class Token:
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
    made = [_line(bare(straight(piece.text), names)) for piece in split(text[:_READ])[:_MOST] if not piece.code]
    if caption:
        made.append(_line(_PICTURED.sub("", straight(caption[:_READ]), count=1), caption=True))
    return tuple(line for line in made if line.tokens)


def _line(text: str, *, caption: bool = False) -> Line:
    tokens = tuple(_token(found) for found in _WORD.finditer(text))
    lower = {token.lower for token in tokens}
    classes = np.array(
        [class_of(token.lower, capital=token.capital and i > 0) for i, token in enumerate(tokens)], np.int64
    )
    return Line(
        text,
        tokens,
        classes,
        frozenset(token.root for token in tokens if token.root),
        is_question(text),
        not _FIRST.isdisjoint(lower),
        not _SECOND.isdisjoint(lower),
        caption,
        is_response(text),
        bool(np.isin(classes, (DATE, NUMBER)).any()),
        tuple(token.root for token in tokens if token.content),
        frozenset(word.removesuffix("'s") for word in lower),
    )


def _token(found: re.Match[str]) -> Token:
    word = found[0]
    lower = word.lower()
    if class_of(lower, capital=False) == MARK:
        return Token(found.start(), found.end(), lower, "", content=False, capital=False)
    plain = lower.removesuffix("'s")
    return Token(
        found.start(), found.end(), lower, root(plain), content=plain not in STOP_WORDS, capital=word[0].isupper()
    )


def statements_of(
    found: Sequence[Evidence], previous: Sequence[Turn | None], names: tuple[str, ...]
) -> list[Statement]:
    """All statements of the evidence, best evidence first; ``previous`` is the turn before each, where known."""
    made: list[Statement] = []
    for turn, (evidence, earlier) in enumerate(zip(found, previous, strict=True)):
        asked = _last_question(earlier, names)
        lines = lines_of(evidence.text, evidence.caption, names)
        for place, line in enumerate(lines):
            before = asked if line.caption or place < 2 else None
            made.append(Statement(line, evidence, turn, place, before))
    return made


def _last_question(earlier: Turn | None, names: tuple[str, ...]) -> Line | None:
    if earlier is None:
        return None
    lines = [line for line in lines_of(earlier.text, earlier.caption, names) if line.asks]
    return lines[-1] if lines else None
