"""Named points: seasons, holidays, quarters, and their edges ("the end of June", "early 2022", "mid-July")."""

from typing import Final

from hmem.language.regex import regex
from hmem_english.dates import holidays
from hmem_english.dates.absolute import point_or_month, year_after
from hmem_english.dates.rules import DateMatch, point, point_rule
from hmem_english.dates.stretch import ONE_DAY, Interval, containing, relative_unit, season, shift, third
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import (
    EARLY,
    LAST,
    LATE,
    MIDDLE,
    NEXT,
    ORDINALS,
    PREPOSITIONS,
    SEASONS,
    UNITS,
    WEEKDAYS,
    words_of,
)

_QUARTER: Final = regex("[1-4]$")
_BE: Final = frozenset(("is", "was", "were", "will", "went", "'s", "are", "'ll"))
_WITH_HOLIDAY: Final = words_of(
    "at on for over during since until till by before after around in from come about to through of and between back"
)


def this_unit(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match the month, the year or the summer, as in "the end of the month"."""
    noun = reading.word(i + 1)
    if reading.word(i) != "the" or reading.word(i + 2) in ("of", "before", "after"):
        return None
    if noun in ("week", "month", "year", "quarter", "decade", "weekend"):
        return DateMatch(i, i + 2, relative_unit(reading.reference_time, noun, 0))
    if noun in SEASONS:
        return DateMatch(i, i + 2, season(reading.reference_time, SEASONS[noun], 0))
    return None


@point_rule("the", *SEASONS)
def _season(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "in the summer", "summer 2022", "the summer of last year"; a bare season is weather."""
    j = i + (reading.word(i) == "the")
    month = SEASONS.get(reading.word(j))
    if month is None:
        return None
    if year_match := year_after(reading, j + 1):
        year, stop = year_match
        start = containing(reading.reference_time, "year").start.replace(year=year, month=month)
        relative = reading.word(stop - 1) == "year"
        return DateMatch(i, stop, Interval(start, shift(start, "month", 3), "season"), relative=relative)
    if reading.preposition(j) not in PREPOSITIONS or reading.word(j + 1) == "of":
        return None
    if reading.preposition(j) == "for" and i == j:
        return None
    if reading.preposition(j) in ("of", "at", "to", "from", "and", "about", "on", "back", "within"):
        return None
    # "By the summer" is a date; "inspired by autumn" is not.
    if i == j and reading.word(i - 1) == "by":
        return None
    return DateMatch(i, j + 1, _season_near(reading, i, month))


def _season_near(reading: TokenizedText, i: int, month: int) -> Interval:
    current = season(reading.reference_time, month, 0)
    if reading.direction(i) > 0:
        return current if current.end > reading.reference_time else season(reading.reference_time, month, 1)
    return current if current.start <= reading.reference_time else season(reading.reference_time, month, -1)


def _holiday_name(reading: TokenizedText, i: int) -> tuple[tuple[str, ...], int] | None:
    """Return the holiday at a token and the token after it, ignoring "'s" and the full stop of "St."."""
    words: list[str] = []
    stops: list[int] = []
    j = i
    while len(words) < holidays.LONGEST and j < len(reading.words):
        if reading.kind(j) == "suffix" or (reading.word(j) == "." and words == ["st"]):
            if stops:
                stops[-1] = j + 1
        elif reading.kind(j) == "word":
            words.append(reading.word(j))
            stops.append(j + 1)
        else:
            break
        j += 1
    name = holidays.match_holiday(tuple(words)) if words else None
    return None if name is None else (name, stops[len(name) - 1])


_NEW_YEAR: Final = ("new", "year")
_BEHIND_NEW_YEAR: Final = words_of(". , ! ? ; : ) and but or we i he she they it you with in at was is")


def _is_new_year(reading: TokenizedText, i: int, stop: int) -> bool:
    """Tell if 1 January is meant: "in the new year" and a "New Year's resolution" name no day."""
    is_introduced = reading.word(i - 1) in (*_WITH_HOLIDAY, *LAST, *NEXT, "this") and reading.word(i - 1) != "in"
    return is_introduced and reading.word(stop) in ("", "\n", *_BEHIND_NEW_YEAR)


@point_rule(*sorted(holidays.FIRST_WORDS), "the", "this", *LAST, *NEXT)
def _holiday(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "at Christmas", "last Thanksgiving", "New Year's Eve 2022"; a Christmas tree has no date."""
    determiner = reading.word(i) if reading.word(i) in (*LAST, *NEXT, "this") else ""
    j = i + (bool(determiner) or reading.word(i) == "the")
    if reading.word(j) not in holidays.FIRST_WORDS or (holiday := _holiday_name(reading, j)) is None:
        return None
    name, stop = holiday
    if (name == _NEW_YEAR and not _is_new_year(reading, j, stop)) or (
        reading.word(i - 1) in ("happy", "merry") and not determiner
    ):
        return None
    if year_match := year_after(reading, stop):
        return DateMatch(
            i, year_match[1], holidays.in_year(name, year_match[0]), relative=reading.word(year_match[1] - 1) == "year"
        )
    if determiner in LAST or determiner in NEXT:
        return DateMatch(i, stop, holidays.strictly(name, reading.reference_time, -1 if determiner in LAST else 1))
    if determiner == "this":
        return DateMatch(i, stop, holidays.in_year(name, reading.reference_time.year))
    is_date = reading.preposition(j) in _WITH_HOLIDAY or (reading.word(stop) in _BE and i == j)
    is_date = is_date or (
        len(name) > 1 and reading.word(stop) in ("", ".", ",", "!", "?") and reading.word(i - 1) not in ("a", "my")
    )
    if not is_date or (len(name) == 1 and reading.words[stop - 1] == "'s" and reading.preposition(j) == "of"):
        return None
    return DateMatch(i, stop, holidays.nearest(name, reading.reference_time, reading.direction(i)))


@point_rule("q", "the")
def _quarter(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "Q3 2023", "the third quarter of 2022"."""
    j = i + (reading.word(i) == "the")
    if (
        reading.word(j) == "q"
        and reading.kind(j + 1) in ("number", "junk")
        and reading.ends[j] == reading.starts[j + 1]
    ):
        match, stop = _QUARTER.match(reading.word(j + 1)), j + 2
        number = int(match[0]) if match else 0
    elif reading.word(j + 1) == "quarter" and reading.word(j) in ORDINALS:
        number, stop = ORDINALS[reading.word(j)], j + 2
    else:
        return None
    if not 1 <= number <= 4 or (reading.word(j + 1) == "quarter" and year_after(reading, stop) is None):
        return None
    year, end = year_after(reading, stop) or (reading.reference_time.year, stop)
    start = containing(reading.reference_time, "year").start.replace(year=year, month=3 * number - 2)
    return DateMatch(i, end, Interval(start, shift(start, "month", 3), "quarter"), relative=end == stop)


@point_rule("the", *EARLY, *MIDDLE, *LATE)
def _edge(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "early June", "mid-July", "late 2022", "the end of the month", "the beginning of next year"."""
    j = i + (reading.word(i) == "the")
    word = reading.word(j)
    third_index = 0 if word in EARLY else 1 if word in MIDDLE else 2 if word in LATE else None
    if third_index is None:
        return None
    takes_of = word in ("beginning", "start", "middle", "end")
    if takes_of and reading.word(j + 1) != "of":
        return None
    j += 1 + (reading.word(j + 1) in ("of", "-", "in"))
    period = point_or_month(reading, j) or (this_unit(reading, j) if takes_of or reading.word(j - 1) == "in" else None)
    if period is None or period.kind != "point" or (takes_of and period.stretch.granularity == "day"):
        return None
    stretch = (
        period.stretch
        if period.stretch.granularity in ("day", "part", "hour", "minute")
        else third(period.stretch, third_index)
    )
    return DateMatch(i, period.stop, stretch, relative=period.relative)


@point_rule("earlier", "later")
def _earlier(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "earlier this year": from its start until now; "later this week": from now to its end."""
    period = point(reading, i + 1)
    if period is None or reading.word(i + 1) not in ("this", "today", "tonight", "in"):
        return None
    stretch, reference_time = period.stretch, reading.reference_time
    if stretch.granularity not in ("day", "part") and stretch.start < reference_time < stretch.end:
        stretch = (
            stretch._replace(end=reference_time)
            if reading.word(i) == "earlier"
            else stretch._replace(start=reference_time)
        )
    return DateMatch(i, period.stop, stretch)


@point_rule("the", *ORDINALS, ":ordinal", "last")
def _nth(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "the first week of June", "the last Friday of the month", "the second weekend in August"."""
    j = i + (reading.word(i) == "the")
    count = -1 if reading.word(j) == "last" else ORDINALS.get(reading.word(j))
    if count is None and reading.kind(j) == "ordinal":
        count = int(reading.word(j).rstrip("stndrh"))
    noun = reading.word(j + 1)
    if not count or (noun not in WEEKDAYS and noun not in ("day", "week", "weekend", "month")):
        return None
    if reading.word(j + 2) not in ("of", "in"):
        return None
    period = point_or_month(reading, j + 3) or this_unit(reading, j + 3)
    if (
        period is None
        or period.kind != "point"
        or period.stretch.granularity not in ("month", "year", "season", "quarter")
    ):
        return None
    stretch = _nth_within(period.stretch, noun, count)
    if stretch.end <= period.stretch.start or stretch.start >= period.stretch.end:
        return None
    return DateMatch(i, period.stop, stretch, relative=period.relative)


def _nth_within(period: Interval, noun: str, count: int) -> Interval:
    if noun in WEEKDAYS or noun == "weekend":
        number = 5 if noun == "weekend" else WEEKDAYS[noun]
        first = period.start + (number - period.start.weekday()) % 7 * ONE_DAY
        last = period.end - ((period.end.weekday() - number - 1) % 7 + 1) * ONE_DAY
        day = first + 7 * (count - 1) * ONE_DAY if count > 0 else last
        return containing(day, "weekend" if noun == "weekend" else "day")
    unit = UNITS[noun]
    start = shift(period.start, unit, count - 1) if count > 0 else shift(period.end, unit, -1)
    stretch = containing(start, unit)
    return stretch if unit != "week" else stretch._replace(start=start, end=start + 7 * ONE_DAY)
