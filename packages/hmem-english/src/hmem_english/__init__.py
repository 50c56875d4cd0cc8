"""A small English pipeline for spaCy in Universal Dependencies: parts of speech, features, dependency trees; lemmas.

Trained on the English Web Treebank (CC BY-SA 4.0), and on copies of it that look like talk; see README.md. spaCy is
imported when the pipeline is loaded.
"""

import gzip
import json
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language

__all__ = ["lemmas", "load"]

_HERE = Path(__file__).parent


def load(**overrides: Any) -> "Language":
    """Return the pipeline; ``overrides`` are those of ``spacy.load``."""
    return import_module("spacy.util").load_model_from_path(_HERE / "pipeline", **overrides)


@lru_cache(maxsize=1)
def lemmas() -> dict[str, dict[str, str]]:
    """Return the lemmas of inflected forms in small letters, by part of speech: ``verb``, ``noun`` and ``adj``.

    A form that is not there is its own lemma. From spacy-lookups-data (MIT).
    """
    with gzip.open(_HERE / "lemmas.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)
