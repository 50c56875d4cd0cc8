"""The analyst that has a model: the rules by itself, with the model beside them for whoever asks it."""

from importlib.util import find_spec
from typing import Final

from hmem.errors import ExtraMissing
from hmem.language.analyst.model.caller import Caller
from hmem.language.analyst.model.endpoint import call_settings, endpoint
from hmem.language.analyst.model.model import LanguageModel
from hmem.language.analyst.model.provider import ProviderChannel
from hmem.language.english.analyst import RulesAnalyst

# What the first call imports, besides Pydantic AI.
_CLIENTS: Final = {"anthropic": "anthropic", "ollama": "openai", "openai": "openai"}


class ModelAnalyst(RulesAnalyst):
    """The rules in every method, since formation never waits for a model; ``model`` is what reads and writes later.

    So ``made_by`` is that of the rules, which make what it gives; what the model makes says ``model.made_by``.
    """

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    def __repr__(self) -> str:
        return f"ModelAnalyst({self.model.made_by})"


def load(provider: str, variant: str) -> ModelAnalyst:
    """The analyst ``PROVIDER:VARIANT``. Nothing is asked yet, nor is a key looked for.

    Raises:
        ExtraMissing: the packages that ask a model are not installed.
        UnknownName: the variant names no model, or its address cannot be used.
        InvalidQuery: a setting in the environment is no number.
    """
    for package in ("pydantic_ai", _CLIENTS[provider]):
        if find_spec(package) is None:
            raise ExtraMissing(f"language models need {package} - run `pip install 'hmem[model]'`")
    return ModelAnalyst(LanguageModel(Caller(ProviderChannel(endpoint(provider, variant), call_settings()))))
