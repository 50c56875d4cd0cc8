"""The vector index: FAISS, over unit vectors, by the inner product, which is their cosine.

A vector is known by its row, the order in which it was added. Three forms, by size:

- to ``EXACT``: as floats, exact;
- to ``COARSE_ABOVE``: one byte a component, searched exhaustively (by squared distance between bytes, which
  FAISS computes in integers, twice as fast as its byte forms for inner products);
- beyond: four bits for two components, scanned fast, and the best ``RESCORED`` scored again by their bytes.
"""

from pathlib import Path
from typing import Any, Final

import faiss
import numpy as np
from numpy.typing import NDArray

from hmem.errors import IndexDamaged, IndexWriteFailed

EXACT: Final = 4_096
COARSE_ABOVE: Final = 50_000
RESCORED: Final = 1_000

# How far beyond the greatest component seen in training the byte form reaches.
_MARGIN: Final = 1.2
_MIDDLE: Final = 128.0
_TRAINED_ON: Final = 65_536
_PIECE: Final = 65_536

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]


class VectorIndex:
    """Unit vectors of one dimension, in memory; ``save`` and ``load`` keep them in files."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        # FAISS ships no types.
        self._codes: Any = faiss.IndexFlatIP(dimension)
        self._coarse: Any = None
        self._scale: float | None = None  # bytes a unit, in the byte form
        self._trained = 0

    def __len__(self) -> int:
        return self._codes.ntotal

    def add(self, vectors: Vectors) -> None:
        """Append rows of shape (n, dimension); a row of zeros is like nothing."""
        rows = np.ascontiguousarray(vectors, np.float32)
        total = len(self) + len(rows)
        if total > EXACT and total >= 2 * self._trained:
            self._rebuild(np.arange(len(self)), rows)
        else:
            self._append(rows)

    def _append(self, rows: Vectors) -> None:
        self._codes.add(self._to_codes(rows))
        if self._coarse is not None:
            self._coarse.add(rows)

    def _to_codes(self, vectors: Vectors) -> Vectors:
        if self._scale is None:
            return vectors
        return np.clip(np.rint(vectors * np.float32(self._scale)) + np.float32(_MIDDLE), 0, 255)

    def _rebuild(self, kept: Rows, more: Vectors) -> None:
        """Choose the form for these rows and more vectors and train it on them, so that it keeps up with drift.

        Done when the number has doubled, which costs each vector a constant in the long run, and a piece at a
        time, since all vectors as floats would be several times the index.
        """
        step = max(1, (len(kept) + len(more)) // _TRAINED_ON)
        made = VectorIndex(self._dimension)
        made._train(np.concatenate([self.reconstruct(kept[::step]), more[::step]]), len(kept) + len(more))
        for start in range(0, len(kept), _PIECE):
            made._append(self.reconstruct(kept[start : start + _PIECE]))
        made._append(more)
        self._codes, self._coarse, self._scale, self._trained = made._codes, made._coarse, made._scale, made._trained

    def _train(self, sample: Vectors, total: int) -> None:
        if total <= EXACT:
            return
        self._trained = total
        greatest = max(float(np.abs(sample).max()), 1e-6)
        self._scale = 127.0 / min(greatest * _MARGIN, 1.0)
        self._codes = faiss.IndexScalarQuantizer(self._dimension, faiss.ScalarQuantizer.QT_8bit_direct, faiss.METRIC_L2)
        if total > COARSE_ABOVE:
            self._coarse = faiss.IndexPQFastScan(self._dimension, self._dimension // 2, 4, faiss.METRIC_INNER_PRODUCT)
            self._coarse.train(sample)

    def search(self, query: Vectors, k: int) -> tuple[Rows, Vectors]:
        """The rows most like a unit vector of shape (dimension,), best first, and their cosines."""
        if not len(self):
            return np.empty(0, np.int64), np.empty(0, np.float32)
        k = min(k, len(self))
        if self._scale is None:
            cosines, rows = self._codes.search(query[None, :], k)
            return rows[0], cosines[0]
        if self._coarse is None:
            _, rough = self._codes.search(self._to_codes(query[None, :]), k)
        else:
            _, rough = self._coarse.search(query[None, :], max(RESCORED, 2 * k))
        rows = np.sort(rough[0][rough[0] >= 0])
        cosines = self.cosines(query, rows)
        best = np.argsort(-cosines, kind="stable")[:k]
        return rows[best], cosines[best]

    def cosines(self, query: Vectors, rows: Rows) -> Vectors:
        """The cosine of a unit vector with each of the rows."""
        if self._scale is None:
            return self.reconstruct(rows) @ query
        codes = self._bytes()[rows].astype(np.float32)
        return (codes @ query - np.float32(_MIDDLE) * query.sum()) / np.float32(self._scale)

    def _bytes(self) -> NDArray[np.uint8]:
        """The byte form as it lies in FAISS, not copied: good until the next ``add``."""
        data = faiss.rev_swig_ptr(self._codes.codes.data(), len(self) * self._dimension)
        return data.reshape(len(self), self._dimension)

    def all_cosines(self, query: Vectors) -> Vectors:
        """The cosine of a unit vector with every row."""
        if self._scale is not None:
            return self.cosines(query, np.arange(len(self)))
        floats = faiss.rev_swig_ptr(self._codes.get_xb(), len(self) * self._dimension)
        return floats.reshape(len(self), self._dimension) @ query

    def reconstruct(self, rows: Rows) -> Vectors:
        """The vectors of these rows, shape (n, dimension), as true as the form keeps them."""
        if not len(rows):
            return np.empty((0, self._dimension), np.float32)
        if self._scale is None:
            return self._codes.reconstruct_batch(np.ascontiguousarray(rows, np.int64))
        return (self._bytes()[rows].astype(np.float32) - np.float32(_MIDDLE)) / np.float32(self._scale)

    def keep(self, rows: Rows) -> None:
        """Drop all other rows; what remains is renumbered in order."""
        self._rebuild(rows, np.empty((0, self._dimension), np.float32))

    def save(self, folder: Path, name: str) -> float:
        """Write it to files of this name; what is returned must be handed to ``load``.

        Raises:
            IndexWriteFailed: the disk is full or refuses.
        """
        try:
            faiss.write_index(self._codes, str(folder / f"{name}.codes"))
            if self._coarse is not None:
                faiss.write_index(self._coarse, str(folder / f"{name}.coarse"))
            return self._scale or 0.0
        except RuntimeError as error:
            raise IndexWriteFailed(f"{folder} cannot be written ({error}) - free some space") from error

    @classmethod
    def load(cls, folder: Path, name: str, dimension: int, scale: float) -> "VectorIndex":
        """Read it back.

        Raises:
            IndexDamaged: the files are missing, truncated or of another dimension.
        """
        index = cls(dimension)
        try:
            index._codes = faiss.read_index(str(folder / f"{name}.codes"))
            if (folder / f"{name}.coarse").exists():
                index._coarse = faiss.read_index(str(folder / f"{name}.coarse"))
        except RuntimeError as error:
            raise IndexDamaged(f"{folder} cannot be read as an index ({error}) - run `hmem rebuild`") from error
        if index._codes.d != dimension or (index._coarse is not None and index._coarse.ntotal != len(index)):
            raise IndexDamaged(f"{folder} holds vectors of another dimension - run `hmem rebuild`")
        index._scale = scale or None
        index._trained = len(index) if index._scale else 0
        return index
