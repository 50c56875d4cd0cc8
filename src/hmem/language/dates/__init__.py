"""Dates in English text, understood from the time of saying.

``find_dates`` gives each date named in a text with the span of time that it means; ``describe`` puts a span into
words. The text is cut into tokens once; rules are looked up by the word that an expression starts with. What each
family of expressions means is said at the head of its module: ``deictic`` (yesterday, last Friday), ``absolute``
(5 July 2023, in March), ``numeric`` (05/07/2023), ``named`` (seasons, holidays, early June), ``amounts`` (two weeks
ago, for three years), ``clock`` (at 7 pm), ``phrases`` (since, until, ranges, every Tuesday). Of a birthday or an
anniversary nothing is known, so neither is a date; nor is "two days later", which hangs on another sentence.
"""

from datetime import datetime, timezone
from typing import Final

from hmem.errors import InvalidTime

# Modules register their rules as they are imported, and the first that answers wins: the order is part of the rules.
from hmem.language.dates import deictic as _deictic  # noqa: F401  # pyright: ignore[reportUnusedImport]
from hmem.language.dates import named as _named  # noqa: F401  # pyright: ignore[reportUnusedImport]
from hmem.language.dates import numeric as _numeric  # noqa: F401  # pyright: ignore[reportUnusedImport]
from hmem.language.dates.phrases import expression
from hmem.language.dates.reading import TokenizedText, lowered, read, worth_reading
from hmem.language.dates.rules import DateMatch, leads
from hmem.language.dates.stretch import DateMention, Granularity, Kind
from hmem.language.dates.wording import describe
from hmem.model.span import Span

__all__ = ["DateMention", "Granularity", "Kind", "describe", "find_dates"]

# A day within the range of datetime, so that every span can be told in every offset.
_EARLIEST: Final = datetime(1, 1, 2)  # noqa: DTZ001 - local clock
_LATEST: Final = datetime(9999, 12, 30)  # noqa: DTZ001 - local clock


def find_dates(text: str, said: datetime) -> list[DateMention]:
    """The dates that a text names, in order, not overlapping; those outside of the years 1 to 9999 are left out.

    Raises:
        InvalidTime: ``said`` has no offset.
    """
    offset = said.utcoffset()
    if offset is None:
        raise InvalidTime("the time of saying has no offset - give it one, such as +00:00")
    lower = lowered(text)
    if not worth_reading(lower):
        return []
    zone = timezone(offset)
    reading = read(text, lower, said.replace(tzinfo=None, fold=0), zone)
    mentions: list[DateMention] = []
    i = 0
    while i < len(reading.words):
        found = _found(reading, i) if leads(reading, i) else None
        if found is not None:
            mentions.append(_mention(reading, found))
        i = i + 1 if found is None else max(found.stop, i + 1)
    return mentions


def _found(reading: TokenizedText, i: int) -> DateMatch | None:
    """The expression at a token, unless its time lies outside of the calendar."""
    try:
        found = expression(reading, i)
    except (OverflowError, ValueError):
        return None
    if found is None or found.stretch.start < _EARLIEST or found.stretch.end > _LATEST:
        return None
    return found if found.stretch.start <= found.stretch.end else None


def _mention(reading: TokenizedText, found: DateMatch) -> DateMention:
    start, end = reading.starts[found.first], reading.ends[found.stop - 1]
    first, last, granularity = found.stretch
    span = Span(first.replace(tzinfo=reading.zone), last.replace(tzinfo=reading.zone))
    return DateMention(start, end, reading.text[start:end], span, found.kind, granularity, found.relative)
