"""Phrases around points: "since 2016", "until Friday", "from June to August", "every Tuesday", "twice a month".

Since: from the start of the point until the time of saying. Until, by, before: from the time of saying to the end of
the point (before: to its start); if that lies in the past, the point itself, since the beginning is unknown. A range
lasts from the start of one point to the end of another. A recurring time has the span of one period around the time of
saying.
"""

from datetime import timedelta
from typing import Final

from hmem_english.dates.absolute import point_or_month
from hmem_english.dates.amounts import amount
from hmem_english.dates.clock import with_time
from hmem_english.dates.named import this_unit
from hmem_english.dates.rules import DateMatch, directed, phrase, phrase_rule
from hmem_english.dates.stretch import Interval, containing, shift
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import DAY_PARTS, FREQUENCIES, MONTHS, NUMBERS, SEASONS, UNITS, WEEKDAY_PLURALS, WEEKDAYS

_TO: Final = frozenset(("to", "until", "till", "til", "through", "thru", "-"))
_MOVES: Final = frozenset(("moved", "move", "changed", "rescheduled", "switched", "postponed", "shifted", "pushed"))
_TIMES: Final = frozenset(("once", "twice", "thrice"))
_COUNT_WORDS: Final = frozenset((*NUMBERS, "few", "couple", "several", "many", "multiple"))
# A longer range is not one that people speak of.
_FARTHEST: Final = timedelta(days=36_525)
_FINEST: Final = ("minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter", "year", "decade")


def _anchor(reading: TokenizedText, i: int, *, forced: int = 0, neutral: int = 0) -> DateMatch | None:
    """Match the point after a preposition, ignoring "back in" and "about" between them."""
    while reading.word(i) in ("about", "around", "back", "in", "like", "way", "at", "on"):
        i += 1
    match = directed(reading, i, forced, neutral) or this_unit(reading, i)
    if match is None or match.kind != "point":
        return None
    return with_time(reading, match)


def _is_possessive(reading: TokenizedText, match: DateMatch) -> bool:
    """Tell if something of the point is meant: "after yesterday's meeting" is still yesterday."""
    return reading.kind(match.stop) == "suffix" and reading.kind(match.stop + 1) == "word"


@phrase_rule("since", "ever")
def _since(reading: TokenizedText, i: int) -> DateMatch | None:
    first, j = i, i + 1
    if reading.word(i) == "ever":
        if reading.word(j) != "since":
            return None
        j += 1
    match = _anchor(reading, j, forced=-1)
    if match is None or _is_possessive(reading, match):
        return None
    start, end = match.stretch.start, match.stretch.end
    if start < reading.reference_time:
        end = reading.reference_time
    return DateMatch(first, match.stop, match.stretch._replace(end=end), "since", relative=True)


@phrase_rule("until", "till", "til", "by", "before")
def _until(reading: TokenizedText, i: int) -> DateMatch | None:
    match = _anchor(reading, i + 1, neutral=1)
    if match is None or _is_possessive(reading, match):
        return None
    before = reading.word(i) == "before"
    end = match.stretch.start if before else match.stretch.end
    if match.stretch.granularity in ("minute", "hour"):
        end = match.stretch.start
    stretch = (
        match.stretch
        if end <= reading.reference_time
        else match.stretch._replace(start=reading.reference_time, end=end)
    )
    return DateMatch(i, match.stop, stretch, "until")


