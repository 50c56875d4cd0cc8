"""Vector index over unit vectors, by the inner product, which is their cosine.

A vector is known by its row, the order in which it was added, and kept as bytes with a scale of its own. Those bytes
are the storage's, and come from there when the index is loaded. It is searched in one of these forms, by the number of
vectors:

- to ``EXACT``: its own bytes, each a float, which are all scored;
- to ``COARSE_ABOVE``: by FAISS, one byte a component on one scale for all, searched exhaustively (by squared distance
  between bytes, which FAISS computes in integers, faster than its byte forms for inner products);
- beyond: by FAISS, four bits for two components, scanned fast.

The last two return more rows than asked for, which are scored again by their own bytes. They are trained on the first
rows, as many as the last doubling of ``EXACT``, so that they do not depend on the batches in which the rows came. FAISS
comes with ``hmem[faiss]``; without it all bytes are scored, which is slower (docs/decisions/0064-core-install.md).

A cosine is computed in integers: those of the bytes, and the query's of fifteen bits in two parts, whose products a
float holds exactly up to 1,032 dimensions. So it does not depend on the order of additions, which a library of linear
algebra chooses by the number of rows.
"""

from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hmem.errors import IndexDamaged, IndexWriteFailed
from hmem.model.vector import from_bytes, to_bytes

EXACT: Final = 4_096
COARSE_ABOVE: Final = 16_384
RESCORED: Final = 500

# Factor by which the common scale exceeds the greatest component seen in training.
_MARGIN: Final = 1.2
_MIDDLE: Final = np.float32(128)
_TRAINED_ON: Final = 65_536
_ROWS_AT_ONCE: Final = 8_192
_FIRST: Final = 1_024
# The query's components are so many steps at most, in parts of 128.
_STEPS: Final = 16_383
_RADIX: Final = 128
# Bytes are turned into floats so many rows at a time, which fit into a processor's cache.
_SCANNED_AT_ONCE: Final = 2_048

# A search among at most this many rows scans them; one among more searches all rows deeper, if that is less work:
# FAISS reads so many rows while one is taken out and scored.
_SCANNED: Final = 1_024
_DEEPER: Final = 2
_READ_AT_ONCE: Final = 16

Vectors = NDArray[np.float32]
Codes = NDArray[np.int8]
Rows = NDArray[np.int64]


@cache
def _faiss() -> Any:
    """Return the module of FAISS, which has no types, or None if it is not installed or cannot be loaded.

    Small memories never ask for it: it takes longer to load than they take to search.
    """
    try:
        return import_module("faiss")
    except ImportError:
        return None


