"""Phrases of a line that may be an answer: where they start and end, and the numbers in them."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst import word_classes as c
from hmem.language.analyst.answer_reader import StatementLine, TargetKind
from hmem.language.english.inflection import root
from hmem.language.english.word_lists import vague_stems, words
from hmem.language.english.wording import stem

Numbers = NDArray[np.int64]

LONGEST: Final = 16
_PER_LINE: Final = 160

_PARTICLES: Final = words("up down off out away")
_OFTEN: Final = words(
    "once twice every each daily weekly monthly yearly per times often always usually sometimes regularly rarely day "
    "week month year"
)
_UNITS: Final = words(
    "second seconds minute minutes hour hours day days night nights week weeks month months year years decade decades "
    "weekend weekends semester while 'til until"
)

# Classes that no answer starts with, or ends with; open classes, between which a phrase neither starts nor ends; names.
_NO_START: Final = (c.MARK, c.CONJUNCTION, c.BE, c.AUXILIARY, c.LETS, c.CLAUSE)
_NO_END: Final = (
    c.MARK, c.ARTICLE, c.POSSESSIVE, c.PREPOSITION, c.TO, c.CONJUNCTION, c.BECAUSE, c.CLAUSE, c.BE, c.AUXILIARY, c.LETS,
)  # fmt: skip
_OPEN: Final = (c.WORD, c.PERSON, c.PLACE, c.NAME, c.NUMBER, c.DATE, c.VERB, c.QUALITY)
_NAMED: Final = (c.NAME, c.PLACE, c.PERSON)
# A phrase continues through these classes after one of _ENDED; it may end before a verb or a date.
_CONTINUING: Final = tuple(kind for kind in _OPEN if kind not in (c.VERB, c.DATE))
_ENDED: Final = (*_OPEN, c.PAST, c.ING)
_STOPPING: Final = frozenset({"!", "?", ";", "…", ":", "(", ")", ".", '"', "-", "--", "–", "—"})

# Words of a phrase that tell nothing of it.
_SMALL: Final = words("a an the and or of in on at to for with my our your his her their")

# What ends what is denied; what may stand before "not"; what makes "not" no denial; how soon its counterpart is told.
_PARTING: Final = frozenset({",", ";", "but", "-", "--", "–", "—", "(", ")", ".", "!", "?", ":"})
_JOINING: Final = words("and but")
_NOT_MORE: Final = words("only just even to sure because")
_NEAR: Final = 3

# Words of time or degree at the end of a phrase, which are no part of the answer.
_TRAILING: Final = words(
    "yesterday today tonight tomorrow lately recently too now though anyway again later already currently ago"
)


@lru_cache(maxsize=8_192)
def phrases_of(line: StatementLine) -> tuple[Numbers, Numbers]:
    """Return the starts and ends, in tokens, of a line's phrases."""
    kinds: list[int] = line.classes.tolist()
    tokens, length = line.tokens, len(line.tokens)
    denied = _denied(line)
    starts = [i for i in range(length) if not denied[i] and _may_start(line, kinds, i)]
    stops = [not_so or token.lower in _STOPPING for not_so, token in zip(denied, tokens, strict=True)]
    ends = [j > 0 and _may_end(line, kinds, j) for j in range(length + 1)]
    # Number of content tokens before each place.
    contents = [0, *accumulate(token.content or token.lower[0].isdigit() for token in tokens)]
    made: list[tuple[int, int]] = []
    for i in starts:
        for j in range(i + 1, min(i + LONGEST, length) + 1):
            if stops[j - 1]:
                break
            if ends[j] and contents[j] > contents[i]:
                made.append((i, j))
    titles = _quoted(line)
    made = [span for span in made if not any(first <= span[0] and span[1] <= last for first, last in titles)] + titles
    if len(made) > _PER_LINE:
        made = sorted(made, key=lambda span: span[1] - span[0])[:_PER_LINE]
    pairs = np.array(made or np.zeros((0, 2)), np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def _denied(line: StatementLine) -> list[bool]:
    """Tell which tokens only say what is not so beside what is: "the soup, not the stew", "I'm not ill, I'm tired"."""
    said = [token.lower for token in line.tokens]
    denied = [False] * len(said)
    for place, word in enumerate(said):
        if word != "not" or place + 1 == len(said) or said[place + 1] in _NOT_MORE:
            continue
        end = next((at for at in range(place + 1, len(said)) if said[at] in _PARTING), len(said))
        before = place - (place > 0 and said[place - 1] in _JOINING)
        if (before > 0 and said[before - 1] == ",") or _is_put_right(line, place, end):
            denied[place:end] = [True] * (end - place)
    return denied


def _is_put_right(line: StatementLine, place: int, end: int) -> bool:
    """Tell if what is behind a denied part says what is so: with "but", or by the same words, "it's not X, it's Y"."""
    behind = line.tokens[end + 1 : end + 1 + _NEAR]
    if end >= len(line.tokens) or line.tokens[end].lower not in {",", ";"} or not behind:
        return False
    verb = next((token.root for token in line.tokens[place + 1 : end] if token.content), "")
    opening = line.tokens[place - 1].lower if place else ""
    return behind[0].lower == "but" or any(
        token.lower == opening or (token.content and token.root == verb) for token in behind
    )


def _quoted(line: StatementLine) -> list[tuple[int, int]]:
    """Return the spans in quotation marks, whatever they start and end with."""
    marks = [i for i, token in enumerate(line.tokens) if token.lower == '"']
    pairs = zip(marks[::2], marks[1::2], strict=False)
    return [(first + 1, last) for first, last in pairs if 0 < last - first - 1 <= LONGEST]


def _may_start(line: StatementLine, kinds: Sequence[int], i: int) -> bool:
    if kinds[i] in _NO_START or line.tokens[i].lower in _PARTICLES:
        return False
    return i == 0 or kinds[i] not in _OPEN or kinds[i - 1] not in (c.WORD, c.NAME, c.PERSON, c.PLACE)


def _joined(line: StatementLine, kinds: Sequence[int], j: int) -> bool:
    """Tell if a name continues after a place: "Wheel of Time"."""
    if j + 1 >= len(kinds) or line.tokens[j].lower != "of":
        return False
    return kinds[j - 1] in _NAMED and kinds[j + 1] in _NAMED


def _may_end(line: StatementLine, kinds: Sequence[int], j: int) -> bool:
    last = kinds[j - 1]
    if last in _NO_END or line.tokens[j - 1].lower in _TRAILING or _joined(line, kinds, j):
        return False
    return j == len(kinds) or kinds[j] not in _CONTINUING or last not in _ENDED


def has_quantity(line: StatementLine, start: int, end: int, kind: TargetKind) -> bool:
    """Tell if a phrase has a number of this kind."""
    if kind == "frequency":
        return any(token.lower in _OFTEN for token in line.tokens[start:end])
    if kind == "duration" and not any(
        token.lower in _UNITS or token.lower == "since" for token in line.tokens[start:end]
    ):
        return False
    return bool((line.classes[start:end] == c.NUMBER).any()) or (
        any(t.lower in ("a", "an", "one") for t in line.tokens[start:end]) and kind == "duration"
    )


@lru_cache(maxsize=20_000)
def is_vague(word: str) -> bool:
    """Tell if a lower-cased word names nothing in particular: "thing", "way"."""
    return stem(word.removesuffix("'s")) in vague_stems()


def roots_of(text: str) -> set[str]:
    """Return the roots of the words of a phrase, without function words."""
    return {root(word.strip(".,'\"!?")) for word in text.lower().split() if word.strip(".,'\"!?")} - _SMALL
