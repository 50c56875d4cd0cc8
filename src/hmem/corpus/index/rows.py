"""Turns by row: columns, vectors and the lexical index, saved and loaded together.

A **row** is a turn's position in the order of sequence numbers, and its row in all three. Rows are only ever appended;
a deleted turn's row is dead until the next compaction.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.columns import Columns, RowKey, distinct
from hmem.corpus.index.lexical import SUFFIX, LexicalIndex
from hmem.corpus.index.vector import VectorIndex
from hmem.errors import IndexDamaged, IndexWriteFailed
from hmem.language.analyzer import VERSION
from hmem.util.files import private_folder

LAYOUT: Final = 6
# Words of a turn that count in a window, at most: a spoken turn seldom has more, a written answer has hundreds.
_WORDS: Final = 60
_ROWS_AT_ONCE: Final = 8_192
_VECTORS: Final = "vectors"

Rows = NDArray[np.int64]
Values = NDArray[np.float32]
Codes = NDArray[np.int8]
# Sequence numbers, ascending, with the bytes and scales of their vectors.
VectorTable = tuple[Rows, Codes, Values]


@dataclass(frozen=True, slots=True)
class Origin:
    """Source of the rows: a memory, and one embedder's vectors of it."""

    memory: str
    fingerprint: str
    generation: int
    dimension: int


