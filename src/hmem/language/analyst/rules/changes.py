"""What changed: sold, stopped, died, replaced, switched, put off. Such claims say what is not so any more.

Read from one sentence of a statement, in which the speaker stands as "§". A thing that is exchanged makes two claims:
the old one is not so, the new one is.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.analyst.rules.claiming import Maker
from hmem.language.analyst.rules.sureness import unsure
from hmem.language.analyst.rules.values import is_meaningful, phrase, trimmed, without_determiner
from hmem.language.analyst.rules.vocabulary import GAMES, GOODS, LANGUAGES, NO_GOODS, PETS, rule
from hmem.language.regex import regex

_BREEDS: Final = r"(?:retriever|labrador|beagle|poodle|terrier|corgi|husky|spaniel|collie|dachshund)"
_PET: Final = rf"(?:{PETS}|{_BREEDS})"
_NAME: Final = r"(?-i:[A-Z][a-zà-ÿ]+)"
_OLD: Final = (
    r"(?:(?:old|beloved|trusty|little|red|blue|black|white|silver|first|second|electric|acoustic|road|mountain) )*"
)
_MAKE: Final = r"(?:(?-i:[A-Z][\w-]+)(?: (?-i:[A-Z\d][\w-]*))*)"
_THING: Final = rf"(?P<v>(?:{_OLD}{GOODS}|{_MAKE}(?: {GOODS})?))\b{NO_GOODS}"

_ENDS: Final = (
    r"(?= (?:on|last|this|yesterday|today|for|to|because|since|when|after|and|at|in|so|with|online)\b|[.,;!]|$)"
)
# "§ sold the car", "§ gave away §'s guitar", "§'s bike was stolen".
_GAVE_UP: Final = regex(
    rf"§(?: and others)? (?:has |just |finally |recently |have |also |had to )*(?:sold|sell|gave away|got rid of"
    rf"|donated|returned|scrapped"
    rf"|lost|traded in|totalled|totaled|crashed|wrecked|gave|threw out|recycled) (?:§'s|the"
    rf"|our) {_THING}(?: away)?{_ENDS}",
    re.IGNORECASE,
)
_TAKEN: Final = regex(
    rf"§'s {_THING} (?:was|got|has been|is) (?:stolen|totalled|totaled|wrecked|destroyed|sold|gone|scrapped"
    rf"|beyond repair)\b",
    re.IGNORECASE,
)
_EXCHANGED: Final = regex(
    rf"§(?: and others)? (?:has |just |finally |recently |have )*(?:traded(?: in)?|swapped|replaced|exchanged|upgraded)"
    rf"(?: from)? (?:§'s|the|our) {_THING} (?:for|with|to|by) (?:an? |the )?(?:new )?(?P<new>[^.,;!]{{2,40}}?){_ENDS}",
    re.IGNORECASE,
)
# A pet that is dead or has gone.
_DIED: Final = regex(
    rf"§'s (?:(?!and\b)[a-z]+ ){{0,2}}?(?P<v>{_PET}(?:,? {_NAME})?|{_NAME}),? (?:just |sadly |recently |has |have )*"
    rf"(?:died|passed(?: away| on)?|crossed the rainbow|ran away and never|is no longer with|was put (?:down"
    rf"|to sleep)|was "
    rf"re-?homed)",
    re.IGNORECASE,
)
_PUT_DOWN: Final = regex(
    rf"(?:had to put|put|said goodbye to|lost|buried|re-?homed|gave up) (?:(?:§'s|our) (?:(?!and\b)[a-z]+ ){{0,2}}?"
    rf"(?P<v>{_PET}(?:,? {_NAME})?)|(?P<name>{_NAME})(?= (?:down|to sleep)))",
    re.IGNORECASE,
)
_PET_AT: Final = regex(rf"\b(?P<pet>{_PET}),? (?P<name>{_NAME})\b|\b{_PET} (?:named|called) {_NAME}", re.IGNORECASE)

# "§ switched from tea to coffee", "§ moved from Vim over to Emacs".
_SWITCHED: Final = regex(
    r"§(?: and others)? (?:has |just |finally |recently |have |fully |completely )*(?:switched|changed|went"
    r"|converted|migrated)"
    r"(?: over)? from (?P<old>[^.,;!]{2,30}?) (?:over )?to (?P<v>[^.,;!]{2,30}?)" + _ENDS,
    re.IGNORECASE,
)
_SWITCHED_TO: Final = regex(
    r"§(?: and others)? (?:has |just |finally |recently |have |fully |completely )*(?:switched|migrated)(?: over)? to"
    rf" (?P<v>{_MAKE}){_ENDS}",
    re.IGNORECASE,
)
_USES: Final = regex(
    rf"§ (?:now |mostly |mainly |always |currently )*uses (?P<v>{_MAKE})(?= (?:for|as|to|at|on|now|every|in)\b"
    rf"|[.,;!]|$)"
)
# What is stopped, by the verb: the slot that it ends.
_STOPPED: Final = (
    (regex(rf"^playing (?P<v>{GAMES})\b", re.IGNORECASE), "plays"),
    (regex(rf"^(?:learning|studying|taking) (?P<v>{LANGUAGES})\b", re.IGNORECASE), "language"),
    (regex(r"^(?:studying) (?P<v>.+)", re.IGNORECASE), "studies"),
    (regex(r"^(?:living) in (?P<v>.+)", re.IGNORECASE), "home"),
    (regex(r"^(?:dating|seeing) (?P<v>.+)", re.IGNORECASE), "partner"),
    (regex(r"^(?:working) (?:at|for) (?P<v>.+)", re.IGNORECASE), "employer"),
    (regex(r"^(?:working) as an? (?P<v>.+)", re.IGNORECASE), "job"),
    (regex(r"^using (?P<v>.+)", re.IGNORECASE), "uses"),
)
_QUIT: Final = regex(
    r"§(?: and others)? (?:has |just |finally |recently |have |completely )*(?:stopped|quit|gave up|dropped) "
    r"(?P<v>(?:learning|studying|dating|seeing|using|living|working|taking) [^.,;!]{2,40}?)" + _ENDS,
    re.IGNORECASE,
)
_LEFT: Final = regex(
    r"§(?: and others)? (?:has |just |finally |recently |have )*(?:left|quit|dropped out of"
    r"|resigned from) (?:the|§'s|our) "
    r"(?P<v>(?:[\w'-]+ ){0,3}?(?:gym|club|team|choir|band|group|league|orchestra|church|society|class|troupe"
    r"|studio|squad))" + _ENDS,
    re.IGNORECASE,
)
_JOB_AT: Final = regex(r"^(?:[\w-]+ )*job (?:at|with) (?P<v>.+)$")

# An appointment that is put off, or a plan that is called off.
_PUT_OFF: Final = regex(
    r"(?P<what>(?:§'s|the) (?:[\w'-]+ ){0,3}?(?:appointment|meeting|interview|exam|flight|trip|party|wedding"
    r"|concert|dinner"
    r"|lesson|class|surgery|call|visit|move|deadline|presentation|check-?up|reservation|race|recital|game|match))\b"
    r"[^.,;!]{0,20}? (?:was|got|has been|is|is now|had to be)?\s*(?:moved|rescheduled|postponed|pushed(?: back)?"
    r"|changed"
    r"|delayed|brought forward|shifted) (?:from [^.,;!]{2,30} )?(?:to|until|till) (?P<v>[^.;!]{2,40})",
    re.IGNORECASE,
)
_CALLED_OFF: Final = regex(
    r"(?P<what>(?:§'s|the) (?:[\w'-]+ ){0,3}?(?:appointment|meeting|interview|exam|flight|trip|party|wedding"
    r"|concert|dinner"
    r"|lesson|class|surgery|call|visit|move|presentation|check-?up|reservation|race|recital|game|match)(?: (?:to"
    r"|with|in) "
    r"[A-Z]\w+)?) (?:was|got|has been|is|had to be) (?:cancel+ed|called off)"
    r"|§(?: and others)? (?:has |had to |just |have )*(?:cancel+ed|call(?:ed)? off|cancel) (?P<own>(?:§'s"
    r"|the) [^.,;!]{3,40}?)" + _ENDS,
    re.IGNORECASE,
)

_OWNED = rule("owns", "", "{s} has {v}", lasting=True)
_GONE = rule("owns", "", "{s} no longer has the {v}", positive=False, dated=True)


def changes(sentence: str, maker: Maker) -> Iterator[Claim]:
    """The claims of what changed, of the speaker's."""
    if "§" not in sentence:
        return
    yield from _things(sentence, maker)
    yield from _pets(sentence, maker)
    yield from _switches(sentence, maker)
    yield from _plans(sentence, maker)
    for pattern, slot, text in ((_QUIT, "habit", "{s} stopped "), (_LEFT, "membership", "{s} left the ")):
        found = pattern.search(sentence)
        if found is not None and not unsure(sentence, found.start(), past=True):
            value = found["v"]
            yield maker.claim("fact", maker.speaker, slot, value, f"{text}{value}.", positive=False, rule=_GONE)


