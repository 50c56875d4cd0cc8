"""Extractive texts without a model: summaries and profiles.

Summaries name who and when, within a bound of tokens. Profiles are the lasting and the recent facts of the lines about
an entity.

An extract takes the sentences that cover most of the topics without repetition. A word weighs by the number of lines
that contain it, and a sentence by the weights of its words that no chosen sentence has, so that centrality and variety
are one sum (a greedy choice for a monotone submodular gain under a budget: Lin and Bilmes, A Class of Submodular
Functions for Document Summarization, 2011, section 4).
"""

import heapq
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import islice
from math import log
from typing import Final

import numpy as np

from hmem.language.analyst.base import Excerpt, ProfileText, Subject
from hmem.language.embed import embedder
from hmem.language.english.courtesies import is_courtesy
from hmem.language.english.sentences import pieces as sentences_of
from hmem.language.english.topic_words import is_content
from hmem.language.english.word_lists import word_set
from hmem.language.english.wording import READ, WordedSentence, sentences, stem
from hmem.language.regex import regex
from hmem.language.tokens import count_tokens

# Maximum number of sentences read of each line.
_MOST_PIECES: Final = 16

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
# Start of a line of a summary: a summary may be made of summaries.
_DATED: Final = regex(rf"(\d{{1,2}}) ({'|'.join(MONTHS)}) (\d{{4}}) - ")

# Words between blanks; in a script without blanks, single characters.
_BY_CHARACTER: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD: Final = regex(rf"[{_BY_CHARACTER}]|[^\s{_BY_CHARACTER}]+")

# Openings of sentences that refer to another one.
_POINTING: Final = word_set(
    "it that this they he she these those its his her their them him which who so and but because or there"
)
_POINTS: Final = 0.6
_ASKS: Final = 0.35
_ADDRESSES: Final = 0.7
_QUESTION_MARKS: Final = ("?", "\uff1f")
_YOU: Final = word_set("you your yours yourself u")
# A shorter sentence, in words, depends on the one before it, unless it opens with a subject.
_FEW: Final = 5
_SHORT: Final = 0.5
_SUBJECTS: Final = word_set("i my we our")
_SUBJECT: Final = 1.4
_MARKS_ONLY: Final = 0.1
_PICTURED: Final = 0.4
_PICTURE: Final = regex(r"\bshared a (?:picture|photo)\b")
# A date put behind the words for it is not part of the topic.
_RESOLVED: Final = regex(r"\([^()]*\b\d{4}\)")


@dataclass(frozen=True, slots=True)
class Excerptable:
    """Sentence: its text, the stems of its content words, speaker, time, index of its line, index in the line.

    ``names`` are the stems with a capital inside the sentence, or a digit; ``worth`` is how well it stands alone, times
    its line's importance.
    """

    text: str
    stems: tuple[str, ...]
    names: frozenset[str]
    speaker: str | None
    when: datetime
    line: int
    place: int
    worth: float


def pieces(lines: Sequence[Excerpt]) -> list[Excerptable]:
    """Return the sentences of lines that tell something, in order: no courtesies, unless there is nothing else."""
    speakers = frozenset(word for line in lines if line.speaker for word in line.speaker.lower().split())
    told = [piece for i, line in enumerate(lines) for piece in _pieces_of(line, i, speakers)]
    telling = [piece for piece in told if piece.stems]
    return [piece for piece in telling if not is_courtesy(piece.text, speakers)] or telling or told


def _pieces_of(line: Excerpt, number: int, speakers: frozenset[str]) -> Iterator[Excerptable]:
    when = line.when
    for place, text in enumerate(islice(_whole(line.text[:READ]), _MOST_PIECES)):
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
        yield Excerptable(text, stems, names, line.speaker, when, number, place, worth)


def _whole(text: str) -> Iterator[str]:
    """Yield the sentences of a text, without those cut within a word."""
    for piece in sentences_of(text):
        if not _within_word(text, piece.start) and not _within_word(text, piece.end):
            yield " ".join(piece.text.split())


def _within_word(text: str, place: int) -> bool:
    around = text[place - 1 : place + 1] if place else ""
    return len(around) == 2 and around.isascii() and around.isalnum()


