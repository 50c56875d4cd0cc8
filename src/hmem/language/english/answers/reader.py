"""Reader of English questions and statements."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.answer_reader import (
    AnswerReader,
    AnswerTarget,
    AskedTense,
    CandidateSentence,
    ClaimMatch,
    Reply,
    Sort,
    StatementLine,
    TargetKind,
    TreeMatch,
)
from hmem.language.analyst.base import Claim
from hmem.language.english.answers import claims as asked_claims
from hmem.language.english.answers import entailment, facts, lines, matching, phrases, quantities, word_classes
from hmem.language.english.answers.target import answer_target
from hmem.language.english.disclaimers import asks_of_knowing, disclaimers
from hmem.language.english.standing_orders import INSTRUCTIONS, is_conditional, requests
from hmem.language.regex import regex
from hmem.model.plan import SubQuestion

_SUPPOSES: Final = regex(r"\b(?:would|might|could|likely|probably|most likely)\b", re.IGNORECASE)
_FIRST: Final = regex(r"\b(?:original(?:ly)?|initial(?:ly)?|at first|to begin with|in the beginning)\b", re.IGNORECASE)
_BEFORE: Final = regex(
    r"\b(?:use[d]? to|previous(?:ly)?|former(?:ly)?|before(?:hand)?|earlier|back then|in the past|prior|once"
    r"|(?<!how )old|ex|any ?more|no longer|last time)\b",
    re.IGNORECASE,
)
_ALL: Final = regex(
    r"\b(?:chang(?:ed?|es|ing)|history|over (?:time|the (?:years|months))|all the|ever|switch(?:ed)?|moved? from"
    r"|evolv\w+|different)\b",
    re.IGNORECASE,
)
_NUMBER: Final = regex(r"\bhow (?:many|much|long|old|often|far)\b", re.IGNORECASE)
_NOW: Final = regex(r"\b(?:so far|current(?:ly)?|now|nowadays|these days|at the moment|to date|yet)\b", re.IGNORECASE)
# The first auxiliary of a question tells its tense.
_HELPER: Final = regex(r"\b(is|are|am|do|does|has|have|was|were|did|had|will|can)\b", re.IGNORECASE)
_PAST: Final = frozenset({"was", "were", "did", "had"})
_UNTIL: Final = regex(r"\b(?:before|until|till|up to)\b", re.IGNORECASE)


class EnglishAnswerReader(AnswerReader):
    """Reader by rules: word lists, patterns and the classes of words."""

    def target(self, question: str, people: tuple[str, ...], part: SubQuestion) -> AnswerTarget:
        return answer_target(question, people, part)

    def supposes(self, question: str) -> bool:
        return _SUPPOSES.search(question) is not None

    def requests(self, text: str) -> bool:
        return requests(text)

    def is_conditional(self, instruction: str) -> bool:
        return is_conditional(instruction)

    def disclaimers(self, text: str) -> tuple[str, ...]:
        return disclaimers(text)

    def asks_of_knowing(self, question: str) -> bool:
        return asks_of_knowing(question)

    @property
    def instruction_slots(self) -> tuple[str, ...]:
        return INSTRUCTIONS

    def tense(self, question: str) -> AskedTense:
        return AskedTense(
            _BEFORE.search(question) is not None,
            _FIRST.search(question) is not None,
            _ALL.search(question) is not None,
            _NOW.search(question) is not None,
            (helper := _HELPER.search(question)) is not None and helper[1].lower() in _PAST,
            _UNTIL.search(question) is not None,
        )

    def asks_for_number(self, question: str) -> bool:
        return _NUMBER.search(question) is not None

    def lines(self, text: str, caption: str | None, names: tuple[str, ...] = ()) -> tuple[StatementLine, ...]:
        return lines.lines_of(text, caption, names)

    def last_question(self, text: str, caption: str | None, names: tuple[str, ...]) -> StatementLine | None:
        return lines.last_question(text, caption, names)

    def phrases(self, line: StatementLine) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return phrases.phrases_of(line)

    def has_quantity(self, line: StatementLine, start: int, end: int, kind: TargetKind) -> bool:
        return phrases.has_quantity(line, start, end, kind)

    def matches(self, question: str, statements: Sequence[CandidateSentence]) -> list[TreeMatch]:
        return matching.matches(question, statements)

    def claim_matches(
        self, asked: AnswerTarget, topic: str, claims: Sequence[Claim], speakers: Sequence[str]
    ) -> list[ClaimMatch]:
        return asked_claims.claim_matches(asked, topic, claims, speakers)

    def worded_time(self, start: datetime, end: datetime | None) -> str:
        return asked_claims.worded_time(start, end)

    def entailed(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> list[bool | None]:
        return entailment.entailed(asked, statements)

    @property
    def sorts(self) -> Mapping[Sort, Collection[str]]:
        return word_classes.SORTS

    def is_vague(self, word: str) -> bool:
        return phrases.is_vague(word)

    def roots(self, text: str) -> set[str]:
        return phrases.roots_of(text)

    def touching(self, roots: Sequence[str], statements: Sequence[CandidateSentence]) -> Iterator[CandidateSentence]:
        return quantities.touching(roots, statements)

    def asks_for_value(self, asked: AnswerTarget) -> bool:
        return quantities.sort_of(asked) is not None

    def value(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
        sort = quantities.sort_of(asked)
        return None if sort is None else quantities.value_of(sort, asked, statements)

    def time(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
        return facts.when(asked, statements)

    def supposed(self, statements: Sequence[CandidateSentence]) -> bool:
        return facts.supposed(statements)

    def verdict(self, asked: AnswerTarget, *, so: bool) -> str:
        return asked_claims.verdict(so=so, supposed=self.supposes(asked.text))

    def options(self, question: str) -> tuple[str, str] | None:
        return facts.options(question)

    def quantity(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
        return quantities.measure_out(asked, statements)

    def reason(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
        return facts.reason(asked, statements)

    def doer(self, asked: AnswerTarget, events: Iterable[tuple[CandidateSentence, StatementLine]]) -> Reply | None:
        return facts.doer(asked, events)

    def worded(self, phrase: str, asked: AnswerTarget) -> str:
        return facts.tidied(phrase, asked)

    def hedged(self, text: str) -> str:
        return facts.hedged(text)


ANSWER_READER: Final = EnglishAnswerReader()
