"""Points relative to the time of saying: "yesterday", "last Friday", "next month", "this summer", "the other day".

The last Friday is the latest before the day of saying; the next is the one in the following week (weeks start on
Monday); this one is the nearest that the tense allows. The last weekend, week, month or year is the previous one of the
calendar; the last season or named month is the latest that has ended.
"""

from datetime import datetime
from typing import Final

from hmem_english.dates.absolute import dated
from hmem_english.dates.amounts import amount
from hmem_english.dates.rules import DateMatch, Fields, directed, phrase_rule, point, point_rule
from hmem_english.dates.stretch import ONE_DAY, Interval, beside, containing, midnight, part_of, season, shift, weekday
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import (
    DOUBTFUL_MONTHS,
    FULL_WEEKDAYS,
    LAST,
    MONTHS,
    NEXT,
    OTHER_DAYS,
    PARTS,
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
    return DateMatch(i, i + 1, beside(reading.said, "day", _DAYS[reading.word(i)]))


@point_rule("tonight")
def _tonight(reading: TokenizedText, i: int) -> DateMatch:
    return DateMatch(i, i + 1, part_of(reading.said, "night"))


@point_rule("the")
def _day_beyond(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the day before yesterday", "the day after tomorrow", "the night before last"."""
    three = reading.words[i + 1 : i + 4]
    if three == ["day", "before", "yesterday"]:
        return DateMatch(i, i + 4, beside(reading.said, "day", -2))
    if three == ["day", "after", "tomorrow"]:
        return DateMatch(i, i + 4, beside(reading.said, "day", 2))
    if three == ["night", "before", "last"]:
        return DateMatch(i, i + 4, part_of(shift(reading.said, "day", -2), "night"))
    return None


@point_rule("day")
def _day_beyond_short(reading: TokenizedText, i: int) -> DateMatch | None:
    found = _day_beyond(reading, i - 1)
    if found is None or reading.word(i - 1) == "the":
        return None
    found.first = i
    return found


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
        return DateMatch(i, stop, weekday(reading.said, WEEKDAYS[noun], sign * beyond))
    unit = UNITS.get(noun, "")
    return DateMatch(i, stop, beside(reading.said, unit, sign * beyond)) if unit in _CALENDAR else None


@point_rule(*LAST, *NEXT, "this")
def _deictic(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match last, this or next with a week, Friday, June, summer, night."""
    word, j = reading.word(i), i + 1
    if word == "this" and reading.word(j) in (*LAST, *NEXT):
        word, j = reading.word(j), j + 1
    count = -1 if word in LAST else 1 if word in NEXT else 0
    noun = reading.word(j)
    if noun in PARTS:
        return _part(reading, i, j, count)
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
    return DateMatch(i, j + 1, beside(reading.said, unit, count))


def _part(reading: TokenizedText, i: int, j: int, count: int) -> DateMatch | None:
    """Match "last night", "this morning"; "the next morning" belongs to another day."""
    if count > 0 or reading.word(i - 1) == "the":
        return None
    return DateMatch(i, j + 1, part_of(shift(reading.said, "day", count), reading.word(j)))


def _weekday(reading: TokenizedText, i: int, j: int, word: str) -> DateMatch | None:
    number = WEEKDAYS[reading.word(j)]
    if reading.word(j) not in FULL_WEEKDAYS and not reading.capital(j):
        return None
    if word == "next":
        day = containing(beside(reading.said, "week", 1).start + number * ONE_DAY, "day")
    elif word in LAST:
        day = weekday(reading.said, number, -1)
    elif word in NEXT:
        day = weekday(reading.said, number, 1)
    elif reading.said.weekday() == number:
        day = containing(reading.said, "day")
    else:
        day = weekday(reading.said, number, -1 if reading.direction(i) < 0 else 1)
    return DateMatch(i, j + 1, day)


def _month(reading: TokenizedText, i: int, j: int, count: int) -> DateMatch | None:
    """Match "last June", "next May 5th"; "this may be" and "the last march" are not months."""
    name, month, said = reading.word(j), MONTHS[reading.word(j)], reading.said
    if name in DOUBTFUL_MONTHS and not reading.capital(j):
        return None
    year = said.year - (month >= said.month) if count < 0 else said.year + (count > 0 and month <= said.month)
    if reading.kind(j + 1) in ("ordinal", "number") and (found := directed(reading, j, forced=count)):
        found.first = i
        return found
    found = dated(reading, i, j + 1, Fields(year, month))
    if found is not None:
        found.relative, found.fields = True, None
    return found


def _season(reading: TokenizedText, i: int, month: int, count: int) -> Interval:
    said = reading.said
    this = season(said, month, 0)
    if count < 0:
        return this if this.end <= said else season(said, month, -1)
    if count > 0:
        return this if this.start > said else season(said, month, 1)
    if this.start > said and reading.direction(i) < 0:
        return season(said, month, -1)
    return this


def _this_weekend(reading: TokenizedText, i: int) -> Interval:
    """Return this week's weekend; the one before in the past tense on a working day."""
    back = reading.direction(i) < 0 and reading.said.weekday() < 5
    return beside(reading.said, "weekend", -1 if back else 0)


def _this_time(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "this time last year", "this time next week"."""
    count = {"last": -1, "next": 1}.get(reading.word(i + 2), 0)
    unit = UNITS.get(reading.word(i + 3), "")
    if not count or unit not in ("week", "month", "year"):
        return None
    return DateMatch(i, i + 4, containing(shift(reading.said, unit, count), "month" if unit == "year" else "day"))


@point_rule("the")
def _before_last(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the week before last", "the summer before last", "the month after next"."""
    noun, j = reading.word(i + 1), i + 4
    sign = {("before", "last"): -1, ("after", "next"): 1}.get((reading.word(i + 2), reading.word(i + 3)), 0)
    if not sign:
        return None
    said = reading.said
    if noun in SEASONS:
        return DateMatch(i, j, _shifted_year(_season(reading, i, SEASONS[noun], sign), sign))
    if noun in WEEKDAYS:
        return DateMatch(i, j, weekday(said, WEEKDAYS[noun], 2 * sign))
    if noun in MONTHS and (found := _month(reading, i, i + 1, sign)):
        return DateMatch(i, j, _shifted_year(found.stretch, sign))
    if UNITS.get(noun) in _CALENDAR:
        return DateMatch(i, j, beside(said, UNITS[noun], 2 * sign))
    return None


def _shifted_year(stretch: Interval, sign: int) -> Interval:
    return Interval(shift(stretch.start, "year", sign), shift(stretch.end, "year", sign), stretch.granularity)


@point_rule("the")
def _around(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the day after Christmas", "the week before 9 June", "the Friday before 15 July", "the week of 9 June"."""
    noun, word = reading.word(i + 1), reading.word(i + 2)
    if word == "of" and noun in ("week", "weekend"):
        return _holding(reading, i, noun)
    if word not in ("before", "after") or (noun not in WEEKDAYS and UNITS.get(noun) is None):
        return None
    anchor = point(reading, i + 3)
    if anchor is None or anchor.kind != "point" or anchor.stretch.granularity in ("minute", "hour", "part"):
        return None
    sign = -1 if word == "before" else 1
    stretch = _beside_anchor(noun, anchor.stretch, sign)
    return None if stretch is None else DateMatch(i, anchor.stop, stretch, relative=anchor.relative)


def _holding(reading: TokenizedText, i: int, unit: str) -> DateMatch | None:
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
    return beside(edge, unit, sign) if unit in ("month", "year") else None


@point_rule("the")
def _other(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the other day": some day of the last week."""
    if reading.word(i + 1) != "other" or (days := OTHER_DAYS.get(reading.word(i + 2))) is None:
        return None
    end = midnight(reading.said) if reading.word(i + 2) == "week" else reading.said
    granularity = "week" if reading.word(i + 2) in ("week", "weekend") else "day"
    start = shift(midnight(reading.said), "day", -days)
    return DateMatch(i, i + 3, Interval(start, end, granularity), "vague")


@phrase_rule(*RECENT_DAYS)
def _recently(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "recently", "lately": within a month."""
    start = shift(reading.said, "day", -RECENT_DAYS[reading.word(i)])
    return DateMatch(i, i + 1, Interval(start, reading.said, "day"), "vague")


@point_rule(*WEEKDAYS)
def _bare_weekday(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "Friday", "Friday before last", "Friday 5 July", "Friday of next week"."""
    word, before, after = reading.word(i), reading.word(i - 1), reading.word(i + 1)
    if before in _ANY_DAY or (word == "sunday" and after == "school"):
        return None
    comma = i + 1 + (after in (",", "."))
    if reading.kind(comma) in ("number", "ordinal", "iso", "numeric") or reading.word(comma) in (*MONTHS, "the"):
        found = point(reading, comma)
        if found and found.fields and found.fields.day:
            found.first = i
            return found
    if word not in FULL_WEEKDAYS and not _short_weekday(reading, i):
        return None
    return _named_weekday(reading, i)


def _short_weekday(reading: TokenizedText, i: int) -> bool:
    """Tell if Sat, Sun, Wed or Mon is a day: "he sat", "the sun" are not, and "Tue Thu Sat" is a habit."""
    listed = reading.word(i - 1) in WEEKDAYS or reading.word(i + 1) in WEEKDAYS
    return (
        reading.capital(i)
        and (
            (reading.word(i) in _PLAINLY and not listed)
            or reading.word(i - 1) in _LISTING
            or reading.word(i + 1) in PARTS
            or reading.kind(i + 1) == "clock"
        )
        and not (reading.word(i - 1) in ("and", "or", ",") and reading.word(i) in ("sun", "sat", "wed", "mon"))
    )


def _named_weekday(reading: TokenizedText, i: int) -> DateMatch | None:
    number, two = WEEKDAYS[reading.word(i)], reading.words[i + 1 : i + 3]
    if two == ["before", "last"]:
        return DateMatch(i, i + 3, weekday(reading.said, number, -2))
    if reading.word(i + 1) == "week" and reading.word(i + 2) not in ("of", "in"):
        return DateMatch(i, i + 2, weekday(reading.said, number, 2))
    if reading.word(i + 1) == "fortnight":
        return DateMatch(i, i + 2, weekday(reading.said, number, 3))
    if (found := _weeks_ahead(reading, i, number)) is not None:
        return found
    j = i + 1 + (reading.word(i + 1) == "of")
    if reading.word(j) in ("last", "this", "next") and reading.word(j + 1) == "week":
        week = beside(reading.said, "week", {"last": -1, "this": 0, "next": 1}[reading.word(j)])
        return DateMatch(i, j + 2, containing(week.start + number * ONE_DAY, "day"))
    if (found := _numbered_weekday(reading, i, number)) is not None:
        return found
    if reading.word(i - 1) == "the":
        return None
    return DateMatch(i, i + 1, weekday(reading.said, number, 1 if reading.direction(i) > 0 else -1))


def _weeks_ahead(reading: TokenizedText, i: int, number: int) -> DateMatch | None:
    """Match "Saturday in two weeks", "Friday, a fortnight from now": the day in the week that lies so far ahead."""
    j = i + 1 + (reading.word(i + 1) == ",")
    inside = reading.word(j) == "in"
    many = amount(reading, j + inside)
    if many is None or many.unit != "week" or not many.exact:
        return None
    stop = many.stop + (reading.word(many.stop) == "time")
    if not inside:
        if reading.words[stop : stop + 2] != ["from", "now"]:
            return None
        stop += 2
    week = beside(reading.said, "week", many.low)
    return DateMatch(i, stop, containing(week.start + number * ONE_DAY, "day"))


def _numbered_weekday(reading: TokenizedText, i: int, number: int) -> DateMatch | None:
    """Match "Monday the 18th": the nearest month whose 18th is a Monday, in the tense of the clause."""
    if reading.word(i + 1) != "the" or reading.kind(i + 2) != "ordinal" or reading.word(i + 3) in (*MONTHS, "of"):
        return None
    day, said = int(reading.word(i + 2).rstrip("stndrh")), reading.said
    first = containing(said, "month").start
    found: list[datetime] = []
    for count in range(-_MONTHS_AROUND, _MONTHS_AROUND + 1):
        month = shift(first, "month", count)
        one = month + (day - 1) * ONE_DAY
        if one.month == month.month and one.weekday() == number:
            found.append(one)
    direction = reading.direction(i)
    ahead = [one for one in found if (one.date() - said.date()).days * direction >= 0]
    if not ahead:
        return None
    return DateMatch(i, i + 3, containing(min(ahead, key=lambda one: abs(one - said)), "day"))


# Months before and after the time of saying that "Monday the 18th" may lie in.
_MONTHS_AROUND: Final = 6


@point_rule("the", "weekend", "weekends")
def _the_weekend(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "over the weekend"."""
    if reading.words[i : i + 2] != ["the", "weekend"] or not reading.preposition(i + 1) or reading.word(i + 2) == "of":
        return None
    weekend = reading.said.weekday() >= 5
    count = 0 if weekend or reading.direction(i) > 0 else -1
    return DateMatch(i, i + 2, beside(reading.said, "weekend", count))
