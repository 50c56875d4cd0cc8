"""Wording of a claim for a persona: its sentence behind the person's name, or its value, if they can stand alone."""

import re
from typing import Final

from hmem.language.analyst.base import Claim
from hmem.language.english.meaning.lists import KIN, ROLES
from hmem.language.english.meaning.reference import shown
from hmem.language.english.word_lists import vague_stems, word_set
from hmem.language.english.wording import content_stems, stem
from hmem.language.regex import regex

# Maximum number of characters of a fact, and of words of a value.
LONGEST: Final = 90
_MOST_WORDS: Final = 6

_PICTURE: Final = regex(r"\s*\(the picture shows [^()]*(?:\)|$)")
_SENTENCE_END: Final = regex(r"(?<=[.!?…])\s+")
# Words of a sentence before its subject, and words that add nothing in a persona.
_OPENING: Final = regex(
    r"(?:(?:by the way|also|so|now|otherwise|of course|actually|well|plus|and|but|oh|honestly|anyway|yes|yeah|no)\b"
    r",? )+",
    re.IGNORECASE,
)
_FILLER: Final = regex(r"\b(?:just|also|really|actually|definitely|totally|truly|simply|basically|absolutely|always) ")
_LAST: Final = regex(r"(?:,? (?:too|either|though|right|as well|now|actually|especially|for a while|so much|a lot))+$")
# A time as it was said, before the same one by the calendar: "next month (June 2023)".
_AS_SAID: Final = regex(
    r"\b(?:(?:next|last|this|earlier in|around late|around|in) \w+"
    r"|(?:a|an|one|two|three|four|a few|a couple of|\d+) \w+ ago)"
    r" \((?:late |early )?((?:the )?[^()]*\d{4})\)"
)
# Where a sentence goes on to something else.
_ASIDE: Final = regex(
    r"\s*(?:;| [-–—] |--|,? (?:so|but|because|since|although|which|as it|and (?:it|that|this|they|he|she|we|i)\b"
    r"|(?:it|they|he|she)(?:'s|'ve| is| are| has| was)))\b"
)
# Marks of somebody's own words, and words whose meaning stays behind with the talk.
_QUOTED: Final = regex(r"[\"“”?*…<>{}\[\]|]|: ")
_OPEN: Final = word_set(
    """
    this that these those it its it's they them themself there here something someone anything everything everyone
    stuff thing things today tonight tomorrow yesterday you your yours such same both which what how when
    """
)
# Words that a like cannot begin with or hold: what it names must stand by itself.
_NO_BEGINNING: Final = word_set(
    """
    all each every another any some much many lots more most not to if for in on at as own especially particularly my
    his her their our other other's others'
    """
)
_NO_VALUE: Final = word_set("is are was were has have had will would can own right gonna n't 'm 're because")
_LIGHT: Final = word_set("having getting going trying making doing taking seeing being giving spending adding keeping")
# What is liked of what is at hand: "the list", "her voice".
_AT_HAND: Final = regex(
    r"(?:\b(?:the|a|an|this|that|these|those|my|your|his|her|its|our|their|of|in|own)|'s|[\w,]-)\W?$", re.IGNORECASE
)
_PAST_TASTE: Final = regex(r"\b(?:loved|liked|enjoyed|adored|preferred|hated)\b")
_PRESENT_TASTE: Final = regex(r"\b(?:loves?|likes?|enjoys?|adores?|prefers?|hates?|dislikes?|enjoying|loving)\b")

_Name: Final = r"[A-Z][\w'-]*"
_RELATIVE: Final = regex(rf"{_Name}(?: {_Name}){{0,2}} is (.+)'s ([\w -]+)")


def display(person: str) -> str:
    """Return a person's name as it begins a sentence: "The user"."""
    name = shown(person)
    return name[:1].upper() + name[1:]


def predicate(person: str, claim: Claim) -> str:
    """Return a claim's sentence behind the person's name ("lives in Lisbon"); "" if it cannot stand alone."""
    for said in _sentences(claim):
        if said.lower().startswith(f"{shown(person).lower()} "):
            return _standing_alone(person, said[len(shown(person)) + 1 :])
    return ""


def sentence(person: str, claim: Claim) -> str:
    """Return a claim's sentence about what or whom the person has ("Ana is Nadia's sister"); "" if unfit."""
    name = shown(person)
    for said in _sentences(claim):
        relative = _RELATIVE.fullmatch(said)
        if relative is not None and relative[1].lower() == name.lower():
            return said if not (KIN | ROLES).isdisjoint(relative[2].lower().split()) else ""
        owned = f"{name.lower()}'s "
        if said.lower().startswith(owned) and said[len(owned) :].partition(" ")[0].lower() in KIN | ROLES:
            rest = _standing_alone(person, said[len(owned) :])
            return f"{display(person)}'s {rest}" if rest else ""
    return ""


def is_quoted(claim: Claim) -> bool:
    """Tell if a claim is told in somebody's own words."""
    return _QUOTED.search(_PICTURE.sub("", claim.text)) is not None


def _sentences(claim: Claim) -> list[str]:
    """Return the sentences of a claim, those with words of its value first."""
    said = [each.strip(" .,;:!") for each in _SENTENCE_END.split(_PICTURE.sub("", " ".join(claim.text.split())))]
    said = [_OPENING.sub("", each, count=1) if _OPENING.match(each) else each for each in said]
    named = frozenset(content_stems(claim.value))
    with_value = [each for each in said if not named.isdisjoint(content_stems(each))]
    return with_value if len(said) > 1 and named else said


def _standing_alone(person: str, said: str) -> str:
    """Return what is said of somebody without asides; "" of what cannot stand alone."""
    aside = _ASIDE.search(said)
    text = _AS_SAID.sub(r"in \1", _FILLER.sub("", said[: aside.start()] if aside else said))
    text = _LAST.sub("", text.strip(" .,;:!"))
    words = text.lower().split()
    bare = [word.strip(".,;:!()") for word in words]
    if len(bare) < 2 or len(text) > LONGEST or _QUOTED.search(text):
        return ""
    if bare[0].endswith("ing") or bare[0] in {"and", "being", "or"} or not _OPEN.isdisjoint(bare):
        return ""
    # Named again, somebody is not the subject alone: "knows what got Nate so far".
    return "" if shown(person).lower() in text.lower() or bare[-1] in {"one", "ones"} else text


def value(claim: Claim) -> str:
    """Return a claim's value if it names something by itself ("drum and bass"); "" otherwise.

    It must stand so in the claim's sentence, behind no article and no word for whose it is: who likes the list likes
    the one at hand.
    """
    text = _LAST.sub("", " ".join(claim.value.split()).strip(" .,;:!?'’"))
    words = text.lower().replace(",", "").split()
    if not 0 < len(words) <= _MOST_WORDS or _QUOTED.search(text):
        return ""
    if " '" in text or words[0] in _NO_BEGINNING | _LIGHT or not (_OPEN | _NO_VALUE).isdisjoint(words):
        return ""
    if _PAST_TASTE.search(claim.text) and not _PRESENT_TASTE.search(claim.text):
        return ""
    said = " ".join(claim.text.split())
    place = said.lower().find(text.lower())
    if place < 0 or _AT_HAND.search(said[:place].rstrip(" ")):
        return ""
    head = re.split(r" (?:of|for|with|in|on|at|from|by|about|like|to) ", text.lower())[0].split()[-1]
    return "" if not words[0].endswith("ing") and stem(head) in vague_stems() else text
