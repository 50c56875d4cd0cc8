"""Lexicon of English: the words and sentences that other rooms ask for."""

import re
from collections.abc import Sequence
from typing import Final

from hmem.language import sentences
from hmem.language.analyst.lexicon import AskedTense, Lexicon, SpokenWord, TextPiece, ToldSlot
from hmem.language.english import asking, disclaimers, quotation, slots_of_others
from hmem.language.english.spoken_words import NEGATIONS, spoken_words
from hmem.language.english.stopwords import FIRST_PERSON, STOP_WORDS
from hmem.language.regex import regex

_OPENING: Final = regex(
    r"\W*(?:(?:please|so|and|but|hey|ok|okay)\W+)*(?:what|who|whom|whose|which|when|where|why|how|did|does|do|is|are|was|were|"
    r"has|have|had|can|could|will|would|should|tell|remind|list|name|show|give|find|help|write|make)(?:['’]?s)?\b",
    re.IGNORECASE,
)


class EnglishLexicon(Lexicon):
    """Lexicon by word lists and patterns."""

    @property
    def stop_words(self) -> frozenset[str]:
        return STOP_WORDS

    @property
    def first_person(self) -> frozenset[str]:
        return FIRST_PERSON

    @property
    def negations(self) -> frozenset[str]:
        return NEGATIONS

    def spoken_words(self, text: str, start: int, end: int) -> list[SpokenWord]:
        return spoken_words(text, start, end)

    def opens_question(self, text: str) -> bool:
        return _OPENING.match(text) is not None

    def asked_tense(self, question: str) -> AskedTense:
        return asking.asked_tense(question)

    def asked_slot(self, question: str) -> str | None:
        return asking.asked_slot(question)

    def told_of(self, sentence: str, name: str) -> Sequence[ToldSlot]:
        return slots_of_others.told_of(sentence, name)

    def requests(self, text: str) -> bool:
        return asking.requests(text)

    def asks_of_knowing(self, question: str) -> bool:
        return disclaimers.asks_of_knowing(question)

    def disclaimers(self, text: str) -> tuple[str, ...]:
        return disclaimers.disclaimers(text)

    def split(self, text: str) -> list[TextPiece]:
        return sentences.split(text)

    def clauses(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        return quotation.clauses(text, start, end)

    def contexts(self, text: str) -> list[tuple[int, int]]:
        return quotation.contexts(text)

    def announces(self, sentence: str) -> bool:
        return quotation.announces(sentence)

    def length_of_lead(self, sentence: str) -> int:
        return quotation.length_of_lead(sentence)

    def without(self, text: str, spans: Sequence[tuple[int, int]]) -> str:
        return quotation.without(text, spans)


LEXICON: Final = EnglishLexicon()
