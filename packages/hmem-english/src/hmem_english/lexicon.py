"""Lexicon and rules of English: what the engine asks of the language."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from hmem.errors import UnknownName
from hmem.language.analyst.base import Excerpt
from hmem.language.analyst.lexicon import AskedTense, DateMention, SpokenWord, ToldSlot
from hmem.language.languages import LanguageRules
from hmem.language.regex import regex
from hmem.language.stemming import reads_as_english
from hmem.model.evidence import Reaction
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.span import Span
from hmem_english import asking, disclaimers, feedback, questions, quotation, slots, sufficiency
from hmem_english.dates import find_dates, main_date
from hmem_english.dates.words import CARDINALS, MONTHS, ORDINALS, OTHER_DAYS, UNITS, WEEKDAYS
from hmem_english.words import FIRST_PERSON, NEGATIONS, STOP_WORDS, spoken_words

_OPENING: Final = regex(
    r"\W*(?:(?:please|so|and|but|hey|ok|okay)\W+)*(?:what|who|whom|whose|which|when|where|why|how|did|does|do|is|are|was|were|"
    r"has|have|had|can|could|will|would|should|tell|remind|list|name|show|give|find|help|write|make)(?:['’]?s)?\b",
    re.IGNORECASE,
)


_TIMES: Final = frozenset(
    (*CARDINALS, *MONTHS, *ORDINALS, *UNITS, *WEEKDAYS, *OTHER_DAYS, "half", "quarter", "today", "tomorrow")
)


class English(LanguageRules):
    """English by word lists and patterns."""

    @property
    def stop_words(self) -> frozenset[str]:
        return STOP_WORDS

    @property
    def first_person(self) -> frozenset[str]:
        return FIRST_PERSON

    @property
    def negations(self) -> frozenset[str]:
        return NEGATIONS

    @property
    def numbers(self) -> Mapping[str, int]:
        return CARDINALS

    @property
    def time_words(self) -> frozenset[str]:
        return _TIMES

    def spoken_words(self, text: str, start: int, end: int) -> list[SpokenWord]:
        return spoken_words(text, start, end)

    def opens_question(self, text: str) -> bool:
        return _OPENING.match(text) is not None

    def find_dates(self, text: str, reference_time: datetime) -> list[DateMention]:
        return find_dates(text, reference_time)

    def main_date(self, text: str, reference_time: datetime, *, is_plan: bool = False) -> Span | None:
        return main_date(text, reference_time, is_plan=is_plan)

    def asked_tense(self, question: str) -> AskedTense:
        return asking.asked_tense(question)

    def asked_slot(self, question: str) -> str | None:
        return asking.asked_slot(question)

    def third_person_slots(self, sentence: str, name: str) -> Sequence[ToldSlot]:
        return slots.third_person_slots(sentence, name)

    def own_slots(self, sentence: str) -> Sequence[tuple[str, str]]:
        return _own_slots(sentence)

    def requests(self, text: str) -> bool:
        return asking.requests(text)

    def asks_of_knowing(self, question: str) -> bool:
        return disclaimers.asks_of_knowing(question)

    def disclaimers(self, text: str) -> tuple[str, ...]:
        return disclaimers.disclaimers(text)

    def clauses(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        return quotation.clauses(text, start, end)

    def announces(self, sentence: str) -> bool:
        return quotation.announces(sentence)

    def length_of_lead(self, sentence: str) -> int:
        return quotation.length_of_lead(sentence)

    def plan(self, question: str, question_time: datetime, people: Sequence[str]) -> Plan:
        return questions.plan(question, question_time, people)

    def sufficiency(
        self, subquestion: SubQuestion, excerpts: Sequence[Excerpt], question_time: datetime, *, notes: bool = False
    ) -> Sufficiency:
        return sufficiency.sufficiency(subquestion, excerpts, question_time, notes=notes)

    def missing(self, subquestion: SubQuestion, excerpts: Sequence[Excerpt]) -> FollowUp | None:
        return sufficiency.missing(subquestion, excerpts)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        return feedback.feedback(question, answer, reply)


@lru_cache(maxsize=4_096)
def _own_slots(sentence: str) -> tuple[tuple[str, str], ...]:
    if not reads_as_english(sentence):
        return ()
    return tuple((slot_value.slot, slot_value.value) for slot_value in slots.slot_values(sentence))


def load(variant: str) -> LanguageRules:
    """Return the rules of English, which have no variants.

    Raises:
        UnknownName: A variant is given.
    """
    if variant:
        raise UnknownName(f"English has no variant {variant!r} - name it `english`")
    return English()
