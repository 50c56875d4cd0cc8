"""Stands for the embedder of a memory that is not installed here: the memory opens, and recalls by words alone."""

from collections.abc import Sequence
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderUnavailable, HmemError
from hmem.language.embed.base import Calibration, Embedder


class AbsentEmbedder(Embedder):
    """An embedder by its name and fingerprint, which makes no vectors.

    Vectors that the memory holds stay as they are. A turn that is added gets its own once the embedder is back and
    ``hmem rebuild`` has run.
    """

    def __init__(self, name: str, fingerprint: str, why: HmemError) -> None:
        """Take what the memory keeps of it, and the error with which loading it failed."""
        self._name = name
        self._fingerprint = fingerprint
        self._why = why

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
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise EmbedderUnavailable(
            f"the memory's embedder {self._name!r} is not installed here ({self._why}) - install it, or go over to the "
            "default with `hmem reembed --embedder minilm`; until then recall is by words"
        ) from self._why
