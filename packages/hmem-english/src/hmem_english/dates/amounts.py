"""Amounts of time: "two weeks ago", "in three days", "for the past two months", "a week from Friday"."""

from typing import Final, NamedTuple

from hmem.language.regex import regex
from hmem_english.dates.rules import DateMatch, phrase_rule, point, point_rule
from hmem_english.dates.stretch import Interval, beside, containing, shift, weekday
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import ABOUT, FEW, HALVES, LAST, NEXT, NUMBERS, UNITS, WEEKDAYS, WHOLES, words_of

_DIGITS: Final = regex("[0-9]+")
_COMPOUND: Final = {"fortnight": ("week", 2), "decade": ("year", 10)}
_STARTS: Final = (*NUMBERS, *FEW, "couple", "half", ":number", ":days")
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
    if reading.word(i) in ("a", "the", "an", "these", "those") and reading.word(i + 1) in (*FEW, "couple", "good"):
        i += 1
    if reading.word(i) == "good":
        i += 1
    if reading.word(i) == "half":
        return _half(reading, i)
    counted = _count(reading, i)
    if counted is None:
        return None
    low, high, middle, stop = counted
    half = reading.words[stop : stop + 3] == ["and", "a", "half"]
    stop += 3 * half
    unit = UNITS.get(reading.word(stop))
    if unit is None or reading.word(stop + 1) in ("old", "olds", "older", "younger"):
        return None
    return _finish(reading, Amount(unit, low, high, middle, stop + 1), half=half)


def _count(reading: TokenizedText, i: int) -> tuple[int, int, int, int] | None:
    word = reading.word(i)
    if word in FEW:
        return *FEW[word], i + 1 + (reading.word(i + 1) == "of")
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


def _finish(reading: TokenizedText, found: Amount, *, half: bool) -> Amount:
    """Extend an amount by the words after its unit: "and a half", "or two", "or so"."""
    unit, low, high, middle, stop = found
    if reading.words[stop : stop + 3] == ["and", "a", "half"]:
        half, stop = True, stop + 3
    elif reading.word(stop) == "or" and (more := _number(reading, stop + 1)) and more > high:
        high, stop = more, stop + 2
    elif reading.words[stop : stop + 2] == ["or", "so"]:
        stop += 2
    if half and unit in HALVES:
        (smaller, extra), whole = HALVES[unit], WHOLES[unit][1]
        low, high, middle, unit = (low * whole + extra, high * whole + extra, middle * whole + extra, smaller)
    if unit in _COMPOUND:
        unit, times = _COMPOUND[unit]
        low, high, middle = times * low, times * high, times * middle
    return Amount(unit, low, high, middle, stop)


def _over(reading: TokenizedText, i: int) -> int:
    """Return the number of tokens before an amount that mean more than it: "over", "more than"."""
    if reading.word(i - 1) == "over":
        return 1
    return 2 if reading.word(i - 1) == "than" and reading.word(i - 2) == "more" else 0


