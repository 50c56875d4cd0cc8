"""Rerankers, chosen by a string: ``NAME`` or ``NAME:VARIANT``.

A reranker reads a question together with each text, which costs more than comparing vectors. Built-in and third-party
ones use the same entry points, group ``hmem.rerankers``. By default none is used.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import RerankerUnavailable
from hmem.language.containment import FAULTS, in_words
from hmem.language.plugins import load_plugin, offers

__all__ = ["Reranker", "reranker", "reranker_names"]

_GROUP: Final = "hmem.rerankers"


class Reranker(ABC):
    """Scores texts against a question. Safe to call from several threads.

    ``faults`` are errors of its model that count as ``RerankerUnavailable``.
    """

    faults: tuple[type[Exception], ...] = FAULTS

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the reranker, such as ``cross-encoder`` or ``cross-encoder:MODEL``."""

    @abstractmethod
    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a finite score for each text, shape (len(texts),): higher is a better answer to the question.

        The score of a question and a text does not depend on the other texts.

        Raises:
            RerankerUnavailable: the scores cannot be had now.
        """

    def checked_scores(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return validated scores: one for each text, all finite.

        Raises:
            RerankerUnavailable: the model failed or gave invalid scores.
        """
        try:
            scores = np.asarray(self.score(question, texts), np.float32)
        except self.faults as error:
            raise RerankerUnavailable(
                f"{self.name} failed ({in_words(error)}) - "
                "try a smaller `retrieval.rerank_depth`, or leave `retrieval.rerank` empty"
            ) from error
        if scores.shape != (len(texts),):
            raise RerankerUnavailable(f"{self.name} does not give one score a text - choose a model that ranks")
        if not np.isfinite(scores).all():
            raise RerankerUnavailable(f"{self.name} gives scores that are no numbers - choose another model")
        return scores


@lru_cache(maxsize=8)
def reranker(name: str) -> Reranker:
    """Return the reranker that the string names, loaded once per process.

    Raises:
        UnknownName: no installed package offers it.
        ExtraMissing: it comes with an extra that is not installed.
        RerankerUnavailable: it is known but its model cannot be loaded.
    """
    return load_plugin(_GROUP, "reranker", name)


def reranker_names() -> list[str]:
    """Return the names that installed packages offer."""
    return offers(_GROUP)
