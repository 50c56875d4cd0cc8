"""The time frame of a question: the spans that it names, and its text without them.

A frame limits what is asked about ("in 2023", "last week"). No frame are: how long something took ("for two years"),
what comes again ("every Friday"), the time of day, "recently", a date in a title, a name such as April.
"""

import re
from collections.abc import Collection, Sequence
from datetime import datetime, time, timedelta
from typing import Final, NamedTuple

from hmem.language.dates import DateMention, find_dates
from hmem.language.regex import regex
from hmem.model.span import Span

# How far back "by July 2022" and "before 2020" reach: a question does not know when its memory begins.
REACH: Final = timedelta(days=3652)

# "December 1,2023".
_UNSPACED: Final = regex(r"(?<=\d),(?=(?:19|20)\d\d\b)")
_QUOTED: Final = regex(r"[\"“][^\"“”]{1,80}[\"”]")
_LENGTH: Final = regex(r"for\b|a \d|an? [a-z]+-long", re.IGNORECASE)
_OF_THE_DAY: Final = ("hour", "minute", "part")
_TO_COME: Final = regex(r"\b(?:next|coming|tomorrow|upcoming|tonight|this|in \w+|from now)\b", re.IGNORECASE)
_ASKS_OF_THE_FUTURE: Final = regex(
    r"\b(?:will|going to|'ll|planning|plans?|upcoming|shall|should|would)\b", re.IGNORECASE
)
_BARE_NAME: Final = regex(r"(?:in|last|since|during|this|next|by|until|before|after|early|late|of)\s+$", re.IGNORECASE)
_PART_OF: Final = regex(r"(?:the )?(first|second) half of (?:the )?$", re.IGNORECASE)
_BESIDE: Final = regex(r"(?:the )?(day|night|week|weekend|month) (before|after|of)(?: the)? ?$", re.IGNORECASE)
_BESIDE_INSIDE: Final = regex(r"(before|after) ", re.IGNORECASE)
_UNIT_BEFORE: Final = regex(r"(?:the )?(day|week|weekend|month) $", re.IGNORECASE)
_DAYS: Final = {"day": 1, "night": 1, "week": 7, "weekend": 7, "month": 30}
# What ties a date to its sentence, and goes with it.
_TIED: Final = regex(
    r"(?:,?\s*\(?\b(?:as (?:mentioned|said|stated|told|described|discussed|of)|mentioned|back|sometime|around|about"
    r"|starting|over|within|dated))*\s*(?:\b(?:in|on|at|during|by|of|from|for|over|around|within|throughout|since"
    r"|until|before|after)(?: the)?)?\s*,?\s*$",
    re.IGNORECASE,
)
_BLANKS: Final = regex(r"\s{2,}")
_BEFORE_MARK: Final = regex(r"[\s,]*(?:\(\))?\s*([?.!,])")


_YEAR: Final = regex(r"\b(?:19|20)\d\d\b")
_OF_A_DAY: Final = ("point", "until")
_MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Apr|Aug|Sept?|Oct|Nov|Dec"
)
_AND_MONTH: Final = regex(rf" (?:and|or|to|through) (?=(?:{_MONTHS})\b(?!\w))")
# A question that pastes in a calendar is about none of its dates in particular.
_MOST: Final = 12
# "The Sunday market": a name for the thing, no time.
_OWNED: Final = regex(r"(?:\b(?:the|an?|my|our|his|her|their|its)|['’]s) (?:[A-Z]\w+ )?$")
_THING: Final = regex(r" (?!(?:before|after|when|that|with|and|for|from|last|night|they|she|you|who|where)\b)[a-z]{3,}")
_PRESENT: Final = regex(r"\b(?:do|does)\b", re.IGNORECASE)
_PAST: Final = regex(r"\b(?:did|has|have|had|was|were|will|is|are)\b", re.IGNORECASE)
_DEICTIC: Final = regex(r"\d|\b(?:last|this|next|past|previous|ago|yesterday|today|now|coming)\b", re.IGNORECASE)


class Frame(NamedTuple):
    """The spans that a question names, earliest first, and its text without them."""

    spans: tuple[Span, ...]
    topic: str


class _Part(NamedTuple):
    """A piece of the text that names a time, and the time."""

    start: int
    end: int
    span: Span


def frame_of(question: str, asked: datetime, people: Collection[str]) -> Frame:
    """The time frame of a question that is asked at a time, in a memory where these people speak."""
    question = _UNSPACED.sub(", ", question)
    mentions = find_dates(question, asked)
    if not mentions:
        return Frame((), question)
    said = _said_on(mentions)
    if said is not None:
        mentions = _mentioned(question, said, mentions)
    quoted = [match.span() for match in _QUOTED.finditer(question)]
    parts: list[_Part] = []
    for mention in mentions[:_MOST]:
        if any(start < mention.end and mention.start < end for start, end in quoted):
            continue
        if _is_frame(question, mention, people) and (part := _part(question, mention, said or asked)) is not None:
            parts += [part, *_next_month(question, part, said or asked)]
    spans = sorted({part.span for part in parts}, key=lambda span: (span.start, span.end))
    return Frame(tuple(spans), _without(question, parts))


def _next_month(question: str, part: _Part, said: datetime) -> list[_Part]:
    """The second month of "in March and April"."""
    joined = _AND_MONTH.match(question, part.end)
    if joined is None:
        return []
    shift = joined.end() - len("in ")
    found = find_dates(f"in {question[joined.end() :]}", said)[:1]
    return [_Part(part.end, one.end + shift, one.span) for one in found if one.start <= len("in ")]


