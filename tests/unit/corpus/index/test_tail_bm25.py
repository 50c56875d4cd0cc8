import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmem.corpus.index.tail import best_possible, bm25, idf, norm, rounded_lengths


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_a_rarer_term_counts_for_more(containing: int, more: int) -> None:
    assert idf(10_000, containing) > 0
    assert idf(10_000, min(containing + more, 10_000)) <= idf(10_000, containing)


@given(st.integers(1, 50), st.integers(1, 500), st.floats(1, 100))
def test_no_document_reaches_the_best_possible(frequency: int, length: int, mean: float) -> None:
    scores = bm25(np.array([frequency], np.float32), norm(np.array([length], np.float32), mean)) * 2.0
    assert 0 < scores[0] <= best_possible([2.0]) * 1.000001


def test_a_term_more_often_in_a_shorter_text_scores_higher() -> None:
    scores = bm25(np.array([1, 2, 2], np.float32), norm(np.array([10, 10, 5], np.float32), 10))
    assert scores[0] < scores[1] < scores[2]


def test_lengths_are_rounded_down_to_what_one_byte_can_hold() -> None:
    lengths = np.array([0, 1, 39, 40, 41, 55, 56, 59, 60, 87, 88, 95, 151, 152, 10_000], np.float32)
    rounded = [0, 1, 39, 40, 40, 54, 56, 56, 60, 84, 88, 88, 144, 152, 9_752]
    assert rounded_lengths(lengths).tolist()[:-1] == rounded[:-1]
    assert 9_000 < rounded_lengths(lengths)[-1] <= 10_000


@given(st.integers(0, 2**31))
def test_a_length_loses_at_most_an_eighth(length: int) -> None:
    rounded = float(rounded_lengths(np.array([length], np.float32))[0])
    assert rounded <= np.float32(length)
    assert rounded >= length * 0.87 - 1
