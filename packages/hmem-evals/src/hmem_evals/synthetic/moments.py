"""Times of happenings: the phrase that a speaker uses, and the date that it means."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from hmem_evals.synthetic.vocabulary import Dice

MONTHS: Final = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
NUMBERS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_SEASONS: Final = ("winter", "spring", "summer", "autumn")


@dataclass(frozen=True, slots=True)
class Moment:
    """Time of a happening: the teller's ``phrase``, the ``answer``, the ``month`` ("June 2023") if known."""

    phrase: str
    answer: str
    month: str


def format_day(day: date) -> str:
    """Return a day as answers write it: 7 May 2023."""
    return f"{day.day} {month_of(day)}"


def month_of(day: date) -> str:
    """Return the month of a day: May 2023."""
    return f"{MONTHS[day.month - 1]} {day.year}"


def moment(dice: Dice, style: str, today: date, days: int = 400) -> Moment:
    """Draw a moment mentioned on ``today``: ``recent`` (at most ``days`` ago), ``long`` past or ``future``."""
    if style == "future":
        return _future(dice, today)
    return _long_past(dice, today) if style == "long" else _recent(dice, today, days)


def _recent(dice: Dice, today: date, days: int) -> Moment:
    makers = [(0, 0.5, _today), (1, 2.5, _yesterday), (7, 3.0, _weekday), (7, 1.0, _few_days)]
    makers += [(9, 2.0, _weekend), (13, 2.5, _last_week), (16, 1.0, _two_weekends), (23, 1.2, _weeks)]
    makers += [(61, 1.2, _last_month)]
    fitting = [entry for entry in makers if entry[0] <= days]
    make = dice.weighted([entry[2] for entry in fitting], [entry[1] for entry in fitting])
    return make(dice, today)


def _today(dice: Dice, today: date) -> Moment:
    return Moment(dice.pick(("this morning", "today", "earlier today")), format_day(today), month_of(today))


def _yesterday(dice: Dice, today: date) -> Moment:
    day = today - timedelta(days=1)
    return Moment(dice.pick(("yesterday", "yesterday", "last night")), format_day(day), month_of(day))


def _weekday(dice: Dice, today: date) -> Moment:
    day = today - timedelta(days=dice.draw_integer(2, 6))
    name = _DAYS[day.weekday()]
    phrase = dice.pick((f"last {name}", f"on {name}", f"this past {name}"))
    return Moment(phrase, dice.pick((f"The {name} before {format_day(today)}", format_day(day))), month_of(day))


def _few_days(dice: Dice, today: date) -> Moment:
    phrase = dice.pick(("a few days ago", "just the other day", "a couple of days ago"))
    return Moment(phrase, f"A few days before {format_day(today)}", "")


def _weekend(dice: Dice, today: date) -> Moment:
    return Moment(dice.pick(("last weekend", "over the weekend")), f"The weekend before {format_day(today)}", "")


def _last_week(dice: Dice, today: date) -> Moment:
    return Moment(dice.pick(("last week", "last week", "a week ago")), f"The week before {format_day(today)}", "")


def _two_weekends(dice: Dice, today: date) -> Moment:
    phrase = dice.pick(("two weekends ago", "the weekend before last"))
    return Moment(phrase, f"Two weekends before {format_day(today)}", "")


def _weeks(dice: Dice, today: date) -> Moment:
    weeks = dice.draw_integer(2, 3)
    return Moment(f"{NUMBERS[weeks]} weeks ago", f"{NUMBERS[weeks].capitalize()} weeks before {format_day(today)}", "")


def _last_month(dice: Dice, today: date) -> Moment:
    before = today.replace(day=1) - timedelta(days=1)
    phrase = dice.pick(("last month", f"back in {MONTHS[before.month - 1]}", "sometime last month"))
    return Moment(phrase, month_of(before), month_of(before))


def _long_past(dice: Dice, today: date) -> Moment:
    years = dice.draw_integer(1, 6)
    year = today.year - years
    if years == 1:
        season = dice.pick(_SEASONS[1:])
        phrase, answer = dice.pick((("last year", str(year)), (f"{season} last year", f"{season} {year}")))
        return Moment(phrase, answer, "")
    phrase = dice.pick((f"{NUMBERS[years]} years ago", f"back in {year}", f"in {year}"))
    return Moment(phrase, str(year), "")


def _future(dice: Dice, today: date) -> Moment:
    name = _DAYS[dice.draw_integer(0, 6)]
    month = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    later = (month + timedelta(days=32)).replace(day=1)
    day = today + timedelta(days=1)
    weeks = NUMBERS[dice.draw_integer(2, 4)]
    options = (
        ("tomorrow", format_day(day), month_of(day)),
        ("this coming weekend", f"The weekend after {format_day(today)}", ""),
        (f"next {name}", f"The {name} after {format_day(today)}", ""),
        ("next week", f"The week after {format_day(today)}", ""),
        (f"in {weeks} weeks", f"{weeks.capitalize()} weeks after {format_day(today)}", ""),
        ("next month", month_of(month), month_of(month)),
        ("next month", month_of(month), month_of(month)),
        (f"in {MONTHS[later.month - 1]}", month_of(later), month_of(later)),
    )
    return Moment(*dice.pick(options))
