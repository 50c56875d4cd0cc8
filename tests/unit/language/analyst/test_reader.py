"""Which analysts have a model."""

from tests.models import Derived

from hmem.language.analyst import analyst
from hmem.language.analyst.cached_model import CachedModelAnalyst
from hmem.language.analyst.language_model import worker_model
from hmem.language.english.analyst import RulesAnalyst


class WithModel(RulesAnalyst):
    def __init__(self) -> None:
        self.model = Derived()


class Nothing:
    active = False


def test_the_model_is_that_of_the_analyst_beneath() -> None:
    chosen = WithModel()
    assert worker_model(chosen) is chosen.model
    assert worker_model(CachedModelAnalyst(chosen, Nothing())) is chosen.model  # type: ignore[arg-type]


def test_rules_have_none() -> None:
    assert worker_model(analyst("rules")) is None
    assert worker_model(CachedModelAnalyst(analyst("rules"), Nothing())) is None  # type: ignore[arg-type]
