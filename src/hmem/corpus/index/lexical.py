"""Lexical index: BM25 over the rows of a memory at three scales, the turn, its window and its block.

A **window** is a turn with the turns before and after it in its block; a **block** is a run of turns of one session. A
document is compared with others of its size.

Postings are kept by turn, in immutable **segments** of consecutive rows, which are merged in powers of two. Those of
windows and blocks are summed from them when they are asked for. All statistics are those of the living turns, so the
same turns have the same scores to the last digit, in whatever order and batches they came. A term is known by its
hash.

Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), with k1 = 1.2 and b = 0.75.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import log
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.columns import Columns
from hmem.corpus.index.runs import MOST, Postings, hash_of, joined
from hmem.errors import IndexDamaged

K1: Final = 1.2
B: Final = 0.75

TURN: Final = "turn"
WINDOW: Final = "window"
BLOCK: Final = "block"

# Rows of the largest segments; greater ones would make the turn wait that completes them.
_LARGEST: Final = 131_072
# Postings of a scale that are cached at most.
_MAX_CACHED: Final = 4_096
# Documents, and documents for each posting, up to which counts are summed in a table of all documents.
_TABLE: Final = 8_192
_SPARSE: Final = 16

# End of the name of an index's file.
SUFFIX: Final = ".lexical.npz"

Array = NDArray[np.float32]
Rows = NDArray[np.int64]


def idf(documents: int, containing: int) -> float:
    """Return a term's inverse document frequency: above 0, and the greater the fewer documents contain it."""
    containing = min(containing, documents)
    return log(1 + (documents - containing + 0.5) / (containing + 0.5))


def norm(lengths: Array, mean_length: float) -> Array:
    """Return, for documents of some lengths, the frequency at which a term adds half of the most that it can."""
    return (K1 * (1 - B + B * lengths / max(mean_length, 1.0))).astype(np.float32)


def bm25(frequencies: Array, norms: Array) -> Array:
    """Return the contribution of a term of idf 1 to each document, from its frequency and the norm there."""
    return (frequencies * (K1 + 1) / (frequencies + norms)).astype(np.float32, copy=False)


def best_possible(idfs: list[float]) -> float:
    """Return the upper bound of a score: every term at infinite frequency. Divided by it, scores are in [0, 1)."""
    return (K1 + 1) * sum(idfs)


class Posting(NamedTuple):
    """Documents with a term, ascending: rows, or numbers of blocks; and its frequency in each."""

    documents: Rows
    counts: Array


class Scores(NamedTuple):
    """Documents with any of a question's terms, ascending: rows, or numbers of blocks; a score in [0, 1) each."""

    keys: Rows
    values: Array


