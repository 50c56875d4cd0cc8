from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recall import query, sources
from tests.support import chatter

from hmem import Memory
from hmem.recipes import recipe
from hmem.retrieval.config import STRATEGIES
from hmem.retrieval.newer import NAME as NEWER
from hmem.retrieval.stages import UNRANKED, backfill

TURNS = 260
RANKED = 150
QUESTION = "What did Anna say of the violin in the garden?"


@pytest.fixture(scope="module", params=["fusion", "flat"])
def talked(request: pytest.FixtureRequest) -> Iterator[Memory]:
    with Memory(":memory:", recipe=request.param) as memory:
        memory.add(chatter(TURNS))
        yield memory


def test_as_many_are_found_as_are_asked_for(talked: Memory) -> None:
    for k in (RANKED + 1, 200, TURNS, 10_000):
        found = talked.search(QUESTION, k)
        assert len(found) == min(k, TURNS)
        assert len({item.id for item in found}) == len(found)


@settings(max_examples=10)
@given(st.integers(1, TURNS), st.integers(1, TURNS))
def test_a_longer_page_begins_with_the_shorter_one(talked: Memory, one: int, other: int) -> None:
    shorter, longer = (talked.search(QUESTION, k) for k in sorted((one, other)))
    assert [(item.id, item.score) for item in shorter] == [(item.id, item.score) for item in longer][: len(shorter)]


def test_a_caller_who_asks_for_more_than_the_notes_have_gets_turns_of_episodes_behind_them() -> None:
    with Memory(
        ":memory:", recipe="notes-episodes", settings={"best_effort.threshold": "0", "best_effort.notes_first": "true"}
    ) as memory:
        memory.add("I adopted a puppy named Coco.", speaker="Maria", session="s")
        memory.add(chatter(40))
        few, many = (memory.search("What did Maria adopt?", k, trace=True) for k in (1, 10))
    assert many.trace is not None
    assert many.trace.steps["best_effort"]["ended in"] == "notes"
    assert few[0] == many[0]
    assert len(many) > 5
    assert [item.score for item in many] == sorted((item.score for item in many), reverse=True)


def test_scores_fall_and_their_terms_sum_to_them(talked: Memory) -> None:
    found = talked.search(QUESTION, TURNS)
    scores = [item.score for item in found]
    assert scores == sorted(scores, reverse=True)
    for item in found:
        assert sum(term.contribution for term in item.why.terms.values()) == pytest.approx(item.score, abs=1e-3)


def test_a_filter_holds_behind_the_ranked_too() -> None:
    with Memory(":memory:") as memory:
        turns = [{**turn, "metadata": {"even": i % 3 != 0}} for i, turn in enumerate(chatter(TURNS + 20))]
        memory.add(turns)
        matching = sum(i % 3 != 0 for i in range(len(turns)))
        found = memory.search(QUESTION, 1_000, metadata={"even": True})
        assert len(found) == matching > RANKED
        assert all(getattr(memory.get(item.id), "metadata")["even"] for item in found)  # noqa: B009


def test_what_was_not_ranked_says_so() -> None:
    with Memory(":memory:") as memory:
        memory.add(chatter(TURNS))
        # What is newer than a hit comes up, from however far behind.
        found = [item for item in memory.search(QUESTION, TURNS) if NEWER not in item.why.terms]
        ranked = [item for item in found if item.why.strategies == ("fusion",)]
        behind = found[len(ranked) :]
        assert found[: len(ranked)] == ranked
        assert RANKED - 10 < len(ranked) <= RANKED
        assert {item.why.strategies for item in behind} == {("flat",)}
        assert UNRANKED not in str([item.why.terms for item in ranked])
        first = [item.score - item.why.terms[UNRANKED].contribution for item in behind if UNRANKED in item.why.terms]
        assert first == sorted(first, reverse=True)


def test_feedback_counts_behind_the_ranked() -> None:
    with Memory(":memory:") as memory:
        memory.add(chatter(TURNS))
        last = memory.search(QUESTION, TURNS)[-1]
        memory.feedback(last, "approve")
        places = [item.id for item in memory.search(QUESTION, TURNS)]
        assert RANKED <= places.index(last.id) < TURNS - 1


def test_nothing_is_behind_where_all_that_is_allowed_was_ranked() -> None:
    with Memory(":memory:") as memory:
        memory.add(chatter(RANKED))
        with sources(memory) as held:
            asked = query(held, QUESTION)
            ranked = STRATEGIES["fusion"].find(held, asked, recipe("fusion").retrieval)
            assert backfill(held, asked, ranked, recipe("fusion").retrieval) is None


def test_a_paper_s_strategy_finds_as_little_as_it_means_to() -> None:
    with Memory(":memory:", recipe="evolving") as memory:
        memory.add(chatter(TURNS))
        assert len(memory.search(QUESTION, TURNS)) < TURNS
