"""Reconciling: what a newer claim is to an older one about the same subject and slot (HiMem, reconsolidation).

A wrong revision is worse than a missed one: what was so is taken for ended only where the newer claim denies it, or
gives another value to a slot that has one at a time. Decided:

- Another subject or another slot: independent, whatever the words.
- No matter of fact (a condition, a joke, another's words, a wish): never a revision.
- What holds for a while only, or besides ("on weekends", "also"), ends nothing.
- A denial ends what it names, or what it names the kind of ("the car" is the Honda); not what it is only a part of.
- What was had and is over ("sold") says nothing against having the same again.
- What happens stands by itself; a plan is revised when it is put off or called off.
"""

import re
from datetime import timedelta
from typing import Final

from hmem.language.analyst.base import Relation, Stated, Verdict
from hmem.language.analyst.rules.claiming import OPEN
from hmem.language.analyst.rules.reconciling_slots import (
    CALLINGS,
    DIETS,
    EXACT,
    HAD_ANEW,
    OCCASIONS,
    WIDE,
    is_single,
    single_role,
)
from hmem.language.analyst.rules.reconciling_values import Kinship, core, kinship
from hmem.language.analyst.rules.reconciling_words import Manner, manner
from hmem.language.regex import regex

MADE_BY: Final = "rules/1"

_COUNTS: Final = regex(r"^(?P<count>an?|one|two|three|four|five|six|seven|\d+) (?P<what>[a-z ]+)$", re.IGNORECASE)
_ACQUIRED: Final = regex(
    r"\b(?:bought|adopted|rescued|got|gotten|purchased|ordered|picked up|welcomed|acquired|upgraded)\b", re.IGNORECASE
)
_MOVED: Final = regex(r"\b(?:mov(?:ed|ing)|relocated|settled|left|emigrated)\b", re.IGNORECASE)
_ALONE: Final = regex(r"\b(?:single|divorced|widowed|separated)\b", re.IGNORECASE)
_STEP: Final = regex(r"\b(?:married|engaged|wife|husband|fianc\w+|single|divorced|widowed)\b", re.IGNORECASE)
_OF_STEP: Final = {"wife": "married", "husband": "married", "fiance": "engaged", "fiancée": "engaged"}
_BUSINESS: Final = regex(r"\b(?:business|company|shop|store|studio|brand|firm|startup|blog|channel|bakery|agency)\b")
_LEFT: Final = regex(r"\b(?:quit|left|resigned|instead|now|no longer|gave up|switched)\b", re.IGNORECASE)
_A_DAY: Final = timedelta(days=1)


def likeness(stated: Stated) -> frozenset[str]:
    """What a claim shares with every other of its slot that it could say again, extend or deny.

    Only claims that share one of these need be compared; in a slot with one value at a time all share one.
    """
    claim = stated.claim
    if is_single(claim.slot):
        return frozenset({""})
    value = core(claim.value)
    role = {f"role {role}"} if claim.slot == "relation" and (role := single_role(claim.text)) else set[str]()
    return value.stems | value.kinds | value.names | role


def reconciled(older: Stated, newer: Stated) -> Verdict:
    """What the newer claim is to the older one, and why."""
    relation, why = _relation(older, newer)
    return Verdict(relation, why, MADE_BY)


def _relation(older: Stated, newer: Stated) -> tuple[Relation, str]:
    one, other = older.claim, newer.claim
    if one.subject != other.subject:
        return "independent", "another subject"
    if one.slot != other.slot:
        return "independent", "another slot"
    how = manner(newer.words, other.value)
    kin = _exactly(one.value, other.value) if one.slot in EXACT else kinship(one.value, other.value)
    if how.unreal:
        return ("same", "said again") if kin == "equal" and one.positive == other.positive else _apart("no fact")
    if one.slot in OCCASIONS or one.slot == "plan":
        return _occasion(older, newer, kin, how)
    if one.positive and not other.positive:
        return _denied(older, newer, kin)
    if not one.positive and other.positive:
        return _restored(older, kin, how)
    if not other.positive:
        return ("same", "denied again") if kin in ("equal", "wider") else _apart("another thing is denied")
    if how.righted and kin != "equal" and _unsaid(one.value, newer.words):
        return "contradicts", "corrected"
    if one.slot != "age" and _at_other_times(older, newer):
        return _apart("each in its time")
    return _single(older, newer, kin, how) if is_single(one.slot) else _one_of_many(older, newer, kin, how)


