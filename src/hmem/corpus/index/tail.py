"""The tail: blocks that the lexical index does not hold yet, scored directly by BM25 as Tantivy computes it.

It holds whole blocks, the unit in which the lexical index is refreshed, so that each turn has its neighbours and its
block beside it, and scores them with the index's statistics.

Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), with k1 = 1.2 and b = 0.75,
Tantivy's constants.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

K1: Final = 1.2
B: Final = 0.75

Array = NDArray[np.float32]


def idf(documents: int, containing: int) -> float:
    """Return a term's inverse document frequency: above 0, and the greater the fewer documents contain it."""
    containing = min(containing, documents)
    return log(1 + (documents - containing + 0.5) / (containing + 0.5))


def _encodable_lengths() -> Array:
    """Return the lengths that one byte encodes: up to 39 each, then eight to every doubling."""
    codes = np.arange(232)
    shifts = np.maximum((codes >> 3) - 1, 0)
    lengths = np.where(codes < 8, codes, (codes & 7 | 8) << shifts)
    return np.concatenate([np.arange(24), 24 + lengths]).astype(np.float32)


_LENGTHS: Final = _encodable_lengths()


def rounded_lengths(lengths: Array) -> Array:
    """Return lengths as Tantivy rounds them, down, so that a turn scores alike in the tail and in the index."""
    return _LENGTHS[np.searchsorted(_LENGTHS, lengths, side="right") - 1]


def norm(lengths: Array, mean_length: float) -> Array:
    """Return, for documents of some lengths, the frequency at which a term adds half of the most that it can."""
    return (K1 * (1 - B + B * lengths / max(mean_length, 1.0))).astype(np.float32)


def bm25(frequencies: Array, norms: Array) -> Array:
    """Return the contribution of a term of idf 1 to each document, from its frequencies there and the norms.

    ``frequencies`` has a document for each of the ``norms`` along its last axis.
    """
    return (frequencies * (K1 + 1) / (frequencies + norms)).astype(np.float32, copy=False)


def best_possible(idfs: list[float]) -> float:
    """Return the upper bound of a score: every term at infinite frequency. Divided by it, scores are in [0, 1)."""
    return (K1 + 1) * sum(idfs)


TURN: Final = "turn"
WINDOW: Final = "window"
BLOCK: Final = "block"

Positions = NDArray[np.int64]


class Posting(NamedTuple):
    """Documents with a term, by their places, ascending, and its frequency in each."""

    positions: Positions
    counts: NDArray[np.float32]


_NOWHERE: Final = Posting(np.zeros(0, np.int64), np.zeros(0, np.float32))


class Tail:
    """Turns of some blocks, as stems. ``keys`` names its documents in the order of their scores."""

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
        """Blocks that it holds, those without a living turn among them."""
        return list(self._turns)

    def replace_block(self, block: int, turns: Sequence[tuple[int, str]]) -> None:
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
        """Drop blocks that the index has taken in."""
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
        """Make the arrays for scoring; repeated when they are needed after a change."""
        seqs = [seq for turns in self._turns.values() for seq in turns]
        # A block without living turns is no document: forgotten turns must not make other words rarer.
        living = {block: len(turns) for block, turns in self._turns.items() if turns}
        sizes = list(living.values())
        self._position = {seq: i for i, seq in enumerate(seqs)}
        self._keys = np.array(seqs, np.int64)
        self._block_keys = np.array(list(living), np.int64)
        self._ascending = [bool((np.diff(keys) > 0).all()) for keys in (self._keys, self._block_keys)]
        self._block_of = np.repeat(np.arange(len(sizes)), sizes)
        same_block = self._block_of[1:] == self._block_of[:-1]
        self._follows = np.append(same_block, False)[: len(seqs)]
        self._precedes = np.append(False, same_block)[: len(seqs)]
        all_turns = Posting(np.arange(len(seqs)), np.array([self._sizes[seq] for seq in seqs], np.float32))
        self._rounded = {scale: rounded_lengths(self._sums(scale, all_turns)) for scale in (TURN, WINDOW, BLOCK)}
        # Postings looked up since the last change.
        self._listed: dict[tuple[str, str], Posting] = {}
        # Mean length of a document and the norms for it, by scale.
        self._norms: dict[str, tuple[float, NDArray[np.float32]]] = {}
        self._laid_out = True

    def _ready(self) -> None:
        if not self._laid_out:
            self._lay_out()

    def keys(self, scale: str) -> NDArray[np.int64]:
        """Return the documents at a scale: sequence numbers of turns, or block numbers."""
        self._ready()
        return self._block_keys if scale == BLOCK else self._keys

    def ascending(self, scale: str) -> bool:
        """Return True if the keys at a scale ascend, as they do unless sessions mingle."""
        self._ready()
        return self._ascending[scale == BLOCK]

    def containing(self, scale: str, terms: Sequence[str]) -> list[int]:
        """Return the number of documents with each term."""
        return [len(self.posting(scale, term).positions) for term in terms]

    def posting(self, scale: str, term: str) -> Posting:
        """Return the documents with a term at a scale."""
        self._ready()
        if term not in self._postings:
            return _NOWHERE
        posting = self._listed.get((scale, term))
        if posting is None:
            posting = self._listed[scale, term] = self._look_up(scale, term)
        return posting

    def _look_up(self, scale: str, term: str) -> Posting:
        if scale != TURN:
            counts = self._sums(scale, self.posting(TURN, term))
            positions = np.flatnonzero(counts)
            return Posting(positions, counts[positions])
        posting = self._postings[term]
        positions = np.array([self._position[seq] for seq in posting], np.int64)
        return Posting(positions, np.array(list(posting.values()), np.float32))

    def _sums(self, scale: str, turns: Posting) -> NDArray[np.float32]:
        """Sum counts by turn over the documents of a scale: turns, windows of three turns, or blocks."""
        positions, counts = turns
        if scale == BLOCK:
            positions = self._block_of[positions]
        elif scale == WINDOW:
            after, before = np.flatnonzero(self._follows[positions]), np.flatnonzero(self._precedes[positions])
            counts = np.concatenate([counts, counts[after], counts[before]])
            positions = np.concatenate([positions, positions[after] + 1, positions[before] - 1])
        documents = len(self._block_keys if scale == BLOCK else self._keys)
        return np.bincount(positions, counts, documents).astype(np.float32)

    def scores(
        self, scale: str, terms: Sequence[str], idfs: Sequence[float], mean_length: float
    ) -> NDArray[np.float32]:
        """Return the BM25 score of each document, from the idf of each term and the mean length of documents."""
        postings = [self.posting(scale, term) for term in terms]
        positions = np.concatenate([_NOWHERE.positions, *(posting.positions for posting in postings)])
        counts = np.concatenate([_NOWHERE.counts, *(posting.counts for posting in postings)])
        rarity = np.repeat(np.array(idfs, np.float32), [len(posting.positions) for posting in postings])
        contributions = bm25(counts, self._norm(scale, mean_length)[positions]) * rarity
        return np.bincount(positions, contributions, len(self.keys(scale))).astype(np.float32)

    def _norm(self, scale: str, mean_length: float) -> NDArray[np.float32]:
        cached = self._norms.get(scale)
        if cached is None or cached[0] != mean_length:
            cached = self._norms[scale] = mean_length, norm(self._rounded[scale], mean_length)
        return cached[1]
