"""Which analysts have a model."""

from tests.models import Derived

from hmem.language.analyst import analyst
from hmem.language.analyst.overlay import CachedModelAnalyst
from hmem.language.analyst.reader import model_of
from hmem.language.english.analyst import RulesAnalyst


class WithModel(RulesAnalyst):
    def __init__(self) -> None:
        self.model = Derived()


class Nothing:
    active = False


def test_the_model_is_that_of_the_analyst_beneath() -> None:
    chosen = WithModel()
    assert model_of(chosen) is chosen.model
    assert model_of(CachedModelAnalyst(chosen, Nothing())) is chosen.model  # type: ignore[arg-type]


def test_rules_have_none() -> None:
    assert model_of(analyst("rules")) is None
    assert model_of(CachedModelAnalyst(analyst("rules"), Nothing())) is None  # type: ignore[arg-type]
