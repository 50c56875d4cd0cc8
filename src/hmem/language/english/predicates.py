"""Claims of a subject and its verb: "Maria has …", "Maria's brother plays …", "Anna moved to …".

Besides the verbs with rules: possessives ("Maria's …": relatives, friends, pets, favourites, goals, belongings), and
occasions: whatever is done or planned on a known day, or done again and again.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.english.claims import SELF, Maker, unsure, within
from hmem.language.english.gazetteer import given_names, known_names
from hmem.language.english.names import is_common
from hmem.language.english.slots import BY_VERB
from hmem.language.english.values import is_meaningful, phrase, shortened, trimmed, without_determiner
from hmem.language.english.verb_forms import is_past, third_person
from hmem.language.english.vocabulary import KIN, NO_GOODS, PETS, PLACE, THING, Rule, rule
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.span import Span

_FAVOURITE: Final = regex(
    r"(?<!of )§'s (?:all[- ]time |absolute |personal |current )*(?:favou?rite|fave)(?P<what>(?: "
    r"[\w-]+){1,4}?)? (?:is|are|has to be|would be|has always been|is probably|is definitely)\s+",
    re.IGNORECASE,
)
_ONE_OF: Final = regex(
    r"(?P<v>\"[^\"]{2,60}\"|(?:[A-Z][\w'-]*)(?: (?:of|the|and|in|a|to|[A-Z][\w'-]*)){0,6}|"
    r"[A-Z][a-z]+(?: [a-z]+)?|^[A-Z][a-z]+ing(?: [a-z-]+){0,5}) (?:is|are|was|were) (?:definitely |probably |also "
    r"|still |always )*(?:one "
    r"of )?§'s (?:all[- ]time |absolute |personal |current )*(?:favou?rite|fave)(?P<what>s?(?: "
    r"[\w-]+){0,3}?)(?=[.,!;:]| too\b| for\b| because\b| of\b| to\b| -|$)"
)
_IS_CALLED: Final = regex(
    rf"§'s (?:[a-z]+ ){{0,2}}?(?P<kin>{KIN}|{PETS}|kid|baby)(?:'s name)? (?:is (?:called|named)|is|"
    r"was named|is named) (?P<name>[A-Z][a-z]+)(?=[.,!]| and\b|$)"
)
_OWN: Final = regex(
    rf"(?<!at )(?<!and )§'s (?:(?:[a-z-]+ ){{0,2}}?)(?P<kin>{KIN}|{PETS})(?:, ?|,? named |,? called |"
    r" )(?P<name>[A-Z][a-zà-ÿ]+)\b(?!'s [a-z]+ [A-Z])"
)
_MINE: Final = regex(
    r"(?P<v>(?!(?:My|The|Our|Some|Being|Having|Seeing|All|Every|Finding|Getting|"
    r"§)\b)[A-Z][a-z'-]+(?: [A-Za-z'-]+){0,4}?) (?:is|are|has been|has become|has always been|is "
    r"like|are like) (?:like |also |still |really |definitely )*(?:(?:an?|one of|the|such a) (?:\w+ "
    r")?(?:part|bit) of |one of )?§'s (?:\w+ ){0,2}?(?:passions?|hobby|hobbies|escape|outlets?|"
    r"creative outlets?|stress fix|stress relief|therapy|go-to|first love|happy place|dream|number one "
    r"goal|goal|jam|comfort food|guilty pleasure|safe place|top pick|thing|specialty)\b"
)
_HAS_ONE: Final = regex(
    r"(?<!with )§'s (?:(?:older|younger|little|big|older|two|three|own|beloved|cute|furry|pet|\d) "
    r"){0,2}(?P<kin>wife|husband|girlfriend|boyfriend|fianc[ée]e?|kids|children|sons?|daughters?|"
    r"brothers?|sisters?|twins|dogs?|pupp(?:y|ies)|cats?|kittens?|turtles?|guinea pigs?|rabbits?|"
    r"hamsters?|parrots?|horses?|snakes?)(?=[ .,!?;:)]|'s? |$)(?! "
    r"(?:painting|drawing|picture|photo|park|show|food|race|racing|riding|house|toys?|sitter|walker|statue|treats?)\b"
    r"| [A-Z]|,? (?:named|called)|, [A-Z]| "
    r"(?:at|in the) )"
)
_SLOT_IS: Final = regex(
    r"§'s (?:(?:main|new|current|biggest|ultimate|first|favou?rite|next|long-term) "
    r")?(?P<slot>birthday|hobby|hobbies|hometown|job|goal|dream|plan|star sign|native language|blood type|"
    r"major) (?:is|are|was) (?:now )?(?!not |so |to (?:be|make|keep|help|give|get|inspire|create|bring|"
    r"spread|show)\b|(?:it|that|this|what)\b|going |coming |paying |really |very |still )",
    re.IGNORECASE,
)
_ANY_THING: Final = regex(r"^s$|\b(?:ones?|things?|parts?|to|of|about)\b")
_CHILD: Final = regex(r"(?:son|daughter|kid|baby|child|children|twin)$")
_SIBLING: Final = regex(r"(?:brother|sister)$")
_PARENT: Final = regex(r"(?:mother|mom|mum|mommy|father|dad|daddy)$")
_PARTNER: Final = regex(r"(?:husband|wife|boyfriend|girlfriend|partner|fianc[ée]e?)$")

_PET: Final = regex(rf"{PETS}$|kitten$|pet$")
_KINDS: Final = ((_CHILD, "child"), (_SIBLING, "sibling"), (_PARENT, "parent"), (_PARTNER, "partner"), (_PET, "pet"))
NO_NAMES: Final = words(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August
    September October November December I The Day Christmas Thanksgiving Easter And But If So It That This
    """
)
POINTERS: Final = words(
    """
    It This That They These Those He She Which What Here One There Each Both Such Same Who Him Her
    """
)
_ALSO: Final = {"hobbies": "hobby", "dream": "goal"}

