"""The contract of a reranker: it reads a question together with each text, which costs more than comparing vectors."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Reranker(ABC):
    """Scores texts against a question. Safe to call from several threads."""

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
