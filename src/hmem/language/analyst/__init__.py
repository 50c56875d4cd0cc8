"""Analysts, chosen by a string: ``NAME`` or ``NAME:VARIANT``.

Built-in and third-party analysts use the same entry points, group ``hmem.analysts``.
"""

from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import (
    SLIPS,
    Analyst,
    AttributedText,
    Claim,
    Coverage,
    Cues,
    Curation,
    Excerpt,
    Extraction,
    Labels,
    Naming,
    Passage,
    PersonaText,
    ProfileText,
    Relation,
    Stated,
    Statement,
    Subject,
    Tie,
    Verdict,
)
from hmem.language.analyst.lexicon import Lexicon, TextPiece
from hmem.language.plugins import offered, offers

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
    "SLIPS",
    "Stated",
    "Statement",
    "Subject",
    "TextPiece",
    "Tie",
    "AttributedText",
    "Verdict",
    "analyst",
    "analyst_names",
]

DEFAULT: Final = "verbatim"
_GROUP: Final = "hmem.analysts"


@lru_cache(maxsize=8)
def analyst(name: str) -> Analyst:
    """Return the analyst that the string names, loaded once per process.

    Raises:
        UnknownName: no installed package offers it, or it has no such variant.
    """
    return offered(_GROUP, "analyst", name)


def analyst_names() -> list[str]:
    """Return the names that installed packages offer."""
    return offers(_GROUP)
