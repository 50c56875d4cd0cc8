"""Personas without a model: who a person is, what they like, do and plan, from the claims about them (HMO)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from hmem.language.analyst.base import Claim, PersonaText
from hmem.language.analyst.rules.lexicon import word_set
from hmem.language.analyst.rules.pieces import shorten
from hmem.language.analyst.rules.selection import cut
from hmem.language.analyst.rules.wording import content_stems
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
_HABITS: Final = word_set("habit hobby plays membership routine exercise interest")
_PLANS: Final = word_set("plan goal expecting dream intention")
_LATELY: Final = word_set("event trip project")

# The parts of a persona in their order, and how soon the next of each is told: smaller is sooner.
_HEADS: Final = ("", "Likes", "Dislikes", "Favourites:", "Habits:", "Plans:", "Lately:")
_IDENTITY, _LIKES, _DISLIKES, _FAVOURITES, _OF_HABITS, _OF_PLANS, _OF_LATE = range(7)
_STEPS: Final = (1.0, 1.2, 1.5, 1.5, 1.6, 2.0, 3.0)


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

    What is told: of a slot with one value the latest claim, of another all, the latest of what was said of a value.
    """
    kept = _in_turn(_known(person, claims))[:_MOST]
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


def _known(person: str, claims: Sequence[Claim]) -> list[_Told]:
    """What the claims come to, a thing for each."""
    latest: dict[tuple[str, str], _Told] = {}
    for place, claim in enumerate(claims):
        value = _value(claim)
        if not value:
            continue
        slot = _slot(claim)
        single = slot in _SINGLE or slot.startswith(_FAVOURITE)
        key = (slot, "" if single else " ".join(content_stems(value)) or value.lower())
        before = latest.pop(key, None)
        told = _told(person, claim, place)
        if told is None:
            continue
        same = before is not None and before.part == told.part
        latest[key] = (
            _Told(told.part, told.text, told.trait, before.times + 1, place) if before and same and not single else told
        )
    return list(latest.values())


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
    text = _predicate(person, claim) or (f"{slot}: {value}" if claim.positive else "")
    if not text:
        return None
    return _Told(_part(slot), text, text.removeprefix("is ").removeprefix("a "), 1, place)


def _part(slot: str) -> int:
    for slots, part in ((_HABITS, _OF_HABITS), (_PLANS, _OF_PLANS), (_LATELY, _OF_LATE)):
        if slot in slots:
            return part
    return _IDENTITY


def _predicate(person: str, claim: Claim) -> str:
    """What a claim's sentence says of the person, when it begins with the name: "lives in Lisbon"."""
    text = " ".join(claim.text.split())
    if not text.startswith(f"{person} "):
        return ""
    return shorten(text.removeprefix(f"{person} ").rstrip(" .,;:!"), _LONGEST)


def _in_turn(known: Sequence[_Told]) -> list[_Told]:
    """All that is known in the order in which it is worth telling: the parts in turn, in each the most claimed."""
    places: list[tuple[float, int, _Told]] = []
    for part, step in enumerate(_STEPS):
        of_part = sorted((each for each in known if each.part == part), key=lambda each: (-each.times, -each.last))
        places += [((i + 1) * step, part, each) for i, each in enumerate(of_part)]
    return [each for _, _, each in sorted(places, key=lambda place: place[:2])]


def _written(person: str, told: Sequence[_Told]) -> str:
    """Short sentences, one for each part: ``Nadia works as a conservator; lives in Lisbon. Likes drum and bass.``"""
    written: list[str] = []
    for part, head in enumerate(_HEADS):
        texts = [each.text for each in told if each.part == part]
        if texts and part == _IDENTITY:
            written.append(f"{person} {'; '.join(texts)}.")
        elif texts:
            written.append(f"{head if written else f'{person}: {head.lower()}'} {', '.join(texts)}.")
    return " ".join(written)