def _exactly(one: str, other: str) -> Kinship:
    return "equal" if one.lower() == other.lower() else "other"


def _unsaid(value: str, words: str) -> bool:
    """Whether words take a value back: "not Porto"."""
    return any(
        name in words.lower() for name in (f"not {value.lower()}", *(f"not {name}" for name in core(value).names))
    )


def _apart(why: str) -> tuple[Relation, str]:
    return "independent", why


def _at_other_times(older: Stated, newer: Stated) -> bool:
    """Whether the claims' times do not overlap."""
    one, other = older.claim.valid, newer.claim.valid
    if other is not None and other.end != OPEN and other.end <= (one.start if one else older.said):
        return True
    return one is not None and other is not None and one.end != OPEN and one.end <= other.start


def _occasion(older: Stated, newer: Stated, kin: Kinship, how: Manner) -> tuple[Relation, str]:
    """What happens, or is planned."""
    one, other = older.claim, newer.claim
    if kin == "other":
        return _apart("another occasion")
    moved = one.valid is None or other.valid is None or one.valid != other.valid
    if one.slot == "plan" and one.positive and (not other.positive or how.over) and moved:
        return "contradicts", "called off" if not other.positive else "put off"
    same_time = one.valid == other.valid or one.valid is None or other.valid is None
    near = abs(newer.said - older.said) < _A_DAY or (one.valid is not None and one.valid == other.valid)
    if kin in ("equal", "wider") and same_time and near and one.positive == other.positive:
        return "same", "said again"
    return _apart("another time")


def _denied(older: Stated, newer: Stated, kin: Kinship) -> tuple[Relation, str]:
    """A denial of something that was so."""
    slot, one, other = older.claim.slot, core(older.claim.value), core(newer.claim.value)
    if slot == "job" and not other.stems and _BUSINESS.search(older.claim.value):
        # Who lost "the job" had another one beside what is their own.
        return _apart("another job is denied")
    if kin in ("equal", "wider") or not other.stems:
        return "contradicts", "no longer so"
    if slot == "partner" and not (one.names and other.names):
        return "contradicts", "no longer so"
    if slot in HAD_ANEW and one.names & other.names:
        return "contradicts", "no longer so"
    if slot in HAD_ANEW and kin == "narrower" and not _several(older.claim.value):
        return "contradicts", "no longer so"
    return _apart("another thing is denied")


def _several(value: str) -> bool:
    found = _COUNTS.match(value)
    return (found is not None and found["count"].lower() not in ("a", "an", "one")) or value.endswith("s")


def _restored(older: Stated, kin: Kinship, how: Manner) -> tuple[Relation, str]:
    """Something that was denied is so."""
    if kin not in ("equal", "narrower"):
        return _apart("another thing")
    if older.claim.slot in HAD_ANEW and not how.again:
        return _apart("had anew")
    return "contradicts", "so again" if how.again else "so now"


def _single(older: Stated, newer: Stated, kin: Kinship, how: Manner) -> tuple[Relation, str]:
    """Two values of a slot that has one at a time."""
    slot, one, other = older.claim.slot, older.claim.value, newer.claim.value
    if how.righted and kin != "equal":
        return "contradicts", "corrected"
    if slot == "partner":
        return _partner(one, other, kin)
    if kin == "equal":
        return "same", "said again"
    if kin == "narrower":
        return "extends", "says more"
    if kin == "wider":
        return "same", "says less"
    if how.passing:
        return _apart("for a while only")
    if how.added or " includes " in newer.claim.text or " includes " in older.claim.text:
        return _apart("in addition")
    return _excluded(slot, one, other, newer.words, how)


