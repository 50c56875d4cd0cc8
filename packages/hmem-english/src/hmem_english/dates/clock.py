"""Times of day: "at 7 pm", "7:30 tomorrow evening", "Friday night at 8", "the morning of 5 May".

An hour without am or pm follows the part of the day beside it; without one, 1 to 7 are in the afternoon and 8 to 11 in
the morning. A night ends at midnight: last night is yesterday's. Its small hours, from 12 to 5, come after that.
"""

from datetime import timedelta
from typing import Final, NamedTuple

from hmem.language.regex import regex
from hmem_english.dates.rules import DateMatch, point, point_rule
from hmem_english.dates.stretch import Interval, containing, day_part_interval, midnight
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import CLOCK_WORDS, DAY_PARTS, words_of

_CLOCK: Final = regex(r"([0-9]{1,2})(?::([0-9]{2})(?::[0-9]{2})?)?\s?([ap])?")
_BEFORE_CLOCK: Final = words_of("at by around until till before after since from about @ to")
_LATEST_AFTERNOON: Final = 7
# Hours before this one that are of a night come after midnight.
_EARLIEST_NIGHT: Final = 6


class TimeOfDay(NamedTuple):
    """A time on the clock; ``sure`` if am, pm or 24 hours leave no doubt. Ends before token ``stop``."""

    hour: int
    minute: int | None
    sure: bool
    stop: int


def clock(reading: TokenizedText, i: int) -> TimeOfDay | None:
    """Return the time on the clock at a token, or None."""
    word = reading.word(i)
    if word in CLOCK_WORDS:
        return TimeOfDay(CLOCK_WORDS[word], None, sure=True, stop=i + 1)
    if reading.kind(i) == "number" and len(word) <= 2 and 1 <= int(word) <= 12:
        oclock = reading.word(i + 1) == "o" and reading.word(i + 2) == "clock"
        return TimeOfDay(int(word), None, sure=False, stop=i + 1 + 2 * oclock)
    if reading.kind(i) != "clock" or (match := _CLOCK.match(word)) is None:
        return None
    hour, minute, half = int(match[1]), int(match[2]) if match[2] else None, match[3]
    if hour > 23 or (minute or 0) > 59 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    sure = bool(half) or hour > 12 or word.startswith("0")
    return TimeOfDay(hour, minute, sure, i + 1)


def _apply_time(day: Interval, time: TimeOfDay, day_part: str) -> Interval:
    hour = time.hour
    if not time.sure:
        late = day_part in ("afternoon", "evening", "night") or (not day_part and hour <= _LATEST_AFTERNOON)
        small = day_part == "night" and hour % 12 < _EARLIEST_NIGHT
        hour = hour % 12 + (24 if small else 12 if late or (hour == 12 and day_part != "morning") else 0)
    start = midnight(day.start) + timedelta(hours=hour, minutes=time.minute or 0)
    return containing(start, "hour" if time.minute is None else "minute")


def _part_after(reading: TokenizedText, i: int) -> tuple[str, int] | None:
    """Match "morning" or "in the evening"; return the part and the token after it."""
    j = i + 2 if reading.words[i : i + 2] == ["in", "the"] else i + 1 if reading.word(i) in ("early", "late") else i
    word = reading.word(j)
    if word == "at" and reading.word(j + 1) == "night":
        return "night", j + 2
    return (word, j + 1) if word in DAY_PARTS else None


def with_time(reading: TokenizedText, match: DateMatch) -> DateMatch:
    """Extend a day by the part and the time of day that follow it."""
    if match.kind != "point" or match.stretch.granularity not in ("day", "part"):
        return match
    day, day_part, stop, stretch = containing(match.stretch.start, "day"), "", match.stop, match.stretch
    if stretch.granularity == "part":
        day_part = "morning" if stretch.start.hour < 12 else "afternoon" if stretch.start.hour < 18 else "night"
    elif after := _part_after(reading, stop):
        day_part, stop = after
        stretch = day_part_interval(day.start, day_part)
    j = stop + (reading.word(stop) == ",")
    has_preposition = reading.word(j) in ("at", "around", "about", "by", "from", "after", "before")
    time = clock(reading, j + has_preposition)
    if time is not None and (has_preposition or reading.kind(j) == "clock") and not _counts(reading, time.stop):
        if not day_part and (after := _part_after(reading, time.stop)):
            day_part, time = after[0], time._replace(stop=after[1])
        stretch, stop = _apply_time(day, time, day_part), time.stop
    match.stretch, match.stop = stretch, stop
    return match


def _counts(reading: TokenizedText, i: int) -> bool:
    """Tell if the number before a token counts something: "on Friday about 5 people"."""
    if reading.kind(i - 1) != "number":
        return False
    return reading.kind(i) == "word" and reading.word(i) not in (
        "and",
        "in",
        "with",
        "for",
        "at",
        "on",
        "sharp",
        "to",
        "if",
        "but",
        "so",
        "o",
    )


@point_rule(":clock", *CLOCK_WORDS, ":number")
def _clock_first(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "7 pm on Friday", "7:30 tomorrow evening", "at 8 tonight"."""
    time = clock(reading, i)
    before = reading.word(i - 1)
    if time is None or (reading.kind(i) == "number" and before not in ("at", "@", "around")):
        return None
    day_part, stop = _part_after(reading, time.stop) or ("", time.stop)
    j = stop
    j += reading.word(j) in (",", "on")
    day = point(reading, j)
    if day is not None and day.kind == "point" and day.stretch.granularity in ("day", "part"):
        return _on_day(reading, i, time, day_part, day)
    if reading.kind(i) == "number" and time.stop == i + 1 and not day_part:
        return None
    if before not in _BEFORE_CLOCK and not (day_part and reading.kind(i) != "word"):
        return None
    return DateMatch(i, stop, _apply_time(containing(reading.reference_time, "day"), time, day_part))


def _on_day(reading: TokenizedText, i: int, time: TimeOfDay, day_part: str, day: DateMatch) -> DateMatch:
    stop = day.stop
    if day.stretch.granularity == "part":
        hour = day.stretch.start.hour
        day_part = "morning" if hour < 12 else "afternoon" if hour < 18 else "night"
    elif not day_part and (after := _part_after(reading, stop)):
        day_part, stop = after
    return DateMatch(i, stop, _apply_time(containing(day.stretch.start, "day"), time, day_part), relative=day.relative)


@point_rule("the", *DAY_PARTS)
def _part_of_day(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the morning of 5 May"."""
    j = i + (reading.word(i) == "the")
    if reading.word(j) not in DAY_PARTS or reading.word(j + 1) != "of":
        return None
    day = point(reading, j + 2)
    if day is None or day.stretch.granularity != "day":
        return None
    return DateMatch(i, day.stop, day_part_interval(day.stretch.start, reading.word(j)), relative=day.relative)
