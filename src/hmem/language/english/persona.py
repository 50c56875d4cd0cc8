"""Personas: who a person is, what they asked for, like, do and plan, from the claims about them (HMO).

A persona may stand in a prompt, so it consists of whole sentences about the person by name, begins with what an
assistant was asked to do for good, and leaves out what is not plainly about the person: words of theirs, what "it" or
"that" means, what happened once, plans whose time is over. A claim is told by its sentence; a like or a favourite by
its value.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from hmem.language.analyst.base import Claim, PersonaText
from hmem.language.english.gazetteer import is_place
from hmem.language.english.meaning.lists import KIN, PETS, ROLES
from hmem.language.english.meaning.slots import (
    AILMENTS,
    GROUPS,
    LANGUAGES,
    MEDICINES,
    POSSESSIONS,
    SPORTS,
    STATUS,
    is_job,
)
from hmem.language.english.parser import Parser
from hmem.language.english.persona_wording import display, is_quoted, predicate, sentence, value
from hmem.language.english.standing_orders import holds_standing_order
from hmem.language.english.texts import cut
from hmem.language.english.word_lists import word_set
from hmem.language.english.wording import content_stems
from hmem.language.regex import regex
from hmem.language.tokens import count_tokens

# Maximum number of facts, of past events, and of characters of what was asked for.
_MOST: Final = 60
_LATELY: Final = 4
_LONGEST_WISH: Final = 120

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
# What something is to look like: the latest wish holds.
_WORN: Final = regex(r"\b(?:background|headings?|mode|sepia|colou?rs?|accents?|font)\b", re.IGNORECASE)
# Year from which on the end of a validity is open.
_OPEN: Final = 9999

# Parts of a persona in order: what stands before its values, its slots, and the step between its facts (a smaller one
# comes sooner).
_PARTS: Final = (
    ("asked", "instruction", 0.4),
    ("is called", "name", 0.5),
    (
        "",
        "age birthday birthplace gender pronouns nationality hometown diet allergy health medication language trait",
        1.0,
    ),
    ("", "family home residence location partner expecting child sibling parent pet", 1.1),
    ("", "job occupation employer studies status role", 1.1),
    ("likes", "", 1.2),
    ("dislikes", "", 1.5),
    ("favourites", "", 1.5),
    ("habits", "habit hobby plays membership routine exercise interest", 1.6),
    ("plans", "plan goal dream intention appointment", 2.0),
    ("", "friend relation owns uses fear belief reading", 2.2),
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

# Nouns or names that a value of these slots must hold to be one.
_NAMED_BY: Final = {
    "pet": PETS, "plays": SPORTS, "membership": GROUPS, "owns": POSSESSIONS | PETS, "language": LANGUAGES,
    "medication": MEDICINES, "health": AILMENTS, "partner": KIN | STATUS, "child": KIN, "sibling": KIN, "parent": KIN,
    "friend": KIN | ROLES, "relation": KIN | ROLES,
    **dict.fromkeys(("home", "residence", "hometown", "birthplace", "employer", "uses"), frozenset[str]()),
}  # fmt: skip
_NAME: Final = regex(r"(?<![.!?:] )(?<!^)\b[A-Z]|^[A-Z][\w'-]*(?: [A-Z][\w'-]*)*$")
# What somebody may want for long, by its verb; and how a goal and a plan without a date are told.
_LIFE: Final = word_set(
    """
    learn become be build start open own buy move live study work adopt write publish travel visit win help improve run
    retire lose save quit master graduate compete earn perform play marry create teach
    """
)
# Slots of those who have a name.
_NAMED_LIVING: Final = word_set("partner child sibling parent friend pet")
_GOALS: Final = word_set("goal dream want hope wish aim")
_WANTED: Final = regex(r"(?:wants|hopes|would love|would like|dreams|aims|wishes|has (?:always )?wanted|plans)\b")
_PLANNED: Final = regex(r"is (?:planning|training|saving|preparing|expecting)\b")
_PAST_STATE: Final = regex(r"(?:was|were|had|did)\b")
_NO_PLAN: Final = regex(r"(?:starts|is (?:feeling|thinking|wondering|hoping|looking forward))\b|.* more\b")
# Verbs that tell how somebody is for long, in the form for one person.
_LASTS: Final = regex(r"(?:is|has|does not|cannot|can|no longer|never|[a-z]{2,}s)\b")
# Number of the latest claims among which a plan without a date still counts.
_FRESH: Final = 20


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


def persona(
    parser: Parser, person: str, claims: Sequence[Claim], tokens: int, now: datetime | None = None
) -> PersonaText:
    """Return the persona of a person in at most ``tokens`` tokens, from claims, latest last; empty without any.

    It holds the latest claim of a single-valued slot, and the latest claim of each value of other slots; but nothing
    that no longer holds, and no plan that ends before ``now``, or before the latest dated claim of another slot.
    """
    known = _once(_in_turn(_known(parser, person, _current(claims, now))))[:_MOST]
    left = tokens
    told: list[_Told] = []
    for each in known:
        cost = count_tokens(each.text) + 2
        if cost <= left:
            left -= cost
            told.append(each)
    while told and count_tokens(_written(person, told)) > tokens:
        told.pop()
    if told:
        return PersonaText(_written(person, told), tuple(dict.fromkeys(each.trait for each in told)))
    return PersonaText(cut(_written(person, known[:1]), tokens), ())


def _current(claims: Sequence[Claim], now: datetime | None) -> list[Claim]:
    """Return the claims without plans and goals that lie in the past, or that are undated and of long ago."""
    now = now or max(
        (claim.valid.start for claim in claims if claim.valid is not None and _part(claim) != _PLANS), default=None
    )
    fresh = len(claims) - _FRESH
    return [
        claim
        for place, claim in enumerate(claims)
        if _part(claim) != _PLANS
        or (_is_goal(claim) and claim.valid is None)
        or _is_ahead(claim, now, fresh=place >= fresh)
    ]


def _is_ahead(claim: Claim, now: datetime | None, *, fresh: bool) -> bool:
    """Tell if a plan is for a time to come; one without a date must be told as going on, and be among the latest."""
    if claim.valid is None or claim.valid.end.year >= _OPEN:
        return fresh and _PLANNED.search(claim.text) is not None
    return now is None or claim.valid.end > now


def _is_goal(claim: Claim) -> bool:
    return _slot(claim).partition(" ")[0] in _GOALS


def _known(parser: Parser, person: str, claims: Sequence[Claim]) -> list[_Told]:
    """Return one fact for each slot, or for each value of a slot with several."""
    latest: dict[tuple[str, str], _Told] = {}
    for place, claim in enumerate(claims):
        if not claim.value.strip(" .,;:!?"):
            continue
        key = _key(claim)
        told = _told(parser, person, claim, place)
        if told is None:
            if _is_over(claim):
                latest.pop(key, None)
            continue
        before = latest.pop(key, None)
        again = before is not None and before.part == told.part and bool(key[1])
        times = before.times + 1 if before is not None and again else 1
        latest[key] = _Told(told.part, told.text, told.trait, told.form, times, place)
    return list(latest.values())


def _once(known: Sequence[_Told]) -> list[_Told]:
    """Return the facts without those whose words all stand in one before them."""
    kept: list[_Told] = []
    said: list[frozenset[str]] = []
    for each in known:
        words = frozenset(content_stems(each.text)) or frozenset([each.text.lower()])
        if not any(words <= before for before in said):
            kept.append(each)
            said.append(words)
    return kept


def _key(claim: Claim) -> tuple[str, str]:
    """Return the key of a claim: its slot, and its value if the slot may hold several."""
    slot = _slot(claim)
    if slot in _SINGLE or slot.startswith(_FAVOURITE):
        return slot, ""
    if slot == "instruction" and _WORN.search(claim.value):
        return "instruction of look", ""
    return "likes" if slot in _LIKED | _DISLIKED else slot, " ".join(content_stems(claim.value)) or claim.value.lower()


def _slot(claim: Claim) -> str:
    return claim.slot.strip().lower().replace("_", " ")


def _is_over(claim: Claim) -> bool:
    """Tell if a claim says of something that it is no longer so."""
    return not claim.positive and (_slot(claim) in _GONE or _NO_MORE.search(claim.text) is not None)


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


def _told(parser: Parser, person: str, claim: Claim, place: int) -> _Told | None:
    """Return a claim as a fact; None of what is no longer so, or cannot stand alone."""
    slot, part = _slot(claim), _part(claim)
    if _is_over(claim) or (is_quoted(claim) and part != _ASKED):
        return None
    if part == _ASKED:
        return _asked(parser, claim, place)
    if slot == "name":
        return _called(person, claim, place)
    if part in (_LIKES, _DISLIKES, _FAVOURITES):
        return _liked(person, claim, part, place)
    if not _holds(slot, claim) or (part == _PAST and slot not in _OF_SLOT):
        return None
    if (said := predicate(person, claim)) and _is_lasting(slot, claim, part, said):
        return _Told(part, said, said.removeprefix("is ").removeprefix("a "), "predicate", 1, place)
    if claim.positive and (said := sentence(person, claim) or _by_name(person, slot, claim)):
        return _Told(part, said, said, "sentence", 1, place)
    return None


def _by_name(person: str, slot: str, claim: Claim) -> str:
    """Return who or what of somebody has a name, if the claim's sentence is about it: "Nadia's pet is Biscuit"."""
    named = claim.value.isalpha() and claim.value.istitle() and slot in _NAMED_LIVING
    return f"{display(person)}'s {slot} is {claim.value}" if named and claim.value in claim.text else ""


