"""Assertion of clauses: whether one states a fact, whether that holds still, and whom or what it is about."""

from collections.abc import Sequence
from typing import Final

from hmem.language.english.meaning.clauses import Clause
from hmem.language.english.meaning.lists import KIN, PERSONS, PETS, SAME_KIN
from hmem.language.english.meaning.reference import FIRST, GROUP, THIRD
from hmem.language.english.meaning.slots import Slot, is_job
from hmem.language.english.word_lists import words

_STATES: Final = frozenset(("live", "reside"))
# Conjunctions of what is not so yet: "when I have kids".
_YET_TO_COME: Final = words("when whenever until till before once unless like")


def is_asserted(clause: Clause, clauses: Sequence[Clause]) -> bool:
    """Tell if a clause is the speaker's own statement, which depends on no condition; a wish is one."""
    if clause.mood != "statement" or clause.said_by is not None:
        return False
    if clause.dropped and clause.find("oblique", "agent", markers=("under", "by")) and not clause.find("object"):
        # "Licensed under MIT" is nobody's deed.
        return False
    if (
        clause.tense == "present"
        and _marks(clause) & _YET_TO_COME
        and (clause.kind == "adverbial" or "like" in _marks(clause))
    ):
        return False
    if (clause.kind == "relative" and clause.subject is None) or not (clause.certain or clause.modality == "want"):
        return False
    return not any(each.mood == "condition" and each.parent is clause for each in clauses)


def _marks(clause: Clause) -> set[str]:
    return {each.lower for each in clause.sentence.children(clause.opening, "mark", "advmod")}


def is_animate(clause: Clause) -> bool:
    """Tell if the subject of a clause is somebody: who alone likes, owns or lives anywhere."""
    token = clause.subject
    if token is None or token.upos in {"PROPN", "PRON"} or token.lower in FIRST | GROUP | THIRD:
        return True
    named = {token.lower, token.lemma.lower()}
    return bool(named & (PERSONS | PETS | SAME_KIN.keys())) or is_job(token.lemma.lower())


def is_able(clause: Clause) -> bool:
    """Tell if a clause says what somebody can do, not what they do."""
    return any(each.lower in {"can", "ca", "could"} for each in clause.auxiliaries)


def is_one_person(clause: Clause) -> bool:
    """Tell if the subject of a clause is one person, who can have an age or a job."""
    token = clause.subject
    if token is None:
        return True
    several = token.lower in GROUP or token.has("Number=Plur") or token.lower in {"they", "these", "those"}
    return is_animate(clause) and not several and token.lower not in {"it", "this", "that"} and not is_able(clause)


def is_of_slot(clause: Clause, slot: Slot) -> bool:
    """Tell if a clause is so in general, where its slot needs that: who "played games" on a day plays no games."""
    if slot.name in {"uses", "diet", "owns"} and is_able(clause):
        return False
    if not slot.lasting:
        return True
    general = (
        clause.tense in {"present", ""} or clause.perfect or clause.progressive or clause.phase in {"used to", "start"}
    )
    return general or any(each.lower in {"always", "never"} for each in clause.tokens)


def is_said_of_now(clause: Clause) -> bool:
    """Tell if a clause says that its verb holds: who stopped doing something does not do it, who never stopped does."""
    if clause.modality in {"want", "plan"}:
        return not clause.negated
    return clause.negated == (clause.phase == "stop") and not is_over(clause)


def is_over(clause: Clause) -> bool:
    """Tell if a clause tells of a state that is past: who "used to smoke", or "lived in Rome", does so no more."""
    if clause.phase == "used to":
        return True
    return clause.verb in _STATES and clause.tense == "past" and not clause.perfect and not clause.progressive


def is_somebody(clause: Clause) -> bool:
    """Tell if the subject of a clause is somebody or something in particular: a name, a person, what somebody has."""
    token = clause.subject
    if token is None or token.upos == "PROPN" or token.lower in FIRST | GROUP | THIRD:
        return True
    if token.lower in {"who", "that", "which"} and clause.kind == "relative":
        head = clause.sentence.head(clause.opening)
        return head is not None and (head.upos == "PROPN" or clause.sentence.child(head, "nmod:poss") is not None)
    determined = clause.sentence.children(token, "det")
    definite = (clause.verb == "be" or clause.passive) and (
        any(each.lower == "the" for each in determined)
        or (not determined and token.upos == "NOUN" and token.has("Number=Sing"))
    )
    if (token.lower in KIN | SAME_KIN.keys() and not determined) or is_standing(clause):
        return True
    return definite or clause.sentence.child(token, "nmod:poss") is not None or token.lower in {"doctor", "doctors"}


def is_standing(clause: Clause) -> bool:
    """Tell if a clause says what one thing that both know does as a rule: "the server runs Ubuntu"."""
    token = clause.subject
    if (
        token is None
        or token.upos != "NOUN"
        or not token.has("Number=Sing")
        or clause.kind not in {"main", "coordinate"}
    ):
        return False
    known = any(each.lower == "the" for each in clause.sentence.children(token, "det"))
    return known and clause.tense == "present" and not clause.perfect and bool(clause.arguments)