def _things(sentence: str, maker: Maker) -> Iterator[Claim]:
    for found in _EXCHANGED.finditer(sentence):
        if not unsure(sentence, found.start(), past=True):
            yield _no_longer_had(found["v"], maker)
            new = without_determiner(trimmed(found["new"]))
            if is_meaningful(new):
                yield maker.claim("fact", maker.speaker, "owns", new, f"{{s}} has {_article(new)} {new}.", rule=_OWNED)
            return
    for pattern in (_GAVE_UP, _TAKEN):
        for found in pattern.finditer(sentence):
            if not unsure(sentence, found.start(), past=True):
                yield _no_longer_had(found["v"], maker)


def _no_longer_had(thing: str, maker: Maker) -> Claim:
    value = re.sub(r"^(?:old|beloved|trusty|little) ", "", thing)
    text = f"{{s}} no longer has the {value}."
    return maker.claim("fact", maker.speaker, "owns", value, text, positive=False, rule=_GONE)


def _article(value: str) -> str:
    return "an" if value[:1].lower() in "aeio" else "a"


def _pets(sentence: str, maker: Maker) -> Iterator[Claim]:
    for pattern in (_DIED, _PUT_DOWN):
        found = pattern.search(sentence)
        if found is not None and not unsure(sentence, found.start(), past=True):
            value = found["v"] or found.groupdict().get("name") or ""
            named = _PET_AT.search(sentence)
            if named is not None and named["name"] and value in (named["name"], named["pet"]):
                value = f"{named['pet']} {named['name']}"
            text = f"{{s}} no longer has the {value}." if value[0].islower() else f"{{s}} no longer has {value}."
            yield maker.claim("profile", maker.speaker, "pet", value, text, positive=False, rule=_GONE)
            return


