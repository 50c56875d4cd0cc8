"""What the engine asks of a language model about a question: how to look it up, and what the evidence answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from hmem.language.analyst.base import Analyst
from hmem.language.analyst.spending import Budget, SpendingLedger, Spent
from hmem.model.plan import FollowUp, Plan, SubQuestion


@dataclass(frozen=True, slots=True)
class ToAnswer:
    """A question, its parts, and the evidence as text: numbered lines under their dates."""

    question: str
    asked: datetime
    people: tuple[str, ...]
    parts: tuple[SubQuestion, ...]
    evidence: str


@dataclass(frozen=True, slots=True)
class PartReply:
    """The answer to the part at a place, from 0, with the numbers of the lines that it is said to stand on."""

    place: int
    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """What a model answers, not yet checked against the evidence: ``citations`` are numbers that it gave.

    ``confidence`` is 0 to 1. ``lacking``: it says that the evidence leaves something out; ``follow_up`` is the query
    for it, None where it gave none with an anchor.
    """

    text: str
    citations: tuple[int, ...] = ()
    abstained: bool = False
    confidence: float = 0.5
    parts: tuple[PartReply, ...] = ()
    lacking: bool = False
    follow_up: FollowUp | None = None


class AnswerStream(Iterator[str], Protocol):
    """A reply as it is being said: iterate over the pieces of its text, then take ``reply()``."""

    def reply(self) -> ModelAnswer:
        """What was said as a whole.

        Raises:
            ModelGarbled: it cannot be understood.
        """
        ...

    def close(self) -> None:
        """Break it off."""
        ...


class AnswerModel(Protocol):
    """A language model that plans and answers questions. Safe to use from several threads.

    Each call may raise ``ModelUnavailable``, ``ModelGarbled`` or ``BudgetSpent``.
    """

    @property
    def made_by(self) -> str:
        """The model and the version of what it is asked: ``openai:gpt-4o-mini/2``."""
        ...

    @property
    def spent(self) -> Spent:
        """What was spent through this one, since it was charged."""
        ...

    def charged(self, ledger: SpendingLedger | None, budget: Budget) -> "AnswerModel":
        """The same, charged to a ledger and held to a budget."""
        ...

    def plan(self, question: str, asked: datetime, people: Sequence[str]) -> Plan:
        """How to look a question up, by one call."""
        ...

    def answer(self, work: ToAnswer) -> ModelAnswer:
        """What the evidence answers, by one call."""
        ...

    def tell(self, work: ToAnswer, *, hold: bool = False) -> AnswerStream:
        """The same as it is said; with ``hold`` nothing is told of a reply that says first that evidence is lacking."""
        ...


class JudgeModel(Protocol):
    """A language model that judges answers for an evaluation. Safe to use from several threads; errors as above."""

    @property
    def made_by(self) -> str:
        """The model and the version of what it is asked."""
        ...

    @property
    def spent(self) -> Spent:
        """What was spent through this one, since it was charged."""
        ...

    def charged(self, ledger: SpendingLedger | None, budget: Budget) -> "JudgeModel":
        """The same, charged to a ledger and held to a budget."""
        ...

    def judge(self, question: str, gold: str, answer: str, kind: str, rule: str) -> tuple[bool, str]:
        """Whether an answer is right, by a rule, and why, by one call."""
        ...

    def simplify(self, question: str, answer: str) -> str:
        """The words of an answer that answer the question, by one call."""
        ...

    def overhead(self, task: str) -> int:
        """About how many tokens a call of a task takes beside its data."""
        ...

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """What so many tokens cost; None where no price is known."""
        ...


def answerer_of(analyst: Analyst) -> AnswerModel | None:
    """The language model that an analyst has beside its own methods; None for one that has none."""
    return getattr(analyst, "model", None)
