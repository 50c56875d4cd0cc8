"""Which sentences an extract takes: those that cover most of what the texts speak of, without saying it twice.

A word weighs by the number of lines that speak of it, and a sentence by the weights of its words that no chosen
sentence has, so that centrality and variety are one sum (a greedy choice for a monotone submodular gain under a
budget: Lin and Bilmes, A Class of Submodular Functions for Document Summarization, 2011, section 4).
"""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from math import log
from typing import Final

from hmem.language.analyst.rules.pieces import MONTHS, Piece, word_ends
from hmem.language.tokens import count_tokens

# What remains of the weight of a word that is covered already.
_AGAIN: Final = 0.1
# A sentence is passed over when less than this part of its own weight would be new.
_NEW: Final = 0.35
# How much a long sentence pays for its length: 0 nothing, 1 in full.
_LENGTH: Final = 0.4
_NAMED: Final = 1.4
_OTHER_DAY: Final = 1.3
_CHARACTERS_A_TOKEN: Final = 3.8
# Tokens: less than this is not worth filling.
_CRUMB: Final = 6
# How many sentences in a row may be too long for what is left.
_TRIES: Final = 12


def weigh(told: Sequence[Piece], *, by_day: bool = False) -> dict[str, float]:
    """The weight of each word: more in many lines (or on many days), more with a capital or a figure."""
    lines = Counter(
        root
        for root, _ in {
            (root, piece.when.date() if by_day else piece.line): None for piece in told for root in piece.stems
        }
    )
    named = Counter(root for piece in told for root in piece.names)
    return {root: (1 + log(count)) * (_NAMED if 2 * named[root] > count else 1.0) for root, count in lines.items()}


def choose(told: Sequence[Piece], tokens: int, weights: dict[str, float] | None = None) -> list[Piece]:
    """The pieces to tell in at most about ``tokens`` tokens, best first."""
    weights = weigh(told) if weights is None else weights
    whole = [_gain(piece, weights, {}, set()) for piece in told]
    queue = [(-gain, i) for i, gain in enumerate(whole)]
    heapq.heapify(queue)
    chosen: list[Piece] = []
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


def _gain(piece: Piece, weights: dict[str, float], covered: dict[str, None], days: set[date]) -> float:
    new = sum(weights[root] * (_AGAIN if root in covered else 1.0) for root in piece.stems)
    length = max(len(piece.text) / _CHARACTERS_A_TOKEN, 8.0)
    fresh = _OTHER_DAY if piece.when.date() not in days else 1.0
    return piece.worth * fresh * (new + _AGAIN) / length**_LENGTH


def _cost(piece: Piece, *, new_day: bool) -> int:
    return count_tokens(piece.text) + count_tokens(piece.speaker or "") + (9 if new_day else 1)


def tell(chosen: Sequence[Piece], tokens: int, *, dated: bool = True) -> str:
    """The pieces in the order of time, under their dates; the last chosen are left out until the text fits.

    When not even one fits, it is cut after a word.
    """
    kept = list(chosen)
    while kept:
        text = written(kept, dated=dated)
        if count_tokens(text) <= tokens:
            return text
        kept.pop()
    return cut(written(chosen[:1], dated=dated), tokens)


def written(chosen: Sequence[Piece], *, dated: bool = True) -> str:
    """Pieces as text: a line for each day, ``7 May 2023 - Caroline: ... Melanie: ...``, or one line without dates."""
    days: dict[date | None, list[Piece]] = {}
    for piece in sorted(chosen, key=lambda piece: (piece.when, piece.line, piece.place)):
        days.setdefault(piece.when.date() if dated else None, []).append(piece)
    return "\n".join(" ".join(_day(day, of_day)) for day, of_day in days.items())


def _day(day: date | None, told: Sequence[Piece]) -> Iterator[str]:
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
    """A text within a bound of tokens, cut after a word, with an ellipsis; empty when no word fits."""
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
