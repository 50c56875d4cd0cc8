import pytest

from hmem.errors import UnknownName
from hmem.recipes import FLAT_WEIGHTS, RECIPES, constants, from_text, recipe, to_text

VALUES = ("7", "9", "0.25", "false", "true", "0.9,0.8,0.7", "similarity")


def accepted(constant: str, value: str) -> bool:
    try:
        return recipe("fusion", {constant: value}) != recipe("fusion")
    except UnknownName:
        return False


@pytest.mark.parametrize("constant", constants())
def test_every_constant_that_is_told_can_be_set(constant: str) -> None:
    assert any(accepted(constant, value) for value in VALUES)


def test_setting_a_constant_leaves_the_recipe_as_it_is() -> None:
    changed = recipe("flat", {"flat.weights.speaker": "0", "flat.listed": "10"})
    assert changed.reading.flat.weights == {**FLAT_WEIGHTS, "speaker": 0.0}
    assert changed.reading.flat.listed == 10
    assert RECIPES["flat"].reading.flat.weights == FLAT_WEIGHTS


def test_constants_of_formation_can_be_set() -> None:
    settings = {"evolution.alpha": "0.9,0.8,0.7", "write.graph": "false", "tiers.scoring": "similarity"}
    changed = recipe("fusion", settings)
    assert changed.writing.evolving.alpha == (0.9, 0.8, 0.7)
    assert not changed.writing.graph
    assert changed.writing.tiering.scoring == "similarity"
    assert RECIPES["fusion"].writing.graph


@pytest.mark.parametrize(
    ("constant", "value", "told"),
    [
        ("write.graph", "perhaps", "true or false"),
        ("evolution.alpha", "a,b", "numbers with commas"),
        ("topic.theta", "high", "a number"),
    ],
)
def test_a_value_that_a_constant_cannot_have_is_refused_with_what_it_is(constant: str, value: str, told: str) -> None:
    with pytest.raises(UnknownName, match=told):
        recipe("fusion", {constant: value})


@pytest.mark.parametrize("constant", ["flat", "flat.weights", "flat.weights.magic", "graph.depth", "write.segment", ""])
def test_an_unknown_constant_is_refused_with_the_choices(constant: str) -> None:
    with pytest.raises(UnknownName, match=r"flat\.listed"):
        recipe("fusion", {constant: "1"})


def test_an_unknown_recipe_is_refused_with_the_choices() -> None:
    with pytest.raises(UnknownName, match="fusion, evolving, dual-tree, layered, notes-episodes, orchestrated, flat"):
        recipe("unheard-of")


@pytest.mark.parametrize("name", RECIPES)
def test_the_way_of_forming_comes_back_from_its_text(name: str) -> None:
    changed = recipe(name, {"evolution.alpha": "0.9,0.8,0.7", "segment.longest": "12"}).writing
    assert from_text(to_text(changed)) == changed


def test_options_of_another_version_do_no_harm() -> None:
    assert from_text('{"magic": true, "graph": false, "segment": {"magic": 1}}').graph is False