def _away(reading: TokenizedText, many: Amount, sign: int, first: int) -> DateMatch:
    """Match the unit that lies an amount back (-1) or ahead (1); a range of units if the amount is not exact."""
    over = _over(reading, first)
    if many.exact and not over:
        return DateMatch(first, many.stop, beside(reading.said, many.unit, sign * many.low))
    low, high = many.low, many.high + (max(1, many.low // 2) if over else 0)
    near, far = beside(reading.said, many.unit, sign * low), beside(reading.said, many.unit, sign * high)
    stretch = Interval(min(near.start, far.start), max(near.end, far.end), near.granularity)
    return DateMatch(first - over, many.stop, stretch, "vague")


@point_rule(*_STARTS)
def _ago(reading: TokenizedText, i: int) -> DateMatch | None:
    many = amount(reading, i)
    if many is None:
        return None
    after = reading.word(many.stop)
    if after == "ago" or (after == "back" and reading.word(many.stop + 1) not in _NEVER_BACK):
        return _ago_from(reading, i, many._replace(stop=many.stop + 1))
    if after == "from":
        return _from(reading, i, many)
    if after in ("now", "already") and many.unit in ("week", "month", "year", "decade"):
        return _until_now(reading, i, many._replace(stop=many.stop + 1))
    if after in ("before", "after"):
        return _around(reading, i, many, -1 if after == "before" else 1)
    return None


def _ago_from(reading: TokenizedText, i: int, many: Amount) -> DateMatch:
    """Match an amount with "ago", and a day after it if there is one: "a week ago Tuesday", "a year ago today"."""
    stop = many.stop + (reading.word(many.stop) in ("on", "this", "last", "from"))
    named = reading.word(stop)
    if many.exact and named == "today":
        return DateMatch(i, stop + 1, containing(shift(reading.said, many.unit, -many.low), "day"))
    if many.exact and many.unit == "week" and named in WEEKDAYS:
        day = weekday(reading.said, WEEKDAYS[named], -1 - many.low)
        return DateMatch(i, stop + 1, day)
    return _away(reading, many, -1, i)


def _from(reading: TokenizedText, i: int, many: Amount) -> DateMatch | None:
    """Match an amount from now, from today or from a day: "a week from Friday"."""
    if reading.word(many.stop + 1) in ("now", "today"):
        exact = reading.word(many.stop + 1) == "today"
        found = _away(reading, many._replace(stop=many.stop + 2), 1, i)
        if exact and many.exact:
            found.stretch = containing(shift(reading.said, many.unit, many.low), "day")
        return found
    day = point(reading, many.stop + 1)
    if day is None or day.stretch.granularity != "day" or not many.exact:
        return None
    if reading.word(many.stop + 1) in WEEKDAYS:
        day.stretch = weekday(reading.said, day.stretch.start.weekday(), 1)
    return DateMatch(i, day.stop, containing(shift(day.stretch.start, many.unit, many.low), "day"))


def _around(reading: TokenizedText, i: int, many: Amount, sign: int) -> DateMatch | None:
    """Match an amount before or after a date: "two days before Christmas"."""
    anchor = point(reading, many.stop + 1)
    if anchor is None or not many.exact or many.unit in ("minute", "hour"):
        return None
    if anchor.stretch.granularity not in ("day", "month", "year"):
        return None
    if many.unit == "weekend":
        return DateMatch(
            i, anchor.stop, beside(anchor.stretch.start, "weekend", sign * many.low), relative=anchor.relative
        )
    moved = containing(shift(anchor.stretch.start, many.unit, sign * many.low), anchor.stretch.granularity)
    return DateMatch(i, anchor.stop, moved, relative=anchor.relative)


def _until_now(reading: TokenizedText, first: int, many: Amount) -> DateMatch:
    start = shift(reading.said, many.unit, -many.middle)
    return DateMatch(first, many.stop, containing(start, many.unit)._replace(start=start, end=reading.said), "duration")


@point_rule(*_STARTS)
def _on(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "a week on Monday", "two weeks on Sunday": so many weeks after the coming one."""
    many = amount(reading, i)
    if many is None or many.unit != "week" or not many.exact or reading.word(many.stop) != "on":
        return None
    named = reading.word(many.stop + 1)
    if named not in WEEKDAYS or reading.word(i - 1) in ("for", "in", "last", "of") or reading.direction(i) < 0:
        return None
    day = weekday(reading.said, WEEKDAYS[named], 1)
    return DateMatch(i, many.stop + 2, containing(shift(day.start, "week", many.low), "day"))


@phrase_rule("in", "within")
def _in(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "in three days", but not in the past tense: "I read it in three days" is a duration."""
    j = i + 1 + (reading.word(i + 1) in ABOUT)
    many = amount(reading, j)
    if many is None or many.stop - j < 2 or reading.direction(i) < 0:
        return None
    if reading.word(many.stop) in ("of", "a", "per"):
        return None
    many = many._replace(stop=many.stop + (reading.word(many.stop) == "time"))
    if reading.word(i) == "within":
        whole = containing(reading.said, many.unit)
        end = shift(reading.said, many.unit, many.high)
        return DateMatch(i, many.stop, whole._replace(start=reading.said, end=end), "until")
    found = _away(reading, many, 1, j)
    found.first = i
    return found


@phrase_rule("for")
def _for(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "for three years" as a time until now, unless the clause speaks of the future."""
    j = i + 1
    while reading.word(j) in ABOUT or reading.word(j) in ("over", "well", "more", "than", "at", "least", "all", "some"):
        j += 1
    many = amount(reading, j)
    if many is None:
        return _rolling_after(reading, i, j)
    perfect = any(reading.word(k) in _PERFECT for k in (*range(i - 8, i), many.stop))
    if not perfect and (many.unit not in _LONG or reading.direction(i) > 0):
        return None
    many = many._replace(stop=many.stop + (reading.word(many.stop) == "now"))
    return _until_now(reading, i, many)


def _rolling_after(reading: TokenizedText, i: int, j: int) -> DateMatch | None:
    found = rolling(reading, j)
    if found is not None:
        found.first = i
    return found


@phrase_rule("the", "these", *LAST, *NEXT, "this")
def rolling(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the past two months", "the last few days", "the next three weeks": until now, or from now."""
    j = i + (reading.word(i) in ("the", "these", "this"))
    j += reading.word(j) == "past" and reading.word(j + 1) == "past"
    word = reading.word(j)
    if word not in LAST and word not in NEXT:
        return None
    many = amount(reading, j + 1)
    if many is None or many.unit == "weekend" or reading.word(j + 1) in ("a", "an"):
        return _rolling_one(reading, i, j)
    if word in LAST:
        return _until_now(reading, i, many)
    end = shift(reading.said, many.unit, many.middle)
    stretch = containing(reading.said, many.unit)._replace(start=reading.said, end=end)
    return DateMatch(i, many.stop, stretch, "duration")


def _rolling_one(reading: TokenizedText, i: int, j: int) -> DateMatch | None:
    """Match "the past week", or "over the last month", which is not "last month"."""
    unit = UNITS.get(reading.word(j + 1), "")
    if unit not in ("day", "week", "month", "year", "decade", "hour") or reading.word(j + 2) in ("of", "before"):
        return None
    before = reading.word(i - 1) in ("in", "over", "during", "within", "for", "throughout")
    if reading.word(j) == "past" or (reading.word(j) == "last" and reading.word(i) == "the" and before):
        return _until_now(reading, i, Amount(unit, 1, 1, 1, j + 2))
    return None
