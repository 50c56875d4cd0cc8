"""Spans of time in words: "7 May 2023", "the week of 5 June 2023", "early June 2023", "summer 2022"."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final

from hmem.language.dates.stretch import containing, third
from hmem.model.span import Span

_MONTH_NAMES: Final = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_SEASON_NAMES: Final = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_QUARTER_NAMES: Final = {1: "first", 4: "second", 7: "third", 10: "fourth"}
_THIRDS: Final = ("early", "mid", "late")
_MOMENT: Final = timedelta(microseconds=1)


def describe(span: Span, granularity: str) -> str:
    """Return a span in words, with the granularity of its name, on the clock of its own offset.

    A span of several units names the first and the last: "June to August 2023". An unknown granularity counts as a day.
    """
    start, last = span.start.replace(tzinfo=None), span.end.replace(tzinfo=None)
    last = max(start, last - _MOMENT)
    if granularity == "part":
        return _part(start, last)
    name = _NAMES.get(granularity, _day)
    unit = granularity if granularity in _NAMES else "day"
    if partly := _partly(start, last, unit):
        return f"{partly} {name(start)}"
    if unit == "week" and (start.weekday() or (last - start).days >= 7):
        name, unit = _day, "day"
    return _joined(name(start), name(last), unit)


def _partly(start: datetime, last: datetime, unit: str) -> str:
    """Return early, mid or late if the span is that third of one month, season, year or decade; else ""."""
    if unit not in ("month", "season", "year", "decade"):
        return ""
    whole = containing(start, unit)
    for which, word in enumerate(_THIRDS):
        part = third(whole, which)
        if part != whole and (part.start, part.end - _MOMENT) == (start, last):
            return word
    return ""


def _joined(first: str, last: str, unit: str) -> str:
    """Join two ends without their common words: "5 to 9 May 2023"."""
    if first == last:
        return first
    ones, others = first.split(), last.split()
    if unit in ("day", "month"):
        while len(ones) > 1 and ones[-1] == others[-1]:
            ones.pop()
            others.pop()
        return f"{' '.join(ones)} to {last}"
    return f"{first} to {last}"


def _minute(moment: datetime) -> str:
    return f"{moment:%H:%M} on {_day(moment)}"


def _hour(moment: datetime) -> str:
    return f"{moment:%H}:00 on {_day(moment)}"


def _part(start: datetime, last: datetime) -> str:
    hour = start.hour
    name = "morning" if hour < 12 else "afternoon" if hour < 18 else "night" if last.hour == 23 else "evening"
    return f"the {name} of {_day(start)}"


def _day(moment: datetime) -> str:
    return f"{moment.day} {_month(moment)}"


def _month(moment: datetime) -> str:
    return f"{_MONTH_NAMES[moment.month - 1]} {moment.year}"


def _season(moment: datetime) -> str:
    start = containing(moment, "season").start
    year = f"{start.year}-{(start.year + 1) % 100:02}" if start.month == 12 else str(start.year)
    return f"{_SEASON_NAMES[start.month]} {year}"


def _quarter(moment: datetime) -> str:
    return f"the {_QUARTER_NAMES[containing(moment, 'quarter').start.month]} quarter of {moment.year}"


_NAMES: Final[dict[str, Callable[[datetime], str]]] = {
    "minute": _minute,
    "hour": _hour,
    "day": _day,
    "week": lambda moment: f"the week of {_day(containing(moment, 'week').start)}",
    "weekend": lambda moment: f"the weekend of {_day(containing(moment, 'weekend').start)}",
    "month": _month,
    "season": _season,
    "quarter": _quarter,
    "year": lambda moment: str(moment.year),
    "decade": lambda moment: f"the {moment.year - moment.year % 10}s",
}