def _asked(parser: Parser, claim: Claim, place: int) -> _Told | None:
    """Return what an assistant was asked to do; an order in somebody's own words must be one for good."""
    wish = " ".join(claim.value.split()).strip(" .,;:!?")
    if not claim.positive or ('"' in claim.text and not holds_standing_order(parser, wish)):
        return None
    return _Told(_ASKED, wish, f"asked for {wish}", "value", 1, place) if len(wish) <= _LONGEST_WISH else None


def _called(person: str, claim: Claim, place: int) -> _Told | None:
    """Return how somebody is called, if that is a name and tells more than the one known."""
    name = claim.value.strip(" .!")
    proper = name.istitle() and "," not in name and name.lower() != person.lower()
    return _Told(1, name, f"is called {name}", "value", 1, place) if claim.positive and proper else None


def _liked(person: str, claim: Claim, part: int, place: int) -> _Told | None:
    thing = value(claim)
    if not thing or thing.lower() == person.lower():
        return None
    if part != _FAVOURITES:
        return _Told(part, thing, f"{_PARTS[part][0]} {thing}", "value", 1, place)
    kind = _slot(claim).partition(" ")[2]
    named = f"{kind} {thing}"
    return _Told(part, named, f"favourite {named}", "value", 1, place) if kind and thing[:1] != "'" else None


