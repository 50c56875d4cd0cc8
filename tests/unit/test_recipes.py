import pytest

from hmem.errors import UnknownName
from hmem.recipes import FLAT_WEIGHTS, RECIPES, constants, recipe


def test_every_constant_that_is_told_can_be_set() -> None:
    for constant in constants():
        assert recipe("fusion", {constant: "7"}) != recipe("fusion")


def test_setting_a_constant_leaves_the_recipe_as_it_is() -> None:
    changed = recipe("flat", {"flat.weights.speaker": "0", "flat.listed": "10"})
    assert changed.reading.flat.weights == {**FLAT_WEIGHTS, "speaker": 0.0}
    assert changed.reading.flat.listed == 10
    assert RECIPES["flat"].reading.flat.weights == FLAT_WEIGHTS


@pytest.mark.parametrize("constant", ["flat", "flat.weights", "flat.weights.magic", "graph.depth", ""])
def test_an_unknown_constant_is_refused_with_the_choices(constant: str) -> None:
    with pytest.raises(UnknownName, match=r"flat\.listed"):
        recipe("fusion", {constant: "1"})


def test_an_unknown_recipe_is_refused_with_the_choices() -> None:
    with pytest.raises(UnknownName, match="fusion, flat"):
        recipe("layered")
