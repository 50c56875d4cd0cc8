"""Embedders, chosen by a string: ``NAME`` or ``NAME:VARIANT``.

Ours are found by the same entry points, group ``hmem.embedders``, as anybody else's.
"""

from functools import lru_cache
from importlib.metadata import entry_points
from typing import Final

from hmem.errors import UnknownName
from hmem.language.embed.base import Calibration, Embedder

__all__ = ["Calibration", "DEFAULT", "Embedder", "embedder", "embedder_names"]

DEFAULT: Final = "wordllama"
_GROUP: Final = "hmem.embedders"


@lru_cache(maxsize=8)
def embedder(name: str) -> Embedder:
    """The embedder that the string names, loaded once for the process.

    Raises:
        UnknownName: no installed package offers it.
        EmbedderUnavailable: it is known but cannot be loaded.
    """
    base, _, variant = name.partition(":")
    for entry in entry_points(group=_GROUP, name=base):
        return entry.load()(variant)
    raise UnknownName(f"no embedder is called {base!r} - choose one of: {', '.join(embedder_names())}")


def embedder_names() -> list[str]:
    """The names that installed packages offer."""
    return sorted({entry.name for entry in entry_points(group=_GROUP)})
