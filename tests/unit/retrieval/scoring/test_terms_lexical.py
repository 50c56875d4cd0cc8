import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hmem.retrieval.scoring.terms import log_length, window_share

COUNTS = st.lists(st.integers(0, 10_000), min_size=2, max_size=20).map(sorted).map(lambda c: np.array(c, np.int32))


@given(COUNTS)
def test_a_longer_turn_leans_less_on_its_window_and_counts_more_by_its_length(counts: np.ndarray) -> None:
    for values, sign in ((window_share(counts), -1), (log_length(counts), 1)):
        assert ((values >= 0) & (values <= 1)).all()
        assert (sign * np.diff(values) >= 0).all()


def test_the_ends_of_the_scales() -> None:
    counts = np.array([0, 60, 80, 100, 5_000], np.int32)
    np.testing.assert_allclose(window_share(counts), [1, 1, 0.5, 0, 0])
    assert log_length(counts)[0] == 0
    assert log_length(counts)[1] == log_length(counts)[4] == 1
