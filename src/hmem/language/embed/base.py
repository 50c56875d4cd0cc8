"""The contract of an embedder: a name, a dimension, a batch method, a calibration, a fingerprint."""

import hashlib
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

PROBE: Final = "Maria adopted a puppy named Coco two weeks ago."


@dataclass(frozen=True, slots=True)
class Calibration:
    """A monotone map of an embedder's raw cosine onto the common scale of similarity.

    ``points`` are (raw cosine, common similarity) pairs that rise in both; between them the map is linear,
    outside it runs straight to (-1, -1) and (1, 1). On the common scale unrelated texts lie below 0.3 (so a
    distance of 0.7 is a change of topic), nine in ten texts that say the same in other words above 0.7, half
    of those above 0.85, and 1 is the same text. So the papers' thresholds keep their meaning with every embedder.
    """

    points: tuple[tuple[float, float], ...] = ()

    def __call__(self, cosine: float) -> float:
        points = ((-1.0, -1.0), *self.points, (1.0, 1.0))
        clipped = min(max(cosine, -1.0), 1.0)
        right = min(max(bisect_right([raw for raw, _ in points], clipped), 1), len(points) - 1)
        (x0, y0), (x1, y1) = points[right - 1], points[right]
        return y0 + (y1 - y0) * (clipped - x0) / (x1 - x0)


class Embedder(ABC):
    """Turns texts into unit vectors. Safe to call from several threads."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The string that names it, such as ``wordllama`` or ``wordllama:128``."""

    @property
    @abstractmethod
    def version(self) -> str:
        """The version of what computes the vectors; another version may compute others."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The length of a vector."""

    @property
    @abstractmethod
    def calibration(self) -> Calibration:
        """How its cosines map onto the common scale."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit rows of shape (len(texts), dimension); a text without any token gives a row of zeros.

        Raises:
            EmbedderUnavailable: the vectors cannot be had now.
        """

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same for texts that are looked for with, where the model embeds questions otherwise than what answers
        them.

        Raises:
            EmbedderUnavailable: the vectors cannot be had now.
        """
        return self.embed(texts)

    @cached_property
    def fingerprint(self) -> str:
        """Name, dimension and a digest of a probe's vector: equal just when vectors may be compared.

        The probe is rounded to two decimals first, so that another processor's last bits do not matter.
        """
        rounded = np.rint(self.embed([PROBE])[0] * 100).astype("<i2")
        return f"{self.name}/{self.dimension}/{hashlib.sha256(rounded.tobytes()).hexdigest()[:12]}"
