from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.index.marks import NAME, NUMBER, READ
from hmem.model.span import Span
from hmem.retrieval.scoring.combine import values_at
from hmem.retrieval.scoring.ranker import Ranker, answer_type, nearness, ranker, read, weighted

SMALL = {"question": {"a": 2.0, "b": -1.0}, "statement": {"b": 3.0}}
MARCH = Span(datetime(2025, 3, 1, tzinfo=UTC), datetime(2025, 4, 1, tzinfo=UTC))


def features(seed: int, count: int) -> dict[str, np.ndarray]:
    """Candidates with any features that the shipped ranker looks at."""
    chance = np.random.default_rng(seed)
    return {name: chance.normal(0, 1, count).astype(np.float32) for name in ranker().question}


def told(terms: Mapping[str, np.ndarray]) -> np.ndarray:
    return np.sum(list(terms.values()), axis=0)


def test_a_question_and_a_statement_are_ranked_by_their_own_weights() -> None:
    found = {"a": np.array([1, 5], np.float32), "b": np.array([2, 3], np.float32)}
    assert read(SMALL).rank(found).scores.tolist() == [0, 7]
    assert read(SMALL).rank(found, statement=True).scores.tolist() == [6, 9]
    assert weighted(found, {"a": 1.0}).scores.tolist() == [1, 5]


@given(st.integers(0, 1_000), st.integers(0, 64), st.booleans())
def test_the_terms_of_each_candidate_sum_to_its_score(seed: int, count: int, statement: bool) -> None:
    ranked = ranker().rank(features(seed, count), statement=statement)
    assert ranked.scores.shape == (count,)
    assert told(ranked.terms) == pytest.approx(ranked.scores, abs=1e-3)


def test_what_is_told_of_some_candidates_is_what_is_told_of_all() -> None:
    terms = ranker().rank(features(1, 100)).terms
    some = np.array([70, 3, 99])
    assert np.array_equal(values_at(terms, some), np.stack(list(terms.values()))[:, some])
    assert np.array_equal(values_at(terms.take(some), np.array([1])), values_at(terms, np.array([3])))


def test_a_candidate_scores_the_same_whoever_stands_beside_it() -> None:
    given_features = features(4, 50)
    together = ranker().rank(given_features).scores
    alone = ranker().rank({name: values[7:8] for name, values in given_features.items()}).scores
    assert alone.tolist() == pytest.approx([together[7]], abs=1e-4)


def test_the_ranker_that_ships_is_read_once_and_has_at_most_25_features() -> None:
    assert ranker() is ranker()
    assert isinstance(ranker(), Ranker)
    assert set(ranker().question) == set(ranker().statement)
    assert len(ranker().question) <= 25


def test_no_shared_word_speaks_against_a_turn() -> None:
    for weights in (ranker().question, ranker().statement):
        assert all(weight > 0 for name, weight in weights.items() if name.startswith("lexical."))


def test_nearness_is_one_within_a_span_and_falls_outside_of_it() -> None:
    said = [datetime(2025, month, 10, tzinfo=UTC).timestamp() * 1e6 for month in (1, 2, 3, 4)]
    near = nearness([MARCH], np.array(said, np.int64))
    assert near[2] == 1
    assert 0 < near[0] < near[1] < 1
    assert 0 < near[3] < 1
    assert nearness([], np.array(said, np.int64)).tolist() == [0, 0, 0, 0]


def test_a_turn_holds_what_an_answer_of_a_type_consists_of() -> None:
    marks = np.array([READ, READ | NUMBER, READ | NAME], np.uint8)
    assert answer_type("count", marks).tolist() == [0, 1, 0]
    assert answer_type("place", marks).tolist() == [0, 0, 1]
    assert answer_type("reason", marks).tolist() == [0, 0, 0]
