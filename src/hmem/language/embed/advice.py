"""Embedders that cannot read: one that is not installed here, and those that do not know a language; and what to do.

A memory whose embedder is not installed opens, and recalls by words alone.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderUnavailable, HmemError
from hmem.language.detect import DEFAULT
from hmem.language.embed.base import Calibration, Embedder

# Built-in embedders that were trained on English.
_ENGLISH: Final = frozenset({"minilm", "wordllama"})


class AbsentEmbedder(Embedder):
    """An embedder by its name and fingerprint, which makes no vectors.

    Vectors that the memory holds stay as they are. A turn that is added gets its own once the embedder is back and
    ``hmem rebuild`` has run.
    """

    def __init__(self, name: str, fingerprint: str, error: HmemError) -> None:
        """Take what the memory keeps of it, and the error with which loading it failed."""
        self._name = name
        self._fingerprint = fingerprint
        self._error = error

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> str:
        return ""

    @property
    def calibration(self) -> Calibration:
        return Calibration()

    @cached_property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimension(self) -> int:
        return int(self._fingerprint.rsplit("/", 2)[1])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:  # noqa: ARG002 - the interface's
        """Raise EmbedderUnavailable, with both ways on: installing it, or going over to another embedder."""
        raise EmbedderUnavailable(
            f"the memory's embedder {self._name!r} is not installed here ({self._error}) - install it, or go over to "
            "the default with `hmem reembed --embedder minilm`; until then recall is by words"
        ) from self._error


def unread_languages(embedder: str, languages: Iterable[str]) -> list[str]:
    """Return which languages an embedder does not know, by its name and their codes (ISO 639), in their order.

    Of embedders that are not built in nothing is known, so none is returned.
    """
    if embedder.partition(":")[0] not in _ENGLISH:
        return []
    return list(dict.fromkeys(code for code in languages if code and code != DEFAULT))


def advice(embedder: str, languages: Iterable[str]) -> str | None:
    """Return what to do about languages that an embedder does not know; None if it knows them, or may."""
    unsupported = unread_languages(embedder, languages)
    if not unsupported:
        return None
    return (
        f"{embedder} knows English, and there are turns in other languages ({', '.join(unsupported)}), which are found "
        "by their words more than by their meaning - "
        "run `pip install 'hmem[multilingual]'`, then `hmem reembed --embedder multilingual`"
    )
