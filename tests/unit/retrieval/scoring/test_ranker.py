from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.retrieval.scoring import ranker as module
from hmem.retrieval.scoring.combine import values_at
from hmem.retrieval.scoring.ranker import Ranker, ranker, read

# One tree that asks whether a is above 0 and b above 1, and one that asks whether b is above 2 and a above 5.
SMALL = {
    "features": ["a", "b"],
    "weights": {"a": 2.0},
    "splits": [[0, 1, 1], [1, 0, 0]],
    "thresholds": [[0.0, 1.0, 1.0], [2.0, 5.0, 5.0]],
    "values": [[0.5, 0.0, 1.0, -0.5, 0.5, 0.75, 1.25], [0.0, 0.0, 3.0, -1.0, 1.0, 2.0, 4.0]],
}


def features(seed: int, count: int) -> dict[str, np.ndarray]:
    """Candidates with any features that the shipped ranker looks at."""
    chance, held = np.random.default_rng(seed), ranker()
    names = dict.fromkeys((*held.features, *held.weights))
    return {name: chance.normal(0, 1, count).astype(np.float32) for name in names}


def told(terms: Mapping[str, np.ndarray]) -> np.ndarray:
    return np.sum(list(terms.values()), axis=0)


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        (-1, 0, -2 - 0.5 - 1.0),
        (0, 1, 0 - 0.5 - 1.0),
        (-1, 2, -2 + 0.5 - 1.0),
        (1, 1, 2 + 0.75 - 1.0),
        (6, 3, 12 + 1.25 + 4.0),
    ],
)
def test_a_score_is_the_weights_and_the_leaf_of_each_tree(a: float, b: float, score: float) -> None:
    given_features = {"a": np.array([a], np.float32), "b": np.array([b], np.float32)}
    ranked = read(SMALL).rank(given_features)
    assert ranked.scores.tolist() == pytest.approx([score])
    assert told(ranked.terms) == pytest.approx(ranked.scores)


def test_each_split_counts_for_its_feature() -> None:
    terms = read(SMALL).rank({"a": np.array([6], np.float32), "b": np.array([3], np.float32)}).terms
    assert terms[module.TREES_BASE].tolist() == [0.5]
    # The weight, the first split of one tree, the second of the other.
    assert terms["a"].tolist() == pytest.approx([12 + 0.5 + 1.0])
    assert terms["b"].tolist() == pytest.approx([0.25 + 3.0])


@given(st.integers(0, 1_000), st.integers(0, 64))
def test_the_terms_of_each_candidate_sum_to_its_score(seed: int, count: int) -> None:
    for learned in (True, False):
        ranked = ranker().rank(features(seed, count), learned=learned)
        assert ranked.scores.shape == (count,)
        assert told(ranked.terms) == pytest.approx(ranked.scores, abs=1e-4)


def test_what_is_told_of_some_candidates_is_what_is_told_of_all() -> None:
    terms = ranker().rank(features(1, 100)).terms
    some = np.array([70, 3, 99])
    assert np.array_equal(values_at(terms, some), np.stack(list(terms.values()))[:, some])
    assert np.array_equal(values_at(terms.take(some), np.array([1])), values_at(terms, np.array([3])))


def test_ranking_does_not_change_the_features() -> None:
    given_features = features(3, 40)
    before = {name: values.copy() for name, values in given_features.items()}
    ranker().rank(given_features)
    assert all(np.array_equal(given_features[name], values) for name, values in before.items())


def test_a_candidate_scores_the_same_whoever_stands_beside_it() -> None:
    given_features = features(4, 50)
    together = ranker().rank(given_features).scores
    alone = ranker().rank({name: values[7:8] for name, values in given_features.items()}).scores
    assert alone.tolist() == pytest.approx([together[7]], abs=1e-5)


def test_by_the_weights_alone_no_tree_counts() -> None:
    ranked = ranker().rank(features(5, 10), learned=False)
    assert set(ranked.terms) == set(ranker().weights)


def test_the_ranker_that_ships_is_read_once_and_weighs_what_it_can_explain() -> None:
    assert ranker() is ranker()
    assert isinstance(ranker(), Ranker)
    assert len(set(ranker().features)) == len(ranker().features)


def test_the_shipped_ranker_tells_from_which_questions_it_was_learned() -> None:
    assert len(ranker().learned_from) > 40
    assert read(SMALL).learned_from == frozenset()
