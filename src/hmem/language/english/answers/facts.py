"""Answers to "when", "who", "why", and yes-or-no or either-or questions; and their final wording.

- When: the date that a statement names, as exact as it is known.
- Who: the subject of the event that tells what is asked for.
- Why: the clause that a statement gives as its reason.
- Wording: third person, and no more than was asked for.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from hmem.language.analyst.answer_reader import AnswerTarget, CandidateSentence, LineToken, Reply, StatementLine
from hmem.language.analyst.word_classes import DATE
from hmem.language.dates import DateMention, describe, find_dates
from hmem.language.dates.words import CARDINALS
from hmem.language.english.inflection import root
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.span import Span

# Number of statements searched for the date, and the bonus of one that names a date, or whose turn does.
_LOOKED_AT_WHEN: Final = 6
_DATED: Final = 0.8
_SAME_TURN: Final = 0.25
# How far a time is told that another sentence of the turn names.
_BESIDE: Final = 0.5

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
_WEEK: Final = timedelta(days=7)
_YEAR: Final = regex(r"\b(?:what|which|in what|in which) year\b", re.IGNORECASE)
_MONTH: Final = regex(r"\b(?:what|which) month\b", re.IGNORECASE)
_DAY: Final = regex(r"\b(?:what|which) (?:day|date)\b|\b(?:exact|the) date\b", re.IGNORECASE)
_RECENT: Final = regex(r"(?:just |most )?(?:recently|lately|these days|nowadays)", re.IGNORECASE)
_BORN: Final = regex(r"\b(?:born|birth ?date|birth ?year|(?:date|year) of birth)\b", re.IGNORECASE)
_REACHED: Final = regex(rf"\bturn(?:s|ed|ing)? (\d{{1,3}}|{'|'.join(CARDINALS)})\b", re.IGNORECASE)
# A birthday recurs: its day and month are the answer, not the year of the next.
_BIRTHDAY: Final = regex(r"\bbirthday\b", re.IGNORECASE)


def when(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return the time of what the question names, or None without any statement."""
    if _BORN.search(asked.text):
        return _birth(asked, statements)
    best: tuple[float, CandidateSentence, DateMention | None, float] | None = None
    for statement in statements[:_LOOKED_AT_WHEN]:
        said = statement.evidence.when
        mention = _date_in(statement.line.text, said, asked)
        dated = 1.0 if mention else 0.0
        if mention is None:
            mention = _date_beside(statement, asked)
            dated = _BESIDE if mention else 0.0
        worth = statement.score + (_DATED if dated == 1.0 else _SAME_TURN if dated else 0.0)
        if best is None or worth > best[0]:
            best = (worth, statement, mention, dated)
    if best is None:
        return None
    _, statement, mention, dated = best
    return Reply(_words(asked, mention, statement.evidence.when), [statement], chosen={"dated": dated})


