"""How a question is cut into parts that can be looked up by themselves.

Most questions are one part: a wrong cut costs more than a missed one. Cut are what is asked of each of several people
("What have Ana and Ben both painted?"), two questions in one, an event that has to be found before the question about
what came before or after it, and two events that are compared in time.
"""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from hmem.language.analyst.rules.asking import AUXILIARIES, Asking, asking
from hmem.language.regex import regex


class Cut(NamedTuple):
    """The text of a part, and the positions of the parts that must be answered before."""

    text: str
    needs: tuple[int, ...] = ()


_MOST_READ: Final = 600
_NAME: Final = r"(?:I|[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’.-]*){0,2})"
_NAMES: Final = rf"{_NAME}(?:, {_NAME}){{0,3}},? and {_NAME}"
_BOTH_BEFORE: Final = regex(rf"\bboth (?P<names>{_NAMES})(?!['’])")
_BOTH_AFTER: Final = regex(rf"\b(?P<names>{_NAMES}) (?:have |has |had |are |were |do |did )?(?:both|each|all)\b ?")
_AND: Final = regex(r",? and |, ")
_TOGETHER: Final = regex(
    r"\b(?:in common|together|each other|similar\w*|same|share|shared|between|differ\w*)\b", re.IGNORECASE
)
_AGREES: Final = {"have": "has", "do": "does", "are": "is", "were": "was", "haven't": "hasn't", "don't": "doesn't"}
_AUXILIARY_BEFORE: Final = regex(r"\b(have|do|are|were|haven't|don't) $", re.IGNORECASE)


def cuts(question: str, people: Sequence[str]) -> list[Cut]:
    """The parts of a question in an order in which they can be answered; one, the question, when it stays whole."""
    if len(question) <= _MOST_READ and " " in question:
        asked = asking(question)
        for cut in (_of_each, _compared, _two_questions):
            if (found := cut(question, asked, people)) is not None:
                return found
        if (found := _anchored(question, asked, people)) is not None:
            return found
    return [Cut(question)]


# Each of several people.


def _of_each(question: str, asked: Asking, people: Sequence[str]) -> list[Cut] | None:  # noqa: ARG001
    if " and " not in question or _TOGETHER.search(question):
        return None
    found = _BOTH_BEFORE.search(question) or _BOTH_AFTER.search(question)
    if found is None:
        return None
    before, names = question[: found.start()], found["names"]
    first, _, others = names.partition(" ")
    if first.lower() in AUXILIARIES:  # "Did Jon and Gina both": the verb has a capital too.
        before, names = f"{before}{first} ", others
    if not names:
        return None
    after = question[found.end() :].lstrip()
    return [Cut(_for_one(before, name, after)) for name in _AND.split(names) if name]


def _for_one(before: str, name: str, after: str) -> str:
    def agreeing(match: re.Match[str]) -> str:
        word = _AGREES[match[1].lower()]
        return f"{word.capitalize() if match[1][0].isupper() else word} "

    opening = before if name == "I" else _AUXILIARY_BEFORE.sub(agreeing, before)
    return f"{opening}{name} {after}" if after[:1].isalnum() else f"{opening}{name}{after}"


# Two events compared in time.

_BETWEEN: Final = regex(
    r"^how (?:many|much|long) .{0,60}?\bbetween (?P<first>.{2,160}?),? and "
    r"(?P<second>(?:the|my|when|his|her|their|our|[A-ZÀ-Þ]).+?)\?*$",
    re.IGNORECASE,
)
_BEFORE: Final = regex(
    r"^how (?:many|long) .{0,20}?\b(?:before|after) (?P<first>.{2,160}?) (?P<second>(?:did|had|was|were) .+?)\?*$",
    re.IGNORECASE,
)
_FIRST: Final = regex(
    r"^(?:which|what|who) (?P<asked>.{2,80}?) first\b[^,:?]{0,30}[,:] ?(?P<first>[^,]+?),? or (?P<second>[^,]+?)\?*$",
    re.IGNORECASE,
)
_ASKED_OF: Final = regex(r"\b(?P<verb>did|does|do|has|have|had) (?P<rest>.+)$", re.IGNORECASE)
_OCCURRED: Final = regex(r"(?:\w+ )?(?:came|comes|happened|happens|occurred|took place|was|were|is)$", re.IGNORECASE)
_THE_DAY: Final = regex(
    r"^(?:the )?(?:day|time|date|moment|week)s? (?:that |when |on which )?(?=\S+ \S)", re.IGNORECASE
)
_DIGIT: Final = regex(r"\d")
_CLAUSE: Final = regex(r"^(?:when )?(?:I|we|he|she|they) [\w'’]+")


def _compared(question: str, asked: Asking, people: Sequence[str]) -> list[Cut] | None:  # noqa: ARG001
    """When the one was, and when the other, before what the question asks of both."""
    if found := _BETWEEN.match(asked.text):
        events = [found["first"], found["second"]]
        if any(len(event.split()) == 1 or _DIGIT.match(event) for event in events):
            return None
        asks = [_when(event) for event in events]
    elif found := _BEFORE.match(asked.text):
        asks = [_when(found["first"]), f"When {found['second']}?"]
    elif found := _FIRST.match(asked.text):
        asks = [_when_of(found["asked"].strip(), event.strip(" '\"")) for event in (found["first"], found["second"])]
    else:
        return None
    return [*(Cut(text) for text in asks), Cut(question, (0, 1))]


