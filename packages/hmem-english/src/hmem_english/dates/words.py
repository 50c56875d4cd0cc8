"""Words of dates: names, numbers, units, and the spans of words without an exact time."""

from typing import Final


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text as a set."""
    return frozenset(text.split())


WEEKDAYS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("monday", "mon"),
            ("tuesday", "tue", "tues"),
            ("wednesday", "wed", "weds"),
            ("thursday", "thu", "thur", "thurs"),
            ("friday", "fri"),
            ("saturday", "sat"),
            ("sunday", "sun"),
        )
    )
    for name in names
}
FULL_WEEKDAYS: Final = frozenset(name for name in WEEKDAYS if name.endswith("day"))
WEEKDAY_PLURALS: Final = {f"{name}s": WEEKDAYS[name] for name in sorted(FULL_WEEKDAYS)}
MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
# These mean only a month, so they need no preposition before them.
PLAIN_MONTHS: Final = frozenset(("january", "february", "july", "september", "october", "november", "december"))
# These are other words too in lower case.
DOUBTFUL_MONTHS: Final = frozenset(("may", "march", "mar", "jan", "dec", "sep", "august", "jun"))
SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

# Numbers in words, without those between the tens ("thirty-one").
CARDINALS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
NUMBERS: Final = {**CARDINALS, "a": 1, "an": 1}
# Least and greatest number, and the one to calculate with.
VAGUE_COUNTS: Final = {"few": (2, 4, 3), "several": (3, 7, 5)}
_ORDINAL_WORDS: Final = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth
"""
ORDINALS: Final = {**{word: value for value, word in enumerate(_ORDINAL_WORDS.split(), 1)}, "thirtieth": 30}
UNITS: Final = {
    "minute": "minute",
    "minutes": "minute",
    "min": "minute",
    "mins": "minute",
    "hour": "hour",
    "hours": "hour",
    "hr": "hour",
    "hrs": "hour",
    "day": "day",
    "days": "day",
    "week": "week",
    "weeks": "week",
    "wk": "week",
    "wks": "week",
    "fortnight": "fortnight",
    "fortnights": "fortnight",
    "weekend": "weekend",
    "weekends": "weekend",
    "month": "month",
    "months": "month",
    "quarter": "quarter",
    "quarters": "quarter",
    "year": "year",
    "years": "year",
    "yr": "year",
    "yrs": "year",
    "decade": "decade",
    "decades": "decade",
}
# Half of a unit, in a smaller unit.
HALVES: Final = {
    "hour": ("minute", 30),
    "day": ("hour", 12),
    "week": ("day", 3),
    "month": ("week", 2),
    "year": ("month", 6),
    "decade": ("year", 5),
}
WHOLES: Final = {
    "hour": ("minute", 60),
    "day": ("hour", 24),
    "week": ("day", 7),
    "month": ("week", 4),
    "year": ("month", 12),
    "decade": ("year", 10),
}
DECADES: Final = {
    "twenties": 1920,
    "thirties": 1930,
    "forties": 1940,
    "fifties": 1950,
    "sixties": 1960,
    "seventies": 1970,
    "eighties": 1980,
    "nineties": 1990,
}
# Parts of the day: first hour and number of hours.
DAY_PARTS: Final = {"morning": (6, 6), "afternoon": (12, 6), "evening": (18, 4), "night": (18, 6)}
CLOCK_WORDS: Final = {"noon": 12, "midday": 12, "midnight": 24}
# Days before the time of saying that a word without a number covers.
RECENT_DAYS: Final = {"recently": 30, "lately": 30}
OTHER_DAYS: Final = {"day": 7, "night": 7, "morning": 7, "evening": 7, "afternoon": 7, "week": 28, "weekend": 28}

LAST: Final = frozenset(("last", "past", "previous"))
NEXT: Final = frozenset(("next", "coming", "upcoming"))
EARLY: Final = frozenset(("early", "beginning", "start"))
MIDDLE: Final = frozenset(("mid", "middle"))
LATE: Final = frozenset(("late", "end"))
# Words that may stand between a preposition and a number: "about three weeks ago".
APPROXIMATORS: Final = words_of("about around roughly approximately almost nearly just exactly like only maybe")
PREPOSITIONS: Final = words_of(
    "in on at by since until till til from to of during through throughout over before after around for "
    "back last this next past early late mid every each between and starting beginning come circa about "
    "within or previous coming"
)
FREQUENCIES: Final = {
    "daily": "day",
    "nightly": "day",
    "weekly": "week",
    "biweekly": "week",
    "fortnightly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}
