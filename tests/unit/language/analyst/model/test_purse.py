"""Budgets."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from hmem.errors import BudgetSpent
from hmem.language.analyst.model.purse import BudgetGuard
from hmem.language.analyst.spending import Budget, Limits, Spent


@dataclass
class Book:
    """A ledger in the process's memory."""

    today: Spent = field(default_factory=Spent)
    ever: Spent = field(default_factory=Spent)
    entries: list[Any] = field(default_factory=list)

    def spent_today(self) -> Spent:
        return self.today

    def spent_in_memory(self) -> Spent:
        return self.ever

    def record(self, *entry: Any) -> None:
        self.entries.append(entry)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (Budget(call=Limits(calls=0)), "this call"),
        (Budget(call=Limits(tokens=99)), "this call"),
        (Budget(day=Limits(calls=5)), "today"),
        (Budget(day=Limits(cost=0.5)), "today"),
        (Budget(memory=Limits(tokens=1_000)), "this memory"),
    ],
)
def test_a_call_that_would_go_beyond_a_budget_is_not_made(budget: Budget, told: str) -> None:
    book = Book(Spent(calls=5, cost=0.5), Spent(input_tokens=400, output_tokens=600))
    with pytest.raises(BudgetSpent, match=f"the budget of {told} .* - "), BudgetGuard("m", book, budget).paying(350):
        pytest.fail("the call was made")


def test_calls_under_way_count() -> None:
    purse = BudgetGuard("m", None, Budget(call=Limits(calls=1)))
    with purse.paying(10), pytest.raises(BudgetSpent), purse.paying(10):
        pytest.fail("the second call was made")
    with purse.paying(10):
        purse.record("read", Spent(calls=1), None)
    with pytest.raises(BudgetSpent), purse.paying(10):
        pytest.fail("a call was made beyond the budget")


def test_what_was_spent_is_written_down_with_its_purpose() -> None:
    book = Book()
    purse = BudgetGuard("openai:m", book, Budget())
    purse.record("read", Spent(1, 100, 20), 0.5)
    purse.record("plan", Spent(1, failures=1), None)
    assert book.entries == [("read", "openai:m", 1, 100, 20, 0.5, 0), ("plan", "openai:m", 1, 0, 0, None, 1)]
    assert purse.spent == Spent(2, 100, 20, 0.5, 1)


def test_without_a_limit_the_ledger_is_not_asked() -> None:
    class Closed(Book):
        def spent_today(self) -> Spent:
            raise AssertionError

        spent_in_memory = spent_today

    with BudgetGuard("m", Closed(), Budget(call=Limits(calls=9))).paying(10):
        pass