def _said_on(mentions: Sequence[DateMention]) -> datetime | None:
    """The day on which a question says that something was told, when another time hangs on it."""
    days = [one for one in mentions if one.granularity == "day" and _YEAR.search(one.text) and one.kind in _OF_A_DAY]
    leans = any(one.relative and one.kind in ("point", "duration") and one not in days for one in mentions)
    return datetime.combine(days[0].span.start, time(12), days[0].span.start.tzinfo) if days and leans else None


def _mentioned(question: str, said: datetime, mentions: Sequence[DateMention]) -> list[DateMention]:
    """The mentions read from the day that the question names: "last week, as mentioned on 6 November"."""
    day = said.date()
    again = find_dates(question, said)
    return [one for one in again if not (one.relative and one.span.start.date() == day)] or list(mentions)


def _is_frame(question: str, mention: DateMention, people: Collection[str]) -> bool:
    if mention.kind in ("recurring", "vague") or mention.granularity in _OF_THE_DAY:
        return False
    if mention.kind == "duration" and (
        _LENGTH.match(mention.text) or question[: mention.start].lower().endswith(" for ")
    ):
        return False
    if (
        mention.relative
        and not _DEICTIC.search(mention.text)
        and (_is_habit(question) or _describes(question, mention))
    ):
        return False
    if any(mention.text.lower() == name.lower() for person in people for name in person.split()):
        return _BARE_NAME.search(question[: mention.start]) is not None
    return True


def _is_habit(question: str) -> bool:
    """Whether a question is about what is done every year: "Where do they go in summer?"."""
    return _PRESENT.search(question) is not None and _PAST.search(question) is None


def _describes(question: str, mention: DateMention) -> bool:
    """Whether a day only says which thing is meant: "the Sunday market"."""
    owned = mention.text[:4].lower() == "the " or _OWNED.search(question[: mention.start]) is not None
    return owned and mention.granularity == "day" and _THING.match(question, mention.end) is not None


def _part(question: str, mention: DateMention, said: datetime) -> _Part | None:
    """Where a mention stands with the words that change it, and what is meant; None when it is not to be had."""
    span = mention.span
    if mention.kind == "until" and span.start < said < span.end:
        return None  # "before June" of a June to come: what is asked about lies before it anyhow
    if mention.relative and span.start > said:
        earlier = _latest_past(question, mention, said)
        if earlier is None:
            return None
        span = earlier
    before = question[: mention.start]
    if half := _PART_OF.search(before):
        middle = span.start + timedelta(days=(span.length.days + 1) // 2)
        halved = Span(span.start, middle) if half[1].lower() == "first" else Span(middle, span.end)
        return _Part(half.start(), mention.end, halved)
    if beside := _beside(before, mention):
        return beside
    if mention.kind == "until":
        return _Part(mention.start, mention.end, _up_to(mention))
    return _Part(mention.start, mention.end, span)


def _beside(before: str, mention: DateMention) -> _Part | None:
    """The week before a date, and the like, where the date's own words may hold "before" or "after"."""
    inside = _BESIDE_INSIDE.match(mention.text)
    found = _UNIT_BEFORE.search(before) if inside else _BESIDE.search(before)
    if found is None:
        return None
    side = inside[1].lower() if inside else found[2].lower()
    length = timedelta(days=_DAYS[found[1].lower()])
    span = mention.span
    if side == "before":
        span = Span(span.start - length, span.start)
    elif side == "after":
        start = span.start if inside else span.end
        span = Span(start, start + length)
    elif length.days > span.length.days:
        start = span.start - timedelta(days=span.start.weekday()) if length.days == _DAYS["week"] else span.start
        span = Span(start, start + length)
    return _Part(found.start(), mention.end, span)


def _up_to(mention: DateMention) -> Span:
    """All that lies before a date: of "by 10 July" the day itself belongs to it, of "before 10 July" it does not."""
    end = mention.span.start if mention.text.lower().startswith("before") else mention.span.end
    earliest = datetime(1, 1, 2, tzinfo=end.tzinfo)
    return Span(end - REACH if end - earliest > REACH else earliest, end)


def _latest_past(question: str, mention: DateMention, said: datetime) -> Span | None:
    """The last time before that a name such as "July" fits; None where a past question cannot mean a time to come."""
    if _TO_COME.search(mention.text):
        return mention.span if _ASKS_OF_THE_FUTURE.search(question) else None
    if mention.kind != "point" or _WILL.search(question):
        return mention.span
    for back in _STEPS_BACK:
        for earlier in find_dates(question, said - back):
            if earlier.start == mention.start and earlier.span.start <= said:
                return earlier.span
    return None


_WILL: Final = regex(r"\b(?:will|going to)\b", re.IGNORECASE)
_STEPS_BACK: Final = (timedelta(days=7), timedelta(days=183), timedelta(days=365))


def _without(question: str, parts: Sequence[_Part]) -> str:
    """The question without the pieces that name a time, and the words that tie them."""
    text = question
    for part in sorted(parts, key=lambda part: part.start, reverse=True):
        tied = _TIED.search(text[max(0, part.start - _LONGEST_TIE) : part.start])
        length = len(tied[0]) if tied else 0
        text = f"{text[: part.start - length]} {text[part.end :]}"
    text = _BEFORE_MARK.sub(r"\1", _BLANKS.sub(" ", text)).strip(" ,")
    return text if text.strip(" ?!.,") else question


_LONGEST_TIE: Final = 40
