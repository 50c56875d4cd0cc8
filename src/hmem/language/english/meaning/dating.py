"""Dates of a statement: relative ones are completed in its words, and the main one gives its time."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from hmem.language.dates import DateMention, describe, find_dates
from hmem.language.regex import regex
from hmem.model.span import Span

# Preference among several dates: a point before a beginning or an end, then the more exact one.
_KINDS: Final = ("point", "since", "until")
_EXACTNESS: Final = ("minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter", "year", "decade")
_YEAR: Final = regex(r"\d{4}")
_RECENT: Final = 7


def dated(text: str, said: datetime, *, just: bool = False) -> tuple[str, Span | None]:
    """Return a statement with its relative dates completed, and the span of its main date or None.

    ``just`` tells that it "just" happened: in the last week up to the day of the message.
    """
    mentions = find_dates(text, said)
    if not mentions:
        return text, _just_now(said) if just else None
    return _completed(text, mentions), _main(mentions)


def _just_now(said: datetime) -> Span:
    """Return the span of the last days up to the day of the message, inclusive."""
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
    """Return the date of a mention as text; of an open period, its beginning or its end."""
    span, moment = mention.span, timedelta(minutes=1)
    if mention.kind == "since":
        span = Span(span.start, span.start + moment)
    elif mention.kind == "until":
        span = Span(span.end - moment, span.end)
    return describe(span, mention.granularity)


def _main(mentions: Sequence[DateMention]) -> Span | None:
    placed = [mention for mention in mentions if mention.kind in _KINDS]
    return min(placed, key=_rank).span if placed else None


def _rank(mention: DateMention) -> tuple[int, int, int]:
    return _KINDS.index(mention.kind), _EXACTNESS.index(mention.granularity), mention.start