_NOWHERE: Final = Posting(np.zeros(0, np.int64), np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class Segment:
    """Postings of the turns of consecutive rows, from ``first`` up to ``end``.

    Term ``i``, by its hash, ascending, stands in ``rows[starts[i] : starts[i + 1]]``, which ascend, so often as
    ``counts`` says.
    """

    first: int
    end: int
    terms: NDArray[np.uint64]
    starts: NDArray[np.int64]
    rows: NDArray[np.uint32]
    counts: NDArray[np.uint16]

    @property
    def postings(self) -> Postings:
        """Postings of the segment, by row."""
        return Postings(self.terms, np.diff(self.starts), self.rows.astype(np.int64), self.counts)


def _segment(first: int, end: int, postings: Postings) -> Segment:
    """Return a segment of postings by row; those of a term ascend in the order of the groups."""
    hashes, sizes, rows, counts = postings.by_hash()
    return Segment(first, end, hashes, np.append(0, np.cumsum(sizes)), rows.astype(np.uint32), counts)


def _merged(earlier: Segment, later: Segment) -> Segment:
    return _segment(earlier.first, later.end, joined([earlier.postings, later.postings]))


class LexicalIndex:
    """Postings of the rows of one memory, whose columns tell which turns live, their lengths and neighbours."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._segments: list[Segment] = []
        self.look_again()

    def __len__(self) -> int:
        """Return the number of rows whose terms are known."""
        return self._segments[-1].end if self._segments else 0

    def __sizeof__(self) -> int:
        """Return the bytes of the segments too."""
        return object.__sizeof__(self) + sum(
            array.nbytes
            for segment in self._segments
            for array in (segment.terms, segment.starts, segment.rows, segment.counts)
        )

    def look_again(self) -> None:
        """Drop what was computed from the columns, which have changed."""
        self._postings: dict[str, dict[str, Posting]] = {scale: {} for scale in (TURN, WINDOW, BLOCK)}
        self._lengths: Array | None = None
        self._block_count: int | None = None

    def add(self, count: int, postings: Postings) -> None:
        """Append so many rows, by the postings of their turns; those of a term ascend in the order of the groups."""
        for start in range(0, count, _LARGEST):
            first, end = len(self), len(self) + min(_LARGEST, count - start)
            turns = postings.turns
            part = postings if count <= _LARGEST else postings.among((turns >= start) & (turns < start + _LARGEST))
            self._segments.append(_segment(first, end, part._replace(turns=part.turns + (first - start))))
            self._merge()
        self.look_again()

    def _merge(self) -> None:
        """Merge the last segments, until each is larger than the one behind it, or as large as any may be."""
        while len(self._segments) > 1:
            earlier, later = self._segments[-2:]
            size = later.end - earlier.first
            if earlier.end - earlier.first > later.end - later.first or size > _LARGEST:
                break
            self._segments[-2:] = [_merged(earlier, later)]

    def keep(self, rows: Rows) -> None:
        """Drop the postings of all other rows, and renumber those that stay; the columns do so too."""
        renumbered = np.full(max(len(self), int(rows.max(initial=-1)) + 1), -1, np.int64)
        renumbered[rows] = np.arange(len(rows))
        segments, self._segments, end = self._segments, list[Segment](), 0
        for segment in segments:
            postings = segment.postings._replace(turns=renumbered[segment.rows])
            first, end = end, end + int((renumbered[segment.first : segment.end] >= 0).sum())
            if end > first:
                self._segments.append(_segment(first, end, postings.among(postings.turns >= 0)))
                self._merge()
        self.look_again()

    # Search.

    def search(self, scale: str, terms: Sequence[str], allowed: NDArray[np.bool_] | None = None) -> Scores:
        """Return all documents with any of the stems, with their scores.

        A score is BM25 divided by the bound of any document's for these terms. ``allowed`` is a mask of the rows that
        may be found, or whose blocks may; scores do not depend on it.
        """
        postings = self._postings_of(scale, terms)
        idfs = self._idfs(scale, postings)
        documents = np.concatenate([_NOWHERE.documents, *(posting.documents for posting in postings)])
        counts = np.concatenate([_NOWHERE.counts, *(posting.counts for posting in postings)])
        rarity = np.repeat(np.array(idfs, np.float32), [len(posting.documents) for posting in postings])
        norms = norm(self._lengths_of(scale, documents), self._mean_length(scale))
        keys, sums = _summed(documents, bm25(counts, norms) * rarity)
        values = np.minimum(sums / np.float32(best_possible(idfs) or 1.0), np.float32(1))
        if allowed is not None:
            mask = np.isin(keys, self._columns.keys_of(allowed, "block")) if scale == BLOCK else allowed[keys]
            keys, values = keys[mask], values[mask]
        return Scores(keys, values)

    def contains_terms(self, terms: Sequence[str], rows: Rows) -> NDArray[np.bool_]:
        """Return a boolean for each stem (rows) and row (columns): its turn has the stem; -1 stands for no turn."""
        presence = np.zeros((len(terms), len(rows)), np.bool_)
        for has_term, posting in zip(presence, self._postings_of(TURN, terms), strict=True):
            if len(documents := posting.documents):
                np.equal(documents.take(documents.searchsorted(rows), mode="clip"), rows, out=has_term)
        return presence

    def rows_with_all(self, alternatives: Sequence[Sequence[str]]) -> Rows:
        """Return the living rows whose turns have a stem of each of the alternatives, ascending."""
        rows = np.flatnonzero(self._columns.alive[: len(self)])
        for terms in alternatives:
            matching_rows = [posting.documents for posting in self._postings_of(TURN, terms)]
            rows = np.intersect1d(rows, np.concatenate([_NOWHERE.documents, *matching_rows]))
        return rows

    def idfs(self, scale: str, terms: Sequence[str]) -> list[float]:
        """Return the idf of each stem among the documents at a scale."""
        return self._idfs(scale, self._postings_of(scale, terms))

    def _idfs(self, scale: str, postings: Sequence[Posting]) -> list[float]:
        documents = self._documents(scale)
        return [idf(documents, len(posting.documents)) for posting in postings]

    def posting(self, scale: str, term: str) -> Posting:
        """Return the living documents with a term at a scale."""
        return self._postings_of(scale, [term])[0]

    def _postings_of(self, scale: str, terms: Sequence[str]) -> list[Posting]:
        cached_postings = self._postings[scale]
        if len(cached_postings) > _MAX_CACHED:
            cached_postings.clear()
        if missing := [term for term in dict.fromkeys(terms) if term not in cached_postings]:
            if scale == TURN:
                cached_postings |= zip(missing, self._look_up(missing), strict=True)
            else:
                for term, posting in zip(missing, self._postings_of(TURN, missing), strict=True):
                    cached_postings[term] = self._wider(scale, posting)
        return [cached_postings[term] for term in terms]

    def _look_up(self, terms: Sequence[str]) -> list[Posting]:
        """Return the living turns with each term."""
        hashes = np.array([hash_of(term) for term in terms], np.uint64)
        runs_by_term: list[list[tuple[NDArray[np.uint32], NDArray[np.uint16]]]] = [[] for _ in terms]
        for segment in self._segments:
            if not len(segment.terms):
                continue
            indices = segment.terms.searchsorted(hashes)
            indices[indices == len(segment.terms)] = 0
            term_numbers = np.flatnonzero(segment.terms[indices] == hashes)
            starts = segment.starts[indices[term_numbers]].tolist()
            ends = segment.starts[indices[term_numbers] + 1].tolist()
            for i, start, end in zip(term_numbers.tolist(), starts, ends, strict=True):
                runs_by_term[i].append((segment.rows[start:end], segment.counts[start:end]))
        return self._living(runs_by_term)

    def _living(self, runs_by_term: Sequence[list[tuple[NDArray[np.uint32], NDArray[np.uint16]]]]) -> list[Posting]:
        """Return the postings of the runs of each term without those of dead rows."""
        runs = [run for term_runs in runs_by_term for run in term_runs]
        if not runs:
            return [_NOWHERE] * len(runs_by_term)
        # Converted at once for all terms, of which most have few rows.
        rows = np.concatenate([run_rows for run_rows, _ in runs], dtype=np.int64)
        counts = np.concatenate([run_counts for _, run_counts in runs], dtype=np.float32)
        ends = list(accumulate(sum([len(run_rows) for run_rows, _ in term_runs]) for term_runs in runs_by_term))
        if self._columns.alive_count < len(self._columns):
            alive = self._columns.alive[rows]
            rows, counts = rows[alive], counts[alive]
            ends = np.append(0, np.cumsum(alive))[ends].tolist()
        return [Posting(rows[start:end], counts[start:end]) for start, end in pairwise([0, *ends])]

    def _wider(self, scale: str, turns: Posting) -> Posting:
        """Return the windows or the blocks of turns, with the sums of their counts."""
        rows, counts = turns
        if scale == BLOCK:
            return Posting(*_summed(self._columns.block[rows].astype(np.int64), counts))
        neighbours = np.concatenate([self._columns.previous[rows], self._columns.next[rows]]).astype(np.int64)
        exists = neighbours >= 0
        return Posting(
            *_summed(np.concatenate([rows, neighbours[exists]]), np.concatenate([counts, np.tile(counts, 2)[exists]]))
        )

    # Statistics of documents.

    def _documents(self, scale: str) -> int:
        """Return the number of documents and one, which keeps the idf of few documents apart from 0."""
        return (self._living_blocks() if scale == BLOCK else self._columns.alive_count) + 1

    def _living_blocks(self) -> int:
        """Return the number of blocks with a living turn."""
        if self._block_count is None:
            self._block_count = int(np.count_nonzero(self._block_lengths() >= 0))
        return self._block_count

    def _block_lengths(self) -> Array:
        """Return the words of each block by its number; -1 for one without a living turn."""
        if self._lengths is None:
            columns, alive = self._columns, self._columns.alive
            words, turns = (np.bincount(columns.block[alive], weights) for weights in (columns.words[alive], None))
            self._lengths = np.where(turns > 0, words, -1).astype(np.float32)
        return self._lengths

    def _lengths_of(self, scale: str, documents: Rows) -> Array:
        if scale == BLOCK:
            return self._block_lengths()[documents]
        columns = self._columns
        words = columns.words[documents]
        if scale == WINDOW:
            for neighbours in (columns.previous[documents], columns.next[documents]):
                words = words + np.where(neighbours >= 0, columns.words[neighbours], 0)
        return words.astype(np.float32)

    def _mean_length(self, scale: str) -> float:
        turns = self._columns.alive_count
        mean_words = self._columns.alive_words / max(turns, 1)
        if scale == TURN:
            return mean_words
        blocks = self._living_blocks() + (scale == BLOCK)
        turns_a_block = turns / max(blocks, 1)
        # A block's first window and its last have two turns, all others three.
        return mean_words * (turns_a_block if scale == BLOCK else max(3 - 2 / max(turns_a_block, 1), 1))

    # Verification.

    def holds(self, terms: Sequence[str]) -> list[str]:
        """Return the stems that any row has, those of removed turns included."""
        return _terms_in(self._segments, terms)

    def wrong_rows(self) -> Rows:
        """Return the living rows whose terms do not add up to the words of their turns."""
        totals = np.zeros(len(self._columns), np.int64)
        for segment in self._segments:
            totals[segment.first : segment.end] = np.bincount(
                segment.rows - np.uint32(segment.first), segment.counts, segment.end - segment.first
            )
        words = self._columns.words
        return np.flatnonzero(self._columns.alive & (totals != words) & (words <= MOST))

    # Files.

    def save(self, path: Path) -> None:
        """Write the segments to a file."""
        arrays: dict[str, Any] = {}
        for i, segment in enumerate(self._segments):
            arrays |= {f"range{i}": np.array([segment.first, segment.end])}
            arrays |= {f"{name}{i}": getattr(segment, name) for name in _ARRAYS}
        with path.open("wb") as file:
            np.savez(file, **arrays)

    @classmethod
    def load(cls, path: Path, columns: Columns) -> "LexicalIndex":
        """Read what ``save`` wrote.

        Raises:
            IndexDamaged: the file is missing, damaged, or not of these columns.
        """
        index = cls(columns)
        index._segments = _segments_in(path)
        if len(index) != len(columns) or not all(map(_is_sound, index._segments)):
            raise IndexDamaged(f"{path} has not the terms of the memory's turns - run `hmem rebuild`")
        return index


_ARRAYS: Final = ("terms", "starts", "rows", "counts")


def terms_in_file(path: Path, terms: Sequence[str]) -> list[str]:
    """Return the stems that a file of ``LexicalIndex.save`` has; none of one that cannot be read."""
    try:
        return _terms_in(_segments_in(path), terms)
    except IndexDamaged:
        return []


def _terms_in(segments: Sequence[Segment], terms: Sequence[str]) -> list[str]:
    hashes = np.array([hash_of(term) for term in terms], np.uint64)
    is_held = np.zeros(len(terms), np.bool_)
    for segment in segments:
        is_held |= np.isin(hashes, segment.terms)
    return [term for term, is_present in zip(terms, is_held.tolist(), strict=True) if is_present]


def _segments_in(path: Path) -> list[Segment]:
    """Return the segments in a file.

    Raises:
        IndexDamaged: it cannot be read.
    """
    segments: list[Segment] = []
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            for i in range(len(file.files) // (len(_ARRAYS) + 1)):
                first, end = file[f"range{i}"].tolist()
                segments.append(Segment(first, end, **{name: file[f"{name}{i}"] for name in _ARRAYS}))
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise IndexDamaged(f"{path} cannot be read as an index ({error}) - run `hmem rebuild`") from error
    return segments


def _is_sound(segment: Segment) -> bool:
    """Return True if the arrays of a segment fit together."""
    postings = len(segment.rows)
    return (
        postings == len(segment.counts)
        and len(segment.starts) == len(segment.terms) + 1
        and int(segment.starts[-1]) == postings
        and (not postings or segment.first <= int(segment.rows.min()) <= int(segment.rows.max()) < segment.end)
    )


def _summed(keys: Rows, values: Array) -> tuple[Rows, Array]:
    """Return the distinct keys, ascending, and the sum of the values of each, added in their order."""
    if not len(keys):
        return _NOWHERE
    greatest = int(keys.max())
    if greatest <= max(_SPARSE * len(keys), _TABLE):
        # Values are above 0.
        sums = np.bincount(keys, values, greatest + 1)
        distinct_keys = np.flatnonzero(sums)
        return distinct_keys, sums[distinct_keys].astype(np.float32)
    distinct_keys, indices = np.unique(keys, return_inverse=True)
    return distinct_keys, np.bincount(indices, values, len(distinct_keys)).astype(np.float32)
