"""Analysts with a language model: ``openai:NAME``, ``anthropic:NAME``, ``ollama:NAME``, optionally with ``@BASE_URL``.

The base URL may be any server that speaks the provider's protocol. Client packages are imported only when one is named.
``recorded:FILE`` answers from what a model said earlier, and needs none of them.
"""

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from hmem.errors import ExtraMissing

if TYPE_CHECKING:
    from hmem.language.llm.model import ModelAnalyst


def _loaded(provider: str, variant: str) -> "ModelAnalyst":
    try:
        module = import_module("hmem.language.llm.model")
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "hmem":
            raise
        raise ExtraMissing(f"language models need {error.name} - run `pip install 'hmem[model]'`") from error
    return module.load(provider, variant)


openai, anthropic, ollama = (partial(_loaded, provider) for provider in ("openai", "anthropic", "ollama"))
recorded = partial(_loaded, "recorded")
