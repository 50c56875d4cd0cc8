"""The caller: one logical call to a model, within its budget, checked, and repaired once."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from hmem.language.analyst.model.tasks import Task
from hmem.language.analyst.spending import Budget, Ledger, Spent

Output = TypeVar("Output", bound=BaseModel)


class Caller:
    """Asks a model. Safe to use from several threads."""

    @property
    def name(self) -> str:
        """What the model is called by: ``openai:gpt-4o-mini``."""
        raise NotImplementedError

    @property
    def spent(self) -> Spent:
        """What was asked through this caller has taken so far."""
        raise NotImplementedError

    def charged(self, ledger: Ledger | None, budget: Budget) -> "Caller":
        """The same model, charged to a memory's ledger and held to a budget.

        What is asked through it counts as one call of the memory's interface: take a new one for each.
        """
        raise NotImplementedError

    def ask(self, task: Task[Output], data: Mapping[str, Any], *, purpose: str) -> Output:
        """What the model says of the data: one call, and at most one more that shows it what was wrong.

        Raises:
            ModelUnavailable: the provider cannot be reached, fails, or asks to wait.
            ModelGarbled: what was said cannot be used, even after a repair.
            BudgetSpent: nothing more may be spent.
        """
        raise NotImplementedError

    def stream(self, task: Task[Any], data: Mapping[str, Any], *, purpose: str) -> Iterator[str]:
        """The same as it is being said, as pieces of its JSON; it is neither checked nor repaired.

        Raises:
            ModelUnavailable: the provider cannot be reached, fails, or asks to wait.
            BudgetSpent: nothing more may be spent.
        """
        raise NotImplementedError
