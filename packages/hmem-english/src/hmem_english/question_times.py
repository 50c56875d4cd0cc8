"""Time frame of a question: the dates that limit it, and the question without them.

"In 2023" and "last week" limit a question. No frame are: a length ("for two years"), a recurrence ("every Friday"), a
time of day, "recently", a date in a title, a name such as April.
"""

import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from hmem.language.regex import regex
from hmem.model.span import Span
from hmem_english.dates import DateMention, find_dates

# Maximum number of dates read: a question with a pasted calendar is about none of them.
_MAX_DATES: Final = 12
# Length of the span of "by July 2022" and "before 2020", whose start is unknown.
REACH: Final = timedelta(days=3652)

_IN_QUOTES: Final = regex(r"[\"“][^\"“”]{1,80}[\"”]")
_LENGTH: Final = regex(r"for\b|a \d|an? [a-z]+-long", re.IGNORECASE)
_OF_THE_DAY: Final = ("hour", "minute", "part")
_TO_COME: Final = regex(r"\b(?:next|coming|tomorrow|upcoming|tonight|this|in \w+|from now)\b", re.IGNORECASE)
_ASKS_OF_THE_FUTURE: Final = regex(r"\b(?:will|going to|'ll|planning|plans?|upcoming|shall|should)\b", re.IGNORECASE)
_WILL: Final = regex(r"\b(?:will|going to)\b", re.IGNORECASE)
_BARE_NAME: Final = regex(r"(?:in|last|since|during|this|next|by|until|before|after|early|late|of)\s+$", re.IGNORECASE)
_ADJACENT: Final = regex(r"(?:the )?(day|week|weekend|month) (?:(before|after) (?:the )?)?$", re.IGNORECASE)
_DAYS: Final = {"day": 1, "week": 7, "weekend": 7, "month": 30}
# Words that attach a date to its sentence, removed with it.
_TIED: Final = regex(
    r"(?:,?\s*\(?\b(?:as (?:mentioned|said|of)|mentioned|back|sometime|around|about|starting|over|within|dated))*\s*"
    r"(?:\b(?:in|on|at|during|by|of|from|for|over|around|within|throughout|since|until|before|after)(?: the)?)?"
    r"\s*,?\s*$",
    re.IGNORECASE,
)
_LONGEST_TIE: Final = 40
_BLANKS: Final = regex(r"\s{2,}")
_BEFORE_MARK: Final = regex(r"[\s,]*(?:\(\))?\s*([?.!,])")
_POSSESSIVE: Final = regex(r"(?:\b(?:the|an?|my|our|his|her|their|its)|['’]s) (?:[A-Z]\w+ )?$")
_THING: Final = regex(r" (?!(?:before|after|when|that|with|and|for|from|last|night|who|where)\b)[a-z]{3,}")
_HABIT: Final = regex(
    r"(?!.*\b(?:did|has|have|had|was|were|will|is|are)\b).*\b(?:do|does)\b", re.IGNORECASE | re.DOTALL
)
_DEICTIC: Final = regex(r"\d|\b(?:last|this|next|past|previous|ago|yesterday|today|now|coming)\b", re.IGNORECASE)
_STEPS_BACK: Final = (timedelta(days=7), timedelta(days=183), timedelta(days=365))


class QuestionTimes(NamedTuple):
    """Spans named in a question, earliest first, its text without them, and where its dates stand."""

    spans: tuple[Span, ...]
    topic: str
    date_spans: tuple[tuple[int, int], ...] = ()


class _TimePhrase(NamedTuple):
    """Piece of the text that names a time, and the time."""

    start: int
    end: int
    span: Span


