"""The tail: what was written and is not in the lexical index yet, scanned directly.

It holds whole blocks, the unit in which the lexical index is refreshed, so that each of its turns has its
neighbours and its block beside it, and scores them with the index's statistics.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.index.bm25 import bm25, norm, rounded_lengths

TURN: Final = "turn"
WINDOW: Final = "window"
BLOCK: Final = "block"


class Counted(NamedTuple):
    """How often each term stands in each document, of shape (terms, documents); how many documents have each term."""

    table: NDArray[np.float32]
    containing: list[int]


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
        self._ascending = [bool((np.diff(keys) > 0).all()) for keys in (self._keys, self._block_keys)]
        block_of = np.repeat(np.arange(len(sizes)), sizes)
        self._firsts = np.cumsum([0, *sizes[:-1]]) if sizes else np.zeros(0, np.int64)
        self._lengths = np.array([self._sizes[seq] for seq in seqs], np.float32)
        self._has_next = np.append(block_of[1:] == block_of[:-1], False)[: len(seqs)]
        self._listed: dict[str, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}
        self._rounded = {
            scale: rounded_lengths(self._at_scale(scale, self._lengths[None, :])[0]) for scale in (TURN, WINDOW, BLOCK)
        }
        self._counted: tuple[tuple[str, ...], dict[str, Counted]] = ((), {})
        # By scale, the mean length of a document and the norms that it makes: a tail is asked many times of one size.
        self._norms: dict[str, tuple[float, NDArray[np.float32]]] = {}
        self._laid_out = True

    def _ready(self) -> None:
        if not self._laid_out:
            self._lay_out()

    def keys(self, scale: str) -> NDArray[np.int64]:
        """The documents at a scale: sequence numbers of turns, or block numbers."""
        self._ready()
        return self._block_keys if scale == BLOCK else self._keys

    def ascending(self, scale: str) -> bool:
        """Whether the keys at a scale ascend, as they do but where sessions mingle."""
        self._ready()
        return self._ascending[scale == BLOCK]

    def frequencies(self, scale: str, terms: Sequence[str]) -> Counted:
        """How often each term stands in each document, and in how many."""
        self._ready()
        wanted = tuple(terms)
        # A question is looked up at each scale in turn.
        if self._counted[0] != wanted:
            self._counted = wanted, {}
        known = self._counted[1]
        if TURN not in known:
            known[TURN] = Counted(self._by_turn(wanted), [len(self._postings.get(term, ())) for term in wanted])
        if scale not in known:
            known[scale] = _counted(self._at_scale(scale, known[TURN].table))
        return known[scale]

    def _by_turn(self, terms: Sequence[str]) -> NDArray[np.float32]:
        table = np.zeros((len(terms), len(self._keys)), np.float32)
        for row, term in zip(table, terms, strict=True):
            if term in self._postings:
                places, counts = self._posting(term)
                row[places] = counts
        return table

    def _posting(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Where a term stands, as places of turns, and how often; kept until the tail changes."""
        if term not in self._listed:
            posting = self._postings[term]
            places = np.array([self._position[seq] for seq in posting], np.int64)
            self._listed[term] = places, np.array(list(posting.values()), np.float32)
        return self._listed[term]

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
        return np.add.reduceat(by_turn, self._firsts, axis=1)

    def scores(self, scale: str, counted: Counted, idfs: Sequence[float], mean_length: float) -> NDArray[np.float32]:
        """BM25 of each document, given how often each term stands in it and how rare each term is."""
        if not counted.table.size:
            return np.zeros(len(self.keys(scale)), np.float32)
        added: NDArray[np.float32] = bm25(counted.table, self._norm(scale, mean_length))
        added *= np.array(idfs, np.float32)[:, None]
        return added.sum(axis=0)

    def _norm(self, scale: str, mean_length: float) -> NDArray[np.float32]:
        known = self._norms.get(scale)
        if known is None or known[0] != mean_length:
            known = self._norms[scale] = mean_length, norm(self._rounded[scale], mean_length)
        return known[1]


def _counted(table: NDArray[np.float32]) -> Counted:
    # Floats are summed faster than truth values are counted, and exactly.
    return Counted(table, [int(each) for each in np.minimum(table, np.float32(1)).sum(axis=1)])
