"""Embedders, chosen by a string: ``NAME`` or ``NAME:VARIANT``.

Built-in and third-party embedders use the same entry points, group ``hmem.embedders``.
"""

from functools import lru_cache
from typing import Final

from hmem.language.embed.base import Calibration, Embedder
from hmem.language.plugins import offered, offers

__all__ = ["Calibration", "DEFAULT", "Embedder", "embedder", "embedder_names"]

DEFAULT: Final = "wordllama"
_GROUP: Final = "hmem.embedders"


@lru_cache(maxsize=8)
def embedder(name: str) -> Embedder:
    """Return the embedder that the string names, loaded once per process.

    Raises:
        UnknownName: no installed package offers it.
        EmbedderUnavailable: it is known but cannot be loaded.
    """
    return offered(_GROUP, "embedder", name)


def embedder_names() -> list[str]:
    """Return the names that installed packages offer."""
    return offers(_GROUP)
