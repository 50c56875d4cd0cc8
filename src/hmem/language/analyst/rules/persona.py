"""Personas without a model: who a person is, what they like, do and plan, from the claims about them (HMO)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hmem.language.analyst.base import Claim, PersonaText
from hmem.language.analyst.rules.claiming import OPEN
from hmem.language.analyst.rules.lexicon import word_set
from hmem.language.analyst.rules.pieces import shorten
from hmem.language.analyst.rules.selection import cut
from hmem.language.analyst.rules.wording import content_stems
from hmem.language.regex import regex
from hmem.language.tokens import count_tokens

# Things told at most, and characters of one.
_MOST: Final = 60
_LONGEST: Final = 90

# Slots that hold one value at a time: the latest is told.
_SINGLE: Final = word_set(
    """
    name age birthday birthplace gender pronouns nationality hometown home residence location job occupation
    employer partner diet status
    """
)
_FAVOURITE: Final = ("favourite", "favorite")
_LIKED: Final = word_set("likes like liking preference dislikes loves")
# Of these, what is not so any more is not told.
_GONE: Final = word_set("owns pet membership plan goal reading project interest event trip")
_WORN: Final = regex(r"\b(?:background|headings?|mode|sepia|colou?rs?|accents?|font)\b", re.IGNORECASE)
_PLANNED: Final = regex(
    r"(?:(?:is |are )?planning (?!to\b|on\b)|(?:(?:is |are )?(?:(?:also |still |currently |now )*(?:planning|going"
    r"|hoping|trying|eager|thinking"
    r"|getting ready|gearing up)"
    r"|plans|wants|would like|hopes) (?:to|about|of)|will) )(?=\w)"
)

# The parts of a persona in their order: how it is opened, the slots that it tells, and how soon its next is told.
_PARTS: Final = (
    ("", "name", 0.5),
    ("", "age birthday birthplace gender pronouns nationality hometown diet allergy language family trait", 1.0),
    ("", "home residence location partner expecting child sibling parent pet", 1.1),
    ("", "job occupation employer studies status role", 1.1),
    ("Likes", "", 1.2),
    ("Dislikes", "", 1.5),
    ("Favourites:", "", 1.5),
    ("Habits:", "habit hobby plays membership routine exercise interest", 1.6),
    ("Asked for", "instruction", 1.5),
    ("Plans:", "plan goal dream intention", 2.0),
    ("Also", "friend relation owns health fear belief reading", 2.2),
    ("Lately:", "event trip project", 3.0),
)
_LIKES, _DISLIKES, _FAVOURITES, _ASKED, _PLANS, _ALSO = 4, 5, 6, 8, 9, 10
_OF_SLOT: Final = {slot: part for part, (_, slots, _) in enumerate(_PARTS) for slot in slots.split()}


@dataclass(frozen=True, slots=True)
class _Told:
    """One thing that is known: its part, its wording in the text and as a trait, how often and when last claimed."""

    part: int
    text: str
    trait: str
    times: int
    last: int


def persona(person: str, claims: Sequence[Claim], tokens: int) -> PersonaText:
    """The persona of a person in at most ``tokens`` tokens, from claims, latest last; empty without any.

    What is told: of a slot with one value the latest claim, of another all, the latest of what was said of a value;
    but no plan for a time that is over by the time of the latest claim that has one.
    """
    kept = _in_turn(_known(person, _current(claims)))[:_MOST]
    left = tokens - count_tokens(person) - 2
    told: list[_Told] = []
    for each in kept:
        cost = count_tokens(each.text) + 2
        if cost <= left:
            left -= cost
            told.append(each)
    while told and count_tokens(_written(person, told)) > tokens:
        told.pop()
    if told:
        return PersonaText(_written(person, told), tuple(dict.fromkeys(each.trait for each in told)))
    return PersonaText(cut(_written(person, kept[:1]), tokens), ())


def _current(claims: Sequence[Claim]) -> list[Claim]:
    """Claims without plans that lie in the past."""
    now: datetime | None = max(
        (claim.valid.start for claim in claims if claim.valid is not None and _slot(claim) != "plan"), default=None
    )
    return [
        claim
        for claim in claims
        if now is None
        or claim.valid is None
        or _slot(claim) != "plan"
        or claim.valid.end > now
        or claim.valid.end == OPEN
    ]


def _known(person: str, claims: Sequence[Claim]) -> list[_Told]:
    """What the claims come to, a thing for each."""
    latest: dict[tuple[str, str], _Told] = {}
    for place, claim in enumerate(claims):
        value = _value(claim)
        if not value:
            continue
        key = _key(claim, value)
        single = not key[1]
        before = latest.pop(key, None)
        told = _told(person, claim, place)
        if told is None:
            continue
        same = before is not None and before.part == told.part
        latest[key] = (
            _Told(told.part, told.text, told.trait, before.times + 1, place) if before and same and not single else told
        )
    return list(latest.values())


def _key(claim: Claim, value: str) -> tuple[str, str]:
    """What a claim is about: its slot, and its value where the slot may hold several at a time."""
    slot = _slot(claim)
    if slot in _SINGLE or slot.startswith(_FAVOURITE):
        return slot, ""
    if slot == "instruction":
        return ("instruction of look" if _WORN.search(value) else "instruction of form"), ""
    return slot, " ".join(content_stems(value)) or value.lower()


def _slot(claim: Claim) -> str:
    slot = claim.slot.strip().lower().replace("_", " ")
    return "likes" if slot in _LIKED else slot


def _value(claim: Claim) -> str:
    return shorten(" ".join(claim.value.split()).strip(" .,;:!?"), _LONGEST)


def _told(person: str, claim: Claim, place: int) -> _Told | None:
    """A claim as it is told; None for what it only denies and has no sentence for."""
    slot, value = _slot(claim), _value(claim)
    if slot == "likes":
        part = _LIKES if claim.positive else _DISLIKES
        return _Told(part, value, f"{'likes' if claim.positive else 'dislikes'} {value}", 1, place)
    if slot.startswith(_FAVOURITE):
        what = slot.partition(" ")[2]
        text = f"{what} {value}" if what else value
        return _Told(_FAVOURITES, text, f"favourite {text}", 1, place)
    if not claim.positive and slot in _GONE:
        return None
    part = _OF_SLOT.get(slot, _ALSO)
    if part == _ASKED:
        return _Told(part, value, f"asked for {value}", 1, place)
    text = _predicate(person, claim) or (
        _plain(slot, value.removeprefix(f"{person}'s "), part) if claim.positive else ""
    )
    if not text:
        return None
    trait = text.removeprefix("is ").removeprefix("a ")
    return _Told(part, _PLANNED.sub("", text, count=1) if part == _PLANS else text, trait, 1, place)


def _plain(slot: str, value: str, part: int) -> str:
    """What a claim says whose sentence is about something else."""
    return value if _PARTS[part][0].endswith(":") else f"has the {slot} {value}"


def _predicate(person: str, claim: Claim) -> str:
    """What a claim's sentence says of the person, when it begins with the name: "lives in Lisbon"."""
    text = " ".join(claim.text.split())
    for name in (person, f"The {person}"):
        if text.startswith(f"{name} "):
            return shorten(text.removeprefix(f"{name} ").rstrip(" .,;:!"), _LONGEST)
    return ""