def _excluded(slot: str, one: str, other: str, said: str, how: Manner) -> tuple[Relation, str]:
    """Whether another value of the slot ends the one before."""
    if slot == "home" and {one.lower(), other.lower()} & WIDE and not _MOVED.search(said):
        return _apart("a place and its country")
    if slot == "job":
        beside = bool((core(one).stems | core(other).stems) & CALLINGS) and not how.changed
        founded = _BUSINESS.search(other) is not None and _LEFT.search(said) is None
        if beside or founded:
            return _apart("followed beside it")
    if slot == "employer" and not (core(one).names and core(other).names) and not how.changed:
        return _apart("named otherwise")
    if slot == "diet" and not (core(one).stems & _DIETS and core(other).stems & _DIETS):
        return _apart("goes with it")
    return "contradicts", "changed" if how.changed else "another value"


_DIETS: Final = frozenset(stem for diet in DIETS for stem in core(diet).stems)


def _partner(one: str, other: str, kin: Kinship) -> tuple[Relation, str]:
    """Relationships: another person, or another state of the same one, ends what was."""
    names, step, last = core(one).names & core(other).names, _step(one), _step(other)
    if _ALONE.search(one) or _ALONE.search(other):
        return ("same", "said again") if step == last else ("contradicts", "changed")
    if core(one).names and core(other).names and not names:
        return "contradicts", "another person"
    if step and last and step != last:
        return "contradicts", "changed"
    if kin in ("equal", "wider"):
        return "same", "said again"
    return "extends", "says more"


def _step(value: str) -> str:
    found = _STEP.search(value)
    return "" if found is None else _OF_STEP.get(found[0].lower(), found[0].lower())


def _one_of_many(older: Stated, newer: Stated, kin: Kinship, how: Manner) -> tuple[Relation, str]:
    """Two values of a slot that has any number of them."""
    slot, one, other = older.claim.slot, older.claim.value, newer.claim.value
    if slot in ("relation", "friend"):
        return _relative(older, newer, how)
    if _counted_otherwise(one, other):
        return ("contradicts", "another number") if slot in ("child", "sibling", "pet") else _apart("another number")
    if how.added or (slot in HAD_ANEW and kin != "other" and _another(older, newer)):
        return _apart("another one")
    if kin == "equal":
        return "same", "said again"
    if kin == "narrower":
        return "extends", "says more"
    if kin == "wider":
        return "same", "says less"
    if slot in HAD_ANEW and core(one).names & core(other).names:
        return "same", "said again"
    return _apart("one of several")


def _another(older: Stated, newer: Stated) -> bool:
    """Whether the newer claim tells of getting one, on another day than the older was told."""
    names = core(older.claim.value).names & core(newer.claim.value).names
    got = _ACQUIRED.search(newer.words) is not None
    return got and not names and abs(newer.said - older.said) >= 2 * _A_DAY


def _counted_otherwise(one: str, other: str) -> bool:
    before, after = _COUNTS.match(one), _COUNTS.match(other)
    if (
        before is None
        or after is None
        or before["count"].lower() in ("a", "an")
        or after["count"].lower() in ("a", "an")
    ):
        return False
    return before["count"].lower() != after["count"].lower() and core(before["what"]) == core(after["what"])


def _relative(older: Stated, newer: Stated, how: Manner) -> tuple[Relation, str]:
    """People by the part that they have in another's life."""
    if older.claim.value == newer.claim.value:
        return "same", "said again"
    role = single_role(older.claim.text)
    if role and role == single_role(newer.claim.text) and not how.added and not how.passing:
        return "contradicts", f"another {role}"
    return _apart("one of several")