# "Maria's dance studio", "Maria's car".
_OWNED: Final = regex(
    rf"(?<!like )(?<!at )§'s (?P<v>(?:own |new |old |first |electric |little |online |dance |clothing |clothes "
    rf"|food |small |beloved )"
    r"{0,3}(?:garden|car|bike|motorcycle|van|truck|boat|guitar|piano|violin|telescope|greenhouse|bookshelf|camera"
    r"|drone|3d printer"
    r"|store|shop|studio|business|company|blog|youtube channel|channel|podcast|bakery|farm|cabin|apartment|flat|house))"
    rf"\b{NO_GOODS}(?! (?:plan|plans|idea|ideas|partner|trip|card|cards|model|cover|keys|window|door|venture"
    rf"|\w+ing)\b)(?!-)"
)
_AWAY: Final = regex(
    r"\b(?:start(?:ing|ed)?|open(?:ing)?|creat(?:e|ing)|launch(?:ing)?|thinking|dreams?|build(?:ing)?|buy(?:ing)?"
    r"|find(?:ing)?|get(?:ting)?|plans?|planning|hopes?|become|sold|sells?|selling|lost|losing|donated|gave|rid"
    r"|crashed|closed|left|quit|wants?|no longer|not)\b",
    re.IGNORECASE,
)
# "Anna Lindqvist, from Gothenburg".
_FROM: Final = regex(rf"^(?P<name>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?), (?:who is |who's )?from {PLACE}")
# "Declan is Maria's brother-in-law".
_IS_KIN: Final = regex(
    rf"(?<![\w'-])(?P<name>[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)?)(?: is|,|, who is"
    rf"| -) §'s (?P<kin>(?:[a-z-]+ ){{0,2}}?(?:{KIN}"
    r"|manager|landlord|landlady|physiotherapist|trainer|supervisor|professor|tutor|student|assistant|agent|nanny"
    r"|classmate"
    r"|housemate|godmother|godfather|brother-in-law|sister-in-law|mother-in-law|father-in-law|stepfather|stepmother))\b"
    r"(?= on\b| at\b| from\b| in\b| and\b|[.,!;]|$)(?!'s)"
)
# "§'s older sister Ifeoma, in Dublin"
_KIN_AT: Final = regex(
    rf"§'s (?:[a-z-]+ ){{0,2}}?(?P<kin>{KIN}|cousin) (?P<name>[A-Z][a-zà-ÿ]+),? (?:who lives )?(?:in|from|back in"
    rf"|over in) {PLACE}"
)
# "the conductor is called Anya", "a student downstairs called Duarte".
_ROLE_CALLED: Final = regex(
    r"\b(?:[Tt]he|[Aa]n?|§'s) (?P<kin>(?:[a-z'-]+ ){0,2}?(?:conductor|student|teacher|coach|instructor|neighbou?r"
    r"|colleague|coworker"
    r"|trainer|manager|landlord|landlady|vet|doctor|therapist|physiotherapist|boss|guy|man|woman|girl|boy|lady"
    r"|friend|roommate"
    r"|flatmate|housemate|mentor|tutor|volunteer|classmate|teammate|cousin|niece|nephew))(?: (?:downstairs|upstairs"
    r"|next door|at work"
    r"|there))?,? (?:is |was |who is |whose name is )?(?:called|named) (?P<name>[A-Z][a-zà-ÿ]+)\b"
)
_JOY: Final = regex(
    r"^(?P<v>(?!(?:My|The|Our|Some|Being|Having|Seeing|All|Every|Finding|Getting|Knowing|Hearing|Their|His|Her|These"
    r"|Those|§)\b)"
    r"[A-Z][a-z'-]+(?: [a-z'-]+){0,4}?) (?:also |really |always |just |still |sure |definitely "
    r"|totally )*(?:brings? § (?:so much |such "
    r"|a lot of |lots of |much |great )?(?:joy|happiness|peace|comfort)|(?:is|are) (?:so |really |super |very "
    r"|such a )*(?:relaxing|fun"
    r"|therapeutic|calming|important) (?:for|to) §|makes? § (?:so |really )?happy|means? (?:a lot|so much|the world"
    r"|everything) to §"
    r"|(?:is|are) an? (?:huge|big|important|essential|large) part of §'s life|inspires? §"
    r"|helps? § (?:relax|unwind|de-?stress|stay (?:calm|focused|grounded|positive|motivated|sane|connected)|focus|cope"
    r"|escape|recharge|switch off))\b"
)


