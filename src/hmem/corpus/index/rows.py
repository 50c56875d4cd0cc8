"""Turns by row: columns for recall (block, speaker, length, neighbours) and vectors, saved and loaded together.

A **row** is a turn's position in the order of sequence numbers, and its row in the vector index. Rows are only ever
appended; a deleted turn's row is dead until the next compaction.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import uuid4
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.vector import VectorIndex
from hmem.errors import IndexDamaged, IndexWriteFailed
from hmem.language.analyzer import VERSION
from hmem.util.files import private_folder

_FIRST: Final = 1024
_KINDS: Final[dict[str, Any]] = {
    "seq": np.int64,
    "block": np.int32,
    "session": np.int32,
    "speaker": np.int32,
    "words": np.int32,
    "said": np.int64,
    "previous": np.int32,
    "next": np.int32,
    "alive": np.bool_,
    "window": np.float32,
    "marks": np.uint8,
}


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each value once, ascending, several times as fast as numpy does. May sort the argument in place."""
    if (values[1:] < values[:-1]).any():
        values.sort()
    return values[np.append(True, values[1:] != values[:-1])[: len(values)]]


class RowKey(Protocol):
    """A turn's numbers, as a storage returns them."""

    @property
    def seq(self) -> int: ...
    @property
    def block(self) -> int: ...
    @property
    def session(self) -> int: ...
    @property
    def speaker(self) -> int: ...
    @property
    def words(self) -> int: ...
    @property
    def said(self) -> int: ...


