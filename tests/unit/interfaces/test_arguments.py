"""Arguments of operations."""

from hmem import recipes
from hmem.interfaces.arguments import RECIPES


def test_the_recipes_of_a_request_are_those_that_there_are() -> None:
    assert [*RECIPES] == [*recipes.RECIPES]
