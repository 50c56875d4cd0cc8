"""Feedback in recall: a weight of each turn, a term of the score, an order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formation import example
from tests.recall import query, sources

from hmem import Memory
from hmem.retrieval.feedback import StrengthOptions, multiplier, weights, with_feedback
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import ScoredTurns

OPTIONS = StrengthOptions(feedback=1.0)


@pytest.fixture
def told(memory: Memory) -> tuple[Memory, list[str]]:
    memory.add(example(40))
    return memory, [turn.id for turn in memory.list()]


def weighed(held: Sources) -> list[float]:
    found = weights(held, np.arange(40), query(held, "What?"))
    return [] if found is None else [round(each, 4) for each in found.tolist()]


def candidates() -> ScoredTurns:
    rows = np.arange(4)
    scores = np.array([1.0, 0.9, 0.8, -0.5], np.float32)
    return ScoredTurns("any", rows, scores, {"own": scores}, {"own": 1.0}, {})


def test_what_nobody_judged_has_no_weight(told: tuple[Memory, list[str]]) -> None:
    with sources(told[0]) as held:
        assert weighed(held) == []
        scored = candidates()
        assert with_feedback(held, query(held, "What?"), scored, OPTIONS) is scored


def test_weights_multiply_within_their_bounds(told: tuple[Memory, list[str]]) -> None:
    memory, ids = told
    for verdict in ("approve", "approve", "none"):
        memory.feedback(ids[3], verdict)  # type: ignore[arg-type]
    for _ in range(9):
        memory.feedback(ids[5], "reject")
    memory.feedback(ids[7], 40)
    memory.feedback(ids[9], "none")
    with sources(memory) as held:
        found = weighed(held)
        assert {row: each for row, each in enumerate(found) if each != 1} == {3: 1.44, 5: 0.1, 7: 3.0}


@given(st.lists(st.sampled_from(["approve", "reject", "none", "2.0"]), max_size=6))
def test_a_multiplier_is_that_of_its_verdict(verdicts: list[str]) -> None:
    product = np.prod([multiplier(each) for each in verdicts])
    counted = 1.2 ** verdicts.count("approve") * 0.5 ** verdicts.count("reject") * 2.0 ** verdicts.count("2.0")
    assert product == pytest.approx(counted)


def test_what_was_forgotten_of_a_verdict_says_nothing() -> None:
    assert multiplier(None) == 1


def test_a_rejected_candidate_sinks_by_the_logarithm_of_its_weight(told: tuple[Memory, list[str]]) -> None:
    memory, ids = told
    memory.feedback(ids[0], "reject")
    with sources(memory) as held:
        made = with_feedback(held, query(held, "What?"), candidates(), OPTIONS)
    assert made.rows.tolist() == [1, 2, 0, 3]
    assert made.terms["feedback"].tolist() == pytest.approx([0, 0, np.log(0.5), 0])
    sums = sum(values * made.weights[name] for name, values in made.terms.items())
    assert np.allclose(sums, made.scores)


def test_a_score_is_multiplied_by_the_weight_and_sinks_even_below_zero(told: tuple[Memory, list[str]]) -> None:
    memory, ids = told
    for place in (0, 3):
        memory.feedback(ids[place], "reject")
    with sources(memory) as held:
        made = with_feedback(held, query(held, "What?"), candidates(), StrengthOptions(multiplied=True))
    assert dict(zip(made.rows.tolist(), made.scores.tolist(), strict=True)) == pytest.approx(
        {1: 0.9, 2: 0.8, 0: 0.5, 3: -0.75}
    )


def test_a_recipe_without_feedback_is_as_it_was(told: tuple[Memory, list[str]]) -> None:
    memory, ids = told
    memory.feedback(ids[0], "reject")
    with sources(memory) as held:
        scored = candidates()
        assert with_feedback(held, query(held, "What?"), scored, StrengthOptions()) is scored
