import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmem.index.bm25 import best_possible, bm25, idf


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_rarer_term_counts_for_more(containing: int, more: int) -> None:
    assert idf(10_000, containing) > 0
    assert idf(10_000, min(containing + more, 10_000)) <= idf(10_000, containing)


@given(st.integers(1, 50), st.integers(1, 500), st.floats(1, 100))
def test_no_document_reaches_the_best_possible(frequency: int, length: int, mean: float) -> None:
    scores = bm25(np.array([frequency], np.float32), np.array([length], np.float32), mean) * 2.0
    assert 0 < scores[0] <= best_possible([2.0]) * 1.000001


def test_a_term_more_often_in_a_shorter_text_scores_higher() -> None:
    scores = bm25(np.array([1, 2, 2], np.float32), np.array([10, 10, 5], np.float32), 10)
    assert scores[0] < scores[1] < scores[2]
