import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.retrieval.passes import merge
from hmem.retrieval.strategies.base import FoundPiece, Scored

FOUND = st.dictionaries(st.integers(0, 12), st.floats(-2, 2, width=32), max_size=8)
PASSES = st.lists(FOUND, min_size=1, max_size=4)


def scored(found: dict[int, float], name: str = "a", *pieces: FoundPiece) -> Scored:
    """A pass, whose score is twice the term of its name."""
    rows = sorted(found, key=lambda row: -found[row])
    scores = np.array([found[row] for row in rows], np.float32)
    return Scored(
        name, np.array(rows, np.int64), scores, {name: scores / 2}, {name: 2.0}, {name: len(rows)}, pieces, {name: 1}
    )  # fmt: skip


@given(PASSES)
def test_each_turn_is_kept_once_with_its_best_score(found: list[dict[int, float]]) -> None:
    merged = merge([scored(each) for each in found])
    best = {row: max(each[row] for each in found if row in each) for each in found for row in each}
    assert dict(zip(merged.rows.tolist(), merged.scores.tolist(), strict=True)) == best
    assert len(merged.rows) == len(best)
    assert sorted(merged.scores.tolist(), reverse=True) == merged.scores.tolist()


@given(PASSES)
def test_the_terms_sum_to_the_scores_whichever_strategy_gave_them(found: list[dict[int, float]]) -> None:
    merged = merge([scored(each, "ab"[place % 2]) for place, each in enumerate(found)])
    told = sum(values * merged.weights[name] for name, values in merged.terms.items())
    assert told == pytest.approx(merged.scores, abs=1e-5)


def test_equal_scores_keep_the_order_of_the_passes() -> None:
    merged = merge([scored({5: 1.0}), scored({3: 1.0, 5: 1.0})])
    assert merged.rows.tolist() == [5, 3]


def test_one_pass_is_handed_back_as_it_is() -> None:
    one = scored({1: 0.5})
    assert merge([one]) is one


def test_the_merged_pass_names_its_strategies_once_and_keeps_their_stories() -> None:
    merged = merge([scored({1: 1.0}, "a"), scored({2: 1.0}, "b"), scored({3: 1.0}, "a")])
    assert merged.name == "a+b"
    assert merged.story == {"a": 1, "b": 1}
    assert set(merged.sizes) == {"a", "b"}


def test_each_piece_is_kept_once_with_its_best_score_and_trees_are_told_apart() -> None:
    one = scored({}, "a", FoundPiece("summary", 1, 0.2, tree="topic"), FoundPiece("note", 1, 0.9))
    other = scored({}, "a", FoundPiece("summary", 1, 0.5, tree="topic"), FoundPiece("summary", 1, 0.4, tree="calendar"))
    found = [(piece.kind, piece.tree, piece.score) for piece in merge([one, other]).pieces]
    assert found == [("note", "", 0.9), ("summary", "topic", 0.5), ("summary", "calendar", 0.4)]
