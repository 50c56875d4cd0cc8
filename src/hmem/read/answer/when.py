"""When something happened: the date that a statement names, in words that fit how exactly it is known."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hmem.language.analyst.rules.wordlist import words
from hmem.language.dates import DateMention, describe, find_dates
from hmem.language.regex import regex
from hmem.model.span import Span
from hmem.read.answer.asking import Asked
from hmem.read.answer.statements import Statement

# Statements that may hold the date, and what a statement is worth more when it names one.
_LOOKED_AT: Final = 6
_DATED: Final = 0.8
_SAME_TURN: Final = 0.25

_WEEKDAY: Final = regex(r"\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*\b", re.IGNORECASE)
_FULL: Final = {day[:3]: day.capitalize() for day in words("monday tuesday wednesday thursday friday saturday sunday")}
_AGO: Final = regex(
    r"^(?:(?:about|around|like|just|almost|nearly|over) )?(an?|one|two|three|four|five|six|a few|few"
    r"|a couple(?: of)?|couple(?: of)?|"
    r"several|\d+) (days?|weeks?|weekends?|months?) (?:ago|back)$",
    re.IGNORECASE,
)
_FEW: Final = ("a few", "few", "several", "a couple", "some")
_EXACT: Final = regex(
    r"yesterday|today|tonight|tomorrow|this (?:morning|afternoon|evening)|last night|days? ago", re.IGNORECASE
)
_YEAR: Final = regex(r"\b(?:what|which|in what|in which) year\b", re.IGNORECASE)
_MONTH: Final = regex(r"\b(?:what|which) month\b", re.IGNORECASE)
_DAY: Final = regex(r"\b(?:what|which) (?:day|date)\b|\b(?:exact|the) date\b", re.IGNORECASE)
_RECENT: Final = regex(r"(?:just |most )?(?:recently|lately|these days|nowadays)", re.IGNORECASE)
# A birthday comes back: its day and month are the answer, not the year of the next.
_BIRTHDAY: Final = regex(r"\bbirthday\b", re.IGNORECASE)
_FUTURE: Final = regex(r"\b(?:plan|plans|planning|going to|will|is|next|upcoming)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Time:
    """An answer to "when": its words, and the statement that it stands on. ``named``: a date was named in it."""

    text: str
    statement: Statement
    named: bool


def when(asked: Asked, statements: Sequence[Statement]) -> Time | None:
    """When what the question names took place; None without any statement."""
    best: tuple[float, Statement, DateMention | None] | None = None
    for statement in statements[:_LOOKED_AT]:
        said = statement.evidence.when
        mention = _date_in(statement.line.text, said, asked)
        worth = statement.score + (_DATED if mention else 0.0)
        if mention is None:
            mention = _date_beside(statement, asked)
            worth += _SAME_TURN if mention else 0.0
        if best is None or worth > best[0]:
            best = (worth, statement, mention)
    if best is None:
        return None
    _, statement, mention = best
    return Time(_words(asked, mention, statement.evidence.when), statement, mention is not None)


def _date_in(text: str, said: datetime, asked: Asked) -> DateMention | None:
    dates = [date for date in find_dates(text, said) if date.kind in ("point", "since", "until", "vague")]
    if not dates:
        return None
    question = set(asked.text.lower().split())
    fresh = [date for date in dates if not set(date.text.lower().split()) <= question] or dates
    return min(fresh, key=lambda date: _distance(text, date, asked))


def _distance(text: str, date: DateMention, asked: Asked) -> int:
    """How far, in characters, a date stands from the nearest word of the question."""
    places = [found.start() for root in asked.roots for found in re.finditer(re.escape(root[:5]), text.lower())]
    return min((min(abs(place - date.start), abs(place - date.end)) for place in places), default=0)


def _date_beside(statement: Statement, asked: Asked) -> DateMention | None:
    """A date that the same turn names in another sentence."""
    return _date_in(statement.evidence.text[:2_000], statement.evidence.when, asked)


def _words(asked: Asked, mention: DateMention | None, said: datetime) -> str:
    span = mention.span if mention else Span(said, said)
    if _YEAR.search(asked.text):
        return str(span.start.year)
    if _MONTH.search(asked.text):
        return describe(Span(span.start, span.start), "month")
    if mention is None or _RECENT.fullmatch(mention.text):
        return describe(Span(said, said), "day")
    if _BIRTHDAY.search(asked.text) and mention.granularity == "day":
        return describe(Span(span.start, span.start), "day").rpartition(" ")[0]
    if _DAY.search(asked.text) and mention.granularity in ("day", "part", "hour", "minute"):
        return describe(Span(span.start, span.start), "day")
    return _relative(mention, said) or _absolute(mention)


def _absolute(mention: DateMention) -> str:
    granularity = mention.granularity
    if granularity in ("minute", "hour", "part"):
        granularity = "day"
    return describe(mention.span, granularity)


def _relative(mention: DateMention, said: datetime) -> str:
    """What is near the time of saying, told from there: "the Friday before 15 July 2023"; empty when it is not."""
    if not mention.relative:
        return ""
    text = mention.text.lower()
    anchor = describe(Span(said, said), "day")
    side = "before" if mention.span.start < said else "after"
    if ago := _AGO.match(text):
        amount = re.sub(r"^(?:an?|one) (?=\w+$)", "the ", f"{ago[1]} {ago[2]}".replace("a the", "the"))
        if ago[2].startswith("day") and ago[1] not in ("a few", "few", "several"):
            return ""
        return "" if ago[2].startswith("month") else f"{amount} before {anchor}"
    if _EXACT.search(text):
        return ""
    if (day := _WEEKDAY.search(text)) and mention.granularity in ("day", "part"):
        return f"The {_FULL[day[1].lower()]} {side} {anchor}"
    if mention.granularity in ("week", "weekend"):
        return f"The {mention.granularity} {'of' if text.startswith('this') else side} {anchor}"
    if text.startswith(_FEW) and mention.span.end <= said:
        return f"{mention.text[0].upper()}{mention.text[1:].removesuffix(' ago')} before {anchor}"
    return ""
