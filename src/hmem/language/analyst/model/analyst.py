"""The analyst that has a model: the rules by itself, with the model beside them for whoever asks it."""

from hmem.language.analyst.model.model import Model
from hmem.language.analyst.rules.analyst import RulesAnalyst


class ModelAnalyst(RulesAnalyst):
    """The rules in every method, since formation never waits for a model; ``model`` is what reads and writes later.

    So ``made_by`` is that of the rules, which make what it gives; what the model makes says ``model.made_by``.
    """

    def __init__(self, model: Model) -> None:
        self.model = model


def load(provider: str, variant: str) -> ModelAnalyst:
    """The analyst ``PROVIDER:VARIANT``."""
    raise NotImplementedError
