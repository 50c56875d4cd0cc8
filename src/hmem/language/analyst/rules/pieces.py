"""Texts cut into the sentences that an extract is made of, each as it was written."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hmem.language.analyst.base import Line
from hmem.language.analyst.rules.lexicon import is_content
from hmem.language.analyst.rules.wording import READ, Sentence, sentences, stem

# Of each line; and the characters after which a sentence is cut short.
_MOST: Final = 16
_LONGEST: Final = 400

_END: Final = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s|$)|[。！？]+|\n+")
_ABBREVIATED: Final = re.compile(r"(?:^|[\s(])(?:(?i:mr|mrs|ms|dr|st|prof|jr|sr|vs|approx|e\.g|i\.e)|[A-HJ-Z])\.$")
# Words between spaces; where a script has no spaces, each character is one.
_WORD: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]|[^\s\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")  # fmt: skip # noqa: E501

# What a sentence that points outside of itself begins with.
_POINTING: Final = frozenset(
    "it that this they he she these those its his her their them him which who so and but because or there".split()
)
_POINTS: Final = 0.6
_ASKS: Final = 0.35
_ADDRESSES: Final = 0.7
# A sentence of fewer words leans on the one before it; one with a subject of its own leans on none.
_FEW: Final = 5
_SHORT: Final = 0.5
_SUBJECTS: Final = frozenset("i i'm i've i'd my we we've we're our".split())
_SUBJECT: Final = 1.4
_YOU: Final = frozenset("you your yours yourself u".split())


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence: its text, the stems of its content words, whose, when, its line's place and its own in it.

    ``names`` are those of its stems that were written with a capital or a digit; ``worth`` is how well it stands
    by itself, times its line's importance.
    """

    text: str
    stems: tuple[str, ...]
    names: frozenset[str]
    speaker: str | None
    when: datetime
    line: int
    place: int
    worth: float


def split(text: str) -> list[str]:
    """The sentences of a text's first 6,000 characters, as written; white space is closed up."""
    text = text[:READ]
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if end.group() == "." and _ABBREVIATED.search(text, max(start, end.end() - 10), end.end()):
            continue
        found.append(text[start : end.end()])
        start = end.end()
    found.append(text[start:])
    return [closed for sentence in found if (closed := " ".join(sentence.split()))]


def shorten(text: str, characters: int = _LONGEST) -> str:
    """A text cut after a word, with an ellipsis, when it is longer than so many characters."""
    if len(text) <= characters:
        return text
    ends = [word.end() for word in _WORD.finditer(text[: characters + 1]) if word.end() <= characters]
    return text[: ends[-1]].rstrip(" ,;:-") + "…" if ends else ""


def word_ends(text: str) -> list[int]:
    """Where the words of a text end, in characters."""
    return [word.end() for word in _WORD.finditer(text)]


def pieces(lines: Sequence[Line]) -> list[Piece]:
    """The sentences of lines that say something, in their order; all of them when none does."""
    names = frozenset(word for line in lines if line.speaker for word in line.speaker.lower().split())
    told = [piece for i, line in enumerate(lines) for piece in _pieces_of(line, i, names)]
    return [piece for piece in told if piece.stems] or told


def _pieces_of(line: Line, number: int, speakers: frozenset[str]) -> list[Piece]:
    found: list[Piece] = []
    for place, text in enumerate(split(line.text)[:_MOST]):
        read = sentences(text)
        words = [(word, bare) for part in read for word, bare in zip(part.written, part.words, strict=True)]
        content = [(word, stem(bare)) for word, bare in words if is_content(bare) and bare not in speakers]
        figures = [word for word, _ in words if word[0].isdigit()]
        stems = tuple(dict.fromkeys((*(root for _, root in content), *figures)))
        names = frozenset((*(root for word, root in content if word[0].isupper()), *figures))
        worth = line.importance * _standing(read, text)
        if short := shorten(text):
            found.append(Piece(short, stems, names, line.speaker, line.when, number, place, worth))
    return found


def _standing(read: Sequence[Sentence], text: str) -> float:
    """How well a sentence can be understood without the others, above 0 and up to 1."""
    words = [word for part in read for word in part.words]
    if not words:
        return 0.1
    points = _POINTS if words[0] in _POINTING else _SUBJECT if words[0] in _SUBJECTS else 1.0
    points *= _SHORT if len(words) < _FEW else 1.0
    if text.endswith(("?", "？")):
        return points * _ASKS
    return points * (_ADDRESSES if not _YOU.isdisjoint(words) else 1.0)