@phrase_rule("after", "starting", "beginning", "from")
def _after(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "after Christmas", "starting next week", "from Monday on"."""
    word = reading.word(i)
    if word == "from":
        return _range(reading, i) or _onwards(reading, i)
    match = _anchor(reading, i + 1, neutral=-1 if word == "after" else 1)
    if match is None or _is_possessive(reading, match) or match.stretch.granularity in ("minute", "hour"):
        return None
    stretch = match.stretch
    start = stretch.end if word == "after" else stretch.start
    if start < reading.reference_time:
        stretch = stretch._replace(start=start, end=reading.reference_time)
    return DateMatch(i, match.stop, stretch, "since")


def _onwards(reading: TokenizedText, i: int) -> DateMatch | None:
    match = directed(reading, i + 1, neutral=1)
    if match is None or reading.word(match.stop) not in ("on", "onwards", "onward", "forward"):
        return None
    if reading.word(match.stop) == "on" and reading.kind(match.stop + 1) == "word":
        return None
    return DateMatch(i, match.stop + 1, match.stretch, "since")


def _range(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "from June to August"."""
    if any(word in _MOVES for word in reading.words[max(0, i - 6) : i]):
        return None
    first = point_or_month(reading, i + 1)
    if first is None or reading.word(first.stop) not in _TO:
        return None
    return span_of(reading, i, first, first.stop + 1)


@phrase_rule("between")
def _between_points(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "between 5 and 9 May", "between June and August"."""
    first = point_or_month(reading, i + 1)
    if first is None:
        return None
    if first.kind == "duration":
        first.first = i
        return first
    return span_of(reading, i, first, first.stop + 1) if reading.word(first.stop) == "and" else None


@phrase_rule(*MONTHS)
def _two_months(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "March and April 2023": two consecutive months with one year."""
    first = point_or_month(reading, i) if reading.word(i + 1) == "and" and reading.word(i + 2) in MONTHS else None
    last = point_or_month(reading, i + 2) if first is not None and first.stop == i + 1 else None
    if first is None or last is None or last.fields is None or last.fields.day or not last.fields.year:
        return None
    return span_of(reading, i, first, i + 2) if MONTHS[reading.word(i)] % 12 + 1 == last.fields.month else None


def span_of(reading: TokenizedText, i: int, first: DateMatch, j: int) -> DateMatch | None:
    """Match the range from a point to the one at token ``j``; each takes a missing year or month from the other."""
    last = point_or_month(reading, j)
    if last is None or last.kind != "point" or first.kind != "point":
        return None
    if _FINEST.index(first.stretch.granularity) != _FINEST.index(last.stretch.granularity):
        return None
    start, end = first.stretch.start, last.stretch.end
    if abs(end - start) > _FARTHEST:
        return None
    step = _step(first, last)
    if step and reading.direction(i) > 0 and last.relative:
        while end <= start:
            end = shift(end, step, 1)
    elif step and first.relative:
        while start >= end:
            start = shift(start, step, -1)
        while not last.relative and shift(start, step, 1) < end:
            start = shift(start, step, 1)
    if end <= start:
        return None
    stretch = Interval(start, end, first.stretch.granularity)
    return DateMatch(i, last.stop, stretch, "duration", relative=last.relative or (first.relative and not first.fields))


def _step(first: DateMatch, last: DateMatch) -> str:
    """Return the unit after which the points' words recur, by which one end is moved; "" for none."""
    if first.stretch.granularity in ("month", "season") or (first.fields and first.fields.month):
        return "year"
    if first.stretch.granularity == "day":
        return "month" if first.fields or last.fields else "week"
    return ""


@phrase_rule("every", "each")
def _every_period(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "every Tuesday", "every other week", "each summer", "every few months"."""
    j = i + 1
    while reading.word(j) in ("single", "other", "second", "third", "last", "first"):
        j += 1
    if (quantity := amount(reading, j)) and quantity.unit not in ("minute", "hour"):
        return _recurring(reading, i, quantity.stop, quantity.unit)
    word = reading.word(j)
    stop = j + 1 + (reading.word(j + 1) in DAY_PARTS)
    while reading.word(stop) in ("and", ",") and reading.word(stop + 1) in WEEKDAYS:
        stop += 2
    if unit := _period(word):
        return _recurring(reading, i, stop, unit)
    return None


def _period(word: str) -> str:
    """Return the unit in which a Tuesday, a morning, a June or a month occurs once; "" for any other word."""
    if word in UNITS and UNITS[word] not in ("minute", "hour"):
        return {"fortnight": "week", "weekend": "week"}.get(UNITS[word], UNITS[word])
    if word in DAY_PARTS:
        return "day"
    if word in WEEKDAYS:
        return "week"
    return (
        "year"
        if word in MONTHS or word in SEASONS or word in ("christmas", "thanksgiving", "easter", "halloween")
        else ""
    )


def _recurring(reading: TokenizedText, first: int, stop: int, unit: str) -> DateMatch:
    return DateMatch(
        first,
        stop,
        containing(reading.reference_time, "week" if unit == "weekend" else unit),
        "recurring",
        relative=False,
    )


@phrase_rule(*_TIMES, *NUMBERS, "few", "several", "couple", ":number")
def _so_often(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "once a week", "three times a month", "twice every year"."""
    j = i + 1
    if reading.word(i) not in _TIMES:
        j += reading.word(i) == "a" and reading.word(j) in _COUNT_WORDS
        j += reading.word(j) == "of"
        if reading.word(j) not in ("time", "times", "days", "nights", "mornings", "evenings"):
            return None
        j += 1
    if reading.word(j) not in ("a", "an", "per", "every", "each"):
        return None
    if quantity := amount(reading, j + 1):
        return _recurring(reading, i, quantity.stop, quantity.unit)
    unit = _period(reading.word(j + 1))
    return _recurring(reading, i, j + 2, unit) if unit else None


@phrase_rule(*WEEKDAY_PLURALS, *FREQUENCIES, "weekends", "weeknights", "weekdays")
def _plural(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "on Tuesdays", "Tuesdays and Thursdays", "weekly", "on weekends"."""
    word, stop = reading.word(i), i + 1
    if word == "weekends" and reading.word(i - 1) not in ("on", "most", "during", "at", "the", "over"):
        return None
    while reading.word(stop) in ("and", ",", "&") and reading.word(stop + 1) in WEEKDAY_PLURALS:
        stop += 2
    return _recurring(reading, i, stop, FREQUENCIES.get(word, "week"))


def expression(reading: TokenizedText, i: int) -> DateMatch | None:
    """Return the expression that starts at a token, with the time of day or the end of a range that follows it."""
    match = phrase(reading, i)
    if match is None or match.kind != "point":
        return match
    if reading.word(match.stop) in ("-", "through", "thru", "to") and match.stretch.granularity != "hour":
        sure = reading.word(match.stop) != "to" or match.stretch.granularity in ("month", "day")
        if sure and not any(word in _MOVES for word in reading.words[max(0, i - 6) : i]):
            longer = span_of(reading, match.first, match, match.stop + 1)
            if longer is not None:
                return longer
    return with_time(reading, _day_in_week(reading, match))


def _day_in_week(reading: TokenizedText, match: DateMatch) -> DateMatch:
    """Extend a week by its day: "next week on Tuesday"."""
    j = match.stop + (reading.word(match.stop) == ",")
    if match.stretch.granularity != "week" or reading.word(j) != "on" or reading.word(j + 1) not in WEEKDAYS:
        return match
    day = shift(match.stretch.start, "day", WEEKDAYS[reading.word(j + 1)])
    return DateMatch(match.first, j + 2, containing(day, "day"))
