"""Yes and no: whether a clause of the evidence says what a question asks, or denies it.

The clause of a question without its auxiliary in front is a statement: "Did Maria adopt a puppy?" asks if Maria adopted
a puppy. A clause says so if it is about the same one and has all of its content words, or words that mean the same. It
denies it if it is negated, or has a "no" or "not" before one of these words.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from hmem.language.analyst.answer_reader import AnswerTarget, CandidateSentence
from hmem.language.english.answers.claims import HAVING, root_of, roots_of_text, slot_names, slot_question
from hmem.language.english.answers.matching import asking
from hmem.language.english.answers.synonyms import PHRASAL, alike
from hmem.language.english.inflection import root
from hmem.language.english.meaning.changes import endings
from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.meaning.lists import KIN, PETS, ROLES
from hmem.language.english.meaning.reference import FIRST, GROUP, THIRD
from hmem.language.english.meaning.slots import BY_VERB
from hmem.language.english.parser import parse
from hmem.language.english.tree import Sentence, Token
from hmem.language.english.word_lists import words
from hmem.language.regex import regex

_PAST: Final = regex(r"\W*(?:did|was|were|had|has|have)\b", re.IGNORECASE)
_NO: Final = words("no not none without never n't nobody nothing")
# Words between a denial and what it denies.
_BETWEEN: Final = 3
# Phases of a verb that tell that what it says is over.
_OVER: Final = frozenset({"stop", "finish", "used to"})
# Verbs that only take back what was said, or stress it: "I mean, I played well".
_MEANING: Final = words("mean know swear promise think guess")


@dataclass(frozen=True, slots=True)
class _Stated:
    """Question of yes or no as a statement: its verb, all of its content words and its subject's, as roots."""

    verb: str
    wanted: frozenset[str]
    subject: frozenset[str]
    past: bool
    ending: bool

    @property
    def rest(self) -> frozenset[str]:
        """Words besides the subject's."""
        return self.wanted - self.subject


