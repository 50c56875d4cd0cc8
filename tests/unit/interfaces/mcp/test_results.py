"""Budgets and pages of results."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.errors import InvalidQuery
from hmem.interfaces.mcp.results import EvidenceItem, cursor_at, fit, position
from hmem.language.tokens import count_tokens


def piece(text: str) -> EvidenceItem:
    return EvidenceItem(id="turn_1", text=text, when="2025-01-01T00:00:00+00:00", score=-10.123)


@given(st.lists(st.text(max_size=300), max_size=8), st.integers(1, 2_000))
def test_what_is_taken_is_a_beginning_within_the_budget(texts: list[str], tokens: int) -> None:
    items = [piece(text) for text in texts]
    taken = fit(items, tokens)
    assert [item.id for item in taken] == [item.id for item in items[: len(taken)]]
    assert bool(taken) == bool(items)
    if len(taken) > 1:
        assert sum(count_tokens(item.model_dump_json(exclude_none=True)) for item in taken) <= tokens


def test_why_is_within_the_budget_too() -> None:
    long = piece("word").model_copy(update={"why": "reason " * 200})
    assert len(fit([piece("word"), long], 150)) == 1
    assert len(fit([piece("word"), long], 400)) == 2


def test_the_first_is_cut_when_it_is_longer_than_everything() -> None:
    (cut,) = fit([piece("word " * 5_000)], 200)
    assert cut.cut
    assert cut.text.endswith("…")
    assert count_tokens(cut.model_dump_json()) < 400


@given(st.integers(0, 10_000), st.text(max_size=20))
def test_a_cursor_leads_to_where_it_was_made_for(start: int, question: str) -> None:
    assert position(cursor_at(start, "recall", question), "recall", question) == start
    with pytest.raises(InvalidQuery, match="cursor"):
        position(cursor_at(start, "recall", question), "recall", f"{question}!")


@pytest.mark.parametrize("cursor", ["", "x", "WzFd", "bnVsbA==", "eyJhIjoxfQ==", "é"])
def test_a_cursor_that_is_none_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidQuery, match="cursor"):
        position(cursor, "recall")


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidQuery, match="max_tokens"):
        fit([], 0)
