"""Columns of the turns by row: block, session, speaker, length, neighbours and more."""

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from hmem.errors import IndexDamaged

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

    def fill(self, values: Mapping[str, NDArray[np.int64]]) -> None:
        """Begin with living turns, which ascend by sequence number: values by the name of the column."""
        length = len(values["seq"])
        self._arrays = {name: np.zeros(length, kind) for name, kind in _KINDS.items()}
        for name, numbers in values.items():
            self._arrays[name][:] = numbers
        self._arrays["alive"][:] = True
        self._arrays["window"][:] = np.nan
        self._length = self.alive_count = length
        self._cut()
        self.alive_words = int(self.words.sum())
        self._note_order()
        rows = np.argsort(self.block, kind="stable")
        same_block = self.block[rows][1:] == self.block[rows][:-1]
        self.next[rows] = np.append(np.where(same_block, rows[1:], -1), [-1] * bool(length))
        self.previous[rows] = np.append([-1] * bool(length), np.where(same_block, rows[:-1], -1))

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
