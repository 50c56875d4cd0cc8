from datetime import UTC, datetime
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem import Memory
from hmem.errors import EmbedderUnavailable, RerankerUnavailable
from hmem.retrieval.passes import (
    RERANK,
    Pass,
    StageClock,
    embedder_step,
    interleave,
    stories,
    unavailable,
    unavailable_parts,
)
from hmem.retrieval.strategies.base import Hit, ScoredTurns


def test_a_stage_that_comes_again_adds_to_its_own() -> None:
    clock = StageClock()
    clock.stage("find")
    first = clock.stages["find"]
    clock.stage("fetch")
    clock.stage("find")
    assert list(clock.stages) == ["find", "fetch"]
    assert clock.stages["find"] >= first >= 0


FOUND = st.dictionaries(st.integers(0, 12), st.floats(-2, 2, width=32), max_size=8)
PASSES = st.lists(FOUND, min_size=2, max_size=4)
QUERY = cast("Any", None)


def searched(number: int, found: dict[int, float], name: str = "a", *hits: Hit, deeper: bool = False) -> Pass:
    """A pass of a strategy, whose score is twice the term of its name."""
    rows = sorted(found, key=lambda row: -found[row])
    scores = np.array([found[row] for row in rows], np.float32)
    scored = ScoredTurns(
        name, np.array(rows, np.int64), scores, {name: scores / 2}, {name: 2.0}, {name: len(rows)}, hits, {name: 1},
        deeper,
    )  # fmt: skip
    return Pass(f"part {number}", QUERY, scored, np.arange(len(rows)))


@given(PASSES)
def test_each_turn_is_kept_once_and_the_shares_of_the_passes_sum_to_its_score(found: list[dict[int, float]]) -> None:
    one = interleave([searched(number, each, "ab"[number % 2]) for number, each in enumerate(found)])
    assert sorted(one.rows.tolist()) == sorted({row for each in found for row in each})
    assert sorted(one.scores.tolist(), reverse=True) == one.scores.tolist()
    told = sum((values * one.weights[name] for name, values in one.terms.items()), np.zeros(len(one.rows)))
    assert told == pytest.approx(one.scores, abs=1e-5)


@given(PASSES, st.integers(0, 3), st.floats(0.125, 64, width=32))
def test_the_scale_of_a_passes_scores_counts_nothing(found: list[dict[int, float]], which: int, by: float) -> None:
    whole = [{row: float(round(score * 4)) for row, score in each.items()} for each in found]
    scaled = [
        {row: score * by if number == which else score for row, score in each.items()}
        for number, each in enumerate(whole)
    ]
    one, other = (interleave([searched(n, each) for n, each in enumerate(made)]) for made in (whole, scaled))
    assert one.rows.tolist() == other.rows.tolist()


def test_the_best_of_each_pass_come_first_in_turn() -> None:
    one = interleave([searched(0, {1: 9.0, 2: 8.0, 3: 7.0}), searched(1, {4: 0.2, 5: 0.1})])
    assert one.rows.tolist() == [1, 4, 2, 5, 3]


def test_what_several_passes_found_comes_before_what_one_did() -> None:
    one = interleave([searched(0, {1: 3.0, 2: 2.0}), searched(1, {3: 3.0, 2: 2.0})])
    assert one.rows.tolist()[0] == 2


def test_a_strategys_own_terms_are_those_of_the_pass_that_ranks_the_turn_best_and_weigh_nothing() -> None:
    one = interleave([searched(0, {1: 4.0, 2: 2.0}), searched(1, {2: 1.0})])
    assert dict(zip(one.rows.tolist(), one.terms["a"].tolist(), strict=True)) == {1: 2.0, 2: 0.5}
    assert one.weights == {"a": 0.0, "part 0": 1.0, "part 1": 1.0}


def test_only_the_places_that_count_are_interleaved_in_their_order() -> None:
    whole = searched(1, {4: 3.0, 5: 2.0, 6: 1.0})
    one = interleave([searched(0, {1: 1.0}), Pass("part 1", QUERY, whole.ranking, np.array([2, 0]))])
    assert one.rows.tolist() == [1, 6, 4]
    assert one.terms["a"].tolist() == [0.5, 0.5, 1.5]


def test_one_pass_is_handed_back_as_it_is() -> None:
    one = searched(0, {1: 0.5})
    assert interleave([one]) is one.ranking


def test_the_result_names_its_strategies_once_keeps_their_stories_and_tells_if_one_left_a_level_out() -> None:
    three = [searched(0, {1: 1.0}), searched(1, {2: 1.0}, "b", deeper=True), searched(2, {3: 1.0})]
    one = interleave(three)
    assert (one.name, one.story, set(one.sizes), one.deeper) == ("a+b", {"a": 1, "b": 1}, {"a", "b"}, True)
    assert not interleave([three[0], three[2]]).deeper


def test_pieces_are_interleaved_too_each_once_and_trees_are_told_apart() -> None:
    one = searched(0, {}, "a", Hit("note", 1, 0.9), Hit("summary", 1, 0.8, tree="topic"))
    other = searched(1, {}, "a", Hit("summary", 1, 0.5, tree="calendar"), Hit("summary", 1, 0.4, tree="topic"))
    found = [(hit.kind, hit.tree, hit.score) for hit in interleave([one, other]).hits]
    assert found == [("note", "", 0.9), ("summary", "calendar", 0.5), ("summary", "topic", 0.8)]


def scored(name: str, **story: int) -> ScoredTurns:
    return ScoredTurns(name, np.zeros(0, np.int64), np.zeros(0, np.float32), {}, {}, {}, story=story)


def test_a_story_stands_by_the_name_of_its_strategy_behind_what_it_was_asked_about() -> None:
    assert stories([scored("flat", candidates=3), scored("graph")], "2: ") == {"2: flat": {"candidates": 3}}


def test_the_trace_tells_what_was_looked_up_and_how_long_it_took(memory: Memory) -> None:
    memory.add("I adopted a puppy named Coco", speaker="Maria", at="2023-08-11T10:00:00Z", session="s1")
    trace = memory.search("Who is Coco?", trace=True, at=datetime(2024, 1, 1, tzinfo=UTC)).trace
    assert trace is not None
    assert trace.queries == ("Who is Coco?",)
    assert trace.words == ("Coco",)
    assert trace.steps["fusion"]["candidates"] == 1
    assert {"catch up", "plan", "find and score", "fetch"} <= trace.milliseconds.keys()


def test_what_the_trace_says_is_away_is_lacking() -> None:
    error = EmbedderUnavailable("nobody is there - start it")
    assert embedder_step(error) == {"embedder": {"unavailable": "nobody is there - start it"}}
    steps = {
        **embedder_step(error),
        RERANK: {"by": "it", **unavailable(RerankerUnavailable("no"))},
        "flat": {"found": 3},
    }
    assert unavailable_parts(steps) == ("embedder", "reranker")
    assert unavailable_parts({RERANK: {"by": "it", "candidates": 3}}) == unavailable_parts({}) == ()