def _in_turn(known: Sequence[_Told]) -> list[_Told]:
    """All that is known in the order in which it is worth telling: the parts in turn, in each the most claimed."""
    places: list[tuple[float, int, _Told]] = []
    for part, (_, _, step) in enumerate(_PARTS):
        of_part = sorted((each for each in known if each.part == part), key=lambda each: (-each.times, -each.last))
        places += [((i + 1) * step, part, each) for i, each in enumerate(of_part)]
    return [each for _, _, each in sorted(places, key=lambda place: place[:2])]


def _written(person: str, told: Sequence[_Told]) -> str:
    """Sentences, one for each part: ``Nadia is vegetarian. Lives in Lisbon and has a dog. Likes drum and bass.``"""
    written: list[str] = []
    for part, (head, _, _) in enumerate(_PARTS):
        texts = [each.text for each in told if each.part == part]
        if not texts:
            continue
        joined = _listed(texts)
        if not head:
            joined = joined[0].upper() + joined[1:] if written else f"{person} {joined}"
        elif not written:
            joined = f"{person}: {head.lower()} {joined}"
        else:
            joined = f"{head} {joined}"
        written.append(f"{joined}.")
    return " ".join(written)


def _listed(texts: Sequence[str]) -> str:
    """Texts in a row; those that hold commas themselves are parted by semicolons."""
    if any("," in text for text in texts[:-1]):
        return "; ".join(texts)
    return " and ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else texts[0]
