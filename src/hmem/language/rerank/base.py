"""The contract of a reranker: it reads a question together with each text, which costs more than comparing vectors."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hmem.errors import RerankerUnavailable
from hmem.language.faults import FAULTS, in_words


class Reranker(ABC):
    """Scores texts against a question. Safe to call from several threads.

    ``faults`` are what it may raise beside ``RerankerUnavailable`` while it runs a model; they count as that.
    """

    faults: tuple[type[Exception], ...] = FAULTS

    @property
    @abstractmethod
    def name(self) -> str:
        """The string that names it, such as ``cross-encoder`` or ``cross-encoder:MODEL``."""

    @abstractmethod
    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """A finite score for each text, shape (len(texts),): the higher, the better it answers the question.

        The same question and text always get the same score, whatever other texts there are.

        Raises:
            RerankerUnavailable: the scores cannot be had now.
        """

    def ranked(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """The scores, looked at: one for each text, all finite.

        Raises:
            RerankerUnavailable: the scores cannot be had now, whatever its model raised or gave instead.
        """
        try:
            scores = np.asarray(self.score(question, texts), np.float32)
        except self.faults as error:
            raise RerankerUnavailable(
                f"{self.name} failed ({in_words(error)}) - "
                "try a smaller `read.rerank_depth`, or leave `read.rerank` empty"
            ) from error
        if scores.shape != (len(texts),):
            raise RerankerUnavailable(f"{self.name} does not give one score a text - choose a model that ranks")
        if not np.isfinite(scores).all():
            raise RerankerUnavailable(f"{self.name} gives scores that are no numbers - choose another model")
        return scores
