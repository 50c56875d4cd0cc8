"""Lexicon: words, sentences and dates of a language, for code outside this room that reads or compares texts.

Recall, echoes and hooks know no language. They ask the lexicon of their memory's analyst.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from hmem.language import sentences
from hmem.language.function_words import function_words
from hmem.language.pasted import remove_spans
from hmem.language.regex import regex
from hmem.language.sentences import TextPiece
from hmem.model.span import Span

_WORD: Final = regex(r"[^\W_]+")
_NO_NUMBERS: Final[Mapping[str, int]] = MappingProxyType({})

# A duration is counted backwards from the time of saying ("for three years"), unless its words give both ends.
Kind = Literal["point", "since", "until", "duration", "recurring", "vague"]
Granularity = Literal[
    "minute", "hour", "part", "day", "week", "weekend", "month", "season", "quarter", "year", "decade"
]


class SpokenWord(NamedTuple):
    """Word of a text, lower-cased, its contraction taken apart: "I'm" is "i" and "be".

    ``person`` is 1 for the speaker, 2 for the hearer, 3 for another, and 0 for a word that means none; ``proper``: it
    begins with a capital.
    """

    person: int
    word: str
    proper: bool


class AskedTense(NamedTuple):
    """Time that a question asks about by its words: what was ``before``, what was ``first``, or the whole ``history``.

    ``present``: its words ask about the present, whatever the tense ("so far", "these days"). ``past``: its verb is in
    the past. ``until``: the time that it names ends the period it asks about ("before July").
    """

    before: bool = False
    first: bool = False
    history: bool = False
    present: bool = False
    past: bool = False
    until: bool = False


class ToldSlot(NamedTuple):
    """Value of a typed slot that a sentence tells of somebody, or denies if it is not ``positive``."""

    slot: str
    value: str
    positive: bool = True


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date named in a text: characters ``start`` to ``end``, its span of time, and the kind of expression.

    ``span`` is in the offset of the time of saying. ``relative`` is True if the words depend on that time: "yesterday"
    and "in March" do, "5 July 2023" does not.
    """

    start: int
    end: int
    text: str
    span: Span
    kind: Kind
    granularity: Granularity
    relative: bool


class Lexicon:
    """Words, sentences and dates of a language. Safe to call from several threads; one instance for each language.

    This class is the lexicon of a language that no package describes: words are compared as they are written, and
    dates, typed slots, and what a question is about are not read.
    """

    # Words.

    @property
    def stop_words(self) -> frozenset[str]:
        """Lower-cased words that select nothing: function words, and those of questions ("how many", "kind of")."""
        return function_words().english

    @property
    def first_person(self) -> frozenset[str]:
        """Lower-cased words by which speakers mean themselves."""
        return frozenset()

    @property
    def negations(self) -> frozenset[str]:
        """Lower-cased words that deny."""
        return frozenset()

    @property
    def numbers(self) -> Mapping[str, int]:
        """Lower-cased words of numbers, without those between the tens ("thirty-one")."""
        return _NO_NUMBERS

    def spoken_words(self, text: str, start: int, end: int) -> list[SpokenWord]:
        """Return the words of a stretch of text, without fillers, which people add or leave out when they repeat it."""
        words = (match[0] for match in _WORD.finditer(text, start, end))
        return [SpokenWord(0, word.lower(), word[0].isupper()) for word in words]

    def opens_question(self, text: str) -> bool:
        """Tell if a text begins as a question or a request does, whether it has a question mark or not."""
        return False

    # Dates.

    def find_dates(self, text: str, reference_time: datetime) -> Sequence[DateMention]:
        """Return the dates in a text that was said at a time, in order, not overlapping."""
        return ()

    # Questions, and replies that tell nothing.

    def asked_tense(self, question: str) -> AskedTense:
        """Return the time that a question asks about by its words."""
        return AskedTense()

    def asked_slot(self, question: str) -> str | None:
        """Return the typed slot that a question asks for, such as ``home``; None for any other question."""
        return None

    def third_person_slots(self, sentence: str, name: str) -> Sequence[ToldSlot]:
        """Return the values of typed slots that a sentence tells of somebody whom it names: "Alice lives in Oslo"."""
        return ()

    def requests(self, text: str) -> bool:
        """Tell if a text asks to do or advise something, not what was: "Write me a function"."""
        return False

    def asks_of_knowing(self, question: str) -> bool:
        """Tell if a question is about who knows or said something: "Did I tell you …?"."""
        return False

    def disclaimers(self, text: str) -> tuple[str, ...]:
        """Return the sentences of a text that only says that its speaker does not know; none if it says more."""
        return ()

    # Sentences.

    def split(self, text: str) -> list[TextPiece]:
        """Return the sentences of a text in order, none blank; a long one in several pieces."""
        return sentences.split(text)

    def clauses(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        """Return the spans of the clauses of a sentence, with the marks behind them."""
        return [(start, end)]

    # Quotations of recalled text.

    def announces(self, sentence: str) -> bool:
        """Tell if a sentence announces recalled text: "Here is what I remember:"."""
        return False

    def length_of_lead(self, sentence: str) -> int:
        """Return the length in characters of an opening like "As you told me in May, …"; 0 without one."""
        return 0

    def remove_spans(self, text: str, spans: Sequence[tuple[int, int]]) -> str:
        """Return a text without some spans, which do not overlap; "" if no content word is left."""
        return remove_spans(text, spans, self.stop_words)
