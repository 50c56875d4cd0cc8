"""Analysts, chosen by a string: ``NAME`` or ``NAME:VARIANT``.

Built-in and third-party analysts use the same entry points, group ``hmem.analysts``.
"""

from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import (
    Analyst,
    AttributedText,
    Claim,
    Coverage,
    Cues,
    Curation,
    DatedClaim,
    Excerpt,
    Extraction,
    Labels,
    Naming,
    Passage,
    PersonaText,
    ProfileText,
    Relation,
    Statement,
    Subject,
    Tie,
    Verdict,
)
from hmem.language.analyst.lexicon import Lexicon
from hmem.language.plugins import load_plugin, offers

__all__ = [
    "Analyst",
    "Claim",
    "Coverage",
    "Cues",
    "Curation",
    "DEFAULT",
    "Extraction",
    "Labels",
    "Lexicon",
    "Excerpt",
    "Naming",
    "Passage",
    "PersonaText",
    "ProfileText",
    "Relation",
    "DatedClaim",
    "Statement",
    "Subject",
    "Tie",
    "AttributedText",
    "Verdict",
    "analyst",
    "analyst_names",
]

DEFAULT: Final = "verbatim"
# Analysts of earlier versions, which open as the default one: rules over a parser, and the same over other pipelines.
_FORMER: Final = ("rules", "spacy")
_GROUP: Final = "hmem.analysts"


def analyst(name: str) -> Analyst:
    """Return the analyst that the string names, loaded once per process; for one of earlier versions the default.

    Raises:
        UnknownName: no installed package offers it, or it has no such variant.
    """
    return _loaded(DEFAULT if name.partition(":")[0] in _FORMER else name)


@lru_cache(maxsize=8)
def _loaded(name: str) -> Analyst:
    return load_plugin(_GROUP, "analyst", name)


def analyst_names() -> list[str]:
    """Return the names that installed packages offer."""
    return offers(_GROUP)