class TurnRows:
    """Rows of one memory. ``watermark`` is the last change of the storage that they hold."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self.columns = Columns()
        self.lexical = LexicalIndex(self.columns)
        self._vectors = VectorIndex(origin.dimension)
        self.watermark = 0
        self.newest = ""
        # All windows, which a small memory needs in every recall.
        self._every_window: tuple[Rows, Values] | None = None
        self.saved = 0

    def update(self, blocks: Sequence[int], members: Sequence[RowKey]) -> list[int]:
        """Make these the living turns of these blocks; return the new ones, whose vectors ``add`` must bring next.

        Their terms may come later.
        """
        self._every_window = None
        self.lexical.look_again()
        return self.columns.update(blocks, members)

    def add(self, vectors: Values) -> None:
        """Add the vectors of new turns, in their order."""
        self._vectors.add(vectors)

    def fill(self, values: Mapping[str, Rows], read_codes: Callable[[], VectorTable]) -> None:
        """Begin with living turns, which ascend by sequence number, by their columns and all stored vectors."""
        self.columns.fill(values)
        self._vectors = _vectors_of(self.columns.seq, *read_codes())

    def _window_lengths(self, rows: Rows) -> Values:
        """Return the lengths of windows; those that changed are measured."""
        changed = rows[np.isnan(self.columns.window[rows])]
        for start in range(0, len(changed), _ROWS_AT_ONCE):
            self._measure(changed[start : start + _ROWS_AT_ONCE])
        return self.columns.window[rows]

    def _measure(self, rows: Rows) -> None:
        windows, weights = self._windows(rows)
        sums = np.zeros((len(rows), self._origin.dimension), np.float32)
        for neighbours, weight in zip(windows, weights, strict=True):
            sums += self._vectors.reconstruct(np.maximum(neighbours, 0)) * weight[:, None]
        self.columns.window[rows] = np.linalg.norm(sums, axis=1)

    def _windows(self, rows: Rows) -> tuple[Rows, Values]:
        """Return the rows of each window, -1 for a missing one, and their weights: words plus one, 0 if missing.

        A long turn counts as one of ``_WORDS``, or it would drown the short ones beside it.
        """
        windows = np.stack([self.columns.previous[rows], rows, self.columns.next[rows]]).astype(np.int64, copy=False)
        weights = np.minimum(self.columns.words[windows], _WORDS) + 1
        return windows, np.where(windows >= 0, weights, 0).astype(np.float32)

    def vectors_of(self, rows: Rows) -> Values:
        """Return the vectors of these rows, as exact as the index keeps them."""
        return self._vectors.reconstruct(rows)

    def nearest(self, query: Values, limit: int, allowed: NDArray[np.bool_] | None = None) -> Rows:
        """Return the living rows with the vectors nearest to a unit vector; all if the limit allows.

        ``allowed`` is a mask over the rows.
        """
        if allowed is not None:
            return self.nearest_allowed(query[None, :], limit, allowed[None, :])[0]
        if limit >= self.columns.alive_count:
            return np.flatnonzero(self.columns.alive)
        return self._vectors.search(query, limit, self.columns.alive)[0]

    def nearest_allowed(self, queries: Values, limit: int, allowed: NDArray[np.bool_]) -> list[Rows]:
        """Return ``nearest`` of each unit vector, of which ``allowed`` has a mask over the rows."""
        masks, living = allowed & self.columns.alive, self.columns.alive
        is_few = np.count_nonzero(masks, axis=1) <= limit
        several = iter(self._vectors.search_among(queries[~is_few], limit, masks[~is_few], living))
        return [np.flatnonzero(mask) if few else next(several) for mask, few in zip(masks, is_few, strict=True)]

    def cosines(self, query: Values, rows: Rows, *, windows: bool = True) -> tuple[Values, Values]:
        """Return each row's cosine with a unit vector, and its window's: the turn and its neighbours as one text.

        Without ``windows`` a turn alone stands for its window. The window's vector is the mean of its turns' vectors
        weighed by their words, which for an embedder that pools tokens is about the vector of the joined text, and
        costs no second embedding.
        """
        if not windows:
            cosines = self._vectors.cosines(query, rows)
            return cosines, cosines
        if len(rows) == len(self.columns):
            window_rows, weights = self._every_window or self._windows(rows)
            self._every_window = (window_rows, weights)
        else:
            window_rows, weights = self._windows(rows)
        if len(rows) * 4 > len(self.columns):
            # The last place is for missing neighbours, whose row is -1.
            products = np.append(self._vectors.cosines(query), np.float32(0))[window_rows]
        else:
            distinct_rows = distinct(window_rows[window_rows >= 0])
            # Missing neighbours have no weight, whatever stands in their place.
            positions = np.minimum(np.searchsorted(distinct_rows, window_rows), len(distinct_rows) - 1)
            products = self._vectors.cosines(query, distinct_rows)[positions]
        weighed = (weights * products).sum(axis=0)
        return products[1], weighed / np.maximum(self._window_lengths(rows), np.float32(1e-6))

    def compact(self) -> None:
        """Drop the dead rows."""
        if self.columns.alive_count < len(self.columns):
            living = self.columns.compact()
            self._vectors.keep(living)
            self.lexical.keep(living)
            self._every_window = None

    def save(self, folder: Path, newest: str = "") -> None:
        """Write all; every row has its terms. ``newest`` identifies the storage's history.

        The columns' file names the others, so replacing it is the commit.

        Raises:
            IndexWriteFailed: the disk is full or refuses.
        """
        # Two processes may save at one watermark, each its own vectors.
        name = f"{_VECTORS}-{self.watermark}-{uuid4().hex[:8]}"
        try:
            private_folder(folder)
            self.lexical.save(folder / (name + SUFFIX))
            new = folder / "columns.npz.new"
            self.columns.save(
                new,
                layout=LAYOUT,
                analysis=VERSION,
                memory=self._origin.memory,
                fingerprint=self._origin.fingerprint,
                generation=self._origin.generation,
                watermark=self.watermark,
                newest=newest,
                name=name,
            )
            new.replace(folder / "columns.npz")
            self._remove_older(folder)
        except OSError as error:
            raise IndexWriteFailed(f"{folder} cannot be written ({error}) - free some space") from error
        self.saved = len(self.columns)

    def _remove_older(self, folder: Path) -> None:
        """Remove older files of vectors and terms. Those of this watermark or a later one may be another process's."""
        for file in folder.glob(f"{_VECTORS}-*"):
            watermark = file.name.split("-")[1]
            if watermark.isdigit() and int(watermark) < self.watermark:
                file.unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: Path | None, origin: Origin, read_codes: Callable[[], VectorTable]) -> "TurnRows":
        """Read the rows, or begin with none if nothing was saved. ``stored`` returns the vectors of all turns.

        Raises:
            IndexDamaged: the files are truncated, or of another memory, embedder or version.
        """
        rows = cls(origin)
        if folder is None or not (folder / "columns.npz").exists():
            return rows
        rows.columns, facts = Columns.load(folder / "columns.npz")
        identity = (origin.memory, origin.fingerprint, origin.generation, LAYOUT)
        if tuple(facts.get(name) for name in ("memory", "fingerprint", "generation", "layout")) != identity:
            raise IndexDamaged(f"{folder} holds the vectors of another memory or embedder - run `hmem rebuild`")
        if facts.get("analysis") != VERSION:
            raise IndexDamaged(f"{folder} counts words by another analysis - run `hmem rebuild`")
        rows.lexical = LexicalIndex.load(folder / f"{facts['name']}{SUFFIX}", rows.columns)
        rows._vectors = _vectors_of(rows.columns.seq, *read_codes())
        rows.watermark, rows.newest = int(facts["watermark"]), str(facts["newest"])
        rows.saved = len(rows.columns)
        return rows


def _vectors_of(seqs: Rows, stored_seqs: Rows, codes: Codes, scales: Values) -> VectorIndex:
    """Return the vectors of turns by sequence number; zeros for one that is gone or has no vector."""
    if codes.flags.writeable and np.array_equal(seqs, stored_seqs[: len(seqs)]):
        # Those of later turns are overwritten when these are added.
        return VectorIndex.from_codes(codes, scales, len(seqs))
    if not len(stored_seqs):
        return VectorIndex.from_codes(np.zeros((len(seqs), codes.shape[1]), np.int8), np.ones(len(seqs), np.float32))
    positions = np.minimum(np.searchsorted(stored_seqs, seqs), len(stored_seqs) - 1)
    row_codes, missing = codes[positions], stored_seqs[positions] != seqs
    row_codes[missing] = 0
    return VectorIndex.from_codes(row_codes, np.where(missing, np.float32(1), scales[positions]))
