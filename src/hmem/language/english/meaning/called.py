"""Names of things and people that somebody has: "my twins, Lena and Bo", "we run two clusters, Falcon and Osprey"."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from hmem.language.english.meaning.clauses import Clause
from hmem.language.english.meaning.lists import COURTESY, KIN, PETS, ROLES
from hmem.language.english.meaning.reference import FIRST, GROUP
from hmem.language.english.meaning.slots import BY_NOUN
from hmem.language.english.tree import Sentence, Token
from hmem.language.english.word_lists import words

# Verbs whose object is the speaker's: "we run two clusters".
_HOLDING: Final = words("have own run keep use operate get manage maintain") | {"have get"}


class Called(NamedTuple):
    """Names of what somebody has: slot and value of the claim, its words as said, the names, and if it is several."""

    slot: str
    value: str
    noun: str
    names: str
    several: bool


def called(noun: Token, sentence: Sentence) -> Called | None:
    """Return what a plural noun with names beside it tells, or one noun with a name behind "called"; else None."""
    several = noun.has("Number=Plur")
    names = _names_of_several(noun, sentence) if several else _name_behind(noun, sentence)
    if not names or noun.upos != "NOUN":
        return None
    said = f"{names[0]}" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    label = [each.lower for each in sentence.children(noun, "amod", "compound") if each.lower != "own"]
    word = noun.lower if several else noun.lemma.lower()
    told, kinds = " ".join((*label, word)), {noun.lower, noun.lemma.lower()}
    if kinds & PETS:
        return Called("pet", f"{told} {said}", told, said, several)
    if kinds & (KIN | ROLES):
        slot = slot_of_person(noun, sentence)
        return Called(slot, said if slot == "relation" else f"{told} {said}", told, said, several)
    return Called(told, said, told, said, several)


def slot_of_person(noun: Token, sentence: Sentence) -> str:
    """Return the slot of a word for a person: a study partner is nobody's partner."""
    slot = next((BY_NOUN[each] for each in (noun.lower, noun.lemma.lower()) if each in BY_NOUN), "relation")
    beside = sentence.child(noun, "compound") if slot == "partner" else None
    return slot if beside is None or beside.upos == "PROPN" else "relation"


def held(clause: Clause) -> Token | None:
    """Return the thing that a clause says its speaker has: "printer" of "I use a printer called Bluebird".

    A pet or a person that somebody has is claimed under its slot, with its name.
    """
    subject, found = clause.subject, clause.find("object")
    mine = subject is not None and subject.lower in FIRST | GROUP
    if not mine or found is None or clause.verb not in _HOLDING or clause.negated or not clause.stated:
        return None
    living = {found.head.lower, found.head.lemma.lower()} & (PETS | KIN | ROLES)
    return None if living or clause.sentence.child(found.head, "nmod:poss") else found.head


def _names_of_several(noun: Token, sentence: Sentence) -> list[str]:
    beside = sentence.child(noun, "appos")
    if beside is None or beside.index < noun.index:
        return []
    members = [beside, *sentence.children(beside, "conj")]
    return [_whole(each, sentence) for each in members] if len(members) > 1 and all(map(_is_name, members)) else []


def _name_behind(noun: Token, sentence: Sentence) -> list[str]:
    return [
        _whole(below, sentence)
        for each in sentence.children(noun, "acl")
        if each.lower in {"called", "named"} and each.index == noun.index + 1
        for below in sentence.children(each, "xcomp", "obj")
        if _is_name(below)
    ][:1]


def _whole(name: Token, sentence: Sentence) -> str:
    return sentence.span(sorted(_parts(name, sentence), key=lambda each: each.index))


def _parts(name: Token, sentence: Sentence) -> Iterator[Token]:
    yield name
    yield from (each for each in sentence.children(name, "flat", "compound", "nmod:desc") if each.upos == "PROPN")


def _is_name(token: Token) -> bool:
    return token.upos == "PROPN" and token.text[0].isupper() and token.lower not in COURTESY
