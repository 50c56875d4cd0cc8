"""Vector index over unit vectors, by the inner product, which is their cosine.

A vector is known by its row, the order in which it was added, and kept as bytes with a scale of its own, as the storage
has it. Up to ``EXACT`` living vectors all are scored. Beyond, FAISS chooses which: it scans two bits a component, on
steps that are the same for all vectors, so that what it chooses depends on the living vectors alone, in whatever order
and batches they came and whatever was deleted; these are scored by their bytes. FAISS comes with ``hmem[faiss]``;
without it all are scored (docs/decisions/0064-core-install.md).

A cosine is computed in integers: those of the bytes, and the query's of fifteen bits in two parts, whose products a
float holds exactly up to 1,032 dimensions. So it does not depend on the order of additions, which a library of linear
algebra chooses by the number of rows.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.model.vector import from_bytes, to_bytes

# So many are scored in 1.6 ms (benchmarks/vector_forms.py).
EXACT: int = 16_384
RESCORED: int = 1_000

# Levels of a component of a normal distribution, in standard deviations, and the bound between the outer and the inner
# ones, that lose least of it (Max, 1960, table I).
_LEVELS: Final = np.array([-1.510, -0.4528, 0.4528, 1.510], np.float32)
_BOUND: Final = 0.9816
_FIRST: Final = 1_024
# The query's components are so many steps at most, in parts of 128.
_STEPS: Final = 16_383
_RADIX: Final = 128
# Bytes are turned into floats so many rows at a time: these fit into a core's cache, and their product is so small that
# a library of linear algebra computes it at once. Threads of its own would wait for each other longer than it takes.
_SCANNED_AT_ONCE: Final = 256

# A search among at most this many rows scans them; one among more searches all rows deeper, if that is less work:
# FAISS reads so many rows while one is taken out and scored.
_SCANNED: Final = 1_024
_DEEPER: Final = 2
_READ_AT_ONCE: Final = 16

Vectors = NDArray[np.float32]
Codes = NDArray[np.int8]
Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


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
    """Unit vectors of one dimension, in memory."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._codes = np.zeros((_FIRST, dimension), np.int8)
        self._scales = np.zeros(_FIRST, np.float32)
        self._length = 0
        # FAISS's searcher over the first rows, made by the first search that needs it.
        self._searcher: Any = None

    @classmethod
    def from_codes(cls, codes: Codes, scales: Vectors, length: int | None = None) -> "VectorIndex":
        """Return the index of these vectors, as bytes and their scales: of the first ``length``, or of all."""
        index = cls(codes.shape[1])
        index._codes, index._scales, index._length = codes, scales, len(codes) if length is None else length
        return index

    def __len__(self) -> int:
        return self._length

    def __sizeof__(self) -> int:
        """Return the bytes of the searcher too, which lie outside of Python."""
        searcher = self._searcher
        return object.__sizeof__(self) + (0 if searcher is None else searcher.ntotal * searcher.code_size)

    def add(self, vectors: Vectors) -> None:
        """Append rows of shape (n, dimension); a row of zeros has cosine 0 with everything."""
        rows = np.ascontiguousarray(vectors, np.float32)
        start, self._length = self._length, self._length + len(rows)
        self._codes, self._scales = _with_room(self._codes, self._length), _with_room(self._scales, self._length)
        self._codes[start : self._length], self._scales[start : self._length] = to_bytes(rows)

    def search(self, query: Vectors, k: int, living: Mask | None = None) -> tuple[Rows, Vectors]:
        """Return the living rows nearest to a unit vector of shape (dimension,), best first, and their cosines."""
        mask = np.ones(self._length, np.bool_) if living is None else living
        count = int(np.count_nonzero(mask))
        queries, k = query[None, :], min(k, count)
        if not k:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        (rows,) = self._choose(queries, [k], mask, count) if count > EXACT else [None]
        if rows is None:
            return next(self._scan(queries, k, mask[None, :]))
        return _best(rows, self.cosines(query, rows), k)

    def _choose(self, queries: Vectors, sizes: Sequence[int], living: Mask, count: int) -> Iterator[Rows | None]:
        """Yield, for each unit vector, living rows that ascend, so many nearest ones among them, as FAISS finds them.

        Yield None where it cannot.
        """
        depths = [max(RESCORED, 2 * size) for size in sizes]
        searcher = self._filled_searcher() if depths and max(depths) < count else None
        if searcher is None:
            yield from [None] * len(queries)
            return
        for query, size, depth in zip(queries, sizes, depths, strict=True):
            # Of several queries FAISS makes threads, which take longer than each query alone.
            (similarities,), (nearest,) = searcher.search(query[None, :], depth + self._length - count)
            if count < self._length:
                mask = (nearest >= 0) & living[nearest]
                similarities, nearest = similarities[mask], nearest[mask]
            # Which of those that are as near as the last it found is chance.
            is_near = similarities > similarities[depth - 1] if len(nearest) >= depth else slice(0)
            rows = nearest[is_near]
            yield np.sort(rows) if len(rows) >= size else None

    def _filled_searcher(self) -> Any:
        """Return FAISS's searcher over all rows; None without FAISS, or if it has no form for the dimension."""
        faiss = _faiss()
        if faiss is None or self._dimension % 4:
            return None
        if self._searcher is None:
            self._searcher = self._new_searcher(faiss)
        elif (first := self._searcher.ntotal) < self._length:
            rows = slice(first, self._length)
            levels = _levels_of(self._codes[rows], self._scales[rows])
            self._searcher.add(_LEVELS[levels] / np.float32(self._dimension**0.5))
        return self._searcher

    def _new_searcher(self, faiss: Any) -> Any:
        """Return a searcher over all rows, whose codes are made here, many times as fast as FAISS makes them."""
        pairs = self._dimension // 2
        index = faiss.IndexPQ(self._dimension, pairs, 4, faiss.METRIC_INNER_PRODUCT)
        levels = _LEVELS / np.float32(self._dimension**0.5)
        centroids = np.stack(np.meshgrid(levels, levels, indexing="ij"), axis=-1)
        faiss.copy_array_to_vector(np.tile(centroids.reshape(-1), pairs), index.pq.centroids)
        packed = np.empty((self._length, pairs // 2), np.uint8)
        for start in range(0, self._length, _SCANNED_AT_ONCE):
            rows = slice(start, min(start + _SCANNED_AT_ONCE, self._length))
            bits = _levels_of(self._codes[rows], self._scales[rows])
            # Two components are a code, and two codes a byte.
            packed[rows] = bits[:, 0::4] << 2 | bits[:, 1::4] | bits[:, 2::4] << 6 | bits[:, 3::4] << 4
        faiss.copy_array_to_vector(packed.reshape(-1), index.codes)
        index.ntotal, index.is_trained = self._length, True
        return faiss.IndexPQFastScan(index)

    def search_among(self, queries: Vectors, k: int, masks: Mask, living: Mask | None = None) -> list[Rows]:
        """Return, for each unit vector, the best ``k`` of its own living rows, of which it has a mask, best first."""
        mask = np.ones(self._length, np.bool_) if living is None else living
        count, sizes = int(np.count_nonzero(mask)), np.count_nonzero(masks, axis=1)
        deep = _DEEPER * k * count // np.maximum(sizes, 1)
        is_large = (count > EXACT) & (sizes > np.maximum(_SCANNED, count // _READ_AT_ONCE + _DEEPER * deep))
        large = np.flatnonzero(is_large).tolist()
        found: dict[int, Rows] = {}
        for i, rows in zip(large, self._choose(queries[large], deep[large].tolist(), mask, count), strict=True):
            if rows is not None and len(rows := rows[masks[i, rows]]) >= k:
                found[i], _ = _best(rows, self.cosines(queries[i], rows), k)
        others = [i for i in range(len(queries)) if i not in found]
        found |= {i: rows for i, (rows, _) in zip(others, self._scan(queries[others], k, masks[others]), strict=True)}
        return [found[i] for i in range(len(queries))]

    def _scan(self, queries: Vectors, k: int, masks: Mask) -> Iterator[tuple[Rows, Vectors]]:
        """Yield, for each unit vector, the best ``k`` rows of its mask, best first, and their cosines."""
        scanned = np.flatnonzero(masks.any(axis=0))
        if len(scanned) and _DEEPER * len(scanned) > self._length - scanned[0]:
            # Rows that lie together are read several times as fast.
            scanned = slice(int(scanned[0]), self._length)
        for mask, every_cosine in zip(masks[:, scanned], self._cosine_table(queries, scanned), strict=True):
            positions = np.flatnonzero(mask)
            cosines = every_cosine[positions]
            yield _best(positions + scanned.start if isinstance(scanned, slice) else scanned[positions], cosines, k)

    def cosines(self, query: Vectors, rows: Rows | None = None) -> Vectors:
        """Return the cosine of a unit vector with each of the rows, or with all."""
        return self._cosine_table(query[None, :], slice(self._length) if rows is None else rows)[0]

    def _cosine_table(self, queries: Vectors, rows: Rows | slice) -> Vectors:
        """Return the cosines of unit vectors with rows: a line for each vector, a column for each row."""
        codes, scales = self._codes[: self._length][rows], self._scales[: self._length][rows]
        digits, units = _digits_of(queries)
        products = np.empty((len(codes), 2 * len(queries)), np.float32)
        for start in range(0, len(codes), _SCANNED_AT_ONCE):
            batch = slice(start, min(start + _SCANNED_AT_ONCE, len(codes)))
            np.dot(codes[batch].astype(np.float32), digits, out=products[batch])
        coarse, fine = products.T.reshape(len(queries), 2, len(codes)).astype(np.float64).transpose(1, 0, 2)
        return ((coarse * _RADIX + fine) * units * scales).astype(np.float32)

    def reconstruct(self, rows: Rows) -> Vectors:
        """Return the vectors of these rows, shape (n, dimension)."""
        return from_bytes(self._codes[rows], self._scales[rows])

    def keep(self, rows: Rows) -> None:
        """Drop all other rows; the rest is renumbered in order."""
        self._codes, self._scales, self._length = self._codes[rows], self._scales[rows], len(rows)
        self._searcher = None


def _levels_of(codes: Codes, scales: Vectors) -> NDArray[np.uint8]:
    """Return which of the four levels each component is nearest to."""
    bounds = np.minimum(np.rint(_BOUND / codes.shape[1] ** 0.5 / np.maximum(scales, 1e-12)), 127)
    bounds = bounds.astype(np.int8)[:, None]
    return (codes > -bounds).view(np.uint8) + (codes > 0).view(np.uint8) + (codes > bounds).view(np.uint8)


def _digits_of(queries: Vectors) -> tuple[Vectors, NDArray[np.float64]]:
    """Return queries as whole numbers of two parts, two columns each, and a row of the size of their unit for each."""
    greatest = np.abs(queries).max(axis=1, initial=0.0, keepdims=True).astype(np.float64)
    greatest[greatest == 0] = 1.0
    steps = np.rint(queries.astype(np.float64) * (_STEPS / greatest))
    coarse = np.rint(steps / _RADIX)
    digits = np.empty((queries.shape[1], 2 * len(queries)), np.float32)
    digits[:, 0::2], digits[:, 1::2] = coarse.T, (steps - coarse * _RADIX).T
    return digits, greatest / _STEPS


def _best(rows: Rows, cosines: Vectors, k: int) -> tuple[Rows, Vectors]:
    """Return the best ``k`` of rows that ascend, best first, and their cosines; of equals the earlier row."""
    if len(rows) > k > 0:
        # Most are left out before the others are sorted.
        is_near = cosines >= np.partition(cosines, -k)[-k]
        rows, cosines = rows[is_near], cosines[is_near]
    best = np.argsort(-cosines, kind="stable")[:k]
    return rows[best], cosines[best]


def _with_room(rows: Any, length: int) -> Any:
    """Return an array with room for so many rows: the same, or one larger by an eighth, in its place if it can be."""
    if length <= len(rows):
        return rows
    shape = (max(length, len(rows) * 9 // 8), *rows.shape[1:])
    if not rows.flags.owndata:
        return np.concatenate([rows, np.zeros((shape[0] - len(rows), *shape[1:]), rows.dtype)])
    # Nobody else has a view of it.
    rows.resize(shape, refcheck=False)
    return rows
