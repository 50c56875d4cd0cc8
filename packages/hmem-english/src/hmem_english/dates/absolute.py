"""Calendar dates in words: "5 July 2023", "July 5", "in March", "in 2016", "on the 5th".

A two-digit year lies at most 20 years after the time of saying. In a clause without tense, what is later in the year
looks forward, and so does a day without a month; another month is the last one, and another day with its month the
nearest.
"""

from datetime import datetime
from typing import Final

from hmem.language.regex import regex
from hmem_english.dates.rules import DateMatch, Fields, point, point_rule
from hmem_english.dates.stretch import Interval, containing, midnight, relative_unit, shift
from hmem_english.dates.tokenized_text import TokenizedText
from hmem_english.dates.words import DOUBTFUL_MONTHS, MONTHS, NUMBERS, ORDINALS, PLAIN_MONTHS, words_of

_YEARS: Final = range(1000, 2200)
_BARE_YEARS: Final = range(1900, 2100)
_YEARS_AHEAD: Final = 20
_DIGITS: Final = regex("[0-9]+")
# A number before one of these is not a year: "in 2000 words".
_COUNTABLES: Final = words_of(
    "people words dollars euros pounds miles kilometers kilometres meters metres feet steps calories "
    "points pages copies users followers members students employees times items votes hours days weeks "
    "years pieces km kg"
)
# Tokens that may follow "on the 5th" if it means a day.
_AFTER_DAY: Final = frozenset(
    [
        ".",
        ",",
        "!",
        "?",
        ";",
        ":",
        ")",
        "\n",
        "-",
        "and",
        "at",
        "in",
        "for",
        "to",
        "so",
        "but",
        "we",
        "i",
        "he",
        "she",
        "they",
        "it",
        "you",
        "is",
        "was",
        "will",
        "with",
        "after",
        "before",
        "of",
        "from",
        "because",
        "when",
        "if",
        "that",
        "or",
        "then",
        "as",
        "by",
        "until",
        "till",
        "through",
        "around",
        "about",
        "this",
        "last",
        "next",
        "my",
        "our",
        "there",
        "here",
    ]
)
# Months ahead that a month without a tense may lie: "in June", said in May.
_NEAR_MONTHS: Final = 2
_OF_YEAR: Final = {"last": -1, "this": 0, "next": 1}


def year_after(reading: TokenizedText, i: int) -> tuple[int, int] | None:
    """Return the year that follows a month, a season or a holiday, and the token after it."""
    if reading.word(i) in (",", "of", "in", "back"):
        i += 1
    word = reading.word(i)
    if reading.kind(i) == "number" and len(word) == 4 and int(word) in _YEARS:
        return int(word), i + 1
    if reading.kind(i) == "short":
        return century(int(word[1:]), reading.reference_time), i + 1
    if word in _OF_YEAR and reading.word(i + 1) == "year":
        return reading.reference_time.year + _OF_YEAR[word], i + 2
    return None


def resolve(reading: TokenizedText, fields: Fields, position: int) -> Interval | None:
    """Return the interval of a date from the time of saying and the tense of its clause; None if there is none."""
    year, month, day = fields
    try:
        if year is not None:
            unit = "day" if day else "month" if month else "year"
            return containing(_local_date(year, month or 1, day or 1), unit)
    except ValueError:
        return None
    direction = reading.direction(position)
    if day is None:
        return _month_near(reading.reference_time, month or 1, direction)
    return _day_near(reading.reference_time, month, day, direction)


def _local_date(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day)  # noqa: DTZ001 - local clock


def _month_near(reference_time: datetime, month: int, direction: int) -> Interval:
    """Return the last month of this name that has begun, or the next that has not ended.

    Without a tense it is the next one if it comes in this year, or soon.
    """
    if not direction:
        direction = 1 if month > reference_time.month or 0 < (month - reference_time.month) % 12 <= _NEAR_MONTHS else -1
    crosses_year = month > reference_time.month if direction <= 0 else month < reference_time.month
    year = reference_time.year + ((-1 if direction <= 0 else 1) if crosses_year else 0)
    return containing(_local_date(year, month, 1), "month")


def _day_near(reference_time: datetime, month: int | None, day: int, direction: int) -> Interval | None:
    today = midnight(reference_time)
    if not direction and (month is None or month > reference_time.month):
        direction = 1
    candidates: list[datetime] = []
    # The nearest 29 February may be eight years away.
    for count in range(-8, 9) if month else range(-2, 3):
        base = shift(today.replace(day=1), "year" if month else "month", count)
        try:
            candidates.append(base.replace(month=month or base.month, day=day))
        except ValueError:
            continue
    right = [moment for moment in candidates if (moment - today).days * direction >= 0]
    if not right:
        return None
    return containing(min(right, key=lambda moment: (abs(moment - today), moment)), "day")


def century(short: int, reference_time: datetime) -> int:
    latest = reference_time.year + _YEARS_AHEAD
    return latest - (latest - short) % 100


