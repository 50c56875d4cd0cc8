"""Lexicon: words and sentences of a language, for code outside this room that compares texts.

Recall, echoes and hooks know no language. They ask the lexicon of their memory's analyst.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple


class TextPiece(NamedTuple):
    """Sentence or part of one: ``text`` from ``start`` to ``end``, without outer blanks. ``code``: in a code block."""

    start: int
    end: int
    text: str
    code: bool = False


class SpokenWord(NamedTuple):
    """Word of a text, lower-cased, its contraction taken apart: "I'm" is "i" and "be".

    ``person`` is 1 for the speaker, 2 for the hearer, 3 for another, and 0 for a word that means none; ``proper``: it
    begins with a capital.
    """

    person: int
    word: str
    proper: bool


class AskedTense(NamedTuple):
    """Time that a question asks about by its words: now, what was ``before``, what was ``first``, or ``all``.

    ``now``: it asks about the present in words, whatever its tense ("so far", "these days"). ``was``: its verb is in
    the past; ``until``: the time that it names ends the one asked about ("before July").
    """

    before: bool = False
    first: bool = False
    all: bool = False
    now: bool = False
    was: bool = False
    until: bool = False


class ToldSlot(NamedTuple):
    """Value of a typed slot that a sentence tells of somebody, or denies if it is not ``positive``."""

    slot: str
    value: str
    positive: bool = True


class Lexicon(ABC):
    """Words and sentences of a language. Safe to call from several threads; one instance for each language."""

    # Words.

    @property
    @abstractmethod
    def stop_words(self) -> frozenset[str]:
        """Lower-cased words that select nothing: function words, and those of questions ("how many", "kind of")."""

    @property
    @abstractmethod
    def first_person(self) -> frozenset[str]:
        """Lower-cased words by which speakers mean themselves."""

    @property
    @abstractmethod
    def negations(self) -> frozenset[str]:
        """Lower-cased words that deny."""

    @abstractmethod
    def spoken_words(self, text: str, start: int, end: int) -> list[SpokenWord]:
        """Return the words of a stretch of text, without fillers, which people add or leave out when they repeat it."""

    def opens_question(self, text: str) -> bool:  # noqa: ARG002 - what a language says whose questions have marks alone
        """Tell if a text begins as a question or a request does, whether it has a question mark or not."""
        return False

    # Questions, and replies that tell nothing. Languages whose words are not known here have none of these.

    def asked_tense(self, question: str) -> AskedTense:  # noqa: ARG002
        """Return the time that a question asks about by its words."""
        return AskedTense()

    def asked_slot(self, question: str) -> str | None:  # noqa: ARG002
        """Return the typed slot that a question asks for, such as ``home``; None if it is none of them."""
        return None

    def told_of(self, sentence: str, name: str) -> Sequence[ToldSlot]:  # noqa: ARG002
        """Return the values of typed slots that a sentence tells of somebody whom it names: "Alice lives in Oslo"."""
        return ()

    def requests(self, text: str) -> bool:  # noqa: ARG002
        """Tell if a text asks to do or advise something, not what was: "Write me a function"."""
        return False

    def asks_of_knowing(self, question: str) -> bool:  # noqa: ARG002
        """Tell if a question is about who knows or said something: "Did I tell you …?"."""
        return False

    def disclaimers(self, text: str) -> tuple[str, ...]:  # noqa: ARG002
        """Return the sentences of a text that only says that its speaker does not know; none if it says more."""
        return ()

    # Sentences.

    @abstractmethod
    def split(self, text: str) -> list[TextPiece]:
        """Return the sentences of a text in order, none blank; a long one in several pieces."""

    @abstractmethod
    def clauses(self, text: str, start: int, end: int) -> list[tuple[int, int]]:
        """Return the spans of the clauses of a sentence, with the marks behind them."""

    # Quotations of recalled text.

    @abstractmethod
    def contexts(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of pasted contexts of hmem, recognised by their form, as whole lines."""

    @abstractmethod
    def announces(self, sentence: str) -> bool:
        """Tell if a sentence announces recalled text: "Here is what I remember:"."""

    @abstractmethod
    def length_of_lead(self, sentence: str) -> int:
        """Return the length in characters of an opening like "As you told me in May, …"; 0 without one."""

    @abstractmethod
    def without(self, text: str, spans: Sequence[tuple[int, int]]) -> str:
        """Return a text without some spans, which do not overlap; "" if no content word is left."""