def _moved(when: datetime, dated: re.Match[str]) -> datetime:
    """Return a time moved to the day that a summary's line names; unchanged for a day that does not exist."""
    try:
        return when.replace(year=int(dated[3]), month=MONTHS.index(dated[2]) + 1, day=int(dated[1]))
    except ValueError:
        return when


def _standing(read: Sequence[WordedSentence], text: str, speakers: frozenset[str]) -> float:
    """Return how well a sentence can be understood alone, above 0."""
    words = [word for part in read for word in part.words]
    if not words:
        return _MARKS_ONLY
    has_subject = words[0] in _SUBJECTS or words[0] in speakers
    standing = _POINTS if words[0] in _POINTING else _SUBJECT if has_subject else 1.0
    standing *= (_SHORT if len(words) < _FEW else 1.0) * (_PICTURED if _PICTURE.search(text) else 1.0)
    if text.endswith(_QUESTION_MARKS):
        return standing * _ASKS
    return standing * (_ADDRESSES if not _YOU.isdisjoint(words) else 1.0)


def shorten(text: str, characters: int) -> str:
    """Return a text of at most ``characters`` characters, cut after a word, with an ellipsis."""
    if len(text) <= characters:
        return text
    ends = [word.end() for word in _WORD.finditer(text[: characters + 1]) if word.end() <= characters]
    return text[: ends[-1]].rstrip(" ,;:-") + "…" if ends else ""


def word_ends(text: str) -> list[int]:
    """Return the end position of each word of a text."""
    return [word.end() for word in _WORD.finditer(text)]


# Factor on the weight of a word already covered.
_AGAIN: Final = 0.1
# Minimum share of new weight in a sentence.
_NEW: Final = 0.35
# Exponent of a sentence's length in its cost: 0 for free, 1 in full.
_LENGTH: Final = 0.4
_NAMED: Final = 1.4
_OTHER_DAY: Final = 1.3
_CHARACTERS_A_TOKEN: Final = 3.8
# Tokens: a smaller rest is not worth filling.
_CRUMB: Final = 6
# Number of sentences in a row that may be too long for the rest.
_TRIES: Final = 12


def weigh(told: Sequence[Excerptable], *, by_day: bool = False) -> dict[str, float]:
    """Return the weight of each stem: more in many lines (or on many days), more with a capital or a figure."""
    lines = Counter(
        root
        for root, _ in {
            (root, piece.when.date() if by_day else piece.line): None for piece in told for root in piece.stems
        }
    )
    named = Counter(root for piece in told for root in piece.names)
    return {root: (1 + log(count)) * (_NAMED if 2 * named[root] > count else 1.0) for root, count in lines.items()}


def choose(told: Sequence[Excerptable], tokens: int, weights: dict[str, float] | None = None) -> list[Excerptable]:
    """Return the pieces for an extract of about ``tokens`` tokens, best first."""
    weights = weigh(told) if weights is None else weights
    whole = [_gain(piece, weights, {}, set()) for piece in told]
    queue = [(-gain, i) for i, gain in enumerate(whole)]
    heapq.heapify(queue)
    chosen: list[Excerptable] = []
    covered: dict[str, None] = {}
    days: set[date] = set()
    failed = 0
    while queue and failed < _TRIES and tokens >= _CRUMB:
        gain, i = heapq.heappop(queue)
        now = _gain(told[i], weights, covered, days)
        # Gains only fall, so that a gain which is still the best is the best of all.
        if queue and -now > queue[0][0] and now < -gain:
            heapq.heappush(queue, (-now, i))
        elif now >= _NEW * whole[i]:
            cost = _cost(told[i], new_day=told[i].when.date() not in days)
            if cost > tokens:
                failed += 1
                continue
            tokens -= cost
            chosen.append(told[i])
            covered.update(dict.fromkeys(told[i].stems))
            days.add(told[i].when.date())
    return chosen


def _gain(piece: Excerptable, weights: dict[str, float], covered: dict[str, None], days: set[date]) -> float:
    new = sum(weights[root] * (_AGAIN if root in covered else 1.0) for root in piece.stems)
    length = max(len(piece.text) / _CHARACTERS_A_TOKEN, 8.0)
    fresh = _OTHER_DAY if piece.when.date() not in days else 1.0
    return piece.worth * fresh * (new + _AGAIN) / length**_LENGTH


