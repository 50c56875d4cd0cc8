"""What was spent and what may be."""

from datetime import UTC, datetime

import pytest

from hmem import Memory
from hmem.errors import InputError
from hmem.evolution.accounts import SpendingAccounts, budget_of, budget_text, exhausted, today, total, with_limits
from hmem.language.analyst.spending import Budget, Limits, ModelUsage
from hmem.storage.model_queue import Spending


def test_what_is_spent_is_written_down_and_adds_up() -> None:
    with Memory(":memory:") as memory:
        accounts = SpendingAccounts(memory.corpus)
        memory.corpus.model_queue.spend([Spending("2020-01-01", "read", "m", 1, 2, 3, 0.5, 1)])
        assert accounts.spent_today() == ModelUsage()
        accounts.record("read", "m", ModelUsage(2, 100, 10, failures=1))
        accounts.record("write", "m", ModelUsage(1, 100, 10, 0.25))
        assert accounts.spent_today() == ModelUsage(3, 200, 20, 0.25, 1)
        assert accounts.spent_in_memory() == ModelUsage(4, 202, 23, 0.75, 2)


def test_a_day_is_that_of_utc() -> None:
    assert today(datetime.fromisoformat("2026-11-21T00:30:00+02:00")) == "2026-11-20"
    assert today(datetime(2026, 11, 21, tzinfo=UTC)) == "2026-11-21"


def test_a_budget_comes_back_from_the_settings() -> None:
    budget = with_limits(Budget(), {"day_calls": 10, "memory_cost": 1.5})
    assert budget == Budget(day=Limits(calls=10), memory=Limits(cost=1.5))
    assert budget_of({"model.budget": budget_text(budget)}) == budget
    assert budget_of({}) == Budget()
    assert with_limits(budget, {"day_calls": None, "memory_cost": None}) == Budget()


@pytest.mark.parametrize(
    "limits", [{"calls": 1}, {"day_turns": 1}, {"week_calls": 1}, {"day_calls": -1}, {"day_calls": 1.5}]
)
def test_a_limit_that_there_is_not_is_a_named_error(limits: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r" - choose| from 0 on"):
        with_limits(Budget(), limits)


def test_a_spent_limit_says_which_it_is_and_when_it_goes_on() -> None:
    budget = with_limits(Budget(), {"day_calls": 2, "memory_tokens": 100})
    assert exhausted(budget, ModelUsage(1), ModelUsage(1)) is None
    assert "today" in (exhausted(budget, ModelUsage(2), ModelUsage(2)) or "")
    assert "on this memory" in (exhausted(budget, ModelUsage(), ModelUsage(1, 60, 40)) or "")


def test_a_total_of_nothing_is_nothing() -> None:
    assert total([]) == ModelUsage()