def belongings(sentence: str, maker: Maker, *, own: bool) -> Iterator[Claim]:
    """Yield the claims of the speaker's belongings; ``own``: the speaker said "my", not only "our"."""
    if "fav" in sentence:
        yield from _favourites(sentence, maker)
    yield from _named(sentence, maker)
    if own:
        yield from _had(sentence, maker)
    yield from _loved(sentence, maker)
    yield from _told(sentence, maker)


def _named(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Yield the claims of relatives, friends and pets with a name."""
    for found in (*_IS_CALLED.finditer(sentence), *_OWN.finditer(sentence)):
        kin, name = found["kin"], found["name"]
        if name not in NO_NAMES and name != maker.speaker:
            yield _relative(kin, name, maker)
    for found in _IS_KIN.finditer(sentence):
        if found["name"].split()[0] not in NO_NAMES | POINTERS and not unsure(sentence, found.start()):
            yield _relative(found["kin"], found["name"], maker)
    for found in _KIN_AT.finditer(sentence):
        yield maker.claim(
            "profile", found["name"], "home", found["v"].rstrip("."), f"{{s}} lives in {found['v'].rstrip('.')}."
        )


def _had(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Yield the claims of relatives and pets without a name, and of things."""
    for found in _HAS_ONE.finditer(sentence):
        kin = found["kin"]
        slot = _slot_of(kin) or _slot_of(singular(kin))
        if slot and not unsure(sentence, found.start()):
            many = kin.endswith("s") or kin == "children"
            yield maker.claim("profile", maker.speaker, slot, kin, f"{{s}} has {kin if many else f'a {kin}'}.")
    for found in _OWNED.finditer(sentence):
        if not unsure(sentence, found.start()) and not _AWAY.search(sentence, 0, found.start()):
            value = re.sub(r"^(?:own|new|old|first|little|beloved) ", "", found["v"])
            article = "an" if value[0] in "aeio" else "a"
            yield maker.claim("fact", maker.speaker, "owns", value, f"{{s}} has {article} {value}.")


def _loved(sentence: str, maker: Maker) -> Iterator[Claim]:
    mine = _MINE.match(sentence)
    if mine is not None and is_meaningful(mine["v"]) and mine["v"].split()[0] not in POINTERS:
        value = _small(mine["v"])
        slot = "goal" if "goal" in mine[0] or "dream" in mine[0] else "likes"
        yield maker.claim("preference", maker.speaker, slot, value, mine[0] + ".")


def people(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Yield the claims of people with a name and a role: "the conductor is called Anya"."""
    for found in _ROLE_CALLED.finditer(sentence):
        if found["name"] not in NO_NAMES and not unsure(sentence, found.start()):
            kin = found["kin"]
            article = "the" if "'s " in kin else "an" if kin[0] in "aeiou" else "a"
            yield maker.claim("fact", found["name"], "role", kin, f"{{s}} is {article} {kin}.")
    if come := _FROM.match(sentence):
        yield maker.claim(
            "profile", come["name"], "hometown", come["v"].rstrip("."), f"{{s}} is from {come['v'].rstrip('.')}."
        )


def _small(value: str) -> str:
    """Return the first words of a sentence as they stand inside one: only a name keeps its capital."""
    return value[0].lower() + value[1:] if is_common(value.partition(" ")[0].lower()) else value


def joys(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Yield the claims of things that bring someone joy."""
    joy = _JOY.match(sentence)
    if joy is not None and is_meaningful(joy["v"]) and joy["v"].split()[0] not in POINTERS:
        yield maker.claim("preference", maker.speaker, "likes", _small(joy["v"]), joy[0] + ".")


def _told(sentence: str, maker: Maker) -> Iterator[Claim]:
    slot = _SLOT_IS.search(sentence)
    if slot is not None and not unsure(sentence, slot.start()):
        value = phrase(sentence, slot.end())
        if is_meaningful(value):
            said = slot["slot"].lower()
            yield maker.claim("profile", maker.speaker, _ALSO.get(said, said), value, f"{{s}}'s {said} is {value}.")


def _relative(kin: str, name: str, maker: Maker) -> Claim:
    slot = _slot_of(kin) or ("friend" if "friend" in kin else "relation")
    if slot in ("relation", "friend"):
        return maker.claim("profile", maker.speaker, slot, name, f"{name} is {{s}}'s {kin}.")
    return maker.claim("profile", maker.speaker, slot, f"{kin} {name}", f"{{s}} has a {kin}, {name}.")


def _slot_of(kin: str) -> str | None:
    return next((slot for pattern, slot in _KINDS if pattern.search(kin)), None)


def _favourites(sentence: str, maker: Maker) -> Iterator[Claim]:
    for found in _FAVOURITE.finditer(sentence):
        value = phrase(sentence, found.end())
        if is_meaningful(value) and not unsure(sentence, found.start()):
            yield _favourite(found["what"] or "", value, "is", maker)
    for found in _ONE_OF.finditer(sentence):
        value = found["v"]
        if is_meaningful(value) and not unsure(sentence, found.start()) and value.split()[0] not in POINTERS:
            yield _favourite(found["what"] or "", value, "includes" if "one of" in found[0] else "is", maker)


def _favourite(what: str, value: str, verb: str, maker: Maker) -> Claim:
    thing = singular(what.strip().lower()) if verb == "includes" else what.strip().lower()
    value = without_determiner(value) if value[0].islower() else _gerund(value)
    slot = f"favourite {thing}" if thing and not _ANY_THING.search(thing) else "likes"
    named = f"{{s}}'s {slot} {verb} {value}." if slot != "likes" else f"A favourite of {{s}}'s is {value}."
    return maker.claim("preference", maker.speaker, slot, value, named)


def _gerund(value: str) -> str:
    first = value.partition(" ")[0]
    return value[0].lower() + value[1:] if first.endswith("ing") else value


def singular(thing: str) -> str:
    """Return a noun in the singular, judged by its ending."""
    if thing.endswith("ies") and thing != "movies":
        return thing[:-3] + "y"
    if thing.endswith(("ches", "shes", "xes", "sses")):
        return thing[:-2]
    return thing[:-1] if thing.endswith("s") and not thing.endswith("ss") else thing


_EVENT: Final = rule("event", "", "", "fact", dated=True)
_PLAN: Final = rule("plan", "", "", "fact", dated=True)
_PROJECT: Final = rule("project", "", "", "fact", dated=True)
_HABIT: Final = rule("habit", "", "", "preference")

# Verbs whose past is no event, or only a mental one.
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
_LIVELY_OCCASION: Final = regex(r"\bthis (?=[^aeiouA-Z\W]\w+ [a-z])")
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
    """Event, plan, activity or habit: its value, its wording, its rule."""

    value: str
    text: str
    rule: Rule


def occasion(
    sentence: str, aux: str, verb: str, start: int, end: int, when: Span | None, *, plural: bool = False
) -> Occasion | None:
    """Return the event, plan, activity or habit of a verb at ``start`` to ``end``; None if it is not worth a note.

    ``when``: the time that the sentence itself names, or None.
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
    """Return a past event; without a date only one with a definite object."""
    if _THING.match(sentence, end) is None and (not dated or _ARTICLE.match(sentence, end)):
        return None
    value = _said(sentence, start)
    if value is None or len(value.split()) > _LONGEST_HAPPENING or _UNFINISHED.search(value):
        return None
    if not is_meaningful(without_determiner(value[end - start :])):
        return None
    return Occasion(value, f"{{s}} {'has ' if aux else ''}{value}.", _EVENT)


def _under_way(sentence: str, aux: str, verb: str, start: int, end: int) -> Occasion | None:
    """Return an activity in progress: "is mentoring the younger players"."""
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
    """Return a timetabled event: "flies on Friday"."""
    stop = _CLAUSE_END.search(sentence, start)
    value = sentence[start : stop.start() if stop else len(sentence)].partition(" and ")[0].strip(" ,")
    return Occasion(value, f"{{s}} {value}.", _PLAN) if _fits(value) else None


def fixed(sentence: str) -> Occasion | None:
    """Return an appointment: "the interview is on Thursday". Call it only for a sentence with a date."""
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
    """Return a habit, with its frequency."""
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
    """Return the phrase at ``start`` if it describes an event alone, or None."""
    value = _LIVELY_OCCASION.sub("a ", phrase(sentence, start, _LONGEST))
    return value if _fits(value) else None


def _fits(value: str) -> bool:
    return bool(value) and 1 < len(value.split()) <= _LONGEST and _POINTS.search(value) is None


_ADVERBS: Final = (
    r"(?:(?:really|always|just|also|still|actually|recently|finally|usually|often|mostly|already|now|"
    r"totally|absolutely|currently|sometimes|especially|definitely|truly|even|kind of|kinda|once|first|"
    r"both|all|officially|only|personally|particularly|secretly|initially|lately|generally|normally|"
    r"barely|honestly|eventually|then|soon|regularly|mainly|typically|primarily|quickly|ended up)\s+)*"
)
_VERBAL: Final = (
    r"(?:(?P<aux>does|did|(?:has|have|had) been(?= [a-z]+ing\b)|has|had|have|is|was|are|were|used to|will|"
    rf"could|can|would|may|might|should)\s+)?{_ADVERBS}(?P<not>(?:not|never|no longer|cannot|rarely|"
    rf"hardly)\s+)?{_ADVERBS}(?P<verb>[a-z]+)(?:\s+|(?=[.,!;]|$))"
)
_PREDICATE: Final = regex(
    rf"(?<![\w'-])(?:{SELF}(?P<kin>'s\s+(?:[a-z-]+\s+){{0,2}}?(?P<who>{KIN}|nephew|cousin|kids|twins))?(?:,?\s+"
    rf"(?P<name>[A-Z][a-zà-ÿ]+)\b,?)?(?P<others> and others)?)\s+{_ADVERBS}{_VERBAL}"
)
_NAME: Final = regex(r"(?<![\w'-])(?P<name>[A-Z][a-zà-ÿ]{2,})(?= [A-Za-z])")
_NAMED: Final = regex(rf"(?P<name>[A-Z][a-zà-ÿ]{{2,}})(?P<family> [A-Z][a-zà-ÿ]{{2,}})? {_ADVERBS}{_VERBAL}")
# Text before a name that is a subject.
_OPENING: Final = regex(
    r"(?:[,;] (?:and |but )?|[a-z] (?:and|but) | (?:because|that|since) "
    r"|^(?:On|Last|This|Yesterday|Today|Tonight|In|Two|Three|A)\b[A-Za-z0-9 ]{0,24},? )$"
)
# Words that end the search for further verbs of the same subject.
_OTHER: Final = regex(
    rf"[.;:!?()\"]|\b(?:which|who|that|because|since|when|where|while|if|as|although|so|he|she|it|they|there)\b"
    rf"|{SELF}(?!'s)"
)
_AND: Final = regex(rf"(?:,? and|,? but|,? then|,| -) (?:then |also |now |even )?{_ADVERBS}(?P<verb>[a-z]+)(?= )")
_AND_PRESENT: Final = words("has is loves likes works lives enjoys hates wants prefers owns hopes speaks collects")
_NO_COORDINATE: Final = words("used needed loved liked")

# Slots kept for the speaker only.
_OWN_SLOTS: Final = words("friend relation project reading interest instruction goal")
# Slots kept for people known only by this name.
_SURE_SLOTS: Final = words(
    """
    home employer job age allergy plays studies diet language hometown birthplace child expecting partner family pet
    """
)
_GENERAL: Final = words(
    """
    event group class team show meeting party trip game community project new project club place event this
    weekend book band idea business feet hands
    """
) | {"new project", "new group", "new class", "two feet", "two hands"}
_POSSIBLE: Final = frozenset({"will", "could", "can", "would", "may", "might", "should"})
_BEING: Final = frozenset({"is", "are", "was", "were"})
_AVERSE: Final = frozenset(
    {"hate", "hates", "hated", "dislike", "dislikes", "loathe", "loathes", "despises", "despise"}
)
_STATES: Final = frozenset({"pet", "job", "partner", "likes", "diet", "owns", "allergy", "fear", "health", "interest"})
_WAS: Final = frozenset({"was", "had"})
_FREE: Final = frozenset({"event", "plan", "goal", "belief", "project", "studies"})
_BEFORE_NOT: Final = regex(r"\b(?:is|was|has) \{n\}")
_BASES: Final = {"is": "be", "was": "be", "has": "have", "goes": "go", "does": "do", "studies": "study"}
_WORDS_OF_A_VALUE: Final = 9
_LIVELY: Final = regex(r"(?:this|these|some) (?!of\b)(?=[\w-]+ [\w-]|\w{4,}$)(?!(?:one|time|thing|is|was)\b)")
_POINTING_END: Final = regex(
    r"^\w+ing (?:it|them|him|her|that|this|these|those)\b"
    r"| (?:it|them|him|her|that|this|these|those|there|you|us|me|something|everything|one)$"
)
_VERB_FIRST: Final = regex(r"(?:to )?(?:[a-z]+)\b")
_NOUN_FIRST: Final = regex(r"(?:a|an|the|some|another|my|our|this|that|his|her|their|[a-z]+ing)\b")


@dataclass(frozen=True, slots=True)
class _Said:
    """Subject and verb, with negation and "used to"."""

    subject: str
    verb: str
    negated: bool = False
    used: bool = False
    certain: bool = True


def predicates(sentence: str, maker: Maker) -> Iterator[Claim]:
    """Yield the claims of the verbs of the speaker, and of the speaker's relatives and friends."""
    reader = _Reader(sentence, maker)
    for found in _PREDICATE.finditer(sentence):
        yield from reader.read(found, reader.subject(found), certain=True)


def of_others(sentence: str, maker: Maker, speakers: Collection[str]) -> Iterator[Claim]:
    """Yield the claims of the verbs of named people who are no speakers."""
    reader = _Reader(sentence, maker)
    read_to = 0
    for candidate in _NAME.finditer(sentence):
        name, start = candidate["name"], candidate.start()
        given, is_name = _person(name)
        if not is_name or start < read_to or any(name in speaker for speaker in speakers):
            continue
        if start and _OPENING.search(sentence, max(start - 40, 0), start) is None:
            continue
        found = _NAMED.match(sentence, start)
        if found is not None:
            read_to = found.end()
            yield from reader.read(found, name + (found["family"] or ""), certain=given)


@lru_cache(maxsize=4_096)
def _person(name: str) -> tuple[bool, bool]:
    """Return if a word is a given name, and if it can be a person's name at all."""
    small = name.lower()
    if name in NO_NAMES or name in POINTERS or small.endswith("day"):
        return False, False
    given = small in given_names() and not is_common(small)
    return given, given or not (is_common(small) or small in known_names())


class _Reader:
    """Reader of the verbs of one sentence."""

    def __init__(self, sentence: str, maker: Maker) -> None:
        self.sentence = sentence
        self.maker = maker

    def subject(self, found: re.Match[str]) -> str | None:
        """Return the subject of a verb; None if unclear."""
        speaker = self.maker.speaker
        if found["kin"]:
            name = found["name"]
            return name if name and name not in NO_NAMES else f"{speaker}'s {found['who']}"
        return None if found["name"] else speaker

    def read(self, found: re.Match[str], subject: str | None, *, certain: bool) -> Iterator[Claim]:
        """Yield the claims of a verb, and of further verbs of the same subject."""
        aux = found["aux"] or ""
        verb = found["verb"]
        place = found.start()
        past = aux in ("was", "had", "did", "used to") or (not aux and is_past(verb))
        if "anymore" in self.sentence and not found["not"]:
            return
        if subject is None or within(self.sentence, place) or unsure(self.sentence, place, past=past):
            return
        claim = self._claim(found, _Said(subject, verb, found["not"] is not None, aux == "used to", certain))
        if claim is not None:
            yield claim
        if not found["not"] and aux not in _POSSIBLE:
            yield from self._going_on(found.end(), subject, past=past, certain=certain)

    def _going_on(self, at: int, subject: str, *, past: bool, certain: bool) -> Iterator[Claim]:
        stop = _OTHER.search(self.sentence, at)
        for found in _AND.finditer(self.sentence, at, stop.start() if stop else len(self.sentence)):
            verb = found["verb"]
            fits = is_past(verb) and verb not in _NO_COORDINATE if past else verb in _AND_PRESENT
            if fits and (rules := BY_VERB.get(verb)):
                claim = self._fitting(found.end() + 1, rules, _Said(subject, verb, certain=certain))
                if claim is not None:
                    yield claim

    def _claim(self, found: re.Match[str], said: _Said) -> Claim | None:
        """Return the claim of a verb, or else of its auxiliary as the main verb: "is allergic", "has a dog"."""
        aux, verb = found["aux"] or "", found["verb"]
        rules = BY_VERB.get(f"{aux} {verb}") if aux else None
        if rules is None and aux in _POSSIBLE and not (found["not"] and verb in ("stand", "wait")):
            return self._on_occasion(found, said)
        claim = None
        later = rules if aux.endswith(" been") else None
        rules = (rules if later is None else None) or BY_VERB.get(verb)
        if rules and not _is_otherwise(verb, aux, negated=said.negated):
            heard = _Said(
                said.subject, "has" if aux == "has" and verb == "had" else verb, said.negated, said.used, said.certain
            )
            claim = self._fitting(found.end(), rules, heard)
        base = aux.partition(" ")[0]
        if claim is None and (rules := BY_VERB.get(base)) and not (base in ("was", "were") and verb == "going"):
            at = found.start("verb") if base == aux else found.start("aux") + len(base) + 1
            claim = self._fitting(at, rules, _Said(said.subject, base, said.negated, certain=said.certain))
        if claim is None and later:
            claim = self._fitting(found.end(), later, said)
        return claim or self._on_occasion(found, said)

    def _on_occasion(self, found: re.Match[str], said: _Said) -> Claim | None:
        """Return the claim of an event, a plan, an activity or a habit, or None."""
        if said.negated or said.used or not said.certain:
            return None
        one = occasion(
            self.sentence,
            found["aux"] or "",
            found["verb"],
            found.start("verb"),
            found.end(),
            self.maker.happened,
            plural=bool(found.groupdict().get("others")),
        )
        if one is None:
            return None
        return self.maker.claim(one.rule.kind, said.subject, one.rule.slot, one.value, one.text, rule=one.rule)

    def _fitting(self, at: int, rules: Sequence[Rule], said: _Said) -> Claim | None:
        """Return the claim of the first rule that matches behind a verb, or None."""
        for each in rules:
            match = each.value.match(self.sentence, at)
            if match is None:
                continue
            if not each.text:
                return None
            if said.subject != self.maker.speaker and (
                each.slot in _OWN_SLOTS or not (said.certain or each.slot in _SURE_SLOTS)
            ):
                continue
            value = _value(self.sentence, each, match)
            if value is None or (each.slot == "age" and (said.verb == "was" or "hen " in self.sentence[:at])):
                continue
            return self._worded(each, said, value, match[0])
        return None

    def _worded(self, each: Rule, said: _Said, value: str, matched: str) -> Claim:
        past = said.used or (said.verb in _WAS and each.slot in _STATES and "{s} was" not in each.text)
        wait = said.verb == "wait"
        negated = said.negated and not wait
        text = (
            each.text.replace("{verb}", _base(said.verb) if negated else third_person(said.verb))
            .replace("{m}", matched.strip())
            .replace("{to}", "to " if _is_verb(value) else "")
        )
        if past:
            text = _used_to(text)
        if each.slot == "habit" and "been {verb}" in each.text:
            value, text = f"{said.verb} {value}", text.replace(third_person(said.verb) + " ", "")
        text = text.replace("{n}", _denial(text) if negated else "").replace("{v}", value)
        positive = each.positive and not negated and not past and said.verb not in _AVERSE
        return self.maker.claim(each.kind, said.subject, each.slot, value, f"{text}.", positive=positive, rule=each)


def _base(verb: str) -> str:
    """Return the form of a verb behind "does not"."""
    known = _BASES.get(verb)
    return known or (verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb)


def _is_verb(value: str) -> bool:
    return _VERB_FIRST.match(value) is not None and _NOUN_FIRST.match(value) is None


def _denial(text: str) -> str:
    """Return the negation for a wording: "not " with "is {n}", "does not " with a verb."""
    return "not " if _BEFORE_NOT.search(text) else "does not "


def _used_to(text: str) -> str:
    """Return a wording in the past: "{s} {n}has {v}" becomes "{s} used to have {v}"."""
    subject, _, rest = text.replace("{n}", "").partition(" ")
    verb, _, rest = rest.partition(" ")
    return f"{subject} used to {_BASES.get(verb) or (verb.removesuffix('s'))} {rest}"


def _value(sentence: str, each: Rule, match: re.Match[str]) -> str | None:
    """Return the value that a rule matched; None if it is empty of meaning."""
    named = match.groupdict().get("v") if match.re.groupindex else None
    value = _indefinite(trimmed(named) if named else phrase(sentence, match.end()))
    if each.bare:
        value = without_determiner(value)
    if without_determiner(value).lower() in _GENERAL or (
        each.slot == "likes" and _is_cut(sentence, match.end(), value)
    ):
        return None
    if _POINTING_END.search(value):
        return None
    if each.slot not in _FREE and not named:
        value = shortened(value, _WORDS_OF_A_VALUE)
    return value if is_meaningful(value) or (named and value) else None


def _indefinite(value: str) -> str:
    """Return a value with an article in place of a lively "this": "this great film" becomes "a great film"."""
    found = _LIVELY.match(value)
    if found is None:
        return value
    rest = value[found.end() :]
    return rest if found[0] != "this " else f"{'an' if rest[:1].lower() in 'aeiou' else 'a'} {rest}"


def _is_cut(sentence: str, at: int, value: str) -> bool:
    """Tell if the value is one word cut from a longer phrase: "stories" of "stories that end well"."""
    return (
        bool(value)
        and " " not in value
        and sentence[at:].partition(value)[2].startswith((" that ", " who ", " where ", " to "))
    )


def _is_otherwise(verb: str, aux: str, *, negated: bool) -> bool:
    """Tell if the auxiliary changes the meaning of the verb: "are like", "has not made"."""
    return (
        (verb == "like" and aux in _BEING)
        or (negated and aux in ("has", "have", "had") and is_past(verb))
        or (aux in ("was", "were") and verb == "going")
    )
