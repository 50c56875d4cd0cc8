"""Texts cut into the sentences that an extract is made of, each as it was written."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

from hmem.language.analyst.base import Line
from hmem.language.analyst.rules.lexicon import is_content, word_set
from hmem.language.analyst.rules.wording import READ, Sentence, sentences, stem
from hmem.language.regex import regex
from hmem.language.sentences import pieces as sentences_of

# Sentences read of each line.
_MOST: Final = 16

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
# How a line of a summary begins: a summary may be made of summaries.
_DATED: Final = regex(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}}) - ")

# Words between blanks; where a script has no blanks, each character is one.
_BY_CHARACTER: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD: Final = regex(rf"[{_BY_CHARACTER}]|[^\s{_BY_CHARACTER}]+")

# What a sentence that points outside of itself begins with.
_POINTING: Final = word_set(
    "it that this they he she these those its his her their them him which who so and but because or there"
)
_POINTS: Final = 0.6
_ASKS: Final = 0.35
_ADDRESSES: Final = 0.7
_ASKED: Final = ("?", "\uff1f")
_YOU: Final = word_set("you your yours yourself u")
# A sentence of fewer words leans on the one before it; one with a subject of its own leans on none.
_FEW: Final = 5
_SHORT: Final = 0.5
_SUBJECTS: Final = word_set("i my we our")
_SUBJECT: Final = 1.4
_MARKS_ONLY: Final = 0.1
_PICTURED: Final = 0.4
_PICTURE: Final = regex(r"\bshared a (?:picture|photo)\b")
# A date that was put behind the words for it says nothing of the subject.
_RESOLVED: Final = regex(r"\([^()]*\b\d{4}\)")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence: its text, the stems of its content words, whose, when, its line's place and its own in it.

    ``names`` are those of its stems that have a capital inside the sentence, or a digit; ``worth`` is how well it
    stands by itself, times its line's importance.
    """

    text: str
    stems: tuple[str, ...]
    names: frozenset[str]
    speaker: str | None
    when: datetime
    line: int
    place: int
    worth: float


def pieces(lines: Sequence[Line]) -> list[Piece]:
    """The sentences of lines that say something, in their order; all of them when none does."""
    speakers = frozenset(word for line in lines if line.speaker for word in line.speaker.lower().split())
    told = [piece for i, line in enumerate(lines) for piece in _pieces_of(line, i, speakers)]
    return [piece for piece in told if piece.stems] or told


def _pieces_of(line: Line, number: int, speakers: frozenset[str]) -> Iterator[Piece]:
    when = line.when
    for place, text in enumerate(islice(_whole(line.text[:READ]), _MOST)):
        if line.speaker is None and (dated := _DATED.match(text)):
            when, text = _moved(when, dated), text[dated.end() :]  # noqa: PLW2901
        read = sentences(_RESOLVED.sub("", text) if "(" in text else text)
        words = [(word, bare) for part in read for word, bare in zip(part.written, part.words, strict=True)]
        content = [(word, stem(bare)) for word, bare in words if is_content(bare) and bare not in speakers]
        figures = [word for word, _ in words if word[0].isdigit()]
        stems = tuple(dict.fromkeys((*(root for _, root in content), *figures)))
        first = frozenset(stem(part.words[0]) for part in read)
        names = frozenset((*(root for word, root in content if word[0].isupper() and root not in first), *figures))
        worth = line.importance * _standing(read, text, speakers)
        yield Piece(text, stems, names, line.speaker, when, number, place, worth)


def _whole(text: str) -> Iterator[str]:
    """The sentences of a text, without those that begin or end within a word that has no end."""
    for piece in sentences_of(text):
        if not _within_word(text, piece.start) and not _within_word(text, piece.end):
            yield " ".join(piece.text.split())


def _within_word(text: str, place: int) -> bool:
    around = text[place - 1 : place + 1] if place else ""
    return len(around) == 2 and around.isascii() and around.isalnum()


def _moved(when: datetime, dated: re.Match[str]) -> datetime:
    """A time on the day that a summary's line names; as it was for a day that does not exist."""
    try:
        return when.replace(year=int(dated[3]), month=MONTHS.index(dated[2]) + 1, day=int(dated[1]))
    except ValueError:
        return when


def _standing(read: Sequence[Sentence], text: str, speakers: frozenset[str]) -> float:
    """How well a sentence can be understood without the others, above 0."""
    words = [word for part in read for word in part.words]
    if not words:
        return _MARKS_ONLY
    has_subject = words[0] in _SUBJECTS or words[0] in speakers
    standing = _POINTS if words[0] in _POINTING else _SUBJECT if has_subject else 1.0
    standing *= (_SHORT if len(words) < _FEW else 1.0) * (_PICTURED if _PICTURE.search(text) else 1.0)
    if text.endswith(_ASKED):
        return standing * _ASKS
    return standing * (_ADDRESSES if not _YOU.isdisjoint(words) else 1.0)


def shorten(text: str, characters: int) -> str:
    """A text cut after a word, with an ellipsis, when it is longer than so many characters."""
    if len(text) <= characters:
        return text
    ends = [word.end() for word in _WORD.finditer(text[: characters + 1]) if word.end() <= characters]
    return text[: ends[-1]].rstrip(" ,;:-") + "…" if ends else ""


def word_ends(text: str) -> list[int]:
    """Where the words of a text end, in characters."""
    return [word.end() for word in _WORD.finditer(text)]
