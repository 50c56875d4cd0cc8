"""Budgets of language models, and the ledger of what was spent.

Money is in the currency of the prices, which is US dollars where the provider library knows them.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls made, tokens sent and received, and what they cost; ``cost`` is 0 for what no price is known of."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    failures: int = 0

    @property
    def tokens(self) -> int:
        """Tokens sent and received together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
            self.failures + other.failures,
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of calls, tokens (in and out) and money; None is without a limit."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of what is spent in one call of the memory's interface, on one day (UTC), and on a memory as a whole."""

    call: Limits = Limits()
    day: Limits = Limits()
    memory: Limits = Limits()


class SpendingLedger(Protocol):
    """Ledger in which a memory writes down what was spent. Safe to call from several threads."""

    def spent_today(self) -> Spent:
        """Return what was spent since midnight, UTC."""
        ...

    def spent_in_memory(self) -> Spent:
        """Return what was ever spent on this memory."""
        ...

    def record(self, purpose: str, model: str, spent: Spent) -> None:
        """Write down what was spent for a purpose, such as ``read``."""
        ...
