"""Points relative to the time of saying: "yesterday", "last Friday", "next month", "this summer", "the other day".

The last Friday is the latest before the day of saying; the next is the one in the following week (weeks start on
Monday); this one is the nearest that the tense allows. The last weekend, week, month or year is the previous one of the
calendar; the last season or named month is the latest that has ended.
"""

from datetime import datetime
from typing import Final

from hmem_english.dates.absolute import date_match
from hmem_english.dates.amounts import amount
from hmem_english.dates.rules import DateMatch, Fields, directed, phrase_rule, point, point_rule
from hmem_english.dates.stretch import (
    ONE_DAY,
    Interval,
    containing,
    day_part_interval,
    midnight,
    relative_unit,
    season,
    shift,
    weekday,
)
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import (
    DAY_PARTS,
    DOUBTFUL_MONTHS,
    FULL_WEEKDAYS,
    LAST,
    MONTHS,
    NEXT,
    OTHER_DAYS,
    RECENT_DAYS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    words_of,
)

_DAYS: Final = {"yesterday": -1, "yday": -1, "today": 0, "tomorrow": 1, "tmrw": 1}
_CALENDAR: Final = frozenset(("week", "weekend", "month", "quarter", "year", "decade"))
_ANY_DAY: Final = words_of("that a an one any some each every same most")
# Short days that are no other words.
_PLAINLY: Final = words_of("tue tues weds thu thur thurs fri")
_LISTING: Final = words_of("on last this next until till by since from to and or , through")


@point_rule(*_DAYS)
def _day(reading: TokenizedText, i: int) -> DateMatch:
    return DateMatch(i, i + 1, relative_unit(reading.reference_time, "day", _DAYS[reading.word(i)]))


@point_rule("tonight")
def _tonight(reading: TokenizedText, i: int) -> DateMatch:
    return DateMatch(i, i + 1, day_part_interval(reading.reference_time, "night"))