class Columns:
    """Growing arrays of equal length, a value for each row.

    ``previous`` and ``next`` are rows in the same block, or -1; ``window`` is the length of the summed vectors of a
    turn and those two, NaN until it is measured; ``marks`` are those of ``index.marks``, 0 until the text was read.
    """

    seq: NDArray[np.int64]
    block: NDArray[np.int32]
    session: NDArray[np.int32]
    speaker: NDArray[np.int32]
    words: NDArray[np.int32]
    said: NDArray[np.int64]
    previous: NDArray[np.int32]
    next: NDArray[np.int32]
    alive: NDArray[np.bool_]
    window: NDArray[np.float32]
    marks: NDArray[np.uint8]

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {name: np.zeros(_FIRST, kind) for name, kind in _KINDS.items()}
        self._length = 0
        self._order: NDArray[np.int64] | None = None
        self._first: int | None = None
        self.alive_count = 0
        self.alive_words = 0
        self._cut()

    def __len__(self) -> int:
        return self._length

    def _cut(self) -> None:
        """Set the attributes to views of the arrays at the present length."""
        for name in _KINDS:
            setattr(self, name, self._arrays[name][: self._length])

    def rows_of(self, seqs: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of sequence numbers; -1 for one that is unknown or dead."""
        numbers = np.asarray(seqs, np.int64)
        if not self._length:
            return np.full(len(numbers), -1, np.int64)
        if self._first is not None:
            rows = numbers - self._first
            if self.alive_count == self._length and rows.min(initial=0) >= 0 and rows.max(initial=0) < self._length:
                return rows
            valid = (rows >= 0) & (rows < self._length)
            rows[~valid] = 0
            return np.where(valid & self.alive[rows], rows, -1)
        positions = np.minimum(np.searchsorted(self.seq, numbers, sorter=self._order), self._length - 1)
        rows = positions if self._order is None else self._order[positions]
        return np.where((self.seq[rows] == numbers) & self.alive[rows], rows, -1)

    def keys_of(self, mask: NDArray[np.bool_], name: str) -> NDArray[np.int64]:
        """Return the distinct values of a column in the chosen living rows, ascending."""
        return distinct(self._arrays[name][: self._length][mask & self.alive].astype(np.int64))

    def update(self, blocks: Sequence[int], members: Sequence[RowKey]) -> list[int]:
        """Make these the living turns of these blocks; return the new sequence numbers, ascending."""
        block_rows = self._rows_in(blocks)
        living = self.rows_of([member.seq for member in members])
        dead_rows = np.setdiff1d(block_rows, living)
        self.alive_count -= len(dead_rows)
        self.alive_words -= int(self.words[dead_rows].sum())
        self.alive[dead_rows] = False
        fresh = sorted((member for member, row in zip(members, living, strict=True) if row < 0), key=lambda m: m.seq)
        self._append(fresh)
        self._link(members)
        return [member.seq for member in fresh]

    def _rows_in(self, blocks: Sequence[int]) -> NDArray[np.int64]:
        if len(blocks) == 1:
            # Mostly there is one block, and a comparison is several times as fast as ``isin``.
            return np.flatnonzero((self.block == blocks[0]) & self.alive)
        return np.flatnonzero(np.isin(self.block, np.asarray(blocks, np.int32)) & self.alive)

    def _append(self, members: Sequence[RowKey]) -> None:
        start, end = self._length, self._length + len(members)
        if end > len(self._arrays["seq"]):
            capacity = max(end, 2 * len(self._arrays["seq"]))
            for name, array in self._arrays.items():
                self._arrays[name] = np.concatenate([array, np.zeros(capacity - len(array), array.dtype)])
        self._length = end
        self._cut()
        if not members:
            return
        for name in ("seq", "block", "session", "speaker", "words", "said"):
            self._arrays[name][start:end] = [getattr(member, name) for member in members]
        self.alive[start:end] = True
        self._note_order(start)
        self.alive_count += len(members)
        self.alive_words += int(self.words[start:end].sum())

    def _note_order(self, start: int = 0) -> None:
        """Note the order of sequence numbers: they nearly always ascend, except where sessions mingle.

        It was noted up to the row ``start``.
        """
        steps = np.diff(self.seq[max(start - 1, 0) :])
        ascending, without_gaps = (start == 0 or self._order is None), (start == 0 or self._first is not None)
        self._order = None if ascending and (steps > 0).all() else np.argsort(self.seq, kind="stable")
        # If none is missing, a row is a difference.
        self._first = int(self.seq[0]) if self._length and without_gaps and (steps == 1).all() else None

    def _link(self, members: Sequence[RowKey]) -> None:
        """Chain the living turns of each block; ``members`` come in the order of block and sequence number."""
        if not members:
            return
        rows = self.rows_of([member.seq for member in members])
        blocks = np.array([member.block for member in members])
        same_block = np.append(blocks[1:] == blocks[:-1], False)
        # A window changes with its turns, so measure it again.
        self.window[rows] = np.nan
        self.next[rows] = np.where(same_block, np.append(rows[1:], -1), -1)
        self.previous[rows] = np.where(np.insert(same_block[:-1], 0, False), np.insert(rows[:-1], 0, -1), -1)

    def compact(self) -> NDArray[np.int64]:
        """Drop the dead rows; return the old numbers of those that remain."""
        living = np.flatnonzero(self.alive)
        renumbered = np.full(self._length + 1, -1, np.int64)
        renumbered[living] = np.arange(len(living))
        for name in _KINDS:
            values = self._arrays[name][living]
            self._arrays[name] = renumbered[values].astype(np.int32) if name in ("previous", "next") else values
        self._length = len(living)
        self._cut()
        self._note_order()
        return living

    def save(self, path: Path, **facts: str | float) -> None:
        """Write the columns to a file, with some facts beside."""
        arrays: dict[str, Any] = {name: self._arrays[name][: self._length] for name in _KINDS}
        arrays |= {f"fact_{name}": np.array(value) for name, value in facts.items()}
        # As ``np.savez_compressed`` does it, three times as fast.
        with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as file:
            for name, values in arrays.items():
                with file.open(f"{name}.npy", "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, values, allow_pickle=False)

    @classmethod
    def load(cls, path: Path) -> tuple["Columns", dict[str, Any]]:
        """Read columns and facts from a file.

        Raises:
            IndexDamaged: the file is missing, truncated or foreign.
        """
        columns = cls()
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                columns._arrays = {name: file[name].astype(kind) for name, kind in _KINDS.items()}
                facts = {name[5:]: file[name].item() for name in file.files if name.startswith("fact_")}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
            raise IndexDamaged(f"{path} cannot be read as an index ({error}) - run `hmem rebuild`") from error
        if len({len(array) for array in columns._arrays.values()}) != 1:
            raise IndexDamaged(f"{path} holds columns of unequal length - run `hmem rebuild`")
        columns._length = len(columns._arrays["seq"])
        columns._cut()
        columns._note_order()
        columns.alive_count = int(columns.alive.sum())
        columns.alive_words = int(columns.words[columns.alive].sum())
        return columns, facts


LAYOUT: Final = 3
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
        self._vectors = VectorIndex(origin.dimension)
        self.watermark = 0
        self.newest = ""
        # All windows, which a small memory needs in every recall.
        self._every_window: tuple[Rows, Values] | None = None
        self.saved = 0

    def update(self, blocks: Sequence[int], members: Sequence[RowKey]) -> list[int]:
        """Make these the living turns of these blocks; return the new ones, whose vectors ``add`` must bring next."""
        self._every_window = None
        return self.columns.update(blocks, members)

    def add(self, vectors: Values) -> None:
        """Add the vectors of new turns, in their order."""
        self._vectors.add(vectors)

    def measure(self) -> None:
        """Measure the windows that changed, so that no recall has to."""
        rows = np.flatnonzero(np.isnan(self.columns.window) & self.columns.alive)
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            self._measure(rows[start : start + _ROWS_AT_ONCE])

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

    def searched_vectors_of(self, rows: Rows) -> Values:
        """Return the vectors of these rows with the precision that searches use."""
        return self._vectors.search_vectors(rows)

    def nearest(self, query: Values, limit: int, allowed: NDArray[np.bool_] | None = None) -> Rows:
        """Return the living rows with the vectors nearest to a unit vector; all if the limit allows.

        ``allowed`` is a mask over the rows.
        """
        if allowed is not None:
            rows = np.flatnonzero(allowed & self.columns.alive)
            return rows if limit >= len(rows) else self._vectors.search_among(query, limit, rows)[0]
        if limit >= len(self.columns):
            return np.flatnonzero(self.columns.alive)
        dead = len(self.columns) - self.columns.alive_count
        rows, _ = self._vectors.search(query, min(limit + min(dead, 1_000), len(self.columns)))
        return rows[self.columns.alive[rows]][:limit]

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
        return products[1], weighed / np.maximum(self.columns.window[rows], np.float32(1e-6))

    def compact(self) -> None:
        """Drop the dead rows."""
        if self.columns.alive_count < len(self.columns):
            self._vectors.keep(self.columns.compact())
            self._every_window = None

    def save(self, folder: Path, newest: str = "") -> None:
        """Write columns and vectors. ``newest`` identifies the storage's history.

        The columns' file names the vectors' file, so replacing the columns' file is the commit.

        Raises:
            IndexWriteFailed: the disk is full or refuses.
        """
        # Two processes may save at one watermark, each its own vectors.
        name = f"{_VECTORS}-{self.watermark}-{uuid4().hex[:8]}"
        try:
            private_folder(folder)
            self._vectors.save(folder, name)
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
        """Remove older files of vectors. Those of this watermark or a later one may be another process's."""
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
        rows._vectors = VectorIndex.load(folder, str(facts["name"]), *_codes_of(rows.columns.seq, *read_codes()))
        rows.watermark, rows.newest = int(facts["watermark"]), str(facts["newest"])
        rows.saved = len(rows.columns)
        return rows


def _codes_of(seqs: Rows, stored_seqs: Rows, codes: Codes, scales: Values) -> tuple[Codes, Values]:
    """Return the bytes and scales of turns by sequence number; zeros for one that is gone or has no vector."""
    if np.array_equal(seqs, stored_seqs):
        return codes, scales
    if not len(stored_seqs):
        return np.zeros((len(seqs), codes.shape[1]), np.int8), np.ones(len(seqs), np.float32)
    positions = np.minimum(np.searchsorted(stored_seqs, seqs), len(stored_seqs) - 1)
    row_codes, missing = codes[positions], stored_seqs[positions] != seqs
    row_codes[missing] = 0
    return row_codes, np.where(missing, np.float32(1), scales[positions])
