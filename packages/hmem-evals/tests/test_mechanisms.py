import pytest

from hmem.errors import UnknownName
from hmem.recipes import RECIPES, recipe
from hmem_evals.mechanisms import MECHANISMS, SWITCHABLE, settings_without

# Every mechanism in some recipe, but for a reranker, which none has by itself.
RERANKED = {"retrieval.rerank": "any"}


def test_leaving_nothing_out_changes_nothing():
    assert settings_without([]) == {}


@pytest.mark.parametrize("name", sorted(SWITCHABLE))
def test_a_mechanism_that_is_left_out_changes_the_recipe(name):
    assert name in MECHANISMS
    changed = [
        each for each in RECIPES if recipe(each, {**RERANKED, **settings_without([name])}) != recipe(each, RERANKED)
    ]
    assert changed


def test_every_mechanism_can_be_left_out():
    assert set(MECHANISMS) == SWITCHABLE


def test_several_mechanisms_can_be_left_out_together():
    assert settings_without(["calendar", "notes"]) == {**settings_without(["calendar"]), **settings_without(["notes"])}


def test_an_unknown_mechanism_is_called_so():
    with pytest.raises(UnknownName, match="no mechanism is called 'magic' - "):
        settings_without(["magic"])
