"""Yes and no: whether a clause of the evidence says what a question asks, or denies it.

The clause of a question without its auxiliary in front is a statement: "Did Maria adopt a puppy?" asks if Maria adopted
a puppy. A clause says so if it is about the same one and has all of its content words, or words that mean the same. It
denies it if it is negated, or has a "no" or "not" before one of these words.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from hmem.language.analyst.answer_reader import AnswerTarget, CandidateSentence
from hmem.language.english.answers.claims import HAVING, root_of, roots_of_text, slot_names, slot_question
from hmem.language.english.answers.matching import asking
from hmem.language.english.inflection import root
from hmem.language.english.meaning.clauses import Clause, clauses
from hmem.language.english.meaning.lists import KIN
from hmem.language.english.meaning.reference import FIRST, GROUP, THIRD
from hmem.language.english.meaning.slots import BY_VERB
from hmem.language.english.parser import parse
from hmem.language.english.tree import Token
from hmem.language.english.word_lists import words
from hmem.language.regex import regex

# Words that mean the same of one subject.
_SAME: Final = tuple(
    frozenset(map(root, group.split()))
    for group in (
        "win get receive earn",
        "choose pick select decide",
        "like love enjoy adore",
        "buy purchase",
        "hire rent book reserve",
        "finish complete end",
        "fall collapse drop",
        "faint collapse",
        "perform play",
        "phone call ring",
        "talk speak chat",
        "fix repair mend",
        "start begin",
        "work teach",
        "film movie cinema",
        "ill sick unwell",
        "job position work",
        "doctor physician gp",
        "big large",
        "small little",
        "holiday vacation trip",
        "flat apartment",
        "car vehicle",
        "child kid",
        "couple together",
        "operation surgery op",
        "fast quick",
        "glad happy pleased",
        "scared afraid",
        "meeting appointment",
        "photo picture",
        "shop store",
        "bike bicycle",
        "exam test",
        "mark grade",
    )
)
# Groups that stand for their member who speaks: "Farid's project".
_GROUPS: Final = frozenset(map(root, words("project team firm company crew household family group business")))
_PAST: Final = regex(r"\W*(?:did|was|were|had|has|have)\b", re.IGNORECASE)
_NO: Final = words("no not none without never n't nobody nothing")
# Words between a denial and what it denies.
_BETWEEN: Final = 3
# Letters of a verb with an agent's ending.
_SHORTEST: Final = 4
_AGENT: Final = regex(r"(?:er|or)$")


def entailed(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> list[bool | None]:
    """Tell of each statement if one of its clauses says what a question of yes or no asks, or denies it."""
    read = asking(asked.text)
    question = slot_question(asked.text, asked.text, "polar")
    if read is None or read.gap != "polar":
        return [None] * len(statements)
    own = frozenset[str]()
    if question.own:
        own = frozenset(root_of(word) for name in asked.people for word in name.split())
    wanted = (question.names | question.words | own) - _GROUPS
    subject = (frozenset(map(root_of, read.subject)) - _GROUPS) & wanted or own
    past = _PAST.match(asked.text) is not None
    return [_entails(read.verb, wanted, subject, each, past=past) for each in statements]


def _entails(
    verb: str, wanted: frozenset[str], subject: frozenset[str], statement: CandidateSentence, *, past: bool
) -> bool | None:
    """Tell if a statement says or denies what is wanted of a subject; None if neither."""
    if statement.line.asks or not subject:
        return None
    speaker = roots_of_text(statement.evidence.speaker or "")
    for sentence in parse([statement.line.text])[0].sentences:
        for clause in clauses(sentence):
            if (said := _says(verb, wanted, subject, clause, speaker, past=past)) is not None:
                return said
    return None


def _says(
    verb: str,
    wanted: frozenset[str],
    subject: frozenset[str],
    clause: Clause,
    speaker: frozenset[str],
    *,
    past: bool,
) -> bool | None:
    if not _is_so(clause, past=past) or (verb == "have" and clause.verb.partition(" ")[0] not in HAVING):
        return None
    who = _subject(clause, speaker)
    # What the one asked about tells of something of theirs: "Docker stays" is about the speaker's project.
    told = subject <= speaker and not _is_other(clause)
    rest = wanted - subject
    if not rest or not (subject <= who or told):
        return None
    own = [each for each in clause.tokens if each.upos != "PUNCT"]
    said = _meanings(own).union(who, *(slot_names(each.name) for each in BY_VERB.get(clause.verb, ()) if not each.ends))
    if not all(_alike(word) & said for word in rest):
        return None
    return not (clause.negated or _is_denied(own, rest))


def _is_so(clause: Clause, *, past: bool) -> bool:
    """Tell if a clause states a fact that depends on nothing; in the past one that is no plan."""
    if not clause.stated or (past and (clause.tense == "future" or clause.modality)):
        return False
    return not any(each.mood == "condition" and each.parent is clause for each in clauses(clause.sentence))


def _subject(clause: Clause, speaker: frozenset[str]) -> frozenset[str]:
    if clause.subject is None:
        return speaker if clause.dropped else frozenset()
    tokens = clause.sentence.subtree(clause.subject)
    own = any(each.lower in FIRST or each.lower in GROUP for each in tokens)
    return frozenset(root_of(each.lower) for each in tokens) | (speaker if own else frozenset[str]())


def _is_other(clause: Clause) -> bool:
    """Tell if the subject of a clause is another person."""
    token = clause.subject
    if token is None:
        return not clause.dropped
    owned = clause.sentence.child(token, "nmod:poss")
    mine = owned is not None and owned.lower in FIRST | GROUP
    return not mine and (token.upos == "PROPN" or token.lower in THIRD or token.lower in KIN or token.lower == "you")


def _meanings(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(meaning for each in tokens for meaning in _alike(root_of(each.lower)))


@lru_cache(maxsize=8_192)
def _alike(word: str) -> frozenset[str]:
    """Return the roots that mean the same as one: "teach" of "teacher", "get" of "win"."""
    agent = set[str]()
    if len(word) > _SHORTEST and _AGENT.search(word):
        agent = {root(_AGENT.sub(ending, word)) for ending in ("", "e")}
    return frozenset({word, *agent}).union(*(group for group in _SAME if word in group))


def _is_denied(own: Sequence[Token], rest: frozenset[str]) -> bool:
    """Tell if a clause denies one of some words: "no homework", "grey, not white"."""
    for place, token in enumerate(own):
        if token.lower not in _NO:
            continue
        behind = own[place + 1 : place + 1 + _BETWEEN]
        if any(_alike(root_of(each.lower)) & rest for each in behind):
            return True
    return False
