"""The times that a model tells: ISO 8601, as exact as they are known, the last one included."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from hmem.language.english.claims import OPEN
from hmem.model.span import Span

_TIME: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})(?:[T ](?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?"
    r"(?::\d{2}(?:\.\d+)?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?",
    re.ASCII,
)
_YEARS: Final = range(1, 9_998)
_MINUTE: Final = timedelta(minutes=1)


def span_of(first: str | None, last: str | None, zone: tzinfo | None) -> Span | None:
    """From the start of the first time to the end of the last; None where nothing of it is a time.

    One alone stands for both. A last time before the first is left out. Without an offset of its own a time has the
    one of ``zone``.
    """
    opening = _read(first, zone)
    closing = _read(last, zone)
    if opening is None or closing is None or closing.end <= opening.start:
        return opening or closing
    return Span(opening.start, _end_of(closing, opening))


def holding(first: str | None, last: str | None, zone: tzinfo | None) -> Span | None:
    """How long something holds: from the first time on, for good when no last one is told."""
    since = _read(first, zone)
    until = _read(last, zone)
    if since is None:
        return None
    if until is not None and until.end > since.start:
        return Span(since.start, _end_of(until, since))
    return Span(since.start, OPEN)


def _end_of(last: Span, first: Span) -> datetime:
    """The end of the last time; one told to the minute ends there, unless nothing would be left."""
    to_the_minute = last.length == _MINUTE and last.start > first.start
    return last.start if to_the_minute else last.end


def _read(said: str | None, zone: tzinfo | None) -> Span | None:
    """The stretch that a time covers: a year, a month, a day or a minute."""
    found = _TIME.fullmatch(said.strip()) if said else None
    if found is None or int(found["year"]) not in _YEARS:
        return None
    try:
        start = datetime(
            int(found["year"]),
            int(found["month"] or 1),
            int(found["day"] or 1),
            int(found["hour"] or 0),
            int(found["minute"] or 0),
            tzinfo=_zone(found["zone"]) or zone or UTC,
        )
    except ValueError:
        return None
    return Span(start, _end(start, found))


def _zone(said: str | None) -> tzinfo | None:
    if not said:
        return None
    return datetime.fromisoformat(f"2000-01-01T00:00:00{said}").tzinfo


def _end(start: datetime, found: "re.Match[str]") -> datetime:
    if found["hour"]:
        return start + _MINUTE
    if found["day"]:
        return start + timedelta(days=1)
    if found["month"]:
        return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    return start.replace(year=start.year + 1)