def frame_of(question: str, question_time: datetime, people: Collection[str]) -> QuestionTimes:
    """Return the time frame of a question; ``people`` are the speakers, whose names are no dates."""
    quotations = [match.span() for match in _IN_QUOTES.finditer(question)]
    phrases: list[_TimePhrase] = []
    mentions = find_dates(question, question_time)[:_MAX_DATES]
    for mention in mentions:
        in_quotes = any(start < mention.end and mention.start < end for start, end in quotations)
        if (
            not in_quotes
            and _is_frame(question, mention, people)
            and (phrase := _time_phrase(question, mention, question_time))
        ):
            phrases.append(phrase)
    date_spans = tuple((mention.start, mention.end) for mention in mentions)
    if not phrases:
        return QuestionTimes((), question, date_spans)
    spans = sorted({phrase.span for phrase in phrases}, key=lambda span: (span.start, span.end))
    return QuestionTimes(tuple(spans), _remove_times(question, phrases), date_spans)


def _is_frame(question: str, mention: DateMention, people: Collection[str]) -> bool:
    before = question[: mention.start]
    if mention.kind in ("recurring", "vague") or mention.granularity in _OF_THE_DAY:
        return False
    if mention.kind == "duration" and (_LENGTH.match(mention.text) or before.lower().endswith(" for ")):
        return False
    if mention.relative and not _DEICTIC.search(mention.text):
        is_possessive = mention.text[:4].lower() == "the " or _POSSESSIVE.search(before) is not None
        thing = is_possessive and mention.granularity == "day" and _THING.match(question, mention.end) is not None
        if thing or _HABIT.match(question):  # "the Sunday market", "Where do they go in summer?"
            return False
    if any(mention.text.lower() == name.lower() for person in people for name in person.split()):
        return _BARE_NAME.search(before) is not None
    return True


def _time_phrase(question: str, mention: DateMention, question_time: datetime) -> _TimePhrase | None:
    """Return a date mention with the words that modify it, and its span; None if it limits nothing."""
    span = mention.span
    if mention.kind == "until" and span.start < question_time < span.end:
        return None  # "before June" of a June to come: what is asked about lies before it anyhow
    if mention.relative and span.start > question_time:
        earlier = _latest_past(question, mention, question_time)
        if earlier is None:
            return None
        span = earlier
    adjacent = _ADJACENT.search(question[: mention.start])
    side = "" if adjacent is None else (adjacent[2] or mention.text.partition(" ")[0]).lower()
    if adjacent is not None and side in ("before", "after"):
        length = timedelta(days=_DAYS[adjacent[1].lower()])
        start = span.start - length if side == "before" else span.end if adjacent[2] else span.start
        return _TimePhrase(adjacent.start(), mention.end, Span(start, start + length))
    return _TimePhrase(mention.start, mention.end, _up_to(mention) if mention.kind == "until" else span)


def _up_to(mention: DateMention) -> Span:
    """Return the span before a date: "by 10 July" includes the day, "before 10 July" does not."""
    end = mention.span.start if mention.text.lower().startswith("before") else mention.span.end
    earliest = datetime(1, 1, 2, tzinfo=end.tzinfo)
    return Span(end - REACH if end - earliest > REACH else earliest, end)


def _latest_past(question: str, mention: DateMention, question_time: datetime) -> Span | None:
    """Return the last past span of a name such as "July"; None if a past question cannot mean the future."""
    if _TO_COME.search(mention.text):
        return mention.span if _ASKS_OF_THE_FUTURE.search(question) else None
    if mention.kind != "point" or _WILL.search(question):
        return mention.span
    for step in _STEPS_BACK:
        for earlier in find_dates(question, question_time - step):
            if earlier.start == mention.start and earlier.span.start <= question_time:
                return earlier.span
    return None


def _remove_times(question: str, phrases: Sequence[_TimePhrase]) -> str:
    """Return the question without its times and the words that attach them."""
    text = question
    for phrase in sorted(phrases, key=lambda phrase: phrase.start, reverse=True):
        tied = _TIED.search(text[max(0, phrase.start - _LONGEST_TIE) : phrase.start])
        text = f"{text[: phrase.start - (len(tied[0]) if tied else 0)]} {text[phrase.end :]}"
    text = _BEFORE_MARK.sub(r"\1", _BLANKS.sub(" ", text)).strip(" ,")
    return text if text.strip(" ?!.,") else question
