"""Analysts that ask a language model. Their packages are imported only when one is named."""

from importlib import import_module
from typing import TYPE_CHECKING

from hmem.errors import ExtraMissing

if TYPE_CHECKING:
    from hmem.language.analyst.model.analyst import ModelAnalyst


def openai(variant: str) -> "ModelAnalyst":
    """The analyst ``openai:NAME`` or, for any server that speaks its protocol, ``openai:NAME@BASE_URL``."""
    return _loaded("openai", variant)


def anthropic(variant: str) -> "ModelAnalyst":
    """The analyst ``anthropic:NAME``."""
    return _loaded("anthropic", variant)


def ollama(variant: str) -> "ModelAnalyst":
    """The analyst ``ollama:NAME`` on this machine, or ``ollama:NAME@BASE_URL``."""
    return _loaded("ollama", variant)


def _loaded(provider: str, variant: str) -> "ModelAnalyst":
    try:
        module = import_module("hmem.language.analyst.model.analyst")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "hmem":
            raise
        raise ExtraMissing(f"language models need {error.name} - run `pip install 'hmem[model]'`") from error
    return module.load(provider, variant)