def _cost(piece: Excerptable, *, new_day: bool) -> int:
    return count_tokens(piece.text) + count_tokens(piece.speaker or "") + (9 if new_day else 1)


def tell(chosen: Sequence[Excerptable], tokens: int, *, dated: bool = True) -> str:
    """Return the pieces in the order of time, under their dates, without the last chosen until the text fits.

    If not even one fits, it is cut after a word.
    """
    kept = list(chosen)
    while kept:
        text = written(kept, dated=dated)
        if count_tokens(text) <= tokens:
            return text
        kept.pop()
    return cut(written(chosen[:1], dated=dated), tokens)


def written(chosen: Sequence[Excerptable], *, dated: bool = True) -> str:
    """Return pieces as text: a line for each day, ``7 May 2023 - Caroline: ... Melanie: ...``, or one without dates."""
    days: dict[date | None, list[Excerptable]] = {}
    for piece in sorted(chosen, key=lambda piece: (piece.when, piece.line, piece.place)):
        days.setdefault(piece.when.date() if dated else None, []).append(piece)
    return "\n".join(" ".join(_day(day, of_day)) for day, of_day in days.items())


def _day(day: date | None, told: Sequence[Excerptable]) -> Iterator[str]:
    if day is not None:
        yield f"{day.day} {MONTHS[day.month - 1]} {day.year} -"
    before: str | None = None
    for piece in told:
        named = piece.speaker is None or piece.speaker in piece.text
        if not named and piece.speaker != before:
            yield f"{piece.speaker}:"
        before = None if named else piece.speaker
        yield piece.text


def cut(text: str, tokens: int) -> str:
    """Return a text within a bound of tokens, cut after a word, with an ellipsis; "" if no word fits."""
    if count_tokens(text) <= tokens:
        return text
    ends = word_ends(text)
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(_cut(text, ends[middle - 1])) <= tokens:
            low = middle
        else:
            high = middle - 1
    # Counts almost always rise with the length; where they do not, the cut moves left until the text fits.
    while low and count_tokens(_cut(text, ends[low - 1])) > tokens:
        low -= 1
    return _cut(text, ends[low - 1]) if low else ""


def _cut(text: str, end: int) -> str:
    return text[:end].rstrip(" ,;:-") + "…"


# Maximum number of lines and sentences read; of more, the weightiest.
_LINES: Final = 200
_PIECES: Final = 400


def summarise(group: Sequence[Excerpt], tokens: int) -> str:
    """Return a summary of the lines in at most ``tokens`` tokens; "" if they are empty or nothing fits."""
    lines = group
    if len(group) > _LINES:
        kept = heapq.nlargest(_LINES, range(len(group)), key=lambda i: (group[i].importance, i))
        lines = [group[i] for i in sorted(kept)]
    told = pieces(lines)
    if len(told) > _PIECES:
        kept = heapq.nlargest(_PIECES, range(len(told)), key=lambda i: (told[i].worth * len(told[i].stems), i))
        told = [told[i] for i in sorted(kept)]
    return tell(covering(told, tokens) or told[:1], tokens)


# Share of a sentence's gain that is of likeness; the rest is of words.
_LIKENESS: Final = 0.5
# Minimum share of a sentence's gain that is new.
_FRESH: Final = 0.25
# Exponents of a sentence's worth and of its cost.
_STANDS: Final = 0.5
_COSTS: Final = 0.6
_MODEL: Final = "wordllama"


