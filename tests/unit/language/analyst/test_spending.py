"""What was spent."""

from hmem.language.analyst.spending import ModelUsage


def test_spending_adds_up() -> None:
    assert ModelUsage(1, 10, 5, 0.5) + ModelUsage(2, 1, 1, 0.25, 1) == ModelUsage(3, 11, 6, 0.75, 1)
    assert ModelUsage(1, 10, 5).tokens == 15
