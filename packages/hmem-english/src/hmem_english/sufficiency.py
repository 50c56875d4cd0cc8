"""Sufficiency of what was found, and the follow-up query for a name that it lacks.

Sufficiency (HiMem, best-effort recall): three scores of the lines, each 0 to 1. **Coverage**: how many content words
and names of the question they share; the best single line counts more than all lines together. **Specificity**: does a
line about it, the first ones above all, hold what an answer of the type consists of: a date, a number, a name that is
not in the question, or new words? **Recency**: is it of the time asked about? The confidence is the probability that
the lines hold the answer: logistic in these, with coefficients that `benchmarks/sufficiency.py` fits and checks.

Missing information (H-Mem, tree and graph) can be recognised of a name only: the question has one that no line has.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from math import exp
from typing import Final

from hmem.language.analyst.base import Excerpt
from hmem.language.regex import regex
from hmem.language.stemming import is_function_word, language_by_letters, language_of, stem_of
from hmem.model.plan import FollowUp, SubQuestion, Sufficiency
from hmem.model.span import Span
from hmem_english.dates import find_dates
from hmem_english.words import STOP_WORDS

# Of the constant, coverage, specificity and recency; from benchmarks/sufficiency.py.
_COEFFICIENTS: Final = (-2.16, 1.68, 2.05, 0.65)
# Of notes: the chance that they hold all of the evidence; fitted to simulated lives, by the same script.
_OF_NOTES: Final = (-1.1, 1.3, 3.5, -1.1)

# Weight of a name beside other words, of the best line in coverage, and of a line by and about somebody else; and a
# penalty for short questions, which are easily covered.
_NAME_WEIGHT: Final = 1.5
_AT_ONCE: Final = 0.6
_OTHER_SPEAKER_FACTOR: Final = 0.5
_DOUBT: Final = 1.0
# Least score of a line without what the answer consists of, and the number of new words of one that may tell anything.
_UNSPECIFIC: Final = 0.4
_NEW_WORDS: Final = 6

_WORD: Final = regex(r"[^\W_]+")
_NUMBER: Final = regex(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred"
    r"|thousand|once|twice|couple|both|several|half|every|each)\b",
    re.IGNORECASE,
)
_CAPITAL: Final = regex(r"(?<=[\w,;] )[A-ZÀ-Þ][\w'’-]+")


def sufficiency(
    subquestion: SubQuestion, excerpts: Sequence[Excerpt], question_time: datetime, *, notes: bool = False
) -> Sufficiency:
    """Return coverage, specificity, recency and the confidence that these lines, turns or notes, hold the answer."""
    if not excerpts:
        return Sufficiency(0.0, 0.0, 0.0, 0.0)
    aspects, people = _aspects(subquestion, excerpts, question_time)
    shares = [_share(aspects, people, line) for line in excerpts]
    line_stems = frozenset[str]().union(*(_stems(line.text) for line in excerpts))
    union = sum(weight for stem, weight in aspects.items() if stem in line_stems) / (sum(aspects.values()) or 1.0)
    coverage = _AT_ONCE * max(shares) + (1 - _AT_ONCE) * union
    weighed = enumerate(zip(shares, excerpts, strict=True), 1)
    specificity = max(share * _holds(subquestion, aspects, line) / rank for rank, (share, line) in weighed)
    recency = float(not subquestion.spans or any(_of_the_time(subquestion.spans, line) for line in excerpts))
    bias, *slopes = _OF_NOTES if notes else _COEFFICIENTS
    odds = bias + sum(s * v for s, v in zip(slopes, (coverage, specificity, recency), strict=True))
    missing_words = [
        word for word in _WORD.findall(subquestion.text) if any(stem in aspects for stem in _stems(word) - line_stems)
    ]
    return Sufficiency(coverage, specificity, recency, 1 / (1 + exp(-odds)), tuple(dict.fromkeys(missing_words)))


def missing(subquestion: SubQuestion, excerpts: Sequence[Excerpt]) -> FollowUp | None:
    """Return the query for the one name of the question that no line has; None if there is no such name, or several."""
    line_stems = frozenset[str]().union(*(_stems(f"{line.speaker or ''} {line.text}") for line in excerpts))
    absent_names = [
        name
        for name in subquestion.entities
        if name in subquestion.text and _stems(name) and not _stems(name) & line_stems
    ]
    return FollowUp(absent_names[0], "name", absent_names[0]) if excerpts and len(absent_names) == 1 else None


@lru_cache(maxsize=8_192)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text in any language."""
    words = _WORD.findall(text.lower())
    language = language_of(words)
    return frozenset(
        stem_of(word, ("" if word.isascii() else language_by_letters(word)) or language or "english")
        for word in words
        if word not in STOP_WORDS and not is_function_word(word, language)
    )


def _aspects(
    subquestion: SubQuestion, excerpts: Sequence[Excerpt], question_time: datetime
) -> tuple[dict[str, float], frozenset[str]]:
    """Return the stems of a question with their weights, and those of speakers, which agree with a line or do not."""
    dates = _stems(" ".join(mention.text for mention in find_dates(subquestion.text, question_time)))
    speakers = frozenset[str]().union(*(_stems(line.speaker or "") for line in excerpts))
    names = _stems(" ".join(subquestion.entities))
    stems = _stems(subquestion.text) - dates
    return {stem: _NAME_WEIGHT if stem in names else 1.0 for stem in sorted(stems - speakers)}, stems & speakers


def _share(aspects: dict[str, float], people: frozenset[str], line: Excerpt) -> float:
    """Return the share of a question's weight that a line has, less if it is by and about somebody else."""
    line_stems = _stems(line.text)
    agrees = not people or not people.isdisjoint(line_stems | _stems(line.speaker or ""))
    overlap = sum(weight for stem, weight in aspects.items() if stem in line_stems)
    return overlap / (sum(aspects.values()) + _DOUBT) * (1.0 if agrees else _OTHER_SPEAKER_FACTOR)


def _holds(subquestion: SubQuestion, aspects: dict[str, float], line: Excerpt) -> float:
    """Return how likely a line holds an answer of the type asked for, 0 to 1."""
    match subquestion.answer_type:
        case "time":
            return 1.0 if _has_date(line.text, line.time) else _UNSPECIFIC
        case "count" | "duration" | "frequency":
            return 1.0 if _NUMBER.search(line.text) else _UNSPECIFIC
        case "person" | "place" | "organization":
            new = any(not _stems(name) <= aspects.keys() for name in _CAPITAL.findall(line.text))
            return 1.0 if new else _UNSPECIFIC
        case _:
            return min(len(_stems(line.text) - aspects.keys()) / _NEW_WORDS, 1.0)


@lru_cache(maxsize=8_192)
def _has_date(text: str, reference_time: datetime) -> bool:
    return bool(find_dates(text, reference_time))


def _of_the_time(spans: Sequence[Span], line: Excerpt) -> bool:
    """Tell if a line was said within one of the spans, or names a time that touches one."""
    mention_spans = [mention.span for mention in find_dates(line.text, line.time)]
    return any(
        line.time in span
        or any(mention_span.start < span.end and span.start < mention_span.end for mention_span in mention_spans)
        for span in spans
    )
