"""Analysts, chosen by a string: ``NAME`` or ``NAME:VARIANT``.

Ours are found by the same entry points, group ``hmem.analysts``, as anybody else's.
"""

from functools import lru_cache
from importlib.metadata import entry_points
from typing import Final

from hmem.errors import UnknownName
from hmem.language.analyst.base import (
    SLIPS,
    Analyst,
    Claim,
    Cues,
    Curation,
    Extraction,
    Labels,
    Line,
    Naming,
    Passage,
    PersonaText,
    ProfileText,
    Statement,
    Subject,
    Tie,
)

__all__ = [
    "Analyst",
    "Claim",
    "Cues",
    "Curation",
    "DEFAULT",
    "Extraction",
    "Labels",
    "Line",
    "Naming",
    "Passage",
    "PersonaText",
    "ProfileText",
    "SLIPS",
    "Statement",
    "Subject",
    "Tie",
    "analyst",
    "analyst_names",
]

DEFAULT: Final = "rules"
_GROUP: Final = "hmem.analysts"


@lru_cache(maxsize=8)
def analyst(name: str) -> Analyst:
    """The analyst that the string names, loaded once for the process.

    Raises:
        UnknownName: no installed package offers it, or it has no such variant.
    """
    base, _, variant = name.partition(":")
    for entry in entry_points(group=_GROUP, name=base):
        return entry.load()(variant)
    raise UnknownName(f"no analyst is called {base!r} - choose one of: {', '.join(analyst_names())}")


def analyst_names() -> list[str]:
    """The names that installed packages offer."""
    return sorted({entry.name for entry in entry_points(group=_GROUP)})
