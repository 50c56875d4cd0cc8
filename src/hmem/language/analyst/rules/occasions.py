"""What is done on a day that is known, is to be done on one, or is done again and again, whatever it is."""

import re
from dataclasses import dataclass
from typing import Final

from hmem.language.analyst.rules.values import is_meaningful, phrase, trimmed, without_determiner
from hmem.language.analyst.rules.verbs import is_past, third_person
from hmem.language.analyst.rules.vocabulary import THING, Rule, rule
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex
from hmem.model.span import Span

_EVENT: Final = rule("event", "", "", "fact", dated=True)
_PLAN: Final = rule("plan", "", "", "fact", dated=True)
_PROJECT: Final = rule("project", "", "", "fact", dated=True)
_HABIT: Final = rule("habit", "", "", "preference")

# Verbs whose past tells of no happening, or of one in the head.
_NO_HAPPENING: Final = words(
    """
    was were had been thought felt knew realized realised heard said told asked talked chatted spoke guessed hoped
    wanted wished needed remembered forgot loved liked enjoyed seemed looked used understood meant believed kept
    let did wondered mentioned caught appreciated noticed expected figured hit blew could would should appeared
    supposed managed reminded called sent texted messaged shared showed missed came become became fell faced gave
    lost left  broke turned put set brought poured wrapped touched struck crossed owed owes deserved
    brightened boosted changed meant cost gone gotten listened cared stayed cried laughed smiled stuck
    """
)
_POINTS: Final = regex(
    r"\b(?:it|its|them|him|her|he|she|they|their|his|this(?! (?:awesome|amazing|cool|great|new|wonderful|beautiful"
    r"|incredible|huge|really|super|big|little|local))|that|those|these(?! \w+ \w)|you|your|one|ones|something|anything"
    r"|everything|stuff|so|what|how|such)\b",
    re.IGNORECASE,
)
_NOT_UNDER_WAY: Final = words(
    """
    having getting feeling thinking trying looking hoping talking sending being seeing going asking wondering
    loving enjoying telling showing giving keeping doing saying wishing missing becoming planning sharing
    leaving bringing facing sitting standing dealing needing wanting liking making taking considering referring
    bothering
    """
)
_NO_WILL: Final = words("be need have love like miss want see know get keep try remember make do let always never")
_NO_PLAN: Final = words(
    "getting feeling thinking considering trying looking hoping running being doing wondering sitting"
)
_THING: Final = regex(r"(?:up |off |out |over |back |together )?" + THING, re.IGNORECASE)
_ARTICLE: Final = regex(r"(?:an?|the|some|another) ")
_UNFINISHED: Final = regex(
    r"^\w+ \w+ times$|\bto \w+ing$|\b(?:to|of|for|with|in|on|at|from|got around.*|a|an|the|more|some|few)$"
)
_HAVE: Final = frozenset({"has", "have"})
_LONGEST_HAPPENING: Final = 10
_BE: Final = frozenset({"is", "are"})
_GOING_TO: Final = regex(r"to (?=[a-z]+\b)")
_OFTEN: Final = regex(
    r"\b(?:every (?:single )?(?:other )?(?:day|morning|night|evening|week|weekend|month|year|summer|winter|spring"
    r"|autumn|fall"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|christmas|afternoon)|(?:on |in the )?(?:mondays"
    r"|tuesdays"
    r"|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays|mornings|evenings)|(?:once|twice|three times"
    r"|four times"
    r"|\d times|a few times) (?:a|per|each) (?:day|week|month|year)|each (?:day|morning|week|month|night|year"
    r"|evening))\b",
    re.IGNORECASE,
)
_FREQUENT: Final = regex(r"\b(?:usually|often|always|regularly|typically|normally)\s+$")
_CLAUSE_END: Final = regex(
    r"[;!?()\"]|[.:](?=\s|$)|, (?!and\b)|\b(?:because|since|which|so|but|when|while|if|where|who|that)\b|§(?!'s)"
    r"|,? and (?:it|§|the|he|she|they)\b"
)
_STATIVE: Final = words(
    """
    ends is has was does thinks feels knows hopes wants needs means says makes looks sounds seems tries finds sees
    wishes
    """
)
_NEEDS_MORE: Final = words("goes go gets get does do comes come takes take has have")
_LIVELY: Final = regex(r"\bthis (?=[^aeiouA-Z\W]\w+ [a-z])")
_LONGEST: Final = 12
_FIXED: Final = regex(
    r"(?:^|(?<=[,;:] )|(?<=and ))(?:[Tt]he |[Aa]n? |(?=§'s ))(?P<what>(?:§'s )?(?:(?!the\b|of\b|who\b"
    r"|that\b)[\w-]+ ){0,3}?(?:wedding|interview|concert|exam"
    r"|test|appointment|race|party|birthday|surgery|operation|flight|trip|lease(?: in \w+)?|deadline|exhibition"
    r"|show|recital"
    r"|competition|tournament|match|meeting|conference|course|graduation|ceremony|reunion|marathon|audition|opening"
    r"|launch"
    r"|rehearsal|due date))(?:'s| (?P<verb>is|starts|begins|ends|opens|takes place))(?: now)? (?=on |in |at |from "
    r"|this |next |tomorrow"
    r"|tonight)(?!(?:in|at) (?:the|an?|our|full|her|his|their) (?!\w+ of [A-Z]))"
)
_SCHEDULED: Final = words(
    """
    flies leaves starts arrives returns moves begins lands travels graduates retires performs sings
    """
)


