"""Rerankers, chosen by a string: ``NAME`` or ``NAME:VARIANT``.

Built-in and third-party rerankers use the same entry points, group ``hmem.rerankers``. By default none is used.
"""

from functools import lru_cache
from typing import Final

from hmem.language.plugins import offered, offers
from hmem.language.rerank.base import Reranker

__all__ = ["Reranker", "reranker", "reranker_names"]

_GROUP: Final = "hmem.rerankers"


@lru_cache(maxsize=8)
def reranker(name: str) -> Reranker:
    """Return the reranker that the string names, loaded once per process.

    Raises:
        UnknownName: no installed package offers it.
        ExtraMissing: it comes with an extra that is not installed.
        RerankerUnavailable: it is known but its model cannot be loaded.
    """
    return offered(_GROUP, "reranker", name)


def reranker_names() -> list[str]:
    """Return the names that installed packages offer."""
    return offers(_GROUP)
