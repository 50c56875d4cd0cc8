"""Turns by row: their columns and their vectors, in step, saved and loaded together."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from hmem.errors import IndexDamaged, IndexWriteFailed
from hmem.index.columns import Columns, Place
from hmem.index.vector import VectorIndex

LAYOUT: Final = 1
_PIECE: Final = 8_192
_VECTORS: Final = "vectors"

Rows = NDArray[np.int64]
Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Origin:
    """What the rows are derived from: a memory, and one embedder's vectors of it."""

    memory: str
    fingerprint: str
    generation: int
    dimension: int


class TurnRows:
    """The rows of one memory. ``watermark`` is the last change of the truth that they hold."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        self.columns = Columns()
        self._vectors = VectorIndex(origin.dimension)
        self.watermark = 0
        self.newest = ""
        # A small memory is scored whole, with the same windows each time.
        self._every_window: tuple[Rows, Values] | None = None
        self.saved = 0

    def update(self, blocks: Sequence[int], members: Sequence[Place]) -> list[int]:
        """Make these the living turns of these blocks; the new ones, whose vectors ``add`` must bring next."""
        self._every_window = None
        return self.columns.update(blocks, members)

    def add(self, vectors: Values) -> None:
        """Bring the vectors of new turns, in their order."""
        self._vectors.add(vectors)

    def measure(self) -> None:
        """Measure the windows that changed, so that no recall has to."""
        rows = np.flatnonzero(np.isnan(self.columns.window) & self.columns.alive)
        for start in range(0, len(rows), _PIECE):
            self._measure(rows[start : start + _PIECE])

    def _measure(self, rows: Rows) -> None:
        around, weights = self._windows(rows)
        sums = np.zeros((len(rows), self._origin.dimension), np.float32)
        for neighbours, weight in zip(around, weights, strict=True):
            sums += self._vectors.reconstruct(np.maximum(neighbours, 0)) * weight[:, None]
        self.columns.window[rows] = np.linalg.norm(sums, axis=1)

    def _windows(self, rows: Rows) -> tuple[Rows, Values]:
        """The rows of each window, -1 for one that is not there, and how much each weighs: its words, 0 for none."""
        around = np.stack([self.columns.previous[rows], rows, self.columns.next[rows]]).astype(np.int64, copy=False)
        return around, np.where(around >= 0, self.columns.words[around] + 1, 0).astype(np.float32)

    def vectors_of(self, rows: Rows) -> Values:
        """The vectors of these rows, as true as the index keeps them."""
        return self._vectors.reconstruct(rows)

    def nearest(self, query: Values, limit: int, allowed: NDArray[np.bool_] | None = None) -> Rows:
        """The living rows whose vectors are nearest to a unit vector; all of them when the limit allows.

        ``allowed``, a truth value a row, says which may be found.
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
        """Each row's cosine with a unit vector, and its window's: the turn and its neighbours read as one text.

        Where ``windows`` do not matter, a turn alone stands for its window.
        The window's vector is the mean of its turns' vectors weighed by their words, which for an embedder
        that pools tokens is the vector of the joined text, and costs no second embedding.
        """
        if not windows:
            own = self._vectors.cosines(query, rows)
            return own, own
        if len(rows) == len(self.columns):
            around, weights = self._every_window or self._windows(rows)
            self._every_window = (around, weights)
        else:
            around, weights = self._windows(rows)
        # The last place is for the neighbour that is not there, whose row is -1.
        products = np.zeros(len(self.columns) + 1, np.float32)
        if len(rows) * 4 > len(self.columns):
            products[:-1] = self._vectors.cosines(query)
        else:
            needed = np.unique(around)
            needed = needed[needed >= 0]
            products[needed] = self._vectors.cosines(query, needed)
        weighed = (weights * products[around]).sum(axis=0)
        return products[rows], weighed / np.maximum(self.columns.window[rows], np.float32(1e-6))

    def save(self, folder: Path, newest: str = "") -> None:
        """Write columns and vectors, without the dead rows. ``newest`` tells the truth's history by its end.

        The columns' file names the vectors' file, so replacing the columns' file is the commit.

        Raises:
            IndexWriteFailed: the disk is full or refuses.
        """
        if self.columns.alive_count < len(self.columns):
            self._vectors.keep(self.columns.compact())
            self._every_window = None
        # Two processes may save at one watermark, each its own vectors.
        name = f"{_VECTORS}-{self.watermark}-{uuid4().hex[:8]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._vectors.save(folder, name)
            new = folder / "columns.npz.new"
            self.columns.save(
                new,
                layout=LAYOUT,
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
        """Vectors that no columns name any more. Those of this watermark or a later one may be another process's."""
        for file in folder.glob(f"{_VECTORS}-*"):
            watermark = file.name.split("-")[1]
            if watermark.isdigit() and int(watermark) < self.watermark:
                file.unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: Path | None, origin: Origin) -> "TurnRows":
        """Read them back, or begin anew where nothing was saved.

        Raises:
            IndexDamaged: the files are truncated, or of another memory, embedder or version.
        """
        rows = cls(origin)
        if folder is None or not (folder / "columns.npz").exists():
            return rows
        rows.columns, facts = Columns.load(folder / "columns.npz")
        expected = (origin.memory, origin.fingerprint, origin.generation, LAYOUT)
        if tuple(facts.get(name) for name in ("memory", "fingerprint", "generation", "layout")) != expected:
            raise IndexDamaged(f"{folder} holds the vectors of another memory or embedder - run `hmem rebuild`")
        rows._vectors = VectorIndex.load(folder, str(facts["name"]), origin.dimension)
        if len(rows._vectors) != len(rows.columns):
            raise IndexDamaged(f"{folder} holds more turns than vectors, or fewer - run `hmem rebuild`")
        rows.watermark, rows.newest = int(facts["watermark"]), str(facts["newest"])
        rows.saved = len(rows.columns)
        return rows
