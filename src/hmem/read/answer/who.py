"""Who did it: the subject of the event that tells of what is asked for."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hmem.language.analyst.rules.wordlist import words
from hmem.language.inflection import root
from hmem.language.regex import regex
from hmem.language.stopwords import STOP_WORDS
from hmem.read.answer.asking import Asked
from hmem.read.answer.classes import DATE
from hmem.read.answer.confidence import Reply
from hmem.read.answer.lists import joined
from hmem.read.answer.statements import Line, Statement, Token, lines_of
from hmem.read.sources import Sources

# Statements whose turns are looked at.
_LOOKED_AT: Final = 8
# A subject has so many words at most; so many are named together.
_LONGEST: Final = 6
_TOGETHER: Final = 3
# An event tells of what is asked for when it has this share of its words.
_COVERS: Final = 0.6

_WHO: Final = regex(r"^\W*who\s+(.{1,300})", re.IGNORECASE | re.DOTALL)
# Of several who did it, one is no answer.
_MANY: Final = regex(r"^\W*who (?:all|have|are|were)\b", re.IGNORECASE)
_WORD: Final = regex(r"[^\W_]+(?:['\u2019.&-][^\W_]+)*")
# Behind these stands another who did it: "who did she meet".
_DOING: Final = words("do does did don't doesn't didn't")
_BEING: Final = words("am is are was were be been being")
_HAVING: Final = words("has have had")
_HELPING: Final = _BEING | _HAVING | words("will would can could might may shall should must")
_BETWEEN: Final = words("also just really recently finally already first once always still even else all")
_PART: Final = words("a an the and of his her their my our others")


def doer(sources: Sources, asked: Asked, statements: Sequence[Statement]) -> Reply | None:
    """Those who did what a question that begins with "who" names; None when it asks for another, or no event tells."""
    verb = verb_of(asked.text)
    if verb is None:
        return None
    named = {root(part) for name in asked.people for part in name.lower().split()} & asked.every
    wanted = (named | set(asked.roots)) - {verb}
    told: list[tuple[float, str, Statement]] = []
    for statement, event in _events(sources, statements):
        subject = subject_of(event, verb)
        if subject and wanted.isdisjoint(token.root for token in subject):
            text = event.text[subject[0].start : subject[-1].end]
            told.append((len(wanted & event.roots) / max(len(wanted), 1), text, statement))
    most = max((share for share, *_ in told), default=0.0)
    if wanted and most < _COVERS:
        return None
    best: dict[str, Statement] = {}
    for share, subject, statement in told:
        if share == most:
            best.setdefault(subject, statement)
    some = list(best)[: _TOGETHER if wanted and most == 1.0 else 1]
    if not some or (len(some) == 1 and _MANY.match(asked.text)):
        return None
    return Reply(joined(some), [best[subject] for subject in some])


def verb_of(question: str) -> str | None:
    """The root of what was done, where a question asks who did it; None where it asks for anything else."""
    asked = _WHO.match(question)
    helped = ""
    for word in _WORD.findall(asked[1].lower()) if asked else ():
        if word in _DOING:
            return None
        if word not in _HELPING and word not in _BETWEEN:
            return _verb(word, helped)
        helped = word if word in _HELPING else helped
    return None


def _verb(word: str, helped: str) -> str | None:
    """The root of what somebody did; behind a helping verb only of its forms: "is learning", not "is the nurse"."""
    base = root(word)
    if helped in _BEING | _HAVING and not word.endswith("ing") and (base == word or word.endswith("s")):
        return root(helped) if helped in _HAVING else None
    return base


def subject_of(event: Line, verb: str) -> list[Token]:
    """The words before a verb that is an event's first; none when it is not, or when it is denied."""
    place = next((i for i, token in enumerate(event.tokens) if i and token.root == verb), 0)
    dated = [i for i in range(place) if event.classes[i] == DATE]
    before = list(event.tokens[dated[-1] + 1 if dated else 0 : place])
    while before and (before[-1].lower in _HELPING | _BETWEEN or before[-1].lower.endswith("ly")):
        before.pop()
    said = [token for token in before if token.root]
    if not 0 < len(said) <= _LONGEST or not (said[0].capital or said[0].lower in _PART) or any(map(_foreign, said)):
        return []
    return said


def _foreign(token: Token) -> bool:
    """Whether a word is none of a subject: another verb, or a word that leads to one."""
    if token.capital or token.lower in _PART:
        return False
    if token.lower in STOP_WORDS or token.lower.endswith(("ed", "ing")):
        return True
    # An irregular form of a verb: "saw" of "see".
    return not token.lower.startswith(token.root)


def _events(sources: Sources, statements: Sequence[Statement]) -> Iterator[tuple[Statement, Line]]:
    """The events of the turns of the best statements, each with the statement that fits best of its turn."""
    best: dict[str, Statement] = {}
    for statement in statements[:_LOOKED_AT]:
        best.setdefault(statement.evidence.id, statement)
    rows = sources.turns.rows_of(list(best))
    for statement, row in zip(best.values(), rows.tolist(), strict=True):
        if row >= 0:
            for event in sources.arrangement.events.of(int(sources.corpus.columns.seq[row])):
                yield from ((statement, line) for line in lines_of(event.text, None))
