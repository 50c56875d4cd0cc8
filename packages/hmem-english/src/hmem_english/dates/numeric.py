"""Dates in figures: "2023-07-05", "05/07/2023", "2016-2018", "the 90s".

A date that starts with its year has the order year, month, day. One with dots has the day first, any other the month
first, unless only the other order gives a date.
"""

from datetime import datetime
from typing import Final

from hmem.language.regex import regex
from hmem_english.dates.absolute import century, date_match
from hmem_english.dates.rules import DateMatch, Fields, point_rule
from hmem_english.dates.stretch import Interval, containing
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import DECADES, EARLY, LATE, MIDDLE

_DIGITS: Final = regex("[0-9]+")
_OWNERS: Final = frozenset(("my", "his", "her", "their", "our", "your", "its"))
_NO_TIME: Final = 10


@point_rule(":iso")
def _iso(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "2023-07-05", with or without a time; a time with an offset is converted to that of the time of saying."""
    try:
        moment = datetime.fromisoformat(reading.word(i).upper())
    except ValueError:
        return None
    unit = "day" if len(reading.word(i)) == _NO_TIME else "minute"
    if moment.tzinfo is not None:
        moment = moment.astimezone(reading.zone).replace(tzinfo=None)
    return DateMatch(i, i + 1, containing(moment, unit), relative=False)


@point_rule(":numeric")
def _numeric(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "05/07/2023", "5.7.2023", "2023/07/05"."""
    first, second, third = _DIGITS.findall(reading.word(i))
    if len(first) == 4:
        return date_match(reading, i, i + 1, Fields(int(first), int(second), int(third)))
    year = int(third) if len(third) == 4 else century(int(third), reading.reference_time)
    months_first = "." not in reading.word(i)
    orders = ((first, second), (second, first)) if months_first else ((second, first), (first, second))
    for month, day in orders:
        if match := date_match(reading, i, i + 1, Fields(year, int(month), int(day))):
            return match
    return None


@point_rule(":slash")
def _month_slash_day(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "on 7/5"; without a preposition it may be a fraction or a score."""
    month, day = (int(number) for number in _DIGITS.findall(reading.word(i)))
    if reading.word(i - 1) not in ("on", "since", "until", "by", "before", "after") or not month or not day:
        return None
    if month > 12:
        month, day = day, month
    return date_match(reading, i, i + 1, Fields(None, month, day)) if month <= 12 and day <= 31 else None


@point_rule(":years")
def _years(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "2016-2018"."""
    first, last = (int(number) for number in _DIGITS.findall(reading.word(i)))
    start, end = date_match(reading, i, i + 1, Fields(first)), date_match(reading, i, i + 1, Fields(last))
    if start is None or end is None or first >= last:
        return None
    return DateMatch(i, i + 1, start.stretch._replace(end=end.stretch.end), "duration", relative=False)


@point_rule(":decade", "the", *DECADES)
def _decade(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the 90s", "'80s", "the nineties"; "in her 20s" is an age, and "the 1800s" are a century."""
    j = i + (reading.word(i) == "the")
    word = reading.word(j)
    qualifier = reading.word(i - 1 - (reading.word(i - 1) == "-"))
    is_qualified = qualifier in (*EARLY, *MIDDLE, *LATE)
    if qualifier in _OWNERS or (is_qualified and reading.word(i - 2 - (reading.word(i - 1) == "-")) in _OWNERS):
        return None
    if word in DECADES:
        start, sure = DECADES[word], False
    elif reading.kind(j) == "decade":
        digits = _DIGITS.findall(word)[0]
        if len(digits) == 4 and digits.endswith("00") and digits < "2000":
            return None
        start = int(digits) if len(digits) == 4 else int(digits) + (1900 if int(digits) >= 30 else 2000)
        sure = len(digits) == 4 or word[0] in "''"
    else:
        return None
    if not sure and i == j and not (is_qualified and start % 100 >= 50):
        return None
    start_of = datetime(start, 1, 1)  # noqa: DTZ001 - local clock
    stretch = containing(start_of, "decade")
    return DateMatch(i, j + 1, Interval(*stretch), relative=False)
