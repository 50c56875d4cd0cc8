"""Reading of questions and statements for answers without a language model.

A search finds the evidence; an ``AnswerReader`` knows the language of the question and of the evidence. It says what a
question asks for, cuts turns into lines, reads values, times, reasons and people off the statements that match best,
and words the answer.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.base import Claim
from hmem.model.evidence import Evidence
from hmem.model.plan import SubQuestion

TargetKind = Literal[
    "when", "duration", "frequency", "count", "amount", "person", "place", "polar", "choice", "reason", "manner",
    "activity", "feeling", "thing", "name",
]  # fmt: skip


# Sorts of things that an answer is checked for.
Sort = Literal["person", "place", "activity", "thing"]


@dataclass(frozen=True, slots=True)
class AnswerTarget:
    """Question as the reader reads it.

    ``focus`` are the words of the noun that the answer is one of ("kind of art": art); ``verb`` is the root of the
    action. ``roots`` are those that evidence should have, ``every`` all roots of the question, ``content`` its content
    words. ``several``: it asks for a list; ``past``: it asks about the past.
    """

    text: str
    kind: TargetKind
    focus: tuple[str, ...]
    verb: str
    roots: tuple[str, ...]
    every: frozenset[str]
    several: bool
    people: tuple[str, ...]
    content: tuple[str, ...] = ()
    past: bool = False


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


class LineToken(NamedTuple):
    """Word or mark: its place, lower-cased text and root (empty for a mark). ``content``: it is a content word."""

    start: int
    end: int
    lower: str
    root: str
    content: bool
    capital: bool


@dataclass(frozen=True, slots=True, eq=False)
class StatementLine:
    """Sentence, cut into tokens. ``asks``: it is a question. ``first``, ``second``: it has "I" or "you".

    ``response``: it only answers what another said; ``dated``: it has a date or a number; ``content`` are the roots of
    its content words, ``plain`` its words in lower case.
    """

    text: str
    tokens: tuple[LineToken, ...]
    classes: NDArray[np.int64]
    roots: frozenset[str]
    asks: bool
    first: bool
    second: bool
    caption: bool = False
    response: bool = False
    dated: bool = False
    content: tuple[str, ...] = ()
    plain: frozenset[str] = frozenset()


PhraseRole = Literal[
    "subject", "object", "complement", "place", "manner", "reason", "oblique", "modifier", "predicate", "number"
]


class TreePhrase(NamedTuple):
    """Phrase of a line by its tree: where it stands, in characters, and its role in its clause."""

    start: int
    end: int
    role: PhraseRole


class TreeMatch(NamedTuple):
    """Match of a line's clause with the clause of a question, by their trees.

    ``score``: how well they match, 0 to 1; ``fills``: the places, in characters, of what fills the gap of the question;
    ``phrases``: those of the line.
    """

    score: float
    fills: tuple[tuple[int, int], ...] = ()
    phrases: tuple[TreePhrase, ...] = ()


NO_MATCH: Final = TreeMatch(0.0)


class ClaimMatch(NamedTuple):
    """Match of a claim with a question.

    ``score``: the share of the question's words that the claim covers, 0 to 1; ``answers``: what it answers, best
    first; ``covers``: it says all that the question does; ``contrasts``: it gives what is asked about another value;
    ``within``: the question says all that its value does; ``denies``: its value says that there is none;
    ``named``: the question names the slot; ``single``: the slot has one value at a time; ``apart``: it tells of another
    one than is asked about, of the same slot, such as a daughter for a son.
    """

    score: float
    answers: tuple[str, ...] = ()
    covers: bool = False
    contrasts: bool = False
    within: bool = False
    denies: bool = False
    named: bool = False
    single: bool = True
    apart: bool = False


@dataclass(slots=True)
class CandidateSentence:
    """Line of a piece of evidence, with its match with the question; ``tree`` is that by trees, where it was made."""

    line: StatementLine
    evidence: Evidence
    turn: int
    place: int
    before: StatementLine | None
    hits: frozenset[str] = frozenset()
    features: dict[str, float] = field(default_factory=dict[str, float])
    score: float = 0.0
    tree: TreeMatch = NO_MATCH


@dataclass(frozen=True, slots=True)
class Reply:
    """Draft of an answer: its words and its statements.

    If it is a phrase that was chosen among others, ``scores`` are theirs; ``chosen`` are its features by name.
    """

    text: str
    used: Sequence[CandidateSentence]
    scores: NDArray[np.float32] | None = None
    chosen: Mapping[str, float] = field(default_factory=dict[str, float])


class AnswerReader(ABC):
    """Reader of questions and statements in one language. Safe to call from several threads.

    Statements are given best first, with the features of their match (``CandidateSentence.features``).
    """

    # The question.

    @abstractmethod
    def target(self, question: str, people: tuple[str, ...], part: SubQuestion) -> AnswerTarget:
        """Return the target of a question; ``people`` are the speakers that it names, ``part`` its part of the plan."""

    @abstractmethod
    def supposes(self, question: str) -> bool:
        """Tell if a question asks what would be: no statement says so, and its answer is an inference anyway."""

    @abstractmethod
    def tense(self, question: str) -> AskedTense:
        """Return the time that a question asks about by its words: "used to", "originally", "so far"."""

    @abstractmethod
    def asks_for_number(self, question: str) -> bool:
        """Tell if a question asks for a number in words, which may have to be reckoned: "how many", "how long"."""

    @abstractmethod
    def requests(self, text: str) -> bool:
        """Tell if a text asks to do or advise something, as in "Write me a function" or "What should I cook?"."""

    @abstractmethod
    def is_conditional(self, instruction: str) -> bool:
        """Tell if an instruction applies on a condition only: "when you show me code, …"; one without, to all."""

    @abstractmethod
    def disclaimers(self, text: str) -> tuple[str, ...]:
        """Return the sentences by which a turn says that its speaker does not know, if it tells nothing besides."""

    @abstractmethod
    def asks_of_knowing(self, question: str) -> bool:
        """Tell if a question asks what somebody knows, was told or asked, which a disclaimer may answer."""

    @property
    @abstractmethod
    def instruction_slots(self) -> tuple[str, ...]:
        """Slots of claims about how to do what somebody requests: instructions, and what suits them or does not."""

    # Lines of turns.

    @abstractmethod
    def lines(self, text: str, caption: str | None, names: tuple[str, ...] = ()) -> tuple[StatementLine, ...]:
        """Return the sentences of a turn without interjections and vocatives (of ``names``), then its caption."""

    @abstractmethod
    def last_question(self, text: str, caption: str | None, names: tuple[str, ...]) -> StatementLine | None:
        """Return the last line of a turn that is a question, or None."""

    @abstractmethod
    def phrases(self, line: StatementLine) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the starts and ends, in tokens, of the phrases of a line that may be an answer."""

    @abstractmethod
    def has_quantity(self, line: StatementLine, start: int, end: int, kind: TargetKind) -> bool:
        """Tell if a phrase has a number of this kind: a count, an amount, a duration or a frequency."""

    @abstractmethod
    def matches(self, question: str, statements: Sequence[CandidateSentence]) -> list[TreeMatch]:
        """Return the match of each statement's clauses with the clause of a question."""

    # Claims.

    @abstractmethod
    def claim_matches(
        self, asked: AnswerTarget, topic: str, claims: Sequence[Claim], speakers: Sequence[str]
    ) -> list[ClaimMatch]:
        """Return the match of each claim with a question.

        ``topic`` is the question without the times that it names; ``speakers`` are those who made the claims.
        """

    @abstractmethod
    def worded_time(self, start: datetime, end: datetime | None) -> str:
        """Return when a claim began to hold, no more exactly than it is known; ``end``: it holds to then, if known."""

    @abstractmethod
    def entailed(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> list[bool | None]:
        """Tell of each statement if it says what a question of yes or no asks, or denies it; None if neither."""

    # Words.

    @property
    @abstractmethod
    def sorts(self) -> Mapping[Sort, Collection[str]]:
        """Lower-cased words for things of a sort, which exemplify it."""

    @abstractmethod
    def is_vague(self, word: str) -> bool:
        """Tell if a lower-cased word names nothing in particular: "thing", "way"."""

    @abstractmethod
    def roots(self, text: str) -> set[str]:
        """Return the roots of the words of a phrase, without function words."""

    # Answers.

    @abstractmethod
    def touching(self, roots: Sequence[str], statements: Sequence[CandidateSentence]) -> Iterator[CandidateSentence]:
        """Yield the statements that have a root of the question in themselves, their turn or what they answer."""

    @abstractmethod
    def asks_for_value(self, asked: AnswerTarget) -> bool:
        """Tell if a question asks for a value of a known sort: an age, a price, a time of day, a colour or the like."""

    @abstractmethod
    def value(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
        """Return the value of that sort, or None if no statement gives one."""

    @abstractmethod
    def time(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
        """Return the time of what the question names, or None without any statement."""

    @abstractmethod
    def supposed(self, statements: Sequence[CandidateSentence]) -> bool:
        """Tell if what a question supposes is likely, from the best statement."""

    @abstractmethod
    def verdict(self, asked: AnswerTarget, *, so: bool) -> str:
        """Return "yes" or "no" in the reader's language: what a question of yes or no asks is ``so``, or is not."""

    @abstractmethod
    def options(self, question: str) -> tuple[str, str] | None:
        """Return the two options that a question gives, or None."""

    @abstractmethod
    def quantity(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
        """Return the answer to "how many", "how long" or "how often", or None if no number can be read."""

    @abstractmethod
    def reason(self, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
        """Return the clause that one of the best statements gives as its reason, or None."""

    @abstractmethod
    def doer(self, asked: AnswerTarget, events: Iterable[tuple[CandidateSentence, StatementLine]]) -> Reply | None:
        """Return those who did what a "who" question names, or None if it asks for another role or no event tells.

        ``events`` are lines of what happened, each with the best statement of its turn.
        """

    @abstractmethod
    def worded(self, phrase: str, asked: AnswerTarget) -> str:
        """Return a phrase as an answer, in the third person."""

    @abstractmethod
    def hedged(self, text: str) -> str:
        """Return an answer with a word that says that it is not sure: "probably"."""
