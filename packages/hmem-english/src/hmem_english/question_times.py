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
_MOST: Final = 12
# Length of the span of "by July 2022" and "before 2020", whose start is unknown.
REACH: Final = timedelta(days=3652)

_IN_QUOTES: Final = regex(r"[\"“][^\"“”]{1,80}[\"”]")
_LENGTH: Final = regex(r"for\b|a \d|an? [a-z]+-long", re.IGNORECASE)
_OF_THE_DAY: Final = ("hour", "minute", "part")
_TO_COME: Final = regex(r"\b(?:next|coming|tomorrow|upcoming|tonight|this|in \w+|from now)\b", re.IGNORECASE)
_ASKS_OF_THE_FUTURE: Final = regex(r"\b(?:will|going to|'ll|planning|plans?|upcoming|shall|should)\b", re.IGNORECASE)
_WILL: Final = regex(r"\b(?:will|going to)\b", re.IGNORECASE)
_BARE_NAME: Final = regex(r"(?:in|last|since|during|this|next|by|until|before|after|early|late|of)\s+$", re.IGNORECASE)
_BESIDE: Final = regex(r"(?:the )?(day|week|weekend|month) (?:(before|after) (?:the )?)?$", re.IGNORECASE)
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
_OWNED: Final = regex(r"(?:\b(?:the|an?|my|our|his|her|their|its)|['’]s) (?:[A-Z]\w+ )?$")
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
    places: tuple[tuple[int, int], ...] = ()


class _Part(NamedTuple):
    """Piece of the text that names a time, and the time."""

    start: int
    end: int
    span: Span


def frame_of(question: str, asked: datetime, people: Collection[str]) -> QuestionTimes:
    """Return the time frame of a question asked at ``asked``; ``people`` are the speakers, whose names are no dates."""
    quoted = [match.span() for match in _IN_QUOTES.finditer(question)]
    parts: list[_Part] = []
    mentions = find_dates(question, asked)[:_MOST]
    for mention in mentions:
        inside = any(start < mention.end and mention.start < end for start, end in quoted)
        if not inside and _is_frame(question, mention, people) and (part := _part(question, mention, asked)):
            parts.append(part)
    places = tuple((mention.start, mention.end) for mention in mentions)
    if not parts:
        return QuestionTimes((), question, places)
    spans = sorted({part.span for part in parts}, key=lambda span: (span.start, span.end))
    return QuestionTimes(tuple(spans), _without(question, parts), places)


def _is_frame(question: str, mention: DateMention, people: Collection[str]) -> bool:
    before = question[: mention.start]
    if mention.kind in ("recurring", "vague") or mention.granularity in _OF_THE_DAY:
        return False
    if mention.kind == "duration" and (_LENGTH.match(mention.text) or before.lower().endswith(" for ")):
        return False
    if mention.relative and not _DEICTIC.search(mention.text):
        owned = mention.text[:4].lower() == "the " or _OWNED.search(before) is not None
        thing = owned and mention.granularity == "day" and _THING.match(question, mention.end) is not None
        if thing or _HABIT.match(question):  # "the Sunday market", "Where do they go in summer?"
            return False
    if any(mention.text.lower() == name.lower() for person in people for name in person.split()):
        return _BARE_NAME.search(before) is not None
    return True


def _part(question: str, mention: DateMention, asked: datetime) -> _Part | None:
    """Return a date mention with the words that modify it, and its span; None if it limits nothing."""
    span = mention.span
    if mention.kind == "until" and span.start < asked < span.end:
        return None  # "before June" of a June to come: what is asked about lies before it anyhow
    if mention.relative and span.start > asked:
        earlier = _latest_past(question, mention, asked)
        if earlier is None:
            return None
        span = earlier
    beside = _BESIDE.search(question[: mention.start])
    side = "" if beside is None else (beside[2] or mention.text.partition(" ")[0]).lower()
    if beside is not None and side in ("before", "after"):
        length = timedelta(days=_DAYS[beside[1].lower()])
        start = span.start - length if side == "before" else span.end if beside[2] else span.start
        return _Part(beside.start(), mention.end, Span(start, start + length))
    return _Part(mention.start, mention.end, _up_to(mention) if mention.kind == "until" else span)


def _up_to(mention: DateMention) -> Span:
    """Return the span before a date: "by 10 July" includes the day, "before 10 July" does not."""
    end = mention.span.start if mention.text.lower().startswith("before") else mention.span.end
    earliest = datetime(1, 1, 2, tzinfo=end.tzinfo)
    return Span(end - REACH if end - earliest > REACH else earliest, end)


def _latest_past(question: str, mention: DateMention, asked: datetime) -> Span | None:
    """Return the last past span of a name such as "July"; None if a past question cannot mean the future."""
    if _TO_COME.search(mention.text):
        return mention.span if _ASKS_OF_THE_FUTURE.search(question) else None
    if mention.kind != "point" or _WILL.search(question):
        return mention.span
    for back in _STEPS_BACK:
        for earlier in find_dates(question, asked - back):
            if earlier.start == mention.start and earlier.span.start <= asked:
                return earlier.span
    return None


def _without(question: str, parts: Sequence[_Part]) -> str:
    """Return the question without its times and the words that attach them."""
    text = question
    for part in sorted(parts, key=lambda part: part.start, reverse=True):
        tied = _TIED.search(text[max(0, part.start - _LONGEST_TIE) : part.start])
        text = f"{text[: part.start - (len(tied[0]) if tied else 0)]} {text[part.end :]}"
    text = _BEFORE_MARK.sub(r"\1", _BLANKS.sub(" ", text)).strip(" ,")
    return text if text.strip(" ?!.,") else question