def _switches(sentence: str, maker: Maker) -> Iterator[Claim]:
    found = _SWITCHED.search(sentence)
    if found is not None and not unsure(sentence, found.start(), past=True):
        old, new = trimmed(found["old"]), trimmed(found["v"])
        slot = "uses" if old[:1].isupper() or new[:1].isupper() else "habit"
        if old.lower() in _AS_DIETS or new.lower() in _AS_DIETS:
            slot = "diet"
        if is_meaningful(old) and is_meaningful(new):
            yield maker.claim(
                "fact", maker.speaker, slot, old, f"{{s}} switched from {old}.", positive=False, rule=_GONE
            )
            yield maker.claim("fact", maker.speaker, slot, new, f"{{s}} switched to {new}.", rule=_OWNED)
        return
    for pattern, text in ((_SWITCHED_TO, "{s} switched to "), (_USES, "{s} uses ")):
        for found in pattern.finditer(sentence):
            if not unsure(sentence, found.start(), past=True):
                yield maker.claim("fact", maker.speaker, "uses", found["v"], f"{text}{found['v']}.", rule=_OWNED)


_AS_DIETS: Final = frozenset({"vegetarian", "vegan", "keto", "pescatarian", "paleo"})
_WHEN = rule("plan", "", "", dated=True)


def _plans(sentence: str, maker: Maker) -> Iterator[Claim]:
    found = _PUT_OFF.search(sentence)
    if found is not None and not unsure(sentence, found.start(), past=True):
        value = f"{found['what']} to {phrase(found['v']) or found['v']}"
        yield maker.claim(
            "profile", maker.speaker, "plan", value, f"{found['what']} is moved to {found['v']}.", rule=_WHEN
        )
        return
    found = _CALLED_OFF.search(sentence)
    if found is not None and not unsure(sentence, found.start(), past=True):
        what = found["what"] or found["own"]
        yield maker.claim("profile", maker.speaker, "plan", what, f"{what} is called off.", positive=False, rule=_WHEN)


def recast(claim: Claim) -> list[Claim]:
    """A claim that something was stopped, in the slot of what was stopped; other claims as they are."""
    if claim.positive or claim.slot not in ("habit", "job"):
        return [claim]
    if claim.slot == "job":
        at = _JOB_AT.match(claim.value)
        left = replace(claim, slot="employer", value=at["v"] if at else "job")
        return [claim, left] if at or claim.value.endswith("job") else [claim]
    for pattern, slot in _STOPPED:
        found = pattern.match(claim.value)
        if found is not None and found["v"]:
            value = found["v"].removeprefix("the ") if slot == "plays" else found["v"]
            return [replace(claim, slot=slot, value=value)]
    return [claim]


def without_undone(found: Sequence[Claim]) -> list[Claim]:
    """The claims of one turn without those that say of a thing that it is there, when it is said to be gone.

    "My dog Coco died" names a dog that there is no more.
    """
    gone = [
        claim for claim in found if not claim.positive and claim.slot in ("pet", "owns", "plan", "partner", "plays")
    ]
    return [claim for claim in found if not (claim.positive and any(_names_it(each, claim) for each in gone))]


def _names_it(gone: Claim, claim: Claim) -> bool:
    if (gone.subject, gone.slot) != (claim.subject, claim.slot):
        return False
    one, other = gone.value.lower(), claim.value.lower()
    return one in other or other in one
