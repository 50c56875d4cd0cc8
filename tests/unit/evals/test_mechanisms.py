import pytest

from hmem.errors import UnknownName
from hmem.evals.mechanisms import MECHANISMS, SWITCHABLE, settings_without
from hmem.recipes import recipe


def test_leaving_nothing_out_changes_nothing():
    assert settings_without([]) == {}


@pytest.mark.parametrize("name", sorted(SWITCHABLE))
def test_a_mechanism_that_is_left_out_changes_the_recipe(name):
    assert name in MECHANISMS
    assert recipe("fusion", settings_without([name])) != recipe("fusion")


@pytest.mark.parametrize("name", sorted(set(MECHANISMS) - SWITCHABLE))
def test_a_mechanism_that_is_not_there_yet_cannot_be_left_out(name):
    with pytest.raises(UnknownName, match=f"'{name}' cannot be left out yet - .*: .*calendar"):
        settings_without([name])


def test_an_unknown_mechanism_is_called_so():
    with pytest.raises(UnknownName, match="no mechanism is called 'magic' - "):
        settings_without(["magic"])
