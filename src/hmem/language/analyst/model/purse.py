"""What may still be spent, held against the budget before each call and written down after it."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from hmem.errors import BudgetSpent
from hmem.language.analyst.spending import Budget, Limits, SpendingLedger, Spent

# Characters of a token: few, so that a call is rather thought too long than too short.
_LETTERS: Final = 3.5


class BudgetGuard:
    """The spending of one call of a memory's interface. Safe to use from several threads."""

    def __init__(self, name: str, ledger: SpendingLedger | None, budget: Budget) -> None:
        self._name = name
        self._ledger = ledger
        self._budget = budget
        self._lock = threading.Lock()
        self._spent = Spent()
        self._pending = Spent()

    @property
    def spent(self) -> Spent:
        """What was spent through this purse."""
        with self._lock:
            return self._spent

    @contextmanager
    def paying(self, letters: int) -> Generator[None]:
        """Set aside what a call of so many characters takes, while it is made.

        Raises:
            BudgetSpent: it may not be made.
        """
        call = Spent(calls=1, input_tokens=int(letters / _LETTERS))
        with self._lock:
            self._check(call + self._pending)
            self._pending += call
        try:
            yield
        finally:
            with self._lock:
                pending = self._pending
                self._pending = replace(
                    pending, calls=pending.calls - 1, input_tokens=pending.input_tokens - call.input_tokens
                )

    def record(self, purpose: str, spent: Spent, cost: float | None) -> None:
        """Write down what was spent for a purpose; ``cost`` is None where no price is known."""
        with self._lock:
            self._spent += replace(spent, cost=cost or 0.0)
        if self._ledger is not None:
            self._ledger.record(
                purpose, self._name, spent.calls, spent.input_tokens, spent.output_tokens, cost, spent.failures
            )

    def _check(self, call: Spent) -> None:
        _within(self._budget.call, self._spent, call, "this call", "raise the budget of a call")
        if self._ledger is None:
            return
        if self._budget.day != Limits():
            _within(self._budget.day, self._ledger.spent_today(), call, "today", "raise it, or wait for tomorrow (UTC)")
        if self._budget.memory != Limits():
            _within(self._budget.memory, self._ledger.spent_in_memory(), call, "this memory", "raise it")


def _within(limits: Limits, spent: Spent, call: Spent, window: str, mend: str) -> None:
    """Hold what was spent and what is about to be against the limits of a window."""
    for what, most, so_far, more in (
        ("calls", limits.calls, spent.calls, call.calls),
        ("tokens", limits.tokens, spent.tokens, call.tokens),
    ):
        if most is not None and so_far + more > most:
            wanted = f"{so_far:,} of {most:,} {what} are spent, {more:,} more are wanted"
            raise BudgetSpent(f"the budget of {window} has no room: {wanted} - {mend}")
    if limits.cost is not None and spent.cost >= limits.cost:
        raise BudgetSpent(f"the budget of {window} is spent: {spent.cost:.4f} of {limits.cost:.4f} - {mend}")
