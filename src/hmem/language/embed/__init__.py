"""Embedders, chosen by a string: ``NAME`` or ``NAME:VARIANT``.

Built-in and third-party embedders use the same entry points, group ``hmem.embedders``.
"""

import os
from functools import lru_cache
from typing import Final

from hmem.language.embed.base import Calibration, Embedder
from hmem.language.plugins import load_plugin, offers

__all__ = ["Calibration", "DEFAULT", "Embedder", "default_embedder", "embedder", "embedder_names"]

DEFAULT: Final = "minilm"
_GROUP: Final = "hmem.embedders"


def default_embedder() -> str:
    """Return the embedder of new memories: that of the environment variable ``HMEM_EMBEDDER``, or ``DEFAULT``."""
    return os.environ.get("HMEM_EMBEDDER") or DEFAULT


@lru_cache(maxsize=8)
def embedder(name: str) -> Embedder:
    """Return the embedder that the string names, loaded once per process.

    Raises:
        UnknownName: no installed package offers it.
        EmbedderUnavailable: it is known but cannot be loaded.
    """
    return load_plugin(_GROUP, "embedder", name)


def embedder_names() -> list[str]:
    """Return the names that installed packages offer."""
    return offers(_GROUP)
