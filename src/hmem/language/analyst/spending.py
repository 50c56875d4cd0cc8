"""Budgets of language models, and the ledger of their spending.

Money is in the currency of the prices, which is US dollars where the provider library knows them.
"""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Calls, tokens in and out, and their cost; ``cost`` is 0 where no price is known."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    failures: int = 0

    @property
    def tokens(self) -> int:
        """Tokens in and out together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "ModelUsage") -> "ModelUsage":
        return ModelUsage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
            self.failures + other.failures,
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of calls, tokens (in and out) and money; None means no limit."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of the spending in one call of the memory's interface, on one day (UTC), and on a memory in total."""

    call: Limits = Limits()
    day: Limits = Limits()
    memory: Limits = Limits()


class SpendingLedger(Protocol):
    """Ledger of a memory's spending. Safe to call from several threads."""

    def spent_today(self) -> ModelUsage:
        """Return the spending since midnight, UTC."""
        ...

    def spent_in_memory(self) -> ModelUsage:
        """Return the total spending on this memory."""
        ...

    def record(self, purpose: str, model: str, usage: ModelUsage) -> None:
        """Add spending for a purpose, such as ``read``."""
        ...
