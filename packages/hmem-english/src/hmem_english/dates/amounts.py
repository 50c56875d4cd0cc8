"""Amounts of time: "two weeks ago", "in three days", "for the past two months", "a week from Friday"."""

from typing import Final, NamedTuple

from hmem.language.regex import regex
from hmem_english.dates.rules import DateMatch, phrase_rule, point, point_rule
from hmem_english.dates.stretch import Interval, containing, relative_unit, shift, weekday
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import (
    APPROXIMATORS,
    HALVES,
    LAST,
    NEXT,
    NUMBERS,
    UNITS,
    VAGUE_COUNTS,
    WEEKDAYS,
    WHOLES,
    words_of,
)

_DIGITS: Final = regex("[0-9]+")
_COMPOUND: Final = {"fortnight": ("week", 2), "decade": ("year", 10)}
_STARTS: Final = (*NUMBERS, *VAGUE_COUNTS, "couple", "half", ":number", ":days")
_VAGUE: Final = frozenset((*VAGUE_COUNTS, "couple", "good"))
# Words between "for" and an amount.
_BEFORE_AMOUNT: Final = APPROXIMATORS | words_of("over well more than at least all some")
_NEVER_BACK: Final = words_of("in at to from home on into")
_PERFECT: Final = frozenset(("'ve", "have", "has", "been", "had", "now", "having"))
# In the past tense, "for two weeks" has mostly ended by now; "for two years" may last until now.
_LONG: Final = frozenset(("month", "year", "decade"))


class Amount(NamedTuple):
    """A number of units: least, greatest and the value to calculate with; ends before token ``stop``."""

    unit: str
    low: int
    high: int
    middle: int
    stop: int

    @property
    def exact(self) -> bool:
        return self.low == self.high


def amount(reading: TokenizedText, i: int) -> Amount | None:
    """Return the amount of time that starts at a token, or None."""
    if reading.word(i) in ("a", "the", "an", "these", "those") and reading.word(i + 1) in _VAGUE:
        i += 1
    if reading.word(i) == "good":
        i += 1
    if reading.word(i) == "half":
        return _half(reading, i)
    numeral = _count(reading, i)
    if numeral is None:
        return None
    low, high, middle, stop = numeral
    half = reading.words[stop : stop + 3] == ["and", "a", "half"]
    stop += 3 * half
    unit = UNITS.get(reading.word(stop))
    if unit is None or reading.word(stop + 1) in ("old", "olds", "older", "younger"):
        return None
    return _finish(reading, Amount(unit, low, high, middle, stop + 1), half=half)


def _count(reading: TokenizedText, i: int) -> tuple[int, int, int, int] | None:
    word = reading.word(i)
    if word in VAGUE_COUNTS:
        return *VAGUE_COUNTS[word], i + 1 + (reading.word(i + 1) == "of")
    if word == "couple":
        return 2, 2, 2, i + 1 + (reading.word(i + 1) == "of") + (reading.word(i + 1) == "more")
    if reading.kind(i) == "days":
        low, high = sorted(int(digits) for digits in _DIGITS.findall(word))
        return low, high, high, i + 1
    low = _number(reading, i)
    if low is None:
        return None
    if reading.word(i + 1) in ("to", "or", "-") and (high := _number(reading, i + 2)) and high > low:
        return low, high, high, i + 3
    return low, low, low, i + 1


def _number(reading: TokenizedText, i: int) -> int | None:
    if reading.kind(i) == "number":
        return int(reading.word(i))
    return NUMBERS.get(reading.word(i))


def _half(reading: TokenizedText, i: int) -> Amount | None:
    stop = i + 1 + (reading.word(i + 1) in ("a", "an"))
    if (halved := HALVES.get(UNITS.get(reading.word(stop), ""))) is None:
        return None
    unit, count = halved
    return Amount(unit, count, count, count, stop + 1)


def _finish(reading: TokenizedText, quantity: Amount, *, half: bool) -> Amount:
    """Extend an amount by the words after its unit: "and a half", "or two", "or so"."""
    unit, low, high, middle, stop = quantity
    if reading.words[stop : stop + 3] == ["and", "a", "half"]:
        half, stop = True, stop + 3
    elif reading.word(stop) == "or" and (alternative := _number(reading, stop + 1)) and alternative > high:
        high, stop = alternative, stop + 2
    elif reading.words[stop : stop + 2] == ["or", "so"]:
        stop += 2
    if half and unit in HALVES:
        (smaller, extra), factor = HALVES[unit], WHOLES[unit][1]
        low, high, middle, unit = (low * factor + extra, high * factor + extra, middle * factor + extra, smaller)
    if unit in _COMPOUND:
        unit, times = _COMPOUND[unit]
        low, high, middle = times * low, times * high, times * middle
    return Amount(unit, low, high, middle, stop)