def _when(event: str) -> str:
    """A question for the time of an event that is told as a clause or as a noun."""
    told = _THE_DAY.sub("", event.strip(" ?'\""))
    return f"When was it that {told.removeprefix('when ')}?" if _CLAUSE.match(told) else f"When was {told}?"


def _when_of(asked: str, event: str) -> str:
    """The same of an alternative: "who became a parent first, Tom or Ana?" asks when Tom became a parent."""
    if _OCCURRED.match(asked):
        return f"When was {event}?"
    if verb := _ASKED_OF.search(asked):
        return f"When {verb['verb']} {verb['rest']} {event}?"
    return f"When was it that {event} {asked}?"


# Two questions in one.

_SECOND: Final = regex(
    r",? and (?=(?:(?:in|on|at|for|from|to|with) )?(?:who|what|which|when|where|how (?:many|long|much|often|old))\b)",
    re.IGNORECASE,
)
_FULL: Final = regex(rf"\b(?:{'|'.join(sorted(word for word in AUXILIARIES if word.isalpha()))})\b", re.IGNORECASE)
_SENTENCES: Final = regex(r"(?<=\?)\s+")
_WHO_ACTS: Final = regex(r"^who(?:m)? \w+ \w+", re.IGNORECASE)
_SUBJECT: Final = regex(r"\b(?:he|she)\b")
_OBJECT: Final = regex(r"\b(?:him|it|them)\b")
_LEAST_WORDS: Final = 4


def _two_questions(question: str, asked: Asking, people: Sequence[str]) -> list[Cut] | None:  # noqa: ARG001
    halves = [half for half in _SENTENCES.split(question.strip()) if half]
    if len(halves) != 2:
        found = _SECOND.search(question)
        if found is None:
            return None
        halves = [question[: found.start()] + "?", question[found.end() :]]
    if not all(_stands(half) for half in halves):
        return None
    return [Cut(halves[0]), Cut(_resolved(halves[1], halves[0], people))]


def _stands(half: str) -> bool:
    """Whether half of a question is a question itself."""
    parts = asking(half)
    if len(half.split()) < _LEAST_WORDS or not (parts.polar or parts.lead):
        return False
    if not re.match(r"(?:\w+ )?(?:who|what|which|when|where|how|why|whose)|\w", half, re.IGNORECASE):
        return False
    return bool(parts.verb) or _WHO_ACTS.match(half) is not None


def _resolved(second: str, first: str, people: Sequence[str]) -> str:
    """The second question with names for its pronouns, where the first has one name that fits."""
    named: list[str] = list(dict.fromkeys(re.findall(_NAME, first[1:])))
    persons = [name for name in named if name in people]
    others = [name for name in named if name not in people]
    if len(persons) == 1:
        second = _SUBJECT.sub(persons[0], second, count=1)
    objects = others or persons
    if len(objects) == 1:
        second = _OBJECT.sub(objects[0], second, count=1)
    return second[:1].upper() + second[1:]


# An event that the question hangs on.

_HANGS: Final = regex(r" (?:right |just |soon |shortly )?(?:before|after) (?P<event>[^,?]+)\?*$", re.IGNORECASE)
_SUBJECT_AND_VERB: Final = regex(
    r"^(?P<who>he|she|they|I|we|[A-ZÀ-Þ][\w-]+(?:'s \w+)?) (?P<verb>[a-z]+\b.*)$", re.ASCII
)
_INVERTED: Final = regex(r"\b(?:did|does|do)\b")
_GERUND: Final = regex(r"^(?:\w+ly )?[a-z]{2,}ing\b")
_MOVES: Final = ("where", "which", "what")


def _anchored(question: str, asked: Asking, people: Sequence[str]) -> list[Cut] | None:
    """The event that comes before or after first, then the question, which keeps its words."""
    if asked.polar or asked.lead in ("", "how", "why") or asked.text != question.strip():
        return None
    found = _HANGS.search(question)
    if found is None:
        return None
    event = found["event"].strip()
    if _INVERTED.search(event):
        return None
    who = _acting(question[: found.start()], people)
    clause = _SUBJECT_AND_VERB.match(event)
    if clause is not None and (clause["who"] not in ("he", "she", "they") or who):
        told = clause["who"] if clause["who"] not in ("he", "she", "they") or not who else who
        return [Cut(f"When was it that {told} {clause['verb']}?"), Cut(question, (0,))]
    if who and _GERUND.match(event) and _asks_where(asked):
        return [Cut(f"When was {who} {event}?"), Cut(question, (0,))]
    return None


def _acting(before: str, people: Sequence[str]) -> str | None:
    """The one person that the question names; "I" where it speaks of nobody else."""
    named = [person for person in people if re.search(rf"\b{re.escape(person)}\b(?!['’]s)", before)]
    if len(named) == 1:
        return named[0]
    return None if named or not re.search(r"\bI\b", before) else "I"


_PLACES: Final = frozenset({"city", "country", "state", "place", "town", "location"})


def _asks_where(asked: Asking) -> bool:
    return asked.lead == "where" or (asked.lead in _MOVES and asked.head in _PLACES)
