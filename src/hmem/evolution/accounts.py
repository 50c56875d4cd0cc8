"""Accounts of a memory's spending on language models, with its limits, kept in its file."""

import json
from collections.abc import Mapping
from dataclasses import asdict, astuple, fields, replace
from datetime import datetime
from functools import reduce
from typing import Any, Final, cast

from hmem.corpus.corpus import Corpus
from hmem.errors import InputError
from hmem.language.analyst.spending import Budget, Limits, ModelUsage
from hmem.model.span import UTC, now
from hmem.storage.model_queue import Spending
from hmem.util.amounts import amount

# Setting of the budget.
BUDGET: Final = "model.budget"

_SCOPES: Final = tuple(field.name for field in fields(Budget))
_MEASURES: Final = tuple(field.name for field in fields(Limits))


class SpendingAccounts:
    """Ledger of one memory (``hmem.language.analyst.spending.Ledger``), kept in its file. Thread-safe.

    The spending of all processes counts; for a memory that can only be read, that of this process alone.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._unwritten: list[Spending] = []

    def spent_today(self) -> ModelUsage:
        """Return the spending since midnight, UTC."""
        return self._total(today(now()))

    def spent_in_memory(self) -> ModelUsage:
        """Return all spending ever on this memory."""
        return self._total(None)

    def record(self, purpose: str, model: str, usage: ModelUsage) -> None:
        """Record spending for a purpose."""
        with self._corpus.reading():
            entry = Spending(today(now()), purpose, model, *astuple(usage))
            if self._corpus.storage.read_only:
                self._unwritten.append(entry)
            else:
                self._corpus.model_queue.spend([entry])

    def _total(self, day: str | None) -> ModelUsage:
        with self._corpus.reading():
            unwritten = [entry for entry in self._unwritten if day in (None, entry.day)]
            return total([*self._corpus.model_queue.spending(day), *unwritten])


def today(moment: datetime) -> str:
    """Return the day of a moment, UTC."""
    return moment.astimezone(UTC).date().isoformat()


def total(spending: list[Spending]) -> ModelUsage:
    """Sum up spending."""
    return reduce(lambda subtotal, entry: subtotal + ModelUsage(*entry[3:]), spending, ModelUsage())


def budget_of(settings: Mapping[str, str]) -> Budget:
    """Return the budget in the memory's settings; missing limits are unlimited."""
    scopes: dict[str, Any] = json.loads(settings.get(BUDGET, "{}"))
    return Budget(**{scope: Limits(**cast("dict[str, Any]", limits)) for scope, limits in scopes.items()})


def with_limits(budget: Budget, changes: Mapping[str, float | None]) -> Budget:
    """Return the budget with some limits changed, by names such as ``day_calls``, ``memory_cost``; None takes one away.

    Raises:
        InputError: there is no such limit, or it is no number from 0 on.
    """
    for name, value in changes.items():
        scope, _, measure = name.partition("_")
        if scope not in _SCOPES or measure not in _MEASURES:
            limit_names = ", ".join(f"{scope}_{measure}" for scope in _SCOPES for measure in _MEASURES)
            raise InputError(f"no limit is called {name!r} - choose one of: {limit_names}")
        if value is not None and not (value >= 0 and (measure == "cost" or value == int(value))):
            raise InputError(f"{name} cannot be {value!r} - give a number from 0 on, whole unless it is a cost")
        exact = value if value is None or measure == "cost" else int(value)
        budget = replace(budget, **{scope: replace(getattr(budget, scope), **{measure: exact})})
    return budget


def budget_text(budget: Budget) -> str:
    """Encode the budget as a setting."""
    scopes = {
        scope: {name: value for name, value in limits.items() if value is not None}
        for scope, limits in asdict(budget).items()
    }
    return json.dumps({scope: limits for scope, limits in scopes.items() if limits})


def exhausted(budget: Budget, on_day: ModelUsage, ever: ModelUsage) -> str | None:
    """Return a message that names a limit that is reached, and until when; None if there is none."""
    for limits, usage, scope_text, remedy in (
        (budget.memory, ever, "on this memory", "raise the limit to go on"),
        (budget.day, on_day, "today", "it goes on after midnight UTC, or raise the limit"),
    ):
        for measure in _MEASURES:
            limit = getattr(limits, measure)
            if limit is not None and getattr(usage, measure) >= limit:
                limit_text = f"{limit:g} cost" if measure == "cost" else amount(limit, measure.removesuffix("s"))
                return f"{limit_text} may be spent {scope_text}, no more - {remedy}"
    return None
