"""Dates in English text, resolved from the time of saying.

``find_dates`` gives each date named in a text with its span of time, ``main_date`` that of a sentence. The text is cut
into tokens once; rules are looked up by the first word of an expression. Each module describes its family of
expressions: ``deictic`` (yesterday, last Friday), ``absolute`` (5 July 2023, in March), ``numeric`` (05/07/2023),
``named`` (seasons, holidays, early June), ``amounts`` (two weeks ago, for three years), ``clock`` (at 7 pm),
``phrases`` (since, until, ranges, every Tuesday). Birthdays and anniversaries are not dates, since their day is
unknown; nor is "two days later", which refers to another sentence.
"""

from datetime import datetime, timezone
from typing import Final

from hmem.errors import InvalidTime
from hmem.language.analyst.lexicon import DateMention
from hmem.language.regex import regex
from hmem.model.span import Span

# Modules register their rules on import, and the first match wins, so the order of imports matters.
from hmem_english.dates import deictic as _deictic  # noqa: F401  # pyright: ignore[reportUnusedImport]
from hmem_english.dates import named as _named  # noqa: F401  # pyright: ignore[reportUnusedImport]
from hmem_english.dates import numeric as _numeric  # noqa: F401  # pyright: ignore[reportUnusedImport]
from hmem_english.dates.phrases import expression
from hmem_english.dates.rules import DateMatch, leads
from hmem_english.dates.tokenized_text import TokenizedText, lowered, read, worth_reading
from hmem_english.dates.words import CLOCK_WORDS, MONTHS

__all__ = ["find_dates", "main_date"]

# One day inside the range of datetime, so that every span is valid in every offset.
_EARLIEST: Final = datetime(1, 1, 2)  # noqa: DTZ001 - local clock
_LATEST: Final = datetime(9999, 12, 30)  # noqa: DTZ001 - local clock
# Preference among several dates: a point before a beginning or an end, then the more exact one.
_KINDS: Final = ("point", "since", "until")
_TIME_OF_DAY: Final = regex(rf"[\d:.]+ ?(?:[ap]\.?m\.?)?|{'|'.join(CLOCK_WORDS)}")
_EXACTNESS: Final = ("minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter", "year")


def find_dates(text: str, reference_time: datetime, *, is_plan: bool = False) -> list[DateMention]:
    """Return the dates in a text, in order, not overlapping; dates outside of the years 1 to 9999 are left out.

    ``is_plan``: the text is a plan; its dates look forward where no tense says otherwise.

    Raises:
        InvalidTime: ``reference_time`` has no offset.
    """
    offset = reference_time.utcoffset()
    if offset is None:
        raise InvalidTime("the time of saying has no offset - give it one, such as +00:00")
    lower = lowered(text)
    if not worth_reading(lower):
        return []
    zone = timezone(offset)
    reading = read(text, lower, reference_time.replace(tzinfo=None, fold=0), zone)
    reading.neutral = int(is_plan)
    mentions: list[DateMention] = []
    i = 0
    while i < len(reading.words):
        match = _match_at(reading, i) if leads(reading, i) else None
        if match is not None:
            mentions.append(_mention(reading, match))
        i = i + 1 if match is None else max(match.stop, i + 1)
    return mentions


def _match_at(reading: TokenizedText, i: int) -> DateMatch | None:
    """Return the expression at a token, or None if its time lies outside of the calendar."""
    try:
        match = expression(reading, i)
    except (OverflowError, ValueError):
        return None
    if match is None or match.stretch.start < _EARLIEST or match.stretch.end > _LATEST:
        return None
    return match if match.stretch.start <= match.stretch.end else None


def _mention(reading: TokenizedText, match: DateMatch) -> DateMention:
    start, end = reading.starts[match.first], reading.ends[match.stop - 1]
    first, last, granularity = match.stretch
    span = Span(first.replace(tzinfo=reading.zone), last.replace(tzinfo=reading.zone))
    return DateMention(start, end, reading.text[start:end], span, match.kind, granularity, match.relative)


def main_date(text: str, reference_time: datetime, *, is_plan: bool = False) -> Span | None:
    """Return the span of the main date of a sentence; None if it has none. ``is_plan``: the sentence is a plan."""
    mentions = [
        mention
        for mention in find_dates(text, reference_time, is_plan=is_plan)
        # A decade tells of what age things are, not when something happened.
        if mention.granularity in _EXACTNESS
        and (mention.kind in _KINDS or _is_range(mention))
        and (is_plan or not _is_any_day(mention, reference_time))
    ]
    return min(mentions, key=_rank).span if mentions else None


def _is_any_day(mention: DateMention, reference_time: datetime) -> bool:
    """Tell if a mention is a time of day to come that names no day: "it closes at 8 pm" tells of other days too."""
    return mention.span.start > reference_time and _TIME_OF_DAY.fullmatch(mention.text.lower()) is not None


def _is_range(mention: DateMention) -> bool:
    """Tell if a duration is one of the calendar: "2 to 16 August"."""
    return mention.kind == "duration" and not MONTHS.keys().isdisjoint(mention.text.lower().split())


def _rank(mention: DateMention) -> tuple[int, int, int]:
    return (
        _KINDS.index("point" if _is_range(mention) else mention.kind),
        _EXACTNESS.index(mention.granularity),
        mention.start,
    )
