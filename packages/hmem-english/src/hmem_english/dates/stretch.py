"""Calendar arithmetic on the local clock of the time of saying.

Weeks start on Monday. Seasons are the meteorological ones of the northern hemisphere: three whole months, winter from
December. Functions raise OverflowError or ValueError if the result lies outside the years 1 to 9999.
"""

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from dateutil.relativedelta import relativedelta

from hmem.language.analyst.lexicon import Granularity
from hmem_english.dates.words import DAY_PARTS

_MONTHS: Final = {"month": 1, "quarter": 3, "season": 3, "year": 12, "decade": 120}
_FIXED: Final = {
    "minute": timedelta(minutes=1),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "weekend": timedelta(days=7),
}
ONE_DAY: Final = timedelta(days=1)


class Interval(NamedTuple):
    """An interval of local time, the end excluded, with the granularity of its name."""

    start: datetime
    end: datetime
    granularity: Granularity


def shift(moment: datetime, unit: str, count: int) -> datetime:
    """Move a moment by ``count`` units; the 31st becomes the last day of a shorter month."""
    if unit in _FIXED:
        return moment + count * _FIXED[unit]
    return moment + relativedelta(months=count * _MONTHS[unit])


def midnight(moment: datetime) -> datetime:
    """Return the start of a moment's day."""
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def containing(moment: datetime, unit: str) -> Interval:
    """Return the minute, hour, day, week, weekend, month, season, quarter, year or decade that contains a moment.

    The weekend is that of the moment's week.
    """
    start = _start(moment, unit)
    end = start + 2 * ONE_DAY if unit == "weekend" else shift(start, unit, 1)
    return Interval(start, end, unit)  # pyright: ignore[reportArgumentType] - the units are granularities


def _start(moment: datetime, unit: str) -> datetime:
    if unit == "minute":
        return moment.replace(second=0, microsecond=0)
    if unit == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    day = midnight(moment)
    match unit:
        case "day":
            return day
        case "week":
            return day - day.weekday() * ONE_DAY
        case "weekend":
            return day + (5 - day.weekday()) * ONE_DAY
        case "month":
            return day.replace(day=1)
        case "season":
            return shift(day.replace(day=1), "month", -(day.month % 3))
        case "quarter":
            return day.replace(month=day.month - (day.month - 1) % 3, day=1)
        case "year":
            return day.replace(month=1, day=1)
        case _:
            return day.replace(year=max(1, day.year - day.year % 10), month=1, day=1)


def relative_unit(moment: datetime, unit: str, count: int) -> Interval:
    """Return the unit ``count`` units from the one that contains a moment: -1 is the last, 0 this, 1 the next."""
    return containing(shift(_start(moment, unit), unit, count), unit)


def day_part_interval(day: datetime, day_part: str) -> Interval:
    """Return the morning, afternoon, evening or night of a day; a night ends at midnight, so it belongs to its day."""
    hour, length = DAY_PARTS[day_part]
    start = midnight(day) + timedelta(hours=hour)
    return Interval(start, start + timedelta(hours=length), "part")


def third(period: Interval, index: int) -> Interval:
    """Return the first (0), middle (1) or last (2) third, in whole months of a year or season.

    A month is cut at 10 and 20.
    """
    unit = {"year": "month", "season": "month", "quarter": "month", "decade": "year"}.get(period.granularity, "day")
    count = 0
    while shift(period.start, unit, count) < period.end:
        count += 1
    first, last = (10, 20) if period.granularity == "month" else (-(-count // 3), count - -(-count // 3))
    start, stop = ((0, first), (first, last), (last, count))[index]
    if count < 3 or start >= stop:
        return period
    return Interval(shift(period.start, unit, start), shift(period.start, unit, stop), period.granularity)


def weekday(reference_time: datetime, number: int, count: int) -> Interval:
    """Return the ``count``-th Monday (0) to Sunday (6) after the day of saying, or before it if negative."""
    days_ahead = (number - reference_time.weekday() - 1) % 7 + 1
    days = days_ahead + 7 * (count - 1) if count > 0 else days_ahead - 7 * (-count if days_ahead < 7 else -count + 1)
    return containing(midnight(reference_time) + days * ONE_DAY, "day")


def season(reference_time: datetime, month: int, count: int) -> Interval:
    """Return the season that starts in a month: 0 is this year's, -1 the one before.

    In January and February, this year's winter is the one that has begun.
    """
    year = reference_time.year - 1 if month == 12 and reference_time.month < 3 else reference_time.year
    start = datetime(year + count, month, 1)  # noqa: DTZ001 - local clock
    return Interval(start, shift(start, "month", 3), "season")