def entailed(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> list[bool | None]:
    """Tell of each statement if one of its clauses says what a question of yes or no asks, or denies it."""
    stated = _stated(asked)
    if stated is None or not stated.subject:
        return [None] * len(statements)
    return [None if each.line.asks else _entails(stated, each) for each in statements]


def _stated(asked: AnswerTarget) -> _Stated | None:
    """Return a question as the statement that it asks about; None if it cannot be read."""
    read, question = asking(asked.text), slot_question(asked.text, asked.text, "polar")
    if read is None or read.gap != "polar":
        return None
    own = frozenset[str]()
    if question.own:
        own = frozenset(root_of(word) for name in asked.people for word in name.split())
    wanted, subject = question.names | question.words | own, frozenset(map(root_of, read.subject))
    if one := PHRASAL.get(f"{read.verb} {read.marker}"):
        wanted = wanted - {read.verb} | {root(one)}
    return _Stated(read.verb, wanted, subject & wanted or own, _PAST.match(asked.text) is not None, question.ending)


def _entails(stated: _Stated, statement: CandidateSentence) -> bool | None:
    speaker = roots_of_text(statement.evidence.speaker or "")
    for sentence in parse([statement.line.text])[0].sentences:
        for clause in clauses(sentence):
            if (said := _says(stated, clause, speaker)) is not None:
                return said
        if _lacks(stated, sentence):
            return False
    return None


def _says(stated: _Stated, clause: Clause, speaker: frozenset[str]) -> bool | None:
    """Tell if a clause says or denies a statement; None if neither."""
    if not _is_so(clause, past=stated.past):
        return None
    if stated.verb == "have" and clause.verb.partition(" ")[0] not in HAVING:
        return None
    if not stated.rest or not _is_about(stated, clause, speaker) or not _is_of_phase(stated, clause):
        return None
    own = [each for each in clause.tokens if each.upos != "PUNCT"]
    slots = (slot_names(each.name) for each in BY_VERB.get(clause.verb, ()) if not each.ends)
    said = _meanings(own).union(_subject(clause, speaker), *slots)
    if one := PHRASAL.get(clause.verb):
        said |= alike(root(one))
    if not all(alike(word) & said for word in stated.rest):
        return None
    so = not (clause.negated or _is_denied(own, stated.rest))
    if clause.phase not in _OVER or stated.ending:
        return so
    # Who stopped doing something did it before, and does it no more; who never stopped does it still.
    return True if stated.past else not so


def _is_of_phase(stated: _Stated, clause: Clause) -> bool:
    """Tell if a clause can answer a question: one about an end only if it tells of one, and of the verb asked about."""
    if not stated.ending:
        return True
    if clause.phase in _OVER:
        return stated.verb in alike(root(clause.head.lower)) or stated.verb == root(clause.opening.lower)
    return any(endings(clause))


def _is_so(clause: Clause, *, past: bool) -> bool:
    """Tell if a clause states a fact that depends on nothing; in the past one that is no plan."""
    stressed = clause.said_by is not None and clause.said_by.verb in _MEANING and clause.certain
    own = stressed and clause.said_by is not None and _is_first(clause.said_by)
    if not (clause.stated or (own and clause.mood == "statement")):
        return False
    if past and (clause.tense == "future" or clause.modality):
        return False
    return not any(each.mood == "condition" and each.parent is clause for each in clauses(clause.sentence))


def _is_first(clause: Clause) -> bool:
    return clause.subject is not None and clause.subject.lower in FIRST


def _is_about(stated: _Stated, clause: Clause, speaker: frozenset[str]) -> bool:
    """Tell if a clause is about the subject of a statement, or tells of what its speaker has."""
    who = _subject(clause, speaker)
    if _is_relative(clause) and not (stated.wanted - speaker) & who:
        # What my father does is not what I do.
        return False
    # Who speaks need not say whose it is: "the soufflé fell".
    if (others := stated.subject - speaker) and others <= who:
        return True
    if stated.subject <= who:
        return True
    # A pronoun is the one that the sentence names before it.
    token = clause.subject
    if token is not None and token.lower in THIRD:
        before = clause.sentence.tokens[: token.index]
        return stated.subject <= {root_of(each.lower) for each in before}
    return stated.subject <= speaker and (who <= stated.wanted or not _is_other(clause))


def _subject(clause: Clause, speaker: frozenset[str]) -> frozenset[str]:
    """Return the roots of the words of a clause's subject, of a name for "I"."""
    if clause.subject is None:
        return speaker if clause.dropped else frozenset()
    tokens = clause.sentence.subtree(clause.subject)
    own = any(each.lower in FIRST or each.lower in GROUP for each in tokens)
    return frozenset(root_of(each.lower) for each in tokens) | (speaker if own else frozenset[str]())


def _is_relative(clause: Clause) -> bool:
    """Tell if the subject of a clause is somebody who belongs to somebody: "my father"."""
    token = clause.subject
    if token is None or clause.sentence.child(token, "nmod:poss") is None:
        return False
    return bool({token.lower, token.lemma.lower()} & (KIN | ROLES | PETS))


def _is_other(clause: Clause) -> bool:
    """Tell if the subject of a clause is another person."""
    token = clause.subject
    if token is None:
        return not clause.dropped
    owned = clause.sentence.child(token, "nmod:poss")
    mine = owned is not None and owned.lower in FIRST | GROUP
    return not mine and (token.upos == "PROPN" or token.lower in THIRD or token.lower in KIN or token.lower == "you")


def _lacks(stated: _Stated, sentence: Sentence) -> bool:
    """Tell if words without a verb deny a statement: "candidate Lindqvist: strong on security, no Kubernetes"."""
    own = [each for each in sentence if each.upos != "PUNCT"]
    nouns = stated.rest - {stated.verb}
    if not nouns or not stated.subject <= {root_of(each.lower) for each in own}:
        return False
    return nouns <= _meanings(own) and any(
        each.lower == "no" and root_of(following.lower) in nouns for each, following in itertools.pairwise(own)
    )


def _meanings(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(meaning for each in tokens for meaning in alike(root_of(each.lower)))


def _is_denied(own: Sequence[Token], rest: frozenset[str]) -> bool:
    """Tell if a clause denies one of some words: "no homework", "grey, not white"."""
    for place, token in enumerate(own):
        if token.lower not in _NO:
            continue
        behind = own[place + 1 : place + 1 + _BETWEEN]
        if any(alike(root_of(each.lower)) & rest for each in behind):
            return True
    return False