def _day(reading: TokenizedText, i: int) -> tuple[int, int] | None:
    """Return the day of a month at a token, in digits or in words, and the token after it."""
    if reading.kind(i) in ("ordinal", "number"):
        day = int(reading.word(i).rstrip("stndrh"))
        return (day, i + 1) if 1 <= day <= 31 else None
    # "A third of March" is no day.
    if reading.word(i - 1) in NUMBERS:
        return None
    tens = _TENS.get(reading.word(i), 0)
    j = i + 1 + (reading.word(i + 1) == "-") if tens else i
    ordinal = ORDINALS.get(reading.word(j))
    if ordinal is None or (tens and ordinal > _MAX_DIGIT):
        return None
    return (tens + ordinal, j + 1) if tens + ordinal <= _LAST_DAY else None


_TENS: Final = {"twenty": 20, "thirty": 30}
_MAX_DIGIT: Final = 9
_LAST_DAY: Final = 31


def date_match(reading: TokenizedText, first: int, stop: int, fields: Fields) -> DateMatch | None:
    """Return a match from the fields of a date."""
    stretch = resolve(reading, fields, first)
    if stretch is None:
        return None
    relative = fields.year is None or reading.word(stop - 1) in ("year", "month")
    return DateMatch(first, stop, stretch, relative=relative, fields=fields)


