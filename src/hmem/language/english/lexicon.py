"""Lexicon of English: the words and sentences that other rooms ask for."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from hmem.language.analyst.lexicon import Lexicon, SpokenWord, TextPiece
from hmem.language.english import quotation, sentences
from hmem.language.english.related import related
from hmem.language.english.spoken_words import NEGATIONS, spoken_words
from hmem.language.english.stopwords import FIRST_PERSON, STOP_WORDS
from hmem.language.regex import regex

_NUMBER: Final = regex(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|once|twice|couple|few|several)\b",
    re.IGNORECASE,
)
# A capitalised word inside of a sentence, or words in quotation marks.
_NAME: Final = regex(r"(?<=[a-z,] )[A-Z][a-z]+(?!')|[\"\u201c][A-Z]")


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

    def has_number(self, text: str) -> bool:
        return _NUMBER.search(text) is not None

    def has_name(self, text: str) -> bool:
        return _NAME.search(text) is not None

    def related(self, stem: str) -> Mapping[str, float]:
        return related(stem)

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
