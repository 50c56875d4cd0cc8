import numpy as np
import pytest

from hmem.papers.terms import best_of, nearness

SESSIONS = np.repeat(np.arange(4, dtype=np.int32), 25)


def test_the_best_value_of_each_owner_counts_and_none_is_minus_1() -> None:
    values = np.array([0.2, 0.7, 0.1], np.float32)
    assert best_of(np.array([0, 0, 2]), values, 3) == pytest.approx([0.7, -1, 0.1])


def reached(seeds: list[int], scores: list[float], decay: float = 0.5) -> dict[int, float]:
    rows, values = nearness(np.array(seeds, np.int64), np.array(scores, np.float32), SESSIONS, decay)
    return dict(zip(rows.tolist(), values.tolist(), strict=True))


def test_what_reaches_a_neighbour_halves_with_each_turn() -> None:
    found = reached([10], [0.8])
    assert found[11] == found[9] == pytest.approx(0.4)
    assert found[12] == found[8] == pytest.approx(0.2)


def test_a_seed_does_not_reach_itself_but_another_seed_does() -> None:
    assert 10 not in reached([10], [0.8])
    assert reached([10, 11], [0.8, 0.2])[11] == pytest.approx(0.4)


def test_of_several_seeds_the_one_that_gives_most_counts() -> None:
    assert reached([10, 14], [0.8, 0.4])[12] == pytest.approx(0.2)


def test_nothing_reaches_another_session() -> None:
    assert set(reached([24], [1.0])) == set(range(19, 24))


def test_without_seeds_or_decay_nothing_is_reached() -> None:
    assert reached([], []) == {}
    assert reached([10], [1.0], decay=1.0) == {}


def test_a_seed_unlike_the_question_takes_nothing_away() -> None:
    assert min(reached([10], [-0.4]).values()) == 0
