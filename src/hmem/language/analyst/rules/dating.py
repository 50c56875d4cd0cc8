"""Dates of a statement: relative ones completed by the date that they mean, and the time that it is about.

"yesterday" becomes "yesterday (7 May 2023)": the words that were said stay to be found, the date stands by itself.
What someone "just did" happened in the week up to the day of saying.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from hmem.language.analyst.rules.verbs import IRREGULAR_PAST
from hmem.language.dates import DateMention, describe, find_dates
from hmem.language.regex import regex
from hmem.model.span import Span

# Which of several dates a statement is about: a moment before a beginning or an end, an exact one before a wide one.
_KINDS: Final = ("point", "since", "until")
_EXACTNESS: Final = ("minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter", "year", "decade")

# "I just launched it": within the last days, as many as this.
_JUST: Final = regex(r"\bjust (?:now |been |recently )?([a-z]+ed|" + "|".join(sorted(IRREGULAR_PAST)) + r")\b")
_YEAR: Final = regex(r"\d{4}")
_RECENT: Final = 7


def dated(text: str, said: datetime) -> tuple[str, Span | None]:
    """A statement with its relative dates completed, and the span of its main date, if it has one."""
    mentions = find_dates(text, said)
    if not mentions:
        return text, _just_now(said) if "just" in text and _JUST.search(text) else None
    return _completed(text, mentions), _main(mentions)


def _just_now(said: datetime) -> Span:
    """The days up to that of saying, and that day."""
    end = said.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return Span(end - timedelta(days=_RECENT), end)


def _completed(text: str, mentions: Sequence[DateMention]) -> str:
    parts: list[str] = []
    place = 0
    for mention in mentions:
        known = mention.kind != "point" and _YEAR.search(mention.text) is not None
        if mention.relative and not known and mention.kind in _KINDS and mention.start >= place:
            parts += (text[place : mention.end], f" ({_described(mention)})")
            place = mention.end
    return "".join((*parts, text[place:]))


def _described(mention: DateMention) -> str:
    """The date that a mention means: of a stretch that lasts, its beginning or its end."""
    span, moment = mention.span, timedelta(minutes=1)
    if mention.kind == "since":
        span = Span(span.start, span.start + moment)
    elif mention.kind == "until":
        span = Span(span.end - moment, span.end)
    return describe(span, mention.granularity)


def _main(mentions: Sequence[DateMention]) -> Span | None:
    placed = [mention for mention in mentions if mention.kind in _KINDS]
    if not placed:
        return None
    return min(placed, key=_rank).span


def _rank(mention: DateMention) -> tuple[int, int, int]:
    return _KINDS.index(mention.kind), _EXACTNESS.index(mention.granularity), mention.start