@dataclass(frozen=True, slots=True)
class Occasion:
    """What is done: its value, its wording, and how it is kept."""

    value: str
    text: str
    rule: Rule


def occasion(
    sentence: str, aux: str, verb: str, start: int, end: int, when: Span | None, *, plural: bool = False
) -> Occasion | None:
    """What a verb from ``start`` to ``end``, behind its auxiliary, says that is done, where that is worth a note.

    ``when``: the time that the sentence names, if it names one; ``None`` too for a time that is another sentence's.
    """
    if aux in _HAVE or not aux:
        if verb not in _NO_HAPPENING and is_past(verb):
            return _happened(sentence, aux, start, end, dated=when is not None)
    elif aux in _BE or aux == "will":
        planned = _to_come(sentence, aux, verb, start, end) if when is not None else None
        return planned or (_under_way(sentence, aux, verb, start, end) if aux in _BE else None)
    if aux.endswith(" been"):
        return _under_way(sentence, aux, verb, start, end)
    if aux:
        return None
    if when is not None and verb in _SCHEDULED:
        return _scheduled(sentence, start)
    return _again(sentence, verb, start, plural=plural)


def _happened(sentence: str, aux: str, start: int, end: int, *, dated: bool) -> Occasion | None:
    """What was done; without a date only what was done to a certain thing."""
    if _THING.match(sentence, end) is None and (not dated or _ARTICLE.match(sentence, end)):
        return None
    value = _said(sentence, start)
    if value is None or len(value.split()) > _LONGEST_HAPPENING or _UNFINISHED.search(value):
        return None
    if not is_meaningful(without_determiner(value[end - start :])):
        return None
    return Occasion(value, f"{{s}} {'has ' if aux else ''}{value}.", _EVENT)


def _under_way(sentence: str, aux: str, verb: str, start: int, end: int) -> Occasion | None:
    """What someone is at: "is mentoring the younger players"."""
    if not verb.endswith("ing") or verb in _NOT_UNDER_WAY or _THING.match(sentence, end) is None:
        return None
    value = _said(sentence, start)
    if value is None or len(value.split()) > _LONGEST_HAPPENING or _UNFINISHED.search(value):
        return None
    if not is_meaningful(without_determiner(value[end - start :])):
        return None
    return Occasion(value, f"{{s}} {'has been' if aux.endswith(' been') else 'is'} {value}.", _PROJECT)


def _to_come(sentence: str, aux: str, verb: str, start: int, end: int) -> Occasion | None:
    if aux == "will" and verb in _NO_WILL:
        return None
    if aux == "will":
        value = _said(sentence, start)
        text = f"{{s}} will {value}."
    elif verb == "going" and (to := _GOING_TO.match(sentence, end)):
        value = _said(sentence, to.end())
        text = f"{{s}} is going to {value}."
    elif verb.endswith("ing") and verb not in _NO_PLAN:
        value = _said(sentence, start)
        text = f"{{s}} is {value}."
    else:
        return None
    if value is None or " " not in value or not is_meaningful(value.partition(" ")[2]):
        return None
    return Occasion(value, text, _PLAN)


def _scheduled(sentence: str, start: int) -> Occasion | None:
    """What is on a timetable: "flies on Friday"."""
    stop = _CLAUSE_END.search(sentence, start)
    value = sentence[start : stop.start() if stop else len(sentence)].partition(" and ")[0].strip(" ,")
    return Occasion(value, f"{{s}} {value}.", _PLAN) if _fits(value) else None


def fixed(sentence: str) -> Occasion | None:
    """What is fixed for a day: "the interview is on Thursday". To be asked only of a sentence with a date."""
    found = _FIXED.search(sentence)
    if found is None:
        return None
    stop = _CLAUSE_END.search(sentence, found.end())
    rest = sentence[found.end() : stop.start() if stop else len(sentence)]
    value = f"{found['what']} {found['verb'] or 'is'} {trimmed(rest)}"
    if not _fits(value):
        return None
    return Occasion(value, f"{'' if value[0] == '§' else 'The '}{value}.", _PLAN)


def _again(sentence: str, verb: str, start: int, *, plural: bool) -> Occasion | None:
    """A habit: with how often in it."""
    agreed = third_person(verb) if plural else verb
    if not agreed.endswith("s") or agreed in _STATIVE:
        return None
    stop = _CLAUSE_END.search(sentence, start)
    clause = sentence[start : stop.start() if stop else len(sentence)].strip(" ,")
    often = _OFTEN.search(clause)
    if often is not None:
        clause = clause if _fits(clause) else clause[: often.end()]
    elif not _FREQUENT.search(sentence, 0, start):
        return None
    else:
        clause = _said(sentence, start) or ""
    if not _fits(clause) or clause.split()[1] in ("and", "or"):
        return None
    if often is not None and verb in _NEEDS_MORE and not is_meaningful(_OFTEN.sub("", clause[len(verb) :])):
        return None
    clause = agreed + clause[len(verb) :]
    adverb = "" if often else f"{sentence[:start].rsplit(maxsplit=1)[-1]} "
    return Occasion(clause, f"{{s}} {adverb}{clause}.", _HABIT)


def _said(sentence: str, start: int) -> str | None:
    """What stands there, when it says by itself what was done."""
    value = _LIVELY.sub("a ", phrase(sentence, start, _LONGEST))
    return value if _fits(value) else None


def _fits(value: str) -> bool:
    return bool(value) and 1 < len(value.split()) <= _LONGEST and _POINTS.search(value) is None