@point_rule(":number", ":ordinal", "the", *ORDINALS, "twenty", "thirty")
def _day_month(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "5 July 2023", "the 5th of July"."""
    first, i = i, i + (reading.word(i) == "the")
    parsed_day = _day(reading, i)
    if parsed_day is None:
        return None
    day, next_token = parsed_day
    j = next_token + (reading.word(next_token) == "of")
    month = MONTHS.get(reading.word(j))
    if month is None or (reading.word(j) in ("may", "mar", "march") and not _surely(reading, i, j)):
        return _day_to_day(reading, first, day, next_token)
    year, stop = year_after(reading, j + 1) or (None, j + 1)
    return date_match(reading, first, stop, Fields(year, month, day))


def _surely(reading: TokenizedText, i: int, j: int) -> bool:
    """Tell if "5 may" is a day: "the top 5 may go" is not."""
    return reading.capital(j) or reading.kind(i) == "ordinal" or year_after(reading, j + 1) is not None


def _day_to_day(reading: TokenizedText, first: int, day: int, i: int) -> DateMatch | None:
    """Match "5 to 9 May", "between 5 and 9 May"."""
    is_between = reading.word(i) == "and" and reading.word(first - 1) == "between"
    if not is_between and reading.word(i) not in ("to", "-", "through", "until", "till"):
        return None
    j = i + 1 + (reading.word(i + 1) == "the")
    parsed_day = _day(reading, j)
    if parsed_day is None or parsed_day[0] <= day:
        return None
    last, k = parsed_day[0], parsed_day[1] + (reading.word(parsed_day[1]) == "of")
    month = MONTHS.get(reading.word(k))
    if month is None:
        return None
    year, stop = year_after(reading, k + 1) or (None, k + 1)
    return _days(reading, first, stop, Fields(year, month, day), last)


def _days(reading: TokenizedText, first: int, stop: int, fields: Fields, last: int) -> DateMatch | None:
    match, end = date_match(reading, first, stop, fields), None
    if match is not None and fields.month:
        end = resolve(reading, Fields(match.stretch.start.year, fields.month, last), first)
    if match is None or end is None or end.start < match.stretch.start:
        return None
    return DateMatch(first, stop, match.stretch._replace(end=end.end), "duration", relative=fields.year is None)


@point_rule(":days")
def _days_month(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "5-9 May 2023"."""
    j = i + 1 + (reading.word(i + 1) == "of")
    month = MONTHS.get(reading.word(j))
    day, last = (int(number) for number in _DIGITS.findall(reading.word(i)))
    if month is None or not 1 <= day < last <= 31:
        return None
    year, stop = year_after(reading, j + 1) or (None, j + 1)
    return _days(reading, i, stop, Fields(year, month, day), last)


@point_rule(*MONTHS)
def _month_first(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "July 5, 2023", "July 2023", "in July"."""
    month = MONTHS[reading.word(i)]
    j = (
        i
        + 1
        + (reading.word(i + 1) == "." and i + 2 < len(reading.words) and reading.kind(i + 2) in ("number", "ordinal"))
    )
    if reading.kind(j) == "days" and reading.capital(i):
        day, last = (int(number) for number in _DIGITS.findall(reading.word(j)))
        year, stop = year_after(reading, j + 1) or (None, j + 1)
        return _days(reading, i, stop, Fields(year, month, day), last) if 1 <= day < last <= 31 else None
    k = j + (reading.word(j) == "the")
    day = _day(reading, k)
    if (
        day is not None
        and reading.word(day[1]) not in _COUNTABLES
        and _month_meant(reading, i, ordinal=reading.kind(k) == "ordinal")
    ):
        return _month_day(reading, i, day[1], Fields(None, month, day[0]))
    if (year_match := year_after(reading, j)) and (reading.word(i) not in ("may", "march") or reading.word(j) != "in"):
        return date_match(reading, i, year_match[1], Fields(year_match[0], month))
    return date_match(reading, i, i + 1, Fields(None, month)) if _is_lone_month(reading, i) else None


def _month_meant(reading: TokenizedText, i: int, *, ordinal: bool) -> bool:
    return ordinal or reading.capital(i) or reading.word(i) not in DOUBTFUL_MONTHS


def _month_day(reading: TokenizedText, i: int, stop: int, fields: Fields) -> DateMatch | None:
    """Match "July 5 to 9", "July 5, 2023"."""
    if reading.word(stop) in ("to", "-", "through", "and", "until"):
        last, k = _day(reading, stop + 1 + (reading.word(stop + 1) == "the")) or (None, stop)
        is_range = reading.word(stop) != "and" or reading.word(i - 1) == "between"
        if last and fields.day and last > fields.day and is_range and reading.word(k) not in MONTHS:
            year, end = year_after(reading, k) or (None, k)
            return _days(reading, i, end, fields._replace(year=year), last)
    year, stop = year_after(reading, stop) or (None, stop)
    return date_match(reading, i, stop, fields._replace(year=year))


def _is_lone_month(reading: TokenizedText, i: int) -> bool:
    """Tell if a month without a number is one: "may" and "march" are verbs, "April" and "June" are names."""
    word, before = reading.word(i), reading.word(i - 1)
    if before in ("early", "mid", "late") or (before == "-" and reading.word(i - 2) == "mid"):
        return True
    if not reading.preposition(i) or before == "the":
        return word in PLAIN_MONTHS and before not in ("the", "a")
    if word not in DOUBTFUL_MONTHS:
        return before not in ("from", "at", "around", "for", "and", "of", "to") or word in PLAIN_MONTHS
    if not reading.capital(i) and before not in ("in", "since", "until", "till", "by", "during", "through"):
        return False
    return before in ("in", "since", "until", "till", "by", "before", "during", "through", "after", "every", "mid")


@point_rule(":short")
def _short_year(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "in '86"."""
    if reading.word(i - 1) not in ("in", "since", "until", "till", "by", "before", "after", "of", "from"):
        return None
    return date_match(reading, i, i + 1, Fields(century(int(reading.word(i)[1:]), reading.reference_time)))


@point_rule(":number")
def _year(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "in 2016"; a bare number is a year only after certain words."""
    word = reading.word(i)
    if len(word) != 4 or int(word) not in _BARE_YEARS or reading.word(i + 1) in _COUNTABLES:
        return None
    before = reading.word(i - 1)
    is_plausible = before not in (
        "at",
        "on",
        "over",
        "for",
        "within",
        "last",
        "this",
        "next",
        "or",
        "and",
        "every",
        "to",
        "about",
    )
    is_plausible = is_plausible or (
        before == "to" and reading.kind(i - 2) == "number" and len(reading.word(i - 2)) == 4
    )
    bracketed = before == "(" and reading.word(i + 1) == ")"
    if not (reading.preposition(i) and is_plausible) and not bracketed and before not in ("year", "than"):
        return None
    return date_match(reading, i, i + 1, Fields(int(word)))


@point_rule("the")
def _the_day(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match "on the 5th"."""
    parsed_day = _day(reading, i + 1)
    before = reading.word(i - 1)
    if parsed_day is None or reading.kind(i + 1) == "number":
        return None
    day, stop = parsed_day
    # "On the second" may be the second of anything.
    if reading.kind(i + 1) != "ordinal" and day <= _FIRST_FEW:
        return None
    if before not in ("on", "by", "until", "till", "since", "before", "after", "from", "to", "is", "was", "for"):
        return None
    after = reading.word(stop)
    if after == "of" and reading.word(stop + 1) in _OF_YEAR and reading.word(stop + 2) == "month":
        start = relative_unit(reading.reference_time, "month", _OF_YEAR[reading.word(stop + 1)]).start
        return date_match(reading, i, stop + 3, Fields(start.year, start.month, day))
    if after in _AFTER_DAY or not after:
        return date_match(reading, i, stop, Fields(None, None, day))
    return None


_FIRST_FEW: Final = 5


def point_or_month(reading: TokenizedText, i: int) -> DateMatch | None:
    """Match a point, or a month that only its context shows to be one: "from May to July", "the end of April"."""
    if match := point(reading, i):
        return match
    month = MONTHS.get(reading.word(i))
    if month is None or (reading.word(i) in DOUBTFUL_MONTHS and not reading.capital(i)):
        return None
    return date_match(reading, i, i + 1, Fields(None, month))
