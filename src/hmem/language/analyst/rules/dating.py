"""Dates of a statement: relative ones completed by the date that they mean, and the time that it is about.

"yesterday" becomes "yesterday (7 May 2023)": the words that were said stay to be found, the date stands by itself.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from hmem.language.dates import DateMention, describe, find_dates
from hmem.model.span import Span

# Which of several dates a statement is about: a moment before a beginning or an end, an exact one before a wide one.
_KINDS: Final = ("point", "since", "until")
_EXACTNESS: Final = ("minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter", "year", "decade")


def dated(text: str, said: datetime) -> tuple[str, Span | None]:
    """A statement with its relative dates completed, and the span of its main date, if it has one."""
    mentions = find_dates(text, said)
    if not mentions:
        return text, None
    return _completed(text, mentions), _main(mentions)


def _completed(text: str, mentions: Sequence[DateMention]) -> str:
    parts: list[str] = []
    place = 0
    for mention in mentions:
        if mention.relative and mention.kind in _KINDS and mention.start >= place:
            parts += (text[place : mention.end], f" ({describe(mention.span, mention.granularity)})")
            place = mention.end
    return "".join((*parts, text[place:]))


def _main(mentions: Sequence[DateMention]) -> Span | None:
    placed = [mention for mention in mentions if mention.kind in _KINDS]
    if not placed:
        return None
    return min(placed, key=_rank).span


def _rank(mention: DateMention) -> tuple[int, int, int]:
    return _KINDS.index(mention.kind), _EXACTNESS.index(mention.granularity), mention.start
