"""What recall needs to know of every turn, as arrays: its place, its speaker, its length, its neighbours.

A **row** is a turn's position in the order of sequence numbers, and its row in the vector index. Rows are
only ever appended; a deleted turn's row is dead until the next compaction.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol
from zipfile import BadZipFile

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
}


def distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each value once, ascending; several times as fast as numpy's own way. What is given may be sorted in place."""
    if (values[1:] < values[:-1]).any():
        values.sort()
    return values[np.append(True, values[1:] != values[:-1])[: len(values)]]


class Place(Protocol):
    """A turn's place, as a storage tells it."""

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
    """Growing arrays of equal length. ``previous`` and ``next`` are rows in the same block, or -1; ``window`` is the
    length of the summed vectors of a turn and those two, not a number until it is measured."""

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
        """Make the attributes what the arrays hold of the present length."""
        for name in _KINDS:
            setattr(self, name, self._arrays[name][: self._length])

    def rows_of(self, seqs: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of sequence numbers; -1 for one that is unknown or dead."""
        wanted = np.asarray(seqs, np.int64)
        if not self._length:
            return np.full(len(wanted), -1, np.int64)
        if self._first is not None:
            rows = wanted - self._first
            if self.alive_count == self._length and rows.min(initial=0) >= 0 and rows.max(initial=0) < self._length:
                return rows
            known = (rows >= 0) & (rows < self._length)
            rows[~known] = 0
            return np.where(known & self.alive[rows], rows, -1)
        at = np.minimum(np.searchsorted(self.seq, wanted, sorter=self._order), self._length - 1)
        rows = at if self._order is None else self._order[at]
        return np.where((self.seq[rows] == wanted) & self.alive[rows], rows, -1)

    def keys_of(self, chosen: NDArray[np.bool_], name: str) -> NDArray[np.int64]:
        """What a column holds for the living rows among those chosen, each value once, ascending."""
        return distinct(self._arrays[name][: self._length][chosen & self.alive].astype(np.int64))

    def update(self, blocks: Sequence[int], members: Sequence[Place]) -> list[int]:
        """Make these the living turns of these blocks; the sequence numbers that are new, ascending."""
        known = self._rows_in(blocks)
        living = self.rows_of([member.seq for member in members])
        gone = np.setdiff1d(known, living)
        self.alive_count -= len(gone)
        self.alive_words -= int(self.words[gone].sum())
        self.alive[gone] = False
        fresh = sorted((member for member, row in zip(members, living, strict=True) if row < 0), key=lambda m: m.seq)
        self._append(fresh)
        self._link(members)
        return [member.seq for member in fresh]

    def _rows_in(self, blocks: Sequence[int]) -> NDArray[np.int64]:
        if len(blocks) == 1:
            # A single turn's; a comparison is several times as fast as to look for one number among others.
            return np.flatnonzero((self.block == blocks[0]) & self.alive)
        return np.flatnonzero(np.isin(self.block, np.asarray(blocks, np.int32)) & self.alive)

    def _append(self, members: Sequence[Place]) -> None:
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
        self._note_order()
        self.alive_count += len(members)
        self.alive_words += int(self.words[start:end].sum())

    def _note_order(self) -> None:
        """Sequence numbers come nearly always in their order; where sessions mingle, they are looked up by it."""
        steps = np.diff(self.seq)
        self._order = None if (steps > 0).all() else np.argsort(self.seq, kind="stable")
        # Where none is missing, a row is a difference.
        self._first = int(self.seq[0]) if self._length and (steps == 1).all() else None

    def _link(self, members: Sequence[Place]) -> None:
        """Chain the living turns of each block; ``members`` come in the order of block and sequence number."""
        if not members:
            return
        rows = self.rows_of([member.seq for member in members])
        blocks = np.array([member.block for member in members])
        same = np.append(blocks[1:] == blocks[:-1], False)
        # A window changes with its neighbours.
        self.window[rows] = np.nan
        self.next[rows] = np.where(same, np.append(rows[1:], -1), -1)
        self.previous[rows] = np.where(np.insert(same[:-1], 0, False), np.insert(rows[:-1], 0, -1), -1)

    def compact(self) -> NDArray[np.int64]:
        """Drop the dead rows; the old numbers of those that remain."""
        kept = np.flatnonzero(self.alive)
        renumbered = np.full(self._length + 1, -1, np.int64)
        renumbered[kept] = np.arange(len(kept))
        for name in _KINDS:
            values = self._arrays[name][kept]
            self._arrays[name] = renumbered[values].astype(np.int32) if name in ("previous", "next") else values
        self._length = len(kept)
        self._cut()
        self._note_order()
        return kept

    def save(self, path: Path, **facts: str | float) -> None:
        """Write them to a file, with some facts beside."""
        arrays: dict[str, Any] = {name: self._arrays[name][: self._length] for name in _KINDS}
        arrays |= {f"fact_{name}": np.array(value) for name, value in facts.items()}
        with path.open("wb") as file:
            np.savez(file, **arrays)

    @classmethod
    def load(cls, path: Path) -> tuple["Columns", dict[str, Any]]:
        """Read them back, and the facts.

        Raises:
            IndexDamaged: the file is missing, truncated or foreign.
        """
        columns = cls()
        try:
            with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
                columns._arrays = {name: file[name].astype(kind) for name, kind in _KINDS.items()}
                facts = {name[5:]: file[name].item() for name in file.files if name.startswith("fact_")}
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise IndexDamaged(f"{path} cannot be read as an index ({error}) - run `hmem rebuild`") from error
        if len({len(array) for array in columns._arrays.values()}) != 1:
            raise IndexDamaged(f"{path} holds columns of unequal length - run `hmem rebuild`")
        columns._length = len(columns._arrays["seq"])
        columns._cut()
        columns._note_order()
        columns.alive_count = int(columns.alive.sum())
        columns.alive_words = int(columns.words[columns.alive].sum())
        return columns, facts
