"""Conditions that LangGraph's own stores leave open, or answer with an error of Python's."""

import pytest

from hmem.errors import InvalidQuery
from hmem_agents.langgraph_match import meets, namespace_page


@pytest.mark.parametrize("value", [{"size": None}, {"size": "large"}, {"size": [1]}, {}])
def test_what_is_no_number_is_neither_above_nor_below_one(value: dict[str, object]) -> None:
    assert not meets(value, {"size": {"$gt": 0}})
    assert not meets(value, {"size": {"$lte": 0}})


def test_an_unknown_operator_is_named() -> None:
    with pytest.raises(InvalidQuery, match=r"\$in"):
        meets({"size": 1}, {"size": {"$in": [1]}})


def test_a_namespace_is_matched_by_prefix_or_suffix_only() -> None:
    from langgraph.store.base import ListNamespacesOp, MatchCondition

    wanted = ListNamespacesOp((MatchCondition("middle", ("a",)),))  # pyright: ignore[reportArgumentType]
    with pytest.raises(InvalidQuery, match="middle"):
        namespace_page([("a", "b")], wanted)
