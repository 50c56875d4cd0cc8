import pytest

from hmem.errors import UnknownName
from hmem.language.analyst import DEFAULT, Analyst, analyst, analyst_names


def test_the_default_analyst_is_found_by_its_entry_point_and_loaded_once() -> None:
    assert DEFAULT in analyst_names()
    assert isinstance(analyst(DEFAULT), Analyst)
    assert analyst(DEFAULT) is analyst(DEFAULT)


def test_an_unknown_analyst_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(UnknownName, match=r"nobody.*verbatim"):
        analyst("nobody")


def test_a_variant_that_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownName, match="no variant 'large'"):
        analyst("verbatim:large")
