"""Holidays that English speakers name without a date, and their days.

Holidays that move by law are those of the United States (Thanksgiving, Mother's Day, Labor Day); those that move with
the moon follow the western Easter. Feasts of the lunar calendars (Diwali, Eid, Hanukkah, Lunar New Year) are left out.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final

from dateutil.easter import easter

from hmem_english.dates.stretch import ONE_DAY, Interval, containing, shift

_Rule = Callable[[int], datetime]
# Years in which the rule of Easter is valid.
_EASTER_YEARS: Final = range(1583, 4100)


def _fixed(month: int, day: int) -> _Rule:
    return lambda year: datetime(year, month, day)  # noqa: DTZ001 - local clock


def _nth(month: int, weekday: int, count: int, then: int = 0) -> _Rule:
    """Return the rule of the ``count``-th weekday of a month (the last if -1), moved by ``then`` days."""

    def rule(year: int) -> datetime:
        first = datetime(year, month, 1)  # noqa: DTZ001 - local clock
        if count > 0:
            return first + ((weekday - first.weekday()) % 7 + 7 * (count - 1) + then) * ONE_DAY
        last = shift(first, "month", 1) - ONE_DAY
        return last - ((last.weekday() - weekday) % 7 - then) * ONE_DAY

    return rule


def _easter(days: int) -> _Rule:
    def rule(year: int) -> datetime:
        if year not in _EASTER_YEARS:
            raise ValueError(f"no rule gives Easter of {year} - name the day")
        sunday = easter(year)
        return datetime(sunday.year, sunday.month, sunday.day) + days * ONE_DAY  # noqa: DTZ001 - local clock

    return rule


_RULES: Final[dict[tuple[str, ...], _Rule]] = {
    tuple(name.split()): rule
    for names, rule in (
        ("christmas|christmas day|xmas", _fixed(12, 25)),
        ("christmas eve|xmas eve", _fixed(12, 24)),
        ("boxing day", _fixed(12, 26)),
        ("new year eve|new years eve|nye", _fixed(12, 31)),
        ("new year|new year day|new years day|new years", _fixed(1, 1)),
        ("valentine day|valentines day|valentine|valentines", _fixed(2, 14)),
        ("st patrick day|st patricks day|saint patrick day|saint patricks day", _fixed(3, 17)),
        ("april fools day|april fool day|april fools", _fixed(4, 1)),
        ("earth day", _fixed(4, 22)),
        ("cinco de mayo", _fixed(5, 5)),
        ("juneteenth", _fixed(6, 19)),
        ("independence day|fourth of july", _fixed(7, 4)),
        ("canada day", _fixed(7, 1)),
        ("bastille day", _fixed(7, 14)),
        ("anzac day", _fixed(4, 25)),
        ("australia day", _fixed(1, 26)),
        ("women day|womens day|international women day|international womens day", _fixed(3, 8)),
        ("halloween", _fixed(10, 31)),
        ("bonfire night|guy fawkes night", _fixed(11, 5)),
        ("veterans day|remembrance day", _fixed(11, 11)),
        ("mlk day|martin luther king day", _nth(1, 0, 3)),
        ("presidents day|president day", _nth(2, 0, 3)),
        ("mother day|mothers day", _nth(5, 6, 2)),
        ("memorial day", _nth(5, 0, -1)),
        ("father day|fathers day", _nth(6, 6, 3)),
        ("labor day|labour day", _nth(9, 0, 1)),
        ("columbus day|indigenous peoples day", _nth(10, 0, 2)),
        ("thanksgiving|thanksgiving day", _nth(11, 3, 4)),
        ("black friday", _nth(11, 3, 4, 1)),
        ("cyber monday", _nth(11, 3, 4, 4)),
        ("easter|easter sunday", _easter(0)),
        ("easter monday", _easter(1)),
        ("good friday", _easter(-2)),
        ("maundy thursday", _easter(-3)),
        ("palm sunday", _easter(-7)),
        ("ash wednesday", _easter(-46)),
        ("mardi gras|shrove tuesday", _easter(-47)),
        ("pentecost", _easter(49)),
    )
    for name in names.split("|")
}
_BY_FIRST: Final[dict[str, list[tuple[str, ...]]]] = {}
for _name in sorted(_RULES, key=len, reverse=True):
    _BY_FIRST.setdefault(_name[0], []).append(_name)
NAMES: Final = frozenset(_RULES)
FIRST_WORDS: Final = frozenset(_BY_FIRST)
LONGEST: Final = max(len(name) for name in _RULES)


def match_holiday(words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the longest holiday that these words start with, or None."""
    return next((name for name in _BY_FIRST.get(words[0], ()) if words[: len(name)] == name), None)


def in_year(name: tuple[str, ...], year: int) -> Interval:
    """Return the day of a holiday in a year.

    Raises:
        ValueError: no rule gives the holiday in that year.
    """
    return containing(_RULES[name](year), "day")


def nearest(name: tuple[str, ...], reference_time: datetime, direction: int) -> Interval:
    """Return the latest holiday up to the day of saying (-1), the next from it on (1), or the nearest (0)."""
    today = containing(reference_time, "day").start
    candidates = [
        in_year(name, year) for year in (reference_time.year - 1, reference_time.year, reference_time.year + 1)
    ]
    if direction:
        candidates = [day for day in candidates if (day.start - today).days * direction >= 0]
    return min(candidates, key=lambda day: (abs(day.start - today), day.start))


def strictly(name: tuple[str, ...], reference_time: datetime, count: int) -> Interval:
    """Return the last (-1) or next (1) holiday, excluding the day of saying itself."""
    day = nearest(name, reference_time, count)
    if day.start <= reference_time < day.end:
        return in_year(name, reference_time.year + count)
    return day