def _count_comparative(reading: TokenizedText, i: int) -> int:
    """Return the number of tokens before an amount that mean more than it: "over", "more than"."""
    if reading.word(i - 1) == "over":
        return 1
    return 2 if reading.word(i - 1) == "than" and reading.word(i - 2) == "more" else 0


def _away(reading: TokenizedText, quantity: Amount, sign: int, first: int) -> DateMatch:
    """Match the unit that lies an amount back (-1) or ahead (1); a range of units if the amount is not exact."""
    excess = _count_comparative(reading, first)
    nearest = relative_unit(reading.reference_time, quantity.unit, sign * quantity.low)
    if quantity.exact and not excess:
        return DateMatch(first, quantity.stop, nearest)
    high = quantity.high + (max(1, quantity.low // 2) if excess else 0)
    farthest = relative_unit(reading.reference_time, quantity.unit, sign * high)
    stretch = Interval(min(nearest.start, farthest.start), max(nearest.end, farthest.end), nearest.granularity)
    return DateMatch(first - excess, quantity.stop, stretch, "vague")


@point_rule(*_STARTS)
def _ago(reading: TokenizedText, i: int) -> DateMatch | None:
    quantity = amount(reading, i)
    if quantity is None:
        return None
    after = reading.word(quantity.stop)
    if after == "ago" or (after == "back" and reading.word(quantity.stop + 1) not in _NEVER_BACK):
        return _ago_from(reading, i, quantity._replace(stop=quantity.stop + 1))
    if after == "from":
        return _from(reading, i, quantity)
    if after in ("now", "already") and quantity.unit in ("week", "month", "year", "decade"):
        return _until_now(reading, i, quantity._replace(stop=quantity.stop + 1))
    if after in ("before", "after"):
        return _beside_date(reading, i, quantity, -1 if after == "before" else 1)
    return None


def _ago_from(reading: TokenizedText, i: int, quantity: Amount) -> DateMatch:
    """Match an amount with "ago", and a day after it if there is one: "a week ago Tuesday", "a year ago today"."""
    stop = quantity.stop + (reading.word(quantity.stop) in ("on", "this", "last", "from"))
    day_name = reading.word(stop)
    if quantity.exact and day_name == "today":
        return DateMatch(i, stop + 1, containing(shift(reading.reference_time, quantity.unit, -quantity.low), "day"))
    if quantity.exact and quantity.unit == "week" and day_name in WEEKDAYS:
        day = weekday(reading.reference_time, WEEKDAYS[day_name], -1 - quantity.low)
        return DateMatch(i, stop + 1, day)
    return _away(reading, quantity, -1, i)


def _from(reading: TokenizedText, i: int, quantity: Amount) -> DateMatch | None:
    """Match an amount from now, from today or from a day: "a week from Friday"."""
    if reading.word(quantity.stop + 1) in ("now", "today"):
        exact = reading.word(quantity.stop + 1) == "today"
        match = _away(reading, quantity._replace(stop=quantity.stop + 2), 1, i)
        if exact and quantity.exact:
            match.stretch = containing(shift(reading.reference_time, quantity.unit, quantity.low), "day")
        return match
    day = point(reading, quantity.stop + 1)
    if day is None or day.stretch.granularity != "day" or not quantity.exact:
        return None
    if reading.word(quantity.stop + 1) in WEEKDAYS:
        day.stretch = weekday(reading.reference_time, day.stretch.start.weekday(), 1)
    return DateMatch(i, day.stop, containing(shift(day.stretch.start, quantity.unit, quantity.low), "day"))


def _beside_date(reading: TokenizedText, i: int, quantity: Amount, sign: int) -> DateMatch | None:
    """Match an amount before or after a date: "two days before Christmas"."""
    anchor = point(reading, quantity.stop + 1)
    if anchor is None or not quantity.exact or quantity.unit in ("minute", "hour"):
        return None
    if anchor.stretch.granularity not in ("day", "month", "year"):
        return None
    if quantity.unit == "weekend":
        stretch = relative_unit(anchor.stretch.start, "weekend", sign * quantity.low)
    else:
        moment = shift(anchor.stretch.start, quantity.unit, sign * quantity.low)
        stretch = containing(moment, anchor.stretch.granularity)
    return DateMatch(i, anchor.stop, stretch, relative=anchor.relative)


def _until_now(reading: TokenizedText, first: int, quantity: Amount) -> DateMatch:
    start = shift(reading.reference_time, quantity.unit, -quantity.middle)
    stretch = containing(start, quantity.unit)._replace(start=start, end=reading.reference_time)
    return DateMatch(first, quantity.stop, stretch, "duration")


@point_rule(*_STARTS)
def _weeks_on_weekday(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "a week on Monday", "two weeks on Sunday": so many weeks after the coming one."""
    quantity = amount(reading, i)
    if quantity is None or quantity.unit != "week" or not quantity.exact or reading.word(quantity.stop) != "on":
        return None
    day_name = reading.word(quantity.stop + 1)
    if day_name not in WEEKDAYS or reading.word(i - 1) in ("for", "in", "last", "of") or reading.direction(i) < 0:
        return None
    day = weekday(reading.reference_time, WEEKDAYS[day_name], 1)
    return DateMatch(i, quantity.stop + 2, containing(shift(day.start, "week", quantity.low), "day"))


@phrase_rule("in", "within")
def _in_amount(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "in three days", but not in the past tense: "I read it in three days" is a duration."""
    j = i + 1 + (reading.word(i + 1) in APPROXIMATORS)
    quantity = amount(reading, j)
    if quantity is None or quantity.stop - j < 2 or reading.direction(i) < 0:
        return None
    if reading.word(quantity.stop) in ("of", "a", "per"):
        return None
    quantity = quantity._replace(stop=quantity.stop + (reading.word(quantity.stop) == "time"))
    if reading.word(i) == "within":
        unit_interval = containing(reading.reference_time, quantity.unit)
        end = shift(reading.reference_time, quantity.unit, quantity.high)
        return DateMatch(i, quantity.stop, unit_interval._replace(start=reading.reference_time, end=end), "until")
    match = _away(reading, quantity, 1, j)
    match.first = i
    return match


@phrase_rule("for")
def _for(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "for three years" as a time until now, unless the clause speaks of the future."""
    j = i + 1
    while reading.word(j) in _BEFORE_AMOUNT:
        j += 1
    quantity = amount(reading, j)
    if quantity is None:
        return _rolling_after(reading, i, j)
    perfect = any(reading.word(k) in _PERFECT for k in (*range(i - 8, i), quantity.stop))
    if not perfect and (quantity.unit not in _LONG or reading.direction(i) > 0):
        return None
    quantity = quantity._replace(stop=quantity.stop + (reading.word(quantity.stop) == "now"))
    return _until_now(reading, i, quantity)


def _rolling_after(reading: TokenizedText, i: int, j: int) -> DateMatch | None:
    match = rolling(reading, j)
    if match is not None:
        match.first = i
    return match


@phrase_rule("the", "these", *LAST, *NEXT, "this")
def rolling(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the past two months", "the last few days", "the next three weeks": until now, or from now."""
    j = i + (reading.word(i) in ("the", "these", "this"))
    j += reading.word(j) == "past" and reading.word(j + 1) == "past"
    word = reading.word(j)
    if word not in LAST and word not in NEXT:
        return None
    quantity = amount(reading, j + 1)
    if quantity is None or quantity.unit == "weekend" or reading.word(j + 1) in ("a", "an"):
        return _rolling_one(reading, i, j)
    if word in LAST:
        return _until_now(reading, i, quantity)
    end = shift(reading.reference_time, quantity.unit, quantity.middle)
    stretch = containing(reading.reference_time, quantity.unit)._replace(start=reading.reference_time, end=end)
    return DateMatch(i, quantity.stop, stretch, "duration")


def _rolling_one(reading: TokenizedText, i: int, j: int) -> DateMatch | None:
    """Match "the past week", or "over the last month", which is not "last month"."""
    unit = UNITS.get(reading.word(j + 1), "")
    if unit not in ("day", "week", "month", "year", "decade", "hour") or reading.word(j + 2) in ("of", "before"):
        return None
    before = reading.word(i - 1) in ("in", "over", "during", "within", "for", "throughout")
    if reading.word(j) == "past" or (reading.word(j) == "last" and reading.word(i) == "the" and before):
        return _until_now(reading, i, Amount(unit, 1, 1, 1, j + 2))
    return None
