"""Which name was meant."""

import pytest

from hmem.util.suggesting import did_you_mean, suggest

NAMES = ["search", "serve", "stats", "flat.weights.speaker", "Fusion"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("serch", "did you mean 'search'?"),
        ("sats", "did you mean 'stats'?"),
        ("fusion", "did you mean 'Fusion'?"),
        ("speaker", "did you mean 'flat.weights.speaker'?"),
        ("tokamak", ""),
        ("", ""),
    ],
)
def test_the_nearest_names_are_meant(name: str, told: str) -> None:
    assert did_you_mean(name, NAMES) == told


def test_a_choice_has_the_question_and_all_names() -> None:
    assert suggest("statz", ["stats", "show"]) == "did you mean 'stats'? choose one of: stats, show"
    assert suggest("tokamak", ["stats"], "choose from") == "choose from: stats"
