"""What a question asks for that can be seen to be missing: its slot, and the vague words that stand for it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hmem.language.analyst.rules.asking import Asking, asking, singular, tokens
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex
from hmem.model.entity import EntityType
from hmem.model.plan import SubQuestion


@dataclass(frozen=True, slots=True)
class Slot:
    """What is asked for: its name, the vague words for it, and the kinds of names that would fill it.

    ``titled`` slots are filled by a title, ``maker`` slots by whoever made the work that a vague phrase speaks of.
    """

    name: str
    vague: re.Pattern[str]
    kinds: frozenset[EntityType] = frozenset()
    titled: bool = False
    maker: bool = False


_DETERMINER: Final = (
    r"(?:an?|a few|some|this|that|these|those|another|certain|different|various|several|other|a bunch of"
    r"|one of (?:my|our|his|her|their|the))"
)
_OWN: Final = rf"(?:{_DETERMINER}|the|my|our|his|her|their)"
_ADJECTIVES: Final = r"(?:[a-z-]+ ){0,2}?"
_LINK: Final = (
    r"(?: (?:from|near|in|by|at|about|called|outside|of|for|with) "
    r"(?:(?:an?|the|my|our|his|her|their|this|that|some) )?[a-z-]+(?: [a-z-]+)?)?"
    r"(?: (?:that |which )?(?:i|you|we|he|she|they)(?:['’](?:ve|d))? [a-z]+(?: [a-z-]+){0,3})?"
)
_TITLED: Final = words(
    "book novel movie film song series show game podcast poem theme tune soundtrack musical documentary play album"
)
_PETS: Final = words("dog puppy pup cat kitten pet turtle horse bird")
# Composers and authors are known by their works: a phrase for a work may stand for them.
_MAKERS: Final = words("composer author writer artist musician singer band director songwriter novelist poet performer")
# Nouns whose bearers have names.
NAMED: Final = _TITLED | _PETS | _MAKERS

_SOMEONE: Final = (
    rf"\b(?:someone|somebody)(?: [a-z]+)?|\b{_DETERMINER} {_ADJECTIVES}(?:person|people|guy|woman|man|lady|artists?"
    r"|musicians?|composers?|authors?|writers?|singers?|players?|actors?|actress|directors?)\b"
    rf"|\b(?:{_DETERMINER}|my|our|his|her|their) {_ADJECTIVES}(?:friends?|colleagues?|coworkers?|neighbou?rs?|mentors?"
    r"|teachers?|coach|cousins?|buddy|buddies|boss)\b"
)
_WORK: Final = rf"\b{_OWN} {_ADJECTIVES}(?:{'|'.join(sorted(_TITLED))}|melody|piece|story|classic)s?\b"
_SOMEWHERE: Final = (
    rf"\bsomewhere(?: [a-z]+)?|\b{_DETERMINER} {_ADJECTIVES}(?:place|spot|city|town|country|state|village|island|area"
    r"|region|restaurant|café|cafe|park|beach|museum|hotel|lake|mountain|trail)s?\b"
    r"|\b(?:my|our|his|her|their) (?:home|old|native|new) ?(?:country|town|city|place|area|village)\b"
)
_GROUP: Final = (
    rf"\b(?:{_OWN}) {_ADJECTIVES}(?:company|organi[sz]ation|school|university|college|charity|team|brand|agency|club"
    r"|band|firm|label|store|shop|non-?profit)\b"
)
_PET: Final = rf"\b{_OWN} {_ADJECTIVES}(?:{'|'.join(sorted(_PETS))})s?\b"
_BEFORE: Final = r"\b(?:[a-z'-]+ ){1,5}"
_LONG_AGO: Final = (
    rf"{_BEFORE}(?:a (?:long )?while (?:ago|back)|some time ago|years ago|a long time (?:ago|back)"
    r"|a few years (?:ago|back)|the other day|ages ago|back then|back in the day"
    r"|when i was (?:younger|little|a kid|a child))"
)


def _slot(name: str, vague: str, *kinds: EntityType, titled: bool = False, maker: bool = False) -> Slot:
    return Slot(name, regex(rf"(?:{vague}){_LINK}", re.IGNORECASE), frozenset(kinds), titled, maker)


_PERSON: Final = _slot("person", _SOMEONE, "person", "other")
_TITLE: Final = _slot("title", _WORK, "work", "product", "event", "organization", "other", titled=True)
_PLACE: Final = _slot("place", _SOMEWHERE, "location", "organization", "event", "other")
_ORGANIZATION: Final = _slot("organization", _GROUP, "organization", "location", "product", "other")
_NAME: Final = _slot("name", _PET, "person", "other", "work", "product", "location")
_DATE: Final = Slot("date", regex(_LONG_AGO, re.IGNORECASE))
_A_KIND: Final = regex(r"(?:what|which) (?:kinds?|types?|sorts?|genres?)\b", re.IGNORECASE)
_ITS_NAME: Final = regex(r"(?:the )?name of\b", re.IGNORECASE)


def slot_of(part: SubQuestion) -> Slot | None:
    """The slot that a question asks for; None where nothing would show that it is missing."""
    kind = part.answer_type
    if kind == "place":
        return _PLACE
    if kind == "organization":
        return _ORGANIZATION
    if kind == "time":
        return _DATE if not part.spans else None
    if kind not in ("person", "thing", "count"):
        return None
    asked = asking(part.text)
    if kind == "person":
        return _person(asked)
    return _number(asked) if kind == "count" else _thing(asked)


def _person(asked: Asking) -> Slot | None:
    nouns = frozenset(singular(word) for word in asked.phrase)
    if nouns & {"name", "individual", "people"}:
        return None
    return _maker(min(nouns & _MAKERS)) if nouns & _MAKERS else _PERSON


@lru_cache(maxsize=64)
def _maker(noun: str) -> Slot:
    return _slot(noun, f"{_WORK}|{_SOMEONE}", "person", "organization", "other", maker=True)


def _thing(asked: Asking) -> Slot | None:
    if asked.lead not in ("what", "which") or _A_KIND.match(asked.text):
        return None
    if any(singular(word) in _TITLED for word in asked.phrase):
        return _TITLE
    named = asked.verb in ("is", "was") and _ITS_NAME.match(asked.rest)
    return _NAME if named and not _PETS.isdisjoint(tokens(asked.rest)) else None


def _number(asked: Asking) -> Slot | None:
    """How many of something: "a few turtles" does not say."""
    counted = asked.phrase[-1] if asked.phrase else ""
    if asked.lead != "how many" or not counted.isalpha() or counted == "times":
        return None
    return _several(counted)


@lru_cache(maxsize=256)
def _several(noun: str) -> Slot:
    return Slot(
        "number",
        regex(
            r"\b(?:a few|several|some|many|lots of|a lot of|a bunch of|a couple of|multiple|my) "
            rf"(?:[a-z-]+ ){{0,2}}?{re.escape(noun)}\b",
            re.IGNORECASE,
        ),
    )