def _holds(slot: str, claim: Claim) -> bool:
    """Tell if a claim of a slot of certain things names one of them, by its noun or by a name."""
    nouns = _NAMED_BY.get(slot)
    words = {word.strip(".,;:!?'").removesuffix("'s") for word in f"{claim.value} {claim.text}".lower().split()}
    words |= {word.removesuffix("s") for word in words}
    if slot in {"job", "occupation"}:
        return any(map(is_job, claim.value.lower().split())) or _NAME.search(claim.value) is not None
    if nouns is None:
        return True
    own = {word.strip(".,;:!?'") for word in claim.value.lower().split()}
    return not nouns.isdisjoint(words) or _NAME.search(claim.value) is not None or any(map(is_place, own))


def _is_lasting(slot: str, claim: Claim, part: int, said: str) -> bool:
    """Tell if what is said of somebody may be so for long: no event, and of goals those of a life."""
    if part == _PLANS and _NO_PLAN.match(said):
        return False
    if _is_goal(claim):
        wish = claim.value.lower().split()
        return claim.positive and not _LIFE.isdisjoint(wish[:2]) and _WANTED.match(said) is not None
    if _PAST_STATE.match(said) and part != _IDENTITY:
        return False
    if slot in ("friend", "relation"):
        return _NAME.search(said) is not None
    if slot in _OF_SLOT or slot in _NAMED_BY:
        return True
    return part != _PAST and _LASTS.match(said) is not None


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
    name, written = display(person), list[str]()
    for part, (head, _, _) in enumerate(_PARTS):
        of_part = [each for each in told if each.part == part]
        predicates = [each.text for each in of_part if each.form == "predicate"]
        values = [each.text for each in of_part if each.form == "value"]
        if predicates:
            lately = f"Lately {name[:1].lower()}{name[1:]}" if name != person else f"Lately {name}"
            written.append(f"{lately if part == _PAST else name} {_listed(predicates)}.")
        if values:
            written.append(f"{_values(name, head, values)}.")
        written += [f"{each.text}." for each in of_part if each.form == "sentence"]
    return " ".join(written)


def _values(person: str, head: str, values: Sequence[str]) -> str:
    if head in ("likes", "dislikes", "is called"):
        return f"{person} {head} {_listed(values)}"
    return f"{person} asked for: {'; '.join(values)}" if head == "asked" else f"{person}'s {head}: {'; '.join(values)}"


def _listed(texts: Sequence[str]) -> str:
    """Return texts as a list in words, separated by semicolons if they hold commas themselves."""
    if any("," in text for text in texts[:-1]):
        return "; ".join(texts)
    return " and ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else texts[0]