class VectorIndex:
    """Unit vectors of one dimension, in memory; ``save`` and ``load`` keep the form that is searched in files."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._codes = np.zeros((_FIRST, dimension), np.int8)
        self._scales = np.zeros(_FIRST, np.float32)
        self._length = 0
        # The bytes of all vectors as floats, with room for more, up to ``EXACT`` of them.
        self._floats = np.zeros((0, dimension), np.float32)
        # FAISS's searcher beyond that, if it is installed.
        self._searcher: Any = None
        self._common_scale = 0.0  # bytes a unit in FAISS's byte form, else 0
        self._trained = 0  # vectors that the form was chosen for, 0 for floats

    def __len__(self) -> int:
        return self._length

    def __sizeof__(self) -> int:
        """Return the bytes of the searcher too, which lie outside of Python."""
        searcher_bytes = 0 if self._searcher is None else self._length * self._searcher.sa_code_size()
        return object.__sizeof__(self) + searcher_bytes

    def add(self, vectors: Vectors) -> None:
        """Append rows of shape (n, dimension); a row of zeros has cosine 0 with everything."""
        rows = np.ascontiguousarray(vectors, np.float32)
        start, self._length = self._length, self._length + len(rows)
        self._make_room()
        self._codes[start : self._length], self._scales[start : self._length] = to_bytes(rows)
        if _training_rows(self._length) != self._trained:
            self._train()
        elif not self._trained:
            self._floats = _with_room(self._floats, self._length)
            self._floats[start : self._length] = self._codes[start : self._length]
        elif self._searcher is not None:
            self._searcher.add(self._searchable(rows))

    def _make_room(self) -> None:
        self._codes, self._scales = _with_room(self._codes, self._length), _with_room(self._scales, self._length)

    def _searchable(self, vectors: Vectors) -> Vectors:
        """Return vectors in the form that the searcher takes."""
        if not self._common_scale:
            return vectors
        return np.clip(np.rint(vectors * np.float32(self._common_scale)) + _MIDDLE, 0, 255)

    def _train(self) -> None:
        """Choose the form for this many vectors, and train FAISS's searcher on them, so that it keeps up with drift.

        This happens whenever the number has doubled, which costs each vector a constant in the long run, and a piece at
        a time, since all vectors as floats would be several times the size of the index.
        """
        self._trained, self._common_scale, self._searcher = _training_rows(self._length), 0.0, None
        if not self._trained:
            self._floats = self._codes[: self._length].astype(np.float32)
            return
        self._floats = self._floats[:0].copy()
        if (faiss := _faiss()) is None:
            return
        if self._trained < COARSE_ABOVE:
            greatest = float(self._scales[: self._trained].max()) * 127
            self._common_scale = 127.0 / min(max(greatest * _MARGIN, 1e-6), 1.0)
            self._searcher = self._byte_searcher(faiss)
        else:
            self._searcher = faiss.IndexPQFastScan(self._dimension, self._dimension // 2, 4, faiss.METRIC_INNER_PRODUCT)
            step = max(1, self._trained // _TRAINED_ON)
            self._searcher.train(self.reconstruct(np.arange(0, self._trained, step)))
        self._fill_searcher()

    def _byte_searcher(self, faiss: Any) -> Any:
        return faiss.IndexScalarQuantizer(self._dimension, faiss.ScalarQuantizer.QT_8bit_direct, faiss.METRIC_L2)

    def _fill_searcher(self) -> None:
        for start in range(0, self._length, _ROWS_AT_ONCE):
            batch = self.reconstruct(np.arange(start, min(start + _ROWS_AT_ONCE, self._length)))
            self._searcher.add(self._searchable(batch))

    def search(self, query: Vectors, k: int) -> tuple[Rows, Vectors]:
        """Return the rows nearest to a unit vector of shape (dimension,), best first, and their cosines."""
        if not self._length:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        k = min(k, self._length)
        rows = self._candidates(query, k)
        cosines = self.cosines(query, rows)
        best = np.argsort(-cosines, kind="stable")[:k]
        return rows[best], cosines[best]

    def _candidates(self, query: Vectors, k: int) -> Rows:
        """Return rows that ascend, the ``k`` nearest among them."""
        if self._searcher is None:
            cosines = self._every_cosine(query)
            return np.flatnonzero(cosines >= np.partition(cosines, -k)[-k])
        depth = 2 * k if self._common_scale else max(RESCORED, 2 * k)
        _, rough = self._searcher.search(self._searchable(query[None, :]), min(depth, self._length))
        return np.sort(rough[0][rough[0] >= 0])

    def search_among(self, query: Vectors, k: int, rows: Rows) -> tuple[Rows, Vectors]:
        """Return the best ``k`` among some rows, which ascend, however few they are, and their cosines."""
        deep = _DEEPER * k * self._length // max(len(rows), 1)
        work = self._length // _READ_AT_ONCE + _DEEPER * deep
        if self._searcher is not None and len(rows) > max(_SCANNED, work):
            hits, cosines = self.search(query, deep)
            mask = rows[np.minimum(np.searchsorted(rows, hits), len(rows) - 1)] == hits
            if mask.sum() >= k:
                return hits[mask][:k], cosines[mask][:k]
        batches = [
            self.cosines(query, rows[start : start + _ROWS_AT_ONCE]) for start in range(0, len(rows), _ROWS_AT_ONCE)
        ]
        cosines = np.concatenate([query[:0], *batches])
        best = np.argsort(-cosines, kind="stable")[:k]
        return rows[best], cosines[best]

    def cosines(self, query: Vectors, rows: Rows | None = None) -> Vectors:
        """Return the cosine of a unit vector with each of the rows, or with all."""
        if rows is None:
            return self._every_cosine(query)
        digits, unit = _digits_of(query)
        return _cosines(self._codes[rows].astype(np.float32) @ digits, unit, self._scales[rows])

    def _every_cosine(self, query: Vectors) -> Vectors:
        digits, unit = _digits_of(query)
        if not self._trained:
            return _cosines(self._floats[: self._length] @ digits, unit, self._scales[: self._length])
        products = np.empty((self._length, 2), np.float32)
        for start in range(0, self._length, _SCANNED_AT_ONCE):
            batch = slice(start, min(start + _SCANNED_AT_ONCE, self._length))
            np.dot(self._codes[batch].astype(np.float32), digits, out=products[batch])
        return _cosines(products, unit, self._scales[: self._length])

    def reconstruct(self, rows: Rows) -> Vectors:
        """Return the vectors of these rows, shape (n, dimension)."""
        return from_bytes(self._codes[rows], self._scales[rows])

    def search_vectors(self, rows: Rows) -> Vectors:
        """Return the vectors of these rows with the precision that searches use, of about length 1."""
        if self._searcher is None:
            return self.reconstruct(rows)
        vectors: Vectors = self._searcher.reconstruct_batch(rows)
        return (vectors - _MIDDLE) / np.float32(self._common_scale) if self._common_scale else vectors

    def keep(self, rows: Rows) -> None:
        """Drop all other rows; the rest is renumbered in order."""
        self._codes, self._scales, self._length = self._codes[rows], self._scales[rows], len(rows)
        self._train()

    def save(self, folder: Path, name: str) -> None:
        """Write the index to files of this name.

        Raises:
            IndexWriteFailed: the disk is full or refuses.
        """
        try:
            with (folder / f"{name}.npz").open("wb") as file:
                np.savez(
                    file,
                    common_scale=np.array(self._common_scale),
                    # Without a searcher there is nothing to load, and the form is chosen anew.
                    trained=np.array(0 if self._searcher is None else self._trained),
                )
            # The byte form is made of the stored bytes as fast as it would be read.
            if self._searcher is not None and not self._common_scale:
                _faiss().write_index(self._searcher, str(folder / f"{name}.faiss"))
        except (OSError, RuntimeError) as error:
            raise IndexWriteFailed(f"{folder} cannot be written ({error}) - free some space") from error

    @classmethod
    def load(cls, folder: Path, name: str, codes: Codes, scales: Vectors) -> "VectorIndex":
        """Read the index of these vectors, as bytes and their scales, from files of this name.

        Raises:
            IndexDamaged: the files are missing, truncated, or of another dimension or number of vectors.
        """
        index = cls(codes.shape[1])
        index._codes, index._scales, index._length = codes, scales, len(codes)
        try:
            with (folder / f"{name}.npz").open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                index._common_scale, index._trained = float(file["common_scale"]), int(file["trained"])
            if not index._trained or (faiss := _faiss()) is None or index._trained != _training_rows(len(index)):
                # Making floats is faster than reading them, and they would be the largest file.
                index._train()
            elif index._common_scale:
                index._searcher = index._byte_searcher(faiss)
                index._fill_searcher()
            else:
                index._searcher = faiss.read_index(str(folder / f"{name}.faiss"))
        except (OSError, RuntimeError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise IndexDamaged(f"{folder} cannot be read as an index ({error}) - run `hmem rebuild`") from error
        searcher = index._searcher
        if searcher is not None and (searcher.ntotal, searcher.d) != codes.shape:
            raise IndexDamaged(f"{folder} holds vectors of another dimension or number - run `hmem rebuild`")
        return index


def _training_rows(length: int) -> int:
    """Return the number of first rows that the form for so many is trained on; 0 for one that needs no training."""
    return 0 if length <= EXACT else EXACT << ((length // EXACT).bit_length() - 1)


def _digits_of(query: Vectors) -> tuple[Vectors, float]:
    """Return a query as whole numbers of two parts, a column each, and the size of their unit."""
    greatest = float(np.abs(query).max(initial=0.0)) or 1.0
    steps = np.rint(query.astype(np.float64) * (_STEPS / greatest))
    coarse = np.rint(steps / _RADIX)
    return np.stack([coarse, steps - coarse * _RADIX], axis=1).astype(np.float32), greatest / _STEPS


def _cosines(products: Vectors, unit: float, scales: Vectors) -> Vectors:
    """Return cosines from the products of bytes and both parts of a query."""
    wholes = products[:, 0].astype(np.float64) * _RADIX + products[:, 1]
    return (wholes * unit * scales).astype(np.float32)


def _with_room(rows: Any, length: int) -> Any:
    """Return an array with room for ``needed`` rows: the same, or a copy half as large again."""
    if length <= len(rows):
        return rows
    room = np.zeros((max(length, len(rows) * 3 // 2) - len(rows), *rows.shape[1:]), rows.dtype)
    return np.concatenate([rows, room])
