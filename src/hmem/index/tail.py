"""The tail: what was written and is not in the lexical index yet, scanned directly.

It holds whole blocks, the unit in which the lexical index is refreshed, so that each of its turns has its
neighbours and its block beside it, and scores them with the index's statistics.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.index.bm25 import bm25, rounded_lengths

TURN: Final = "turn"
WINDOW: Final = "window"
BLOCK: Final = "block"


class Tail:
    """The turns of some blocks, as stems. ``keys`` names its documents in the order of their scores."""

    def __init__(self) -> None:
        self._turns: dict[int, list[int]] = {}  # block -> its turns
        self._counts: dict[int, Counter[str]] = {}  # turn -> its terms
        self._sizes: dict[int, int] = {}  # turn -> its length
        self._postings: dict[str, dict[int, int]] = {}  # term -> turn -> how often
        self._laid_out = True
        self._lay_out()

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def block_numbers(self) -> list[int]:
        """The blocks that it stands in for, those without a living turn among them."""
        return list(self._turns)

    def put(self, block: int, turns: Sequence[tuple[int, str]]) -> None:
        """Make these the turns of a block: (sequence number, stems joined by blanks), in their order."""
        before = set(self._turns.get(block, ()))
        self._turns[block] = [seq for seq, _ in turns]
        for seq, text in turns:
            if seq not in before:
                self._count(seq, Counter(text.split()))
        for seq in before.difference(self._turns[block]):
            self._discount(seq)
        self._laid_out = False

    def drop(self, blocks: Iterable[int]) -> None:
        """Forget blocks that the index has taken in."""
        for block in blocks:
            for seq in self._turns.pop(block, ()):
                self._discount(seq)
        self._laid_out = False

    def _count(self, seq: int, counts: Counter[str]) -> None:
        self._counts[seq] = counts
        self._sizes[seq] = counts.total()
        for term, count in counts.items():
            self._postings.setdefault(term, {})[seq] = count

    def _discount(self, seq: int) -> None:
        del self._sizes[seq]
        for term in self._counts.pop(seq):
            posting = self._postings[term]
            del posting[seq]
            if not posting:
                del self._postings[term]

    def _lay_out(self) -> None:
        """The arrays that scoring runs on; made anew after a change, when next needed."""
        seqs = [seq for turns in self._turns.values() for seq in turns]
        # A block whose turns are all gone is no document: what was forgotten must not make other words rarer.
        living = {block: len(turns) for block, turns in self._turns.items() if turns}
        sizes = list(living.values())
        self._position = {seq: i for i, seq in enumerate(seqs)}
        self._keys = np.array(seqs, np.int64)
        self._block_keys = np.array(list(living), np.int64)
        self._block_of = np.repeat(np.arange(len(sizes)), sizes)
        self._lengths = np.array([self._sizes[seq] for seq in seqs], np.float32)
        self._has_next = np.append(self._block_of[1:] == self._block_of[:-1], False)[: len(seqs)]
        self._rounded = {
            scale: rounded_lengths(self._at_scale(scale, self._lengths[None, :])[0]) for scale in (TURN, WINDOW, BLOCK)
        }
        self._counted: tuple[tuple[str, ...], NDArray[np.float32]] | None = None
        self._laid_out = True

    def _ready(self) -> None:
        if not self._laid_out:
            self._lay_out()

    def keys(self, scale: str) -> NDArray[np.int64]:
        """The documents at a scale: sequence numbers of turns, or block numbers."""
        self._ready()
        return self._block_keys if scale == BLOCK else self._keys

    def frequencies(self, scale: str, terms: Sequence[str]) -> NDArray[np.float32]:
        """How often each term stands in each document: shape (terms, documents)."""
        self._ready()
        # A question is looked up at each scale in turn.
        if self._counted is None or self._counted[0] != tuple(terms):
            self._counted = tuple(terms), self._by_turn(terms)
        return self._at_scale(scale, self._counted[1])

    def _by_turn(self, terms: Sequence[str]) -> NDArray[np.float32]:
        table = np.zeros((len(terms), len(self._keys)), np.float32)
        for row, term in zip(table, terms, strict=True):
            for seq, count in self._postings.get(term, {}).items():
                row[self._position[seq]] = count
        return table

    def _at_scale(self, scale: str, by_turn: NDArray[np.float32]) -> NDArray[np.float32]:
        """What is counted by turn, counted by turn, by window of three turns, or by block."""
        if scale == TURN or not by_turn.size:
            return by_turn if scale != BLOCK else np.zeros((len(by_turn), len(self._block_keys)), np.float32)
        if scale == WINDOW:
            follows = self._has_next[:-1]
            around = by_turn.copy()
            around[:, :-1] += by_turn[:, 1:] * follows
            around[:, 1:] += by_turn[:, :-1] * follows
            return around
        return np.stack([np.bincount(self._block_of, row, len(self._block_keys)) for row in by_turn], dtype=np.float32)

    def scores(
        self, scale: str, frequencies: NDArray[np.float32], idfs: Sequence[float], mean_length: float
    ) -> NDArray[np.float32]:
        """BM25 of each document, given how often each term stands in it and how rare each term is."""
        lengths = self._rounded[scale]
        total = np.zeros(frequencies.shape[1], np.float32)
        for row, weight in zip(frequencies, idfs, strict=True):
            total += np.float32(weight) * bm25(row, lengths, mean_length)
        return total
