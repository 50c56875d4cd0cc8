import pytest

from hmem.errors import UnknownName
from hmem.evals.mechanisms import MECHANISMS, check_without


def test_leaving_nothing_out_is_always_possible():
    check_without([])


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_that_is_not_there_yet_cannot_be_left_out(name):
    with pytest.raises(UnknownName, match=f"'{name}' cannot be left out yet - .*: none"):
        check_without([name])


def test_an_unknown_mechanism_is_called_so():
    with pytest.raises(UnknownName, match="no mechanism is called 'magic' - "):
        check_without(["magic"])
