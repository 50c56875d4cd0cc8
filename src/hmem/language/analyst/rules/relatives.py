"""Whom "she" and "he" at the start of a sentence mean, when the sentence before names one relative, friend or pet."""

import re
from typing import Final

from hmem.language.regex import regex

_SHE: Final = "mother|mom|mum|mommy|sister|wife|girlfriend|daughter|aunt|grandmother|grandma|granny|niece|fiancée"
_HE: Final = "father|dad|daddy|brother|husband|boyfriend|son|uncle|grandfather|grandpa|nephew|fiancé"
_EITHER: Final = (
    "friend|best friend|buddy|colleague|coworker|co-worker|boss|neighbour|neighbor|roommate|flatmate|"
    "partner|teacher|coach|mentor|therapist|doctor|cousin|puppy|pup|dog|cat|kitten|pet|landlady|landlord|"
    "teammate"
)

KIN: Final = rf"{_SHE}|{_HE}|{_EITHER}"

_NAMED: Final = regex(
    rf"\b(?P<owner>[Mm]y|[Oo]ur)\s+(?:[a-z-]+\s+){{0,2}}?(?P<kin>{KIN})\b(?:,?\s+(?P<name>[A-Z][a-zà-ÿ]+))?"
    rf"|\b(?P<kin2>{KIN})\b[^.,;]{{0,20}}?\s(?:named|called)\s+(?P<name2>[A-Z][a-zà-ÿ]+)"
)
_SHE_NAMED: Final = regex(rf"(?:{_SHE}|landlady)$")
_HE_NAMED: Final = regex(rf"(?:{_HE}|landlord)$")
_OPENS: Final = regex(r"^(?P<who>She|He|Her|His)(?P<clitic>'(?:s|ll|d))?(?=\s)")
_MANY: Final = regex(r"\b(?:she|he|him|his|her|they|them|their)\b", re.IGNORECASE)


def person_named(sentence: str) -> tuple[str, str] | None:
    """The one relative, friend or pet that a sentence as it was said names: what they are called, and what they are."""
    found = list(_NAMED.finditer(sentence))
    if len(found) != 1:
        return None
    one = found[0]
    kin = one["kin"] or one["kin2"]
    name = one["name"] or one["name2"]
    return name or f"{one['owner'].lower()} {kin}", kin


def with_person(sentence: str, before: str) -> str | None:
    """A sentence that opens with "she" or "he", with the one that the sentence before names; None when unsafe."""
    opening = _OPENS.match(sentence)
    if opening is None:
        return None
    who = person_named(before)
    if who is None:
        return None
    name, kin = who
    she = opening["who"] in ("She", "Her")
    if (_HE_NAMED if she else _SHE_NAMED).search(kin):
        return None
    owned = opening["who"] == "His" or (opening["who"] == "Her" and not opening["clitic"])
    said = f"{name}'s" if owned else name + (opening["clitic"] or "")
    return said[0].upper() + said[1:] + sentence[opening.end() :]
