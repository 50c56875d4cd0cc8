"""A small English pipeline for spaCy in Universal Dependencies: parts of speech, features, lemmas, dependency trees.

Trained on the English Web Treebank (CC BY-SA 4.0), and on copies of it that look like talk; see README.md.
"""

from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.util import load_model_from_path

__all__ = ["load"]

_PIPELINE = Path(__file__).parent / "pipeline"


def load(**overrides: Any) -> Language:
    """Return the pipeline; ``overrides`` are those of ``spacy.load``."""
    return load_model_from_path(_PIPELINE, **overrides)
