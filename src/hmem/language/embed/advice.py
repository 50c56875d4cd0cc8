"""Advice to take another embedder: for texts in a language that the memory's embedder does not know."""

from collections.abc import Iterable
from typing import Final

from hmem.language.detect import DEFAULT

# Built-in embedders that were trained on English.
_ENGLISH: Final = frozenset({"minilm", "wordllama"})


def unread_languages(embedder: str, languages: Iterable[str]) -> list[str]:
    """Return which languages an embedder does not know, by its name and their codes (ISO 639), in their order.

    Of embedders that are not built in nothing is known, so none is returned.
    """
    if embedder.partition(":")[0] not in _ENGLISH:
        return []
    return list(dict.fromkeys(each for each in languages if each and each != DEFAULT))


def advice(embedder: str, languages: Iterable[str]) -> str | None:
    """Return what to do about languages that an embedder does not know; None if it knows them, or may."""
    unread = unread_languages(embedder, languages)
    if not unread:
        return None
    return (
        f"{embedder} knows English, and there are turns in other languages ({', '.join(unread)}), which are found by "
        "their words more than by their meaning - "
        "run `pip install 'hmem[multilingual]'`, then `hmem reembed --embedder multilingual`"
    )
