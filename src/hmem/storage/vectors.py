"""Storage of the turns' vectors, in generations.

A **generation** is one embedder's vectors. A new embedder fills the next generation while the present one is in use,
and one transaction switches over.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from hmem.storage.turns import StoredTurn

# Setting with the number of the present generation of vectors.
GENERATION: Final = "vectors.generation"

Vectors = NDArray[np.float32]


class VectorCodes(NamedTuple):
    """Vectors as ``hmem.model.vector.to_bytes`` makes them, a row for each of the ascending sequence numbers."""

    seqs: NDArray[np.int64]
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]


class VectorStore(ABC):
    """Vectors by generation and sequence number, deleted with their turns."""

    @abstractmethod
    def vectors(self, seqs: Sequence[int], generation: int, dimension: int) -> tuple[NDArray[np.int64], Vectors]:
        """Return the sequence numbers that have a vector in this generation, ascending, and their unit rows.

        Rows keep at least 8 bits of each component.
        """

    @abstractmethod
    def without_vector(self, generation: int, limit: int) -> "list[StoredTurn]":
        """Return turns that have no vector in this generation, oldest first, at most ``limit``.

        Raises:
            InputError: the limit is negative.
        """

    @abstractmethod
    def put_vectors(self, seqs: Sequence[int], vectors: Vectors, generation: int) -> None:
        """Store the vectors of kept turns in a generation; turns that are gone are skipped."""

    @abstractmethod
    def switch_generation(self, generation: int, settings: Mapping[str, str | None]) -> bool:
        """Make a complete generation the present one, with its settings, and drop all others. This is a change.

        Return False, without writing, if a turn lacks its vector in it.
        """