@point_rule("the")
def _day_beyond(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the day before yesterday", "the day after tomorrow", "the night before last"."""
    three = reading.words[i + 1 : i + 4]
    if three == ["day", "before", "yesterday"]:
        return DateMatch(i, i + 4, relative_unit(reading.reference_time, "day", -2))
    if three == ["day", "after", "tomorrow"]:
        return DateMatch(i, i + 4, relative_unit(reading.reference_time, "day", 2))
    if three == ["night", "before", "last"]:
        return DateMatch(i, i + 4, day_part_interval(shift(reading.reference_time, "day", -2), "night"))
    return None


@point_rule("day")
def _day_beyond_short(reading: TokenizedText, i: int) -> DateMatch | None:
    match = _day_beyond(reading, i - 1)
    if match is None or reading.word(i - 1) == "the":
        return None
    match.first = i
    return match


@point_rule(*NEXT, "last", "the")
def _but_one(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "next Friday but one", "the next but one week", "last Friday but one": the one after or before that."""
    j = i + (reading.word(i) == "the")
    sign = 1 if reading.word(j) in NEXT else -1 if reading.word(j) == "last" else 0
    inner = reading.word(j + 1) == "but"
    k, noun = (j + 1, reading.word(j + 3)) if inner else (j + 2, reading.word(j + 1))
    beyond = {"one": 2, "two": 3}.get(reading.word(k + 1), 0) if reading.word(k) == "but" else 0
    if not sign or not beyond:
        return None
    stop = k + 2 + inner
    if noun in WEEKDAYS:
        return DateMatch(i, stop, weekday(reading.reference_time, WEEKDAYS[noun], sign * beyond))
    unit = UNITS.get(noun, "")
    return DateMatch(i, stop, relative_unit(reading.reference_time, unit, sign * beyond)) if unit in _CALENDAR else None


@point_rule(*LAST, *NEXT, "this")
def _deictic(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match last, this or next with a week, Friday, June, summer, night."""
    word, j = reading.word(i), i + 1
    if word == "this" and reading.word(j) in (*LAST, *NEXT):
        word, j = reading.word(j), j + 1
    count = -1 if word in LAST else 1 if word in NEXT else 0
    noun = reading.word(j)
    if noun in DAY_PARTS:
        return _day_part(reading, i, j, count)
    if noun in WEEKDAYS:
        return _weekday(reading, i, j, word)
    if noun in MONTHS:
        return _month(reading, i, j, count)
    if noun in SEASONS:
        return DateMatch(i, j + 1, _season(reading, i, SEASONS[noun], count))
    if word == "this" and noun == "time":
        return _this_time(reading, i)
    unit = UNITS.get(noun, "")
    if unit not in _CALENDAR or noun.endswith("s"):
        return None
    if unit == "weekend" and count == 0:
        return DateMatch(i, j + 1, _this_weekend(reading, i))
    return DateMatch(i, j + 1, relative_unit(reading.reference_time, unit, count))


def _day_part(reading: TokenizedText, i: int, j: int, count: int) -> DateMatch | None:
    """Match "last night", "this morning"; "the next morning" belongs to another day."""
    if count > 0 or reading.word(i - 1) == "the":
        return None
    return DateMatch(i, j + 1, day_part_interval(shift(reading.reference_time, "day", count), reading.word(j)))


def _weekday(reading: TokenizedText, i: int, j: int, word: str) -> DateMatch | None:
    number = WEEKDAYS[reading.word(j)]
    if reading.word(j) not in FULL_WEEKDAYS and not reading.capital(j):
        return None
    if word == "next":
        day = containing(relative_unit(reading.reference_time, "week", 1).start + number * ONE_DAY, "day")
    elif word in LAST:
        day = weekday(reading.reference_time, number, -1)
    elif word in NEXT:
        day = weekday(reading.reference_time, number, 1)
    elif reading.reference_time.weekday() == number:
        day = containing(reading.reference_time, "day")
    else:
        day = weekday(reading.reference_time, number, -1 if reading.direction(i) < 0 else 1)
    return DateMatch(i, j + 1, day)


def _month(reading: TokenizedText, i: int, j: int, count: int) -> DateMatch | None:
    """Match "last June", "next May 5th"; "this may be" and "the last march" are not months."""
    name, month, reference_time = reading.word(j), MONTHS[reading.word(j)], reading.reference_time
    if name in DOUBTFUL_MONTHS and not reading.capital(j):
        return None
    year = (
        reference_time.year - (month >= reference_time.month)
        if count < 0
        else reference_time.year + (count > 0 and month <= reference_time.month)
    )
    if reading.kind(j + 1) in ("ordinal", "number") and (match := directed(reading, j, forced=count)):
        match.first = i
        return match
    match = date_match(reading, i, j + 1, Fields(year, month))
    if match is not None:
        match.relative, match.fields = True, None
    return match


def _season(reading: TokenizedText, i: int, month: int, count: int) -> Interval:
    reference_time = reading.reference_time
    current = season(reference_time, month, 0)
    if count < 0:
        return current if current.end <= reference_time else season(reference_time, month, -1)
    if count > 0:
        return current if current.start > reference_time else season(reference_time, month, 1)
    if current.start > reference_time and reading.direction(i) < 0:
        return season(reference_time, month, -1)
    return current


def _this_weekend(reading: TokenizedText, i: int) -> Interval:
    """Return this week's weekend; the one before in the past tense on a working day."""
    is_past = reading.direction(i) < 0 and reading.reference_time.weekday() < 5
    return relative_unit(reading.reference_time, "weekend", -1 if is_past else 0)


def _this_time(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "this time last year", "this time next week"."""
    count = {"last": -1, "next": 1}.get(reading.word(i + 2), 0)
    unit = UNITS.get(reading.word(i + 3), "")
    if not count or unit not in ("week", "month", "year"):
        return None
    return DateMatch(
        i, i + 4, containing(shift(reading.reference_time, unit, count), "month" if unit == "year" else "day")
    )


@point_rule("the")
def _before_last(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the week before last", "the summer before last", "the month after next"."""
    noun, j = reading.word(i + 1), i + 4
    sign = {("before", "last"): -1, ("after", "next"): 1}.get((reading.word(i + 2), reading.word(i + 3)), 0)
    if not sign:
        return None
    reference_time = reading.reference_time
    if noun in SEASONS:
        return DateMatch(i, j, _shifted_year(_season(reading, i, SEASONS[noun], sign), sign))
    if noun in WEEKDAYS:
        return DateMatch(i, j, weekday(reference_time, WEEKDAYS[noun], 2 * sign))
    if noun in MONTHS and (match := _month(reading, i, i + 1, sign)):
        return DateMatch(i, j, _shifted_year(match.stretch, sign))
    if UNITS.get(noun) in _CALENDAR:
        return DateMatch(i, j, relative_unit(reference_time, UNITS[noun], 2 * sign))
    return None


def _shifted_year(stretch: Interval, sign: int) -> Interval:
    return Interval(shift(stretch.start, "year", sign), shift(stretch.end, "year", sign), stretch.granularity)


@point_rule("the")
def _match_beside_anchor(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the day after Christmas", "the week before 9 June", "the Friday before 15 July", "the week of 9 June"."""
    noun, word = reading.word(i + 1), reading.word(i + 2)
    if word == "of" and noun in ("week", "weekend"):
        return _week_of_day(reading, i, noun)
    if word not in ("before", "after") or (noun not in WEEKDAYS and UNITS.get(noun) is None):
        return None
    anchor = point(reading, i + 3)
    if anchor is None or anchor.kind != "point" or anchor.stretch.granularity in ("minute", "hour", "part"):
        return None
    sign = -1 if word == "before" else 1
    stretch = _beside_anchor(noun, anchor.stretch, sign)
    return None if stretch is None else DateMatch(i, anchor.stop, stretch, relative=anchor.relative)


def _week_of_day(reading: TokenizedText, i: int, unit: str) -> DateMatch | None:
    """Match "the week of 9 June"."""
    day = point(reading, i + 3 + (reading.word(i + 3) == "the" and reading.word(i + 4) in MONTHS))
    if day is None or day.kind != "point" or day.stretch.granularity != "day":
        return None
    return DateMatch(i, day.stop, containing(day.stretch.start, unit), relative=day.relative)


def _beside_anchor(noun: str, anchor: Interval, sign: int) -> Interval | None:
    edge = anchor.start if sign < 0 else anchor.end - ONE_DAY
    if noun in WEEKDAYS:
        return weekday(edge, WEEKDAYS[noun], sign)
    unit = UNITS[noun]
    if unit == "weekend":
        saturday = weekday(edge, 5, sign).start
        return containing(saturday, "weekend")
    if unit == "day":
        return containing(shift(edge, "day", sign), "day")
    if unit == "week":
        start = anchor.start - 7 * ONE_DAY if sign < 0 else anchor.end
        return Interval(start, start + 7 * ONE_DAY, "week")
    return relative_unit(edge, unit, sign) if unit in ("month", "year") else None


@point_rule("the")
def _the_other_day(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the other day": some day of the last week."""
    if reading.word(i + 1) != "other" or (days := OTHER_DAYS.get(reading.word(i + 2))) is None:
        return None
    end = midnight(reading.reference_time) if reading.word(i + 2) == "week" else reading.reference_time
    granularity = "week" if reading.word(i + 2) in ("week", "weekend") else "day"
    start = shift(midnight(reading.reference_time), "day", -days)
    return DateMatch(i, i + 3, Interval(start, end, granularity), "vague")


@phrase_rule(*RECENT_DAYS)
def _recently(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "recently", "lately": within a month."""
    start = shift(reading.reference_time, "day", -RECENT_DAYS[reading.word(i)])
    return DateMatch(i, i + 1, Interval(start, reading.reference_time, "day"), "vague")


@point_rule(*WEEKDAYS)
def _bare_weekday(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "Friday", "Friday before last", "Friday 5 July", "Friday of next week"."""
    word, before, after = reading.word(i), reading.word(i - 1), reading.word(i + 1)
    if before in _ANY_DAY or (word == "sunday" and after == "school"):
        return None
    comma = i + 1 + (after in (",", "."))
    if reading.kind(comma) in ("number", "ordinal", "iso", "numeric") or reading.word(comma) in (*MONTHS, "the"):
        match = point(reading, comma)
        if match and match.fields and match.fields.day:
            match.first = i
            return match
    if word not in FULL_WEEKDAYS and not _short_weekday(reading, i):
        return None
    return _named_weekday(reading, i)


def _short_weekday(reading: TokenizedText, i: int) -> bool:
    """Tell if Sat, Sun, Wed or Mon is a day: "he sat", "the sun" are not, and "Tue Thu Sat" is a habit."""
    in_list = reading.word(i - 1) in WEEKDAYS or reading.word(i + 1) in WEEKDAYS
    return (
        reading.capital(i)
        and (
            (reading.word(i) in _PLAINLY and not in_list)
            or reading.word(i - 1) in _LISTING
            or reading.word(i + 1) in DAY_PARTS
            or reading.kind(i + 1) == "clock"
        )
        and not (reading.word(i - 1) in ("and", "or", ",") and reading.word(i) in ("sun", "sat", "wed", "mon"))
    )


def _named_weekday(reading: TokenizedText, i: int) -> DateMatch | None:
    number, two = WEEKDAYS[reading.word(i)], reading.words[i + 1 : i + 3]
    if two == ["before", "last"]:
        return DateMatch(i, i + 3, weekday(reading.reference_time, number, -2))
    if reading.word(i + 1) == "week" and reading.word(i + 2) not in ("of", "in"):
        return DateMatch(i, i + 2, weekday(reading.reference_time, number, 2))
    if reading.word(i + 1) == "fortnight":
        return DateMatch(i, i + 2, weekday(reading.reference_time, number, 3))
    if (match := _weeks_ahead(reading, i, number)) is not None:
        return match
    j = i + 1 + (reading.word(i + 1) == "of")
    if reading.word(j) in ("last", "this", "next") and reading.word(j + 1) == "week":
        week = relative_unit(reading.reference_time, "week", {"last": -1, "this": 0, "next": 1}[reading.word(j)])
        return DateMatch(i, j + 2, containing(week.start + number * ONE_DAY, "day"))
    if (match := _numbered_weekday(reading, i, number)) is not None:
        return match
    if reading.word(i - 1) == "the":
        return None
    return DateMatch(i, i + 1, weekday(reading.reference_time, number, 1 if reading.direction(i) > 0 else -1))


def _weeks_ahead(reading: TokenizedText, i: int, number: int) -> DateMatch | None:
    """Match "Saturday in two weeks", "Friday, a fortnight from now": the day in the week that lies so far ahead."""
    j = i + 1 + (reading.word(i + 1) == ",")
    has_in = reading.word(j) == "in"
    quantity = amount(reading, j + has_in)
    if quantity is None or quantity.unit != "week" or not quantity.exact:
        return None
    stop = quantity.stop + (reading.word(quantity.stop) == "time")
    if not has_in:
        if reading.words[stop : stop + 2] != ["from", "now"]:
            return None
        stop += 2
    week = relative_unit(reading.reference_time, "week", quantity.low)
    return DateMatch(i, stop, containing(week.start + number * ONE_DAY, "day"))


def _numbered_weekday(reading: TokenizedText, i: int, number: int) -> DateMatch | None:
    """Match "Monday the 18th": the nearest month whose 18th is a Monday, in the tense of the clause."""
    if reading.word(i + 1) != "the" or reading.kind(i + 2) != "ordinal" or reading.word(i + 3) in (*MONTHS, "of"):
        return None
    day, reference_time = int(reading.word(i + 2).rstrip("stndrh")), reading.reference_time
    first = containing(reference_time, "month").start
    candidates: list[datetime] = []
    for count in range(-_MONTHS_AROUND, _MONTHS_AROUND + 1):
        month = shift(first, "month", count)
        candidate = month + (day - 1) * ONE_DAY
        if candidate.month == month.month and candidate.weekday() == number:
            candidates.append(candidate)
    direction = reading.direction(i)
    eligible = [
        candidate for candidate in candidates if (candidate.date() - reference_time.date()).days * direction >= 0
    ]
    if not eligible:
        return None
    return DateMatch(i, i + 3, containing(min(eligible, key=lambda candidate: abs(candidate - reference_time)), "day"))


# Months before and after the time of saying that "Monday the 18th" may lie in.
_MONTHS_AROUND: Final = 6


@point_rule("the", "weekend", "weekends")
def _the_weekend(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "over the weekend"."""
    if reading.words[i : i + 2] != ["the", "weekend"] or not reading.preposition(i + 1) or reading.word(i + 2) == "of":
        return None
    weekend = reading.reference_time.weekday() >= 5
    count = 0 if weekend or reading.direction(i) > 0 else -1
    return DateMatch(i, i + 2, relative_unit(reading.reference_time, "weekend", count))