def covering(told: Sequence[Excerptable], tokens: int) -> list[Excerptable]:
    """Return the pieces for a summary of about ``tokens`` tokens that cover all pieces best, the best first.

    A piece covers the words that it has, and each piece by their similarity; what is covered twice counts once. Both
    gains are monotone and submodular (facility location and coverage: Lin and Bilmes, section 4).
    """
    if not told:
        return []
    rows = np.rint(embedder(_MODEL).embed([piece.text for piece in told]) * 4_000).astype(np.float64)
    alike = (rows @ rows.T / 16e6).clip(0.0, 1.0)
    weights = weigh(told)
    total = sum(weights.values()) or 1.0
    standing = np.array([piece.worth**_STANDS for piece in told])
    reached, whole = np.zeros(len(told)), np.zeros(len(told))
    chosen: list[Excerptable] = []
    words: set[str] = set()
    days: set[date] = set()
    left = np.ones(len(told), np.bool_)
    while left.any():
        more = np.maximum(alike, reached).sum(axis=1) - reached.sum()
        new = np.array([sum(weights[root] for root in piece.stems if root not in words) for piece in told])
        gains = _LIKENESS * more / len(told) + (1 - _LIKENESS) * new / total
        whole = whole if chosen else gains
        costs = np.array([_cost(piece, new_day=piece.when.date() not in days) for piece in told])
        left &= (costs <= tokens) & (gains >= _FRESH * whole)
        if not left.any():
            break
        values = np.where(left, standing * gains / np.maximum(costs, 8) ** _COSTS, -1.0)
        best = int(np.round(values, 9).argmax())
        left[best] = False
        tokens -= int(costs[best])
        chosen.append(told[best])
        words.update(told[best].stems)
        days.add(told[best].when.date())
        reached = np.maximum(reached, alike[best])
    return chosen


# Number of latest pieces searched for recent facts.
_RECENT: Final = 40
# Minimum worth: below it a sentence only asks or reacts.
_SAYS: Final = 2.5

# Factors on a sentence's worth: for a lasting fact, and for another subject.
_LASTING: Final = 3.0
_OTHERS: Final = 0.4

# Lower-cased text only.
_LASTS: Final = regex(
    r"\b(?:always|never|since|usually|often|every (?:day|week|month|year|morning|night|evening|weekend|summer|winter"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|for (?:(?:over|about|almost|the last) )?\w+ years"
    r"|(?:lives?|grew up|works?|studie[sd]) (?:in|at|as|for|with)|born|married|engaged|named|called|known as|famous for"
    r"|(?:is|was|i'm|am|are) (?:an?|the|my|from|vegan|vegetarian|allergic)"
    r"|(?:has|have|had|got) (?:\w+ )?(?:kids|children|sons?|daughters?|brothers?|sisters?|pets?|dogs?|cats?)"
    r"|favou?rite|(?:loves?|likes?|enjoys?|hates?|prefers?|dislikes?|collects?"
    r"|owns?|teaches|runs|plays|believes?)|my (?:wife|husband|partner|sister|brother|mother|father|mom|mum|dad|son"
    r"|daughter|boss|dog|cat|job|home|hobby|birthday))\b"
)


def profile(subject: Subject, tokens: int) -> ProfileText:
    """Return the profile of a subject, each part in at most ``tokens`` tokens: lasting undated, recent dated."""
    told = [_for_subject(piece, subject.name.lower()) for piece in pieces(subject.lines[-_LINES:])]
    lasting = [
        replace(piece, worth=piece.worth * (_LASTING if _LASTS.search(piece.text.lower()) else 1.0)) for piece in told
    ]
    chosen = choose(lasting, tokens, weigh(told, by_day=True)) or lasting[:1]
    taken = frozenset((piece.line, piece.place) for piece in chosen)
    recent = _latest([piece for piece in told if (piece.line, piece.place) not in taken] or told, tokens)
    return ProfileText(tell(chosen, tokens, dated=False), tell(recent, tokens))


def _for_subject(piece: Excerptable, name: str) -> Excerptable:
    own = name in piece.text.lower() or (piece.speaker or "").lower() == name
    return piece if own else replace(piece, worth=piece.worth * _OTHERS)


def _latest(told: Sequence[Excerptable], tokens: int) -> list[Excerptable]:
    """Return the pieces of the latest lines that fit, latest first."""
    newest = sorted(told, key=lambda piece: (piece.when, piece.line, -piece.place), reverse=True)[:_RECENT]
    telling = [piece for piece in newest if piece.worth >= _SAYS] or newest
    chosen: list[Excerptable] = []
    left = tokens
    for piece in telling:
        left -= count_tokens(piece.text) + 2
        if left < 0 and chosen:
            break
        chosen.append(piece)
    return chosen
