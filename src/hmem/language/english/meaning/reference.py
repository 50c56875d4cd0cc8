"""Reference: who is meant by a pronoun or a noun: the speaker, who is spoken to, or somebody named before.

Names and nouns of a passage are noted in their order. A pronoun of the third person means the latest one that agrees
with it in kind, sex and number; if two agree equally well it stays open, and so does one without any. What is open is
told as it was said, and nothing is claimed about it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal

from hmem.language.analyst.base import Passage
from hmem.language.english.meaning.clauses import Clause
from hmem.language.english.meaning.lists import FEMALE_KIN, MALE_KIN, PERSONS, PETS
from hmem.language.english.tree import Parse, Sentence, Token

Sex = Literal["female", "male", ""]

ROLES: Final = frozenset({"user", "assistant", "system", "tool", "human", "ai", "bot", "model", "agent"})
FIRST: Final = frozenset({"i", "me", "my", "mine", "myself", "im"})
GROUP: Final = frozenset({"we", "us", "our", "ours", "ourselves"})
SECOND: Final = frozenset({"you", "your", "yours", "yourself", "yourselves", "u", "ya", "ur"})
_FEMALE: Final = frozenset({"she", "her", "hers", "herself"})
_MALE: Final = frozenset({"he", "him", "his", "himself"})
_MANY: Final = frozenset({"they", "them", "their", "theirs", "themselves"})
_PERSONS: Final = _FEMALE | _MALE | _MANY
THINGS: Final = frozenset({"it", "its", "itself"})
POINTING: Final = frozenset({"this", "that", "these", "those"})
THIRD: Final = _PERSONS | THINGS

# How many sentences back an antecedent may stand, and how many turns.
_NEAR: Final = 6
_NEAR_TURNS: Final = 4


def windows(passage: Passage) -> Iterator[range]:
    """Yield the places of each wanted turn, last, and of the turns before it that may tell what it means.

    They are the same ones however many turns are wanted, so that whoever forgets a turn knows which others used it.
    """
    for place in range(passage.start, len(passage.turns)):
        yield range(max(place - _NEAR_TURNS, 0), place + 1)


@lru_cache(maxsize=4_096)
def shown(name: str) -> str:
    """Return a speaker's name for a statement: a role such as ``user`` gets an article."""
    return f"the {name.lower()}" if name.lower() in ROLES else name


def refers(parse: Parse) -> bool:
    """Tell if a turn has a pronoun that may mean somebody named in the turns before it."""
    return not all(_PERSONS.isdisjoint(sentence.lowers) for sentence in parse.sentences)


def possessive(name: str) -> str:
    """Return the possessive of a name: ``Maria's``."""
    return f"{name}'s"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A name or noun of the passage that a later pronoun can mean. ``text`` is how it is told."""

    text: str
    sex: Sex
    person: bool
    plural: bool
    subject: bool
    sentence: int


@dataclass(slots=True)
class Speech:
    """Speakers of a turn: who speaks to whom, and what was named before."""

    speaker: str
    hearer: str | None = None
    candidates: list[Candidate] = field(default_factory=list[Candidate])
    sentence: int = 0
    together: str = ""

    def said_by(self, speaker: str, hearer: str | None) -> "Speech":
        """Return the speech of the next turn, which knows what was named before."""
        return Speech(speaker, hearer, self.candidates, self.sentence, "")


def resolve(speech: Speech, token: Token) -> str | None:
    """Return who a pronoun of the third person means, None if that stays open, as things do."""
    word = token.lower
    here = speech.sentence
    agreeing = [
        each
        for each in speech.candidates
        if 0 <= here - each.sentence <= _NEAR and _agrees(word, each) and not _takes_part(speech, each)
    ]
    if not agreeing:
        return None
    latest = agreeing[-1].sentence
    same = {each.text: each for each in agreeing if each.sentence == latest}
    if len(same) == 1:
        return next(iter(same))
    subjects = {each.text for each in same.values() if each.subject}
    return next(iter(subjects)) if len(subjects) == 1 else None


def _takes_part(speech: Speech, candidate: Candidate) -> bool:
    """Tell if a name is the speaker's or the hearer's, who are never "she" or "he"; "Mel" is Melanie."""
    return any(
        name is not None and (candidate.text == name or (len(candidate.text) > 2 and name.startswith(candidate.text)))
        for name in (speech.speaker, speech.hearer)
    )


def _agrees(word: str, candidate: Candidate) -> bool:
    if word in _FEMALE:
        return candidate.person and not candidate.plural and candidate.sex != "male"
    if word in _MALE:
        return candidate.person and not candidate.plural and candidate.sex != "female"
    return word in _MANY and candidate.person and candidate.plural


def note(speech: Speech, sentence: Sentence, clauses: Sequence[Clause], tell: Callable[[Sequence[Token]], str]) -> None:
    """Note the names and nouns of a sentence as candidates; ``tell`` puts a noun phrase into words."""
    subjects = {clause.subject.index for clause in clauses if clause.subject is not None and not clause.inherited}
    for token in sentence:
        if token.upos not in {"NOUN", "PROPN"} or token.relation in {
            "compound",
            "flat",
            "nmod:poss",
            "fixed",
            "vocative",
        }:
            continue
        if token.relation in {"obl:unmarked", "obl:tmod", "appos"} or token.relation.startswith("conj:"):
            continue
        phrase = sentence.subtree(token, _left_out)
        owner = sentence.child(token, "nmod:poss")
        person = token.upos == "PROPN" or token.lower in PERSONS or token.lemma in PERSONS
        pet = token.lower in PETS
        if token.upos == "NOUN" and owner is None:
            continue
        if not (person or (pet and owner is not None)):
            continue
        speech.candidates.append(
            Candidate(
                tell(phrase), _sex(sentence, token), person or pet, _plural(sentence, token), token.index in subjects,
                speech.sentence,
            )
        )  # fmt: skip
    del speech.candidates[:-48]


_LEFT_OUT: Final = frozenset(
    [
        "acl",
        "parataxis",
        "punct",
        "case",
        "appos",
        "mark",
        "nmod",
        "advmod",
        "cop",
        "nsubj",
        "aux",
        "obl",
        "advcl",
        "orphan",
        "expl",
        "ccomp",
        "discourse",
    ]
)


def _left_out(token: Token) -> bool:
    """Tell if a branch of a noun phrase does not belong to the name that a pronoun stands for."""
    if token.relation in {"nmod:poss", "case"} and (token.relation == "nmod:poss" or token.lower in {"'s", "'"}):
        return False
    if token.relation == "conj":
        return token.upos not in {"NOUN", "PROPN"}
    return token.relation.partition(":")[0] in _LEFT_OUT


def _plural(sentence: Sentence, token: Token) -> bool:
    return token.has("Number=Plur") or sentence.child(token, "conj") is not None


def _sex(sentence: Sentence, token: Token) -> Sex:
    nouns = [token.lower, *(each.lower for each in sentence.children(token, "appos", "compound", "flat"))]
    head = sentence.head(token)
    if token.relation == "appos" and head is not None:
        nouns.append(head.lower)
    if any(noun in FEMALE_KIN for noun in nouns):
        return "female"
    if any(noun in MALE_KIN for noun in nouns):
        return "male"
    return ""


def hearer_of(speaker: str, speakers: Iterable[str]) -> str | None:
    """Return who is spoken to: the other one of two, else None."""
    others = [each for each in dict.fromkeys(speakers) if each != speaker]
    if len(others) == 1:
        return others[0]
    return None
