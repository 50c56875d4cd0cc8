"""What was spent."""

from hmem.language.analyst.spending import Spent


def test_spending_adds_up() -> None:
    assert Spent(1, 10, 5, 0.5) + Spent(2, 1, 1, 0.25, 1) == Spent(3, 11, 6, 0.75, 1)
    assert Spent(1, 10, 5).tokens == 15