def _birth(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return when somebody was born, told or reckoned from an age that is reached at a time; an empty reply if not."""
    for statement in statements[:_LOOKED_AT_WHEN]:
        text, said = statement.line.text, statement.evidence.when
        mention = _date_in(text, said, asked)
        if _BORN.search(text) and mention is not None:
            return Reply(_words(asked, mention, said), [statement], chosen={"dated": 1.0})
        if (age := _REACHED.search(text)) and mention is not None and statement.features["other"] == 0:
            years = CARDINALS.get(age[1].lower()) or int(age[1])
            born = str(mention.span.start.year - years)
            if mention.granularity == "month" and not _YEAR.search(asked.text):
                born = f"{describe(mention.span, 'month').split()[0]} {born}"
            return Reply(born, [statement], chosen={"dated": 1.0})
    return Reply("", statements[:1]) if statements else None


def _date_in(text: str, said: datetime, asked: AnswerTarget) -> DateMention | None:
    dates = [date for date in find_dates(text, said) if date.kind in ("point", "since", "until", "vague")]
    if not dates:
        return None
    question = set(asked.text.lower().split())
    fresh = [date for date in dates if not set(date.text.lower().split()) <= question] or dates
    return min(fresh, key=lambda date: _distance(text, date, asked))


def _distance(text: str, date: DateMention, asked: AnswerTarget) -> int:
    """Return the distance, in characters, of a date from the nearest word of the question."""
    places = [found.start() for root in asked.roots for found in re.finditer(re.escape(root[:5]), text.lower())]
    return min((min(abs(place - date.start), abs(place - date.end)) for place in places), default=0)


def _date_beside(statement: CandidateSentence, asked: AnswerTarget) -> DateMention | None:
    """Return a date that the same turn names in another sentence."""
    return _date_in(statement.evidence.text[:2_000], statement.evidence.when, asked)


def _words(asked: AnswerTarget, mention: DateMention | None, said: datetime) -> str:
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
    """Return a time near the time of saying, relative to it: "the Friday before 15 July 2023"; else ""."""
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
    # "The Friday after" is the very next one.
    near = _is_next_to(mention.span, said)
    if (day := _WEEKDAY.search(text)) and mention.granularity in ("day", "part") and near:
        return f"The {_FULL[day[1].lower()]} {side} {anchor}"
    if mention.granularity in ("week", "weekend") and near:
        return f"The {mention.granularity} {'of' if text.startswith('this') else side} {anchor}"
    if text.startswith(_FEW) and mention.span.end <= said:
        return f"{mention.text[0].upper()}{mention.text[1:].removesuffix(' ago')} before {anchor}"
    return ""


def _is_next_to(span: Span, said: datetime) -> bool:
    """Tell if a time lies within the week before or after the time of saying."""
    return span.start - _WEEK <= said <= span.end + _WEEK


# Limits: words of a subject, and subjects that are named together.
_LONGEST: Final = 6
_TOGETHER: Final = 3
# Lowest share of the question's roots in an event that answers it.
_COVERS: Final = 0.6

_WHO: Final = regex(r"^\W*who\s+(.{1,300})", re.IGNORECASE | re.DOTALL)
# Questions for several people, to which one is no answer.
_MANY: Final = regex(r"^\W*who (?:all|have|are|were)\b", re.IGNORECASE)
_WORD: Final = regex(r"[^\W_]+(?:['\u2019.&-][^\W_]+)*")
# After these follows another subject: "who did she meet".
_DOING: Final = words("do does did don't doesn't didn't")
_BEING: Final = words("am is are was were be been being")
_HAVING: Final = words("has have had")
_HELPING: Final = _BEING | _HAVING | words("will would can could might may shall should must")
_BETWEEN: Final = words("also just really recently finally already first once always still even else all")
_PART: Final = words("a an the and of his her their my our others")


def doer(asked: AnswerTarget, events: Iterable[tuple[CandidateSentence, StatementLine]]) -> Reply | None:
    """Return those who did what a "who" question names, or None if it asks for another role or no event tells."""
    verb = verb_of(asked.text)
    if verb is None:
        return None
    named = {root(part) for name in asked.people for part in name.lower().split()} & asked.every
    wanted = (named | set(asked.roots)) - {verb}
    doers: list[tuple[float, str, CandidateSentence]] = []
    for statement, event in events:
        subject = subject_of(event, verb)
        if subject and wanted.isdisjoint(token.root for token in subject):
            text = event.text[subject[0].start : subject[-1].end]
            doers.append((len(wanted & event.roots) / max(len(wanted), 1), text, statement))
    most = max((share for share, *_ in doers), default=0.0)
    if wanted and most < _COVERS:
        return None
    best: dict[str, CandidateSentence] = {}
    for share, subject, statement in doers:
        if share == most:
            best.setdefault(subject, statement)
    some = list(best)[: _TOGETHER if wanted and most == 1.0 else 1]
    if not some or (len(some) == 1 and _MANY.match(asked.text)):
        return None
    return Reply(", ".join(some), [best[subject] for subject in some])


def verb_of(question: str) -> str | None:
    """Return the root of the action, if a question asks who did it; else None."""
    asked = _WHO.match(question)
    helped = ""
    for word in _WORD.findall(asked[1].lower()) if asked else ():
        if word in _DOING:
            return None
        if word not in _HELPING and word not in _BETWEEN:
            return _verb(word, helped)
        helped = word if word in _HELPING else helped
    return None


def _verb(word: str, helped: str) -> str | None:
    """Return the root of an action; after an auxiliary only its forms count: "is learning", not "is the nurse"."""
    base = root(word)
    if helped in _BEING | _HAVING and not word.endswith("ing") and (base == word or word.endswith("s")):
        return root(helped) if helped in _HAVING else None
    return base


def subject_of(event: StatementLine, verb: str) -> list[LineToken]:
    """Return the words before the verb if it is an event's first verb and not denied; else none."""
    place = next((i for i, token in enumerate(event.tokens) if i and token.root == verb), 0)
    dated = [i for i in range(place) if event.classes[i] == DATE]
    before = list(event.tokens[dated[-1] + 1 if dated else 0 : place])
    while before and (before[-1].lower in _HELPING | _BETWEEN or before[-1].lower.endswith("ly")):
        before.pop()
    said = [token for token in before if token.root]
    if not 0 < len(said) <= _LONGEST or not (said[0].capital or said[0].lower in _PART) or any(map(_foreign, said)):
        return []
    return said


def _foreign(token: LineToken) -> bool:
    """Tell if a word cannot be part of a subject: another verb, or a word that leads to one."""
    if token.capital or token.lower in _PART:
        return False
    if token.lower in STOP_WORDS or token.lower.endswith(("ed", "ing")):
        return True
    # An irregular form of a verb: "saw" of "see".
    return not token.lower.startswith(token.root)


_OPTIONS: Final = regex(
    r"(?:\b(?:a|an|the|by|to|in|on|of|at|be|first|more|either|enjoy|prefer)\b "
    r"|[,:] )((?:[\w.'’-]+ ){0,4}?[\w.'’-]+),? or "
    r"(?:a |an |the |by |to |in )*((?:[\w.'’-]+ ?){1,5}?)(?: (?:first|more|better|most|instead|in|on|for"
    r"|during)\b.*)?[?.]*$",
    re.IGNORECASE,
)


_NEGATED: Final = regex(
    r"\b(?:not|never|no longer|none|nope|can't|cannot|couldn't|don't|doesn't|didn't|won't|wouldn't|isn't"
    r"|aren't|wasn't|hate|hated|"
    r"dislike|avoid|allergic|scary|scared|awful|terrible|horrible|stopped|quit|gave up|refuse|instead of)\b",
    re.IGNORECASE,
)


def supposed(statements: Sequence[CandidateSentence]) -> bool:
    """Tell if what a question supposes is likely: the best statement does not speak against it."""
    return _NEGATED.search(statements[0].line.text) is None


def options(question: str) -> tuple[str, str] | None:
    """Return the two options that a question gives, or None."""
    found = _OPTIONS.search(question)
    return None if found is None else (found[1].strip(), found[2].strip(" ?."))


_OWN: Final = regex(r"^(?:my|our|your|mine|this|that|these|those|some|such an?)\s+(?=\w)", re.IGNORECASE)
_LEADING: Final = regex(r"^(?:with|by|from|to|in|at|on|of)\s+(?=\w)", re.IGNORECASE)
_INNER: Final = (
    (regex(r"\bmy\b|\bour\b", re.IGNORECASE), "their"),
    (regex(r"\bmyself\b|\bourselves\b", re.IGNORECASE), "themselves"),
    (regex(r"\b(?:me|us)\b"), "them"),
    (regex(r"\b(?:I'm|we're)\b", re.IGNORECASE), "they're"),
    (regex(r"\b(?:I've|we've)\b", re.IGNORECASE), "they've"),
    (regex(r"\b(?:I'll|we'll)\b", re.IGNORECASE), "they'll"),
    (regex(r"\bI\b|\bwe\b|\bWe\b"), "they"),
)


def tidied(text: str, asked: AnswerTarget) -> str:
    """Return a phrase as an answer, in the third person."""
    if asked.kind in ("person", "place", "name"):
        text = _LEADING.sub("", text.removesuffix("'s") if "whose" not in asked.text.lower() else text)
    answer = _OWN.sub("", text.strip(" ,'\""))
    for pattern, instead in _INNER:
        answer = pattern.sub(instead, answer)
    return answer


# First words of an answer that are in small letters behind a hedge, and those that are one already.
_LOWERED: Final = words("the a an yes no at in on since about around after before every once twice")
_HEDGED: Final = ("likely ", "probably ")


def hedged(text: str) -> str:
    """Return an answer that is not sure with a hedge before it: "Yes" becomes "Probably yes"."""
    if text.lower().startswith(_HEDGED):
        return text
    first = text.partition(" ")[0].lower().strip(",.")
    return f"Probably {text[:1].lower()}{text[1:]}" if first in _LOWERED else f"Probably {text}"


_BECAUSE: Final = regex(r"\b(?:because|'?cause|cuz|'?coz)\b(?! of\b)\s+([^.;:!?()]{6,120})", re.IGNORECASE)
_DASH: Final = regex(r"\s[-\u2013\u2014]+\s")
_LOOKED_AT_WHY: Final = 4


def reason(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return the clause after "because" in one of the best statements, or None."""
    if "why" not in asked.text.lower():
        return None
    for statement in statements[:_LOOKED_AT_WHY]:
        found = _BECAUSE.search(statement.line.text)
        if found is not None and statement.features["other"] == 0:
            clause = _DASH.split(found[1])[0].strip(" ,")
            return Reply(tidied(clause, asked), [statement])
    return None
