"""What the engine asks of a language model, whatever package speaks to it: the model of an analyst that has one."""

from collections.abc import Sequence
from typing import Protocol

from hmem.language.analyst.base import Analyst, Passage
from hmem.language.analyst.reading import TurnExtraction
from hmem.language.analyst.spending import Budget, SpendingLedger
from hmem.language.analyst.work import Room, ToJudge, WriteRequest, WriteResult
from hmem.model.strength import Reaction


class WorkerModel(Protocol):
    """A language model that reads episodes and writes texts. Safe to use from several threads.

    Each call may raise ``ModelUnavailable``, ``ModelGarbled`` or ``BudgetSpent``.
    """

    @property
    def made_by(self) -> str:
        """The model and the version of what it is asked: ``openai:gpt-4o-mini/2``."""
        ...

    @property
    def room(self) -> Room:
        """How much work goes into one call of ``write``."""
        ...

    def charged(self, ledger: SpendingLedger | None, budget: Budget) -> "WorkerModel":
        """The same, charged to a ledger and held to a budget."""
        ...

    def read(self, passage: Passage, persona: str = "") -> Sequence[TurnExtraction]:
        """A reading of each wanted turn of a passage, by one call."""
        ...

    def write(self, work: WriteRequest) -> WriteResult:
        """All texts and verdicts, by one call."""
        ...

    def reactions(self, replies: Sequence[ToJudge]) -> Sequence[Reaction | None]:
        """What each reply says of the answer before it, by one call; None of one of which nothing usable was said."""
        ...


def model_of(analyst: Analyst) -> WorkerModel | None:
    """The model that an analyst has beside its own methods; None for one that has none."""
    return getattr(analyst, "model", None)
