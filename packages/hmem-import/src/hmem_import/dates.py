"""Dates and times as people's programs write them: the form is learned from all that a file has.

Each phone writes dates as its own country does, without saying which. Times have no zone: that of the memory is taken.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final, NamedTuple

MARKS: Final = "\u200e\u200f\u202a\u202b\u202c\ufeff"
# Numbers with anything but letters between them, and the words of Chinese, Japanese and Korean.
DATE: Final = r"(?P<date>\d{1,4}(?:[^\w\[\]:]{1,4}|[년年] ?)\d{1,2}(?:[^\w\[\]:]{1,4}|[월月] ?)\d{1,4})[.일日]?"
# "klo 14.08", "下午9:41", "9:41 p. m.": what stands before or after the hour is half of the day, or says nothing.
TIME: Final = (
    r"(?P<before>[^\W\d][^\d\[\]:]{0,20}?)?\s{0,2}(?P<time>\d{1,2}[:.]\d{2}(?:[:.]\d{2})?)"
    r"\s?(?P<after>[^\W\d][^\d\[\]:–-]{0,15}?)?"
)
_WRITTEN: Final = re.compile(rf"{DATE}(?:[,،]?\s{{1,3}}{TIME})?(?:\s.*)?")
_NAMED: Final = re.compile(
    rf"(?:(?P<day>\d{{1,2}})\.? )?(?P<month>[A-Za-z]{{3,9}})\.?(?: (?P<later>\d{{1,2}}),?)? (?P<year>\d{{4}})"
    rf"(?:,?\s{{1,3}}(?:at )?{TIME})?(?:\s.*)?"
)
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_AFTERNOON: Final = frozenset({
    "pm", "μμ", "م", "오후", "下午", "晚上", "午後", "अपराह्न", "ch", "em", "odp", "du", "ös", "بظ", "หลังเที่ยง",
})  # fmt: skip
_MORNING: Final = frozenset({
    "am", "πμ", "ص", "오전", "上午", "凌晨", "早上", "午前", "पूर्वाह्न", "sa", "fm", "dop", "de", "öö", "قظ", "ก่อนเที่ยง",
})  # fmt: skip
_EARLIEST: Final = 2009
_BUDDHIST: Final = 543
_TWELVE: Final = 12


# Orders of day and month in dates such as 01/02.
DATE_ORDERS: Final = ("day-first", "month-first")


class WrittenDate(NamedTuple):
    """Date as it is written: three numbers in an unknown order, the clock, and words for halves of the day."""

    numbers: tuple[int, int, int]
    clock: tuple[int, int, int]
    halves: frozenset[str] = frozenset()
    year_first: bool = False


def ascii_digits(text: str) -> str:
    """Return a text with the digits of any script as those of ASCII; its length stays."""
    return text if text.isascii() else "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def written(match: re.Match[str]) -> WrittenDate:
    """Return the date of a match of ``DATE`` and ``TIME``."""
    first, second, third = re.findall(r"\d+", match["date"])
    return WrittenDate((int(first), int(second), int(third)), *_clock(match), len(first) == len("2026"))


def _clock(match: re.Match[str]) -> tuple[tuple[int, int, int], frozenset[str]]:
    hour, minute, second, *_ = [*map(int, re.findall(r"\d+", match["time"] or "")), 0, 0, 0]
    words = (re.sub(r"[.\s\u202f\xa0]", "", match[group] or "").lower() for group in ("before", "after"))
    return (hour, minute, second), frozenset(filter(None, words))


def learn(
    dates: Sequence[WrittenDate], order_name: str | None = None, remarks: list[str] | None = None
) -> Callable[[WrittenDate], str | None]:
    """Return what makes ISO 8601 of a date of a file, None of one that there is not.

    Where both orders are possible throughout, it is ``order_name``; else that in which time goes back least often;
    else, with a clock of twelve hours, the month stands first, as in the United States, and ``remarks`` tell of the
    guess. Two words that are not known, with hours up to
    twelve only, are the halves of the day.
    """
    afternoon = _afternoon(dates)
    day_first, month_first = (2, 1, 0), (2, 0, 1)
    halved = any(date.halves & (afternoon | _MORNING) for date in dates)
    orders = [month_first, day_first] if halved else [day_first, month_first]
    is_year_first = any(date.year_first for date in dates)
    costs = [_unlikely(dates, order) for order in orders]
    order = (0, 1, 2) if is_year_first else orders[costs[1] < costs[0]]
    if not is_year_first and costs[0][0] == costs[1][0] and any(len({*date.numbers[:2]}) > 1 for date in dates):
        if order_name is not None:
            order = day_first if order_name == DATE_ORDERS[0] else month_first
        elif costs[0] == costs[1] and remarks is not None:
            remarks.append(_guess(order == day_first))

    def moment(date: WrittenDate) -> str | None:
        year, month, day = (date.numbers[index] for index in order)
        year -= _BUDDHIST if year > _EARLIEST + _BUDDHIST - 100 else 0
        try:
            # A year of two digits is of this century.
            return datetime(year if year > 99 else 2000 + year, month, day, *_hours(date, afternoon)).isoformat()  # noqa: DTZ001
        except ValueError:
            return None

    return moment


def _guess(is_day_first: bool) -> str:  # noqa: FBT001 - of two
    words = ("day", "1 February", "month") if is_day_first else ("month", "2 January", "day")
    return (
        f"dates such as 01/02 are taken with the {words[0]} first ({words[1]}): nothing in the file tells - "
        f"--dates {words[2]}-first reads them the other way"
    )


def _hours(date: WrittenDate, afternoon: frozenset[str]) -> tuple[int, int, int]:
    hour, minute, second = date.clock
    if date.halves & afternoon:
        hour = hour % _TWELVE + _TWELVE
    elif date.halves & _MORNING and hour == _TWELVE:
        hour = 0
    return hour, minute, second


def _afternoon(dates: Sequence[WrittenDate]) -> frozenset[str]:
    """Return the words for the afternoon."""
    words = sorted({word for date in dates for word in date.halves} - _AFTERNOON - _MORNING)
    hours = {word: [date.clock for date in dates if word in date.halves] for word in words}
    if len(words) != 2 or not all(0 < clock[0] <= _TWELVE for clocks in hours.values() for clock in clocks):
        return _AFTERNOON

    def going_back(word: str) -> int:
        clocks = [(date.numbers, _hours(date, frozenset({word}))) for date in dates]
        return sum(earlier[0] == later[0] and later[1] < earlier[1] for earlier, later in pairwise(clocks))

    return _AFTERNOON | {min(words, key=going_back)}


def _unlikely(dates: Iterable[WrittenDate], order: tuple[int, int, int]) -> tuple[int, int]:
    """Return the number of impossible dates in an order, and how often time goes back."""
    numbered = [tuple(date[index] for index in order) for date in dict.fromkeys(date.numbers for date in dates)]
    impossible = sum(month > _TWELVE for _, month, _ in numbered)
    return impossible, sum(later < earlier for earlier, later in pairwise(numbered))


def learned(texts: Sequence[str], order_name: str | None = None, remarks: list[str] | None = None) -> list[str | None]:
    """Return the times of texts of one form as ISO 8601; None for one that is no time."""
    plain = [ascii_digits(text).strip(f"{MARKS} ").replace("\u202f", " ").replace("\xa0", " ") for text in texts]
    dates = [_parsed(text) for text in plain]
    moment = learn([date for date in dates if isinstance(date, WrittenDate)], order_name, remarks)
    return [moment(date) if isinstance(date, WrittenDate) else date for date in dates]


def _parsed(text: str) -> WrittenDate | str | None:
    """Return a time in ISO 8601, or a date as it is written."""
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError:
        pass
    if (named := _NAMED.fullmatch(text)) is not None and named["month"][:3].lower() in _MONTHS:
        month = _MONTHS.index(named["month"][:3].lower()) + 1
        clock, halves = _clock(named)
        numbers = (int(named["year"]), month, int(named["day"] or named["later"] or 1))
        return WrittenDate(numbers, clock, halves, year_first=True)
    match = _WRITTEN.fullmatch(text)
    return None if match is None else written(match)
