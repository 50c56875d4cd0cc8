import numpy as np
import pytest
from tests.unit.derived.plants import unit

from hmem.derived.trees.centroids import on_grid
from hmem.derived.trees.division import halves


def test_halves_are_alike_within_and_differ_between() -> None:
    apart = halves(on_grid(unit([0, 1, 5, 6, 10, 11], 0.1)))
    assert apart.tolist() in ([False, True] * 3, [True, False] * 3)


@pytest.mark.parametrize("count", [2, 3, 17])
def test_what_is_all_the_same_is_halved(count: int) -> None:
    assert halves(on_grid(unit([7] * count, 0.0))).sum() == (count + 1) // 2
    assert halves(np.zeros((count, 4), np.float32)).sum() == (count + 1) // 2


@pytest.mark.parametrize("least", [1, 2, 3, 50])
def test_each_half_has_a_least_number(least: int) -> None:
    # One outlier beside seven of one kind.
    apart = halves(on_grid(unit([1, 5, 10, 15, 20, 25, 30, 35], 0.1)), least)
    assert apart[0] != apart[-1] or least > 1
    assert min(apart.sum(), (~apart).sum()) == min(least, 4)
    assert (apart == apart[0]).sum() >= min(least, 4)
