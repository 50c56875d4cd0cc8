"""Personas: who a person is, what they asked for, like, do and plan, from the claims about them (HMO).

A persona may stand in a prompt, so it consists of whole sentences about the person by name, and begins with what an
assistant was asked to do. Claims are told in their own words: a claim's slot only says where it stands.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hmem.language.analyst.base import Claim, PersonaText
from hmem.language.english.texts import cut, shorten
from hmem.language.english.word_lists import word_set
from hmem.language.english.wording import content_stems
from hmem.language.regex import regex
from hmem.language.tokens import count_tokens

# Maximum number of facts, and of characters of one.
_MOST: Final = 60
_LONGEST: Final = 90
# Maximum number of past events.
_LATELY: Final = 4

# Slots with one value at a time: the latest counts.
_SINGLE: Final = word_set(
    """
    name age birthday birthplace gender pronouns nationality hometown home residence location job occupation
    employer partner diet status
    """
)
_FAVOURITE: Final = ("favourite", "favorite")
_LIKED: Final = word_set("likes like liking preference loves love enjoy enjoys adore prefer prefers")
_DISLIKED: Final = word_set("dislikes dislike hate hates")
# Slots whose denied values are left out.
_GONE: Final = word_set("owns pet membership plan goal reading project interest event trip")
_NO_MORE: Final = regex(r"\b(?:no longer|any ?more|no more|used to)\b")
_WORN: Final = regex(r"\b(?:background|headings?|mode|sepia|colou?rs?|accents?|font)\b", re.IGNORECASE)
# Year from which on the end of a validity is open.
_OPEN: Final = 9999

# Parts of a persona in order: what stands before its values, its slots, and the step between its facts (a smaller one
# comes sooner).
_PARTS: Final = (
    ("asked", "instruction", 0.4),
    ("is called", "name", 0.5),
    ("", "age birthday birthplace gender pronouns nationality hometown diet allergy language family trait", 1.0),
    ("", "home residence location partner expecting child sibling parent pet", 1.1),
    ("", "job occupation employer studies status role", 1.1),
    ("likes", "", 1.2),
    ("dislikes", "", 1.5),
    ("favourites", "", 1.5),
    ("habits", "habit hobby plays membership routine exercise interest", 1.6),
    ("plans", "plan goal dream intention appointment", 2.0),
    ("", "friend relation owns health medication fear belief reading", 2.2),
    ("lately", "event trip project", 3.0),
)
_ASKED, _IDENTITY, _LIKES, _DISLIKES, _FAVOURITES, _HABITS, _PLANS, _ALSO, _PAST = 0, 2, 5, 6, 7, 8, 9, 10, 11
_OF_SLOT: Final = {slot: part for part, (_, slots, _) in enumerate(_PARTS) for slot in slots.split()}
# Parts of open slots, which are named by their verb.
_OF_VERB: Final = {
    verb: part
    for part, verbs in (
        (2, "be speak identify"),
        (3, "live reside move stay marry adopt raise"),
        (4, "work study teach manage run earn graduate"),
        (_HABITS, "play practise practice collect train volunteer sing dance paint cook exercise read watch"),
        (_PLANS, "plan want hope intend wish aim"),
    )
    for verb in verbs.split()
}


@dataclass(frozen=True, slots=True)
class _Told:
    """Fact of a persona: its part, its wording, as a trait, number of claims, index of the latest.

    ``form``: the wording goes behind the person's name, or is a value of its part, or is a sentence of its own.
    """

    part: int
    text: str
    trait: str
    form: str
    times: int
    last: int


def persona(person: str, claims: Sequence[Claim], tokens: int) -> PersonaText:
    """Return the persona of a person in at most ``tokens`` tokens, from claims, latest last; empty without any.

    It holds the latest claim of a single-valued slot, and the latest claim of each value of other slots; but nothing
    that no longer holds, and no plan that ends before the start of the latest dated claim of another slot.
    """
    kept = _in_turn(_known(person, _current(claims)))[:_MOST]
    left = tokens
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
    """Return the claims without plans that lie in the past."""
    now: datetime | None = max(
        (claim.valid.start for claim in claims if claim.valid is not None and _part(claim) != _PLANS), default=None
    )
    return [
        claim
        for claim in claims
        if now is None
        or claim.valid is None
        or _part(claim) != _PLANS
        or claim.valid.end > now
        or claim.valid.end.year >= _OPEN
    ]


def _known(person: str, claims: Sequence[Claim]) -> list[_Told]:
    """Return one fact for each slot, or for each value of a slot with several."""
    latest: dict[tuple[str, str], _Told] = {}
    for place, claim in enumerate(claims):
        value = _value(claim)
        if not value:
            continue
        key = _key(claim, value)
        before = latest.pop(key, None)
        told = _told(person, claim, place)
        if told is None:
            continue
        again = before is not None and before.part == told.part and bool(key[1])
        times = before.times + 1 if before is not None and again else 1
        latest[key] = _Told(told.part, told.text, told.trait, told.form, times, place)
    once = {(each.part, each.text.lower()): each for each in latest.values()}
    return list(once.values())


def _key(claim: Claim, value: str) -> tuple[str, str]:
    """Return the key of a claim: its slot, and its value if the slot may hold several."""
    slot = _slot(claim)
    if slot in _SINGLE or slot.startswith(_FAVOURITE):
        return slot, ""
    if slot == "instruction" and _WORN.search(value):
        return "instruction of look", ""
    return "likes" if slot in _LIKED or slot in _DISLIKED else slot, " ".join(content_stems(value)) or value.lower()


def _slot(claim: Claim) -> str:
    return claim.slot.strip().lower().replace("_", " ")


def _value(claim: Claim) -> str:
    return shorten(" ".join(claim.value.split()).strip(" .,;:!?"), _LONGEST)


def _part(claim: Claim) -> int:
    """Return the part that a claim belongs to: by its slot, or by the verb and the kind of an open slot."""
    slot = _slot(claim)
    if slot in _LIKED or slot in _DISLIKED:
        return _LIKES if claim.positive == (slot in _LIKED) else _DISLIKES
    if slot.startswith(_FAVOURITE):
        return _FAVOURITES
    if slot in _OF_SLOT:
        return _OF_SLOT[slot]
    verb = slot.partition(" ")[0]
    if claim.valid is not None and claim.valid.end.year < _OPEN and verb not in ("plan", "want", "hope", "intend"):
        return _PAST
    by_kind = {"preference": _HABITS, "profile": _IDENTITY}.get(claim.kind, _ALSO)
    return _OF_VERB.get(verb, by_kind)


def _told(person: str, claim: Claim, place: int) -> _Told | None:
    """Return a claim as a fact; None for what is no longer so, and for a denial without a sentence."""
    slot, value, part = _slot(claim), _value(claim), _part(claim)
    if part in (_LIKES, _DISLIKES):
        return _Told(part, value, f"{_PARTS[part][0]} {value}", "value", 1, place)
    if part == _FAVOURITES:
        text = f"{slot.partition(' ')[2]} {value}".strip()
        return _Told(part, text, f"favourite {text}", "value", 1, place)
    if not claim.positive and (slot in _GONE or _NO_MORE.search(claim.text)):
        return None
    if part == _ASKED:
        return _Told(part, value, f"asked for {value}", "value", 1, place)
    text = _predicate(person, claim)
    if text:
        return _Told(part, text, text.removeprefix("is ").removeprefix("a "), "predicate", 1, place)
    if not claim.positive:
        return None
    if claim.text.startswith(f"{person}'s ") or slot not in _OF_SLOT:
        text = shorten(" ".join(claim.text.split()).rstrip(" .,;:!"), _LONGEST)
        return _Told(part, text, text, "sentence", 1, place)
    if _PARTS[part][0]:
        return _Told(part, value, value, "value", 1, place)
    text = f"has the {slot} {value}"
    return _Told(part, text, text, "predicate", 1, place)


def _predicate(person: str, claim: Claim) -> str:
    """Return a claim's sentence behind the person's name ("lives in Lisbon"); "" if it begins otherwise."""
    text = " ".join(claim.text.split())
    for name in (person, f"The {person}", f"the {person}"):
        if text.startswith(f"{name} "):
            return shorten(text.removeprefix(f"{name} ").rstrip(" .,;:!"), _LONGEST)
    return ""


def _in_turn(known: Sequence[_Told]) -> list[_Told]:
    """Return the facts in order of priority: the parts in turn, within each the most claimed first."""
    places: list[tuple[float, int, _Told]] = []
    for part, (_, _, step) in enumerate(_PARTS):
        of_part = sorted((each for each in known if each.part == part), key=lambda each: (-each.times, -each.last))
        of_part = sorted(of_part, key=lambda each: -each.last)[:_LATELY] if part == _PAST else of_part
        places += [((i + 1) * step, part, each) for i, each in enumerate(of_part)]
    return [each for _, _, each in sorted(places, key=lambda place: place[:2])]


def _written(person: str, told: Sequence[_Told]) -> str:
    """Return whole sentences: ``Nadia is vegetarian. Nadia lives in Lisbon and has a dog.`` and so on."""
    written: list[str] = []
    for part, (head, _, _) in enumerate(_PARTS):
        of_part = [each for each in told if each.part == part]
        predicates = [each.text for each in of_part if each.form == "predicate"]
        values = [each.text for each in of_part if each.form == "value"]
        if predicates:
            written.append(f"{'Lately ' if part == _PAST else ''}{person} {_listed(predicates)}.")
        if values:
            written.append(f"{_values(person, head, values)}.")
        written += [f"{each.text}." for each in of_part if each.form == "sentence"]
    return " ".join(written)


def _values(person: str, head: str, values: Sequence[str]) -> str:
    if head in ("likes", "dislikes", "is called"):
        return f"{person} {head} {_listed(values)}"
    if head == "asked":
        return f"{person} asked for: {'; '.join(values)}"
    return f"{person}'s {head if head != 'lately' else 'latest'}: {'; '.join(values)}"


def _listed(texts: Sequence[str]) -> str:
    """Return texts as a list in words, separated by semicolons if they hold commas themselves."""
    if any("," in text for text in texts[:-1]):
        return "; ".join(texts)
    return " and ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else texts[0]
