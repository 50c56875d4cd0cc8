"""Runs: what a search needs of turns with consecutive sequence numbers, stored so that opening a memory reads no texts.

A run is a chunk of what is formed: formation writes it in the step that forms the last of its turns, and anew in the
step that takes out a turn of it. It depends on the living turns alone, and is never changed otherwise. It holds their
columns, and their terms by hash, ascending, each with the turns that have it and how often: both deflated, which also
gives them a checksum. A run of another version of the analysis is not read, and turns that are in no run are read from
the storage.
"""

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from struct import Struct, error
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyzer import VERSION

PART: Final = "runs"
# Setting with the version of the analysis by which runs of all formed turns are stored.
RUNS: Final = "formation.runs"
# Bits of a sequence number that tell a turn's place in its run: longer runs take less room, and shorter ones leave
# fewer of the last turns to be read from the storage.
RUN_BITS: Final = 9
COLUMNS: Final = ("seq", "block", "session", "speaker", "words", "said", "marks")

MOST: Final = 65_535
# Bits of a term's hash: that any two of a million terms share theirs has a chance of one in five hundred.
_HASH: Final = (1 << 48) - 1
# A byte as before other bytes among the chunks, the version of the analysis and the layout; the numbers of turns, terms
# and postings; and the length of the columns, behind which lie the terms. In the layout 0 these have hashes of 64 bits
# as they are, in the present one the steps between them.
_HEAD: Final = Struct("<BBBHIII")
_LAYOUT: Final = 1
_LEVEL: Final = 9

Numbers = NDArray[np.int64]


class Postings(NamedTuple):
    """Terms of turns in groups: a hash for each, and how many of the turns and their counts, up to ``MOST``, it has."""

    hashes: NDArray[np.uint64]
    sizes: Numbers
    turns: Numbers
    counts: NDArray[np.uint16]

    def by_hash(self) -> "Postings":
        """Return each hash once, ascending; its turns come in the order of the groups."""
        order = np.argsort(self.hashes, kind="stable")
        hashes, sizes = self.hashes[order], self.sizes[order]
        starts = np.cumsum(sizes) - sizes
        places = np.repeat((np.cumsum(self.sizes) - self.sizes)[order] - starts, sizes) + np.arange(len(self.turns))
        firsts = np.flatnonzero(np.append(True, hashes[1:] != hashes[:-1])[: len(hashes)])
        distinct_sizes = np.diff(np.append(starts[firsts], len(self.turns)))
        return Postings(hashes[firsts], distinct_sizes, self.turns[places], self.counts[places])

    def among(self, mask: NDArray[np.bool_]) -> "Postings":
        """Return those of some pairs of term and turn."""
        ends = np.append(0, np.cumsum(mask))
        last = np.cumsum(self.sizes)
        sizes = ends[last] - ends[last - self.sizes]
        return Postings(self.hashes[sizes > 0], sizes[sizes > 0], self.turns[mask], self.counts[mask])

    def by_turn(self) -> "Postings":
        """Return a group for each pair, ascending by turn."""
        order = np.argsort(self.turns, kind="stable")
        hashes = np.repeat(self.hashes, self.sizes)[order]
        return Postings(hashes, np.ones(len(order), np.int64), self.turns[order], self.counts[order])


def joined(postings: Sequence[Postings]) -> Postings:
    """Return all groups of several, in their order."""
    return Postings(*(np.concatenate(arrays) for arrays in zip(*postings, strict=True)))


@lru_cache(maxsize=100_000)
def hash_of(term: str) -> int:
    """Return a term's hash."""
    return _HASH & int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def postings_of(stems: Iterable[Sequence[str]]) -> Postings:
    """Return the postings of turns, turn by turn, by the stems of their texts."""
    hashes, sizes, counts = list[int](), list[int](), list[int]()
    for turn_stems in stems:
        frequencies = Counter(turn_stems)
        hashes += map(hash_of, frequencies)
        counts += frequencies.values()
        sizes.append(len(frequencies))
    turns = np.repeat(np.arange(len(sizes)), sizes)
    frequencies = np.minimum(np.array(counts, np.int64), MOST).astype(np.uint16)
    return Postings(np.array(hashes, np.uint64), np.ones(len(turns), np.int64), turns, frequencies)


def pack(columns: Mapping[str, NDArray[Any]], postings: Postings) -> bytes:
    """Return a run as bytes: values of turns by the name of the column, and the postings by their place there."""
    hashes, sizes, turns, counts = postings.by_turn().by_hash()
    steps, starts = np.diff(turns, prepend=0), np.cumsum(sizes) - sizes
    steps[starts] = turns[starts]
    values = np.stack([columns[name].astype(np.int64) for name in COLUMNS])
    first = zlib.compress(_planes(np.diff(values, axis=1, prepend=0), "<i8"), _LEVEL)
    planes = [_planes(numbers, "<u2") for numbers in (sizes, steps, counts)]
    second = zlib.compress(b"".join([_planes(np.diff(hashes.astype(np.int64), prepend=0), "<u8"), *planes]), _LEVEL)
    return _HEAD.pack(0, VERSION, _LAYOUT, values.shape[1], len(hashes), len(turns), len(first)) + first + second


class StoredRun:
    """A stored run, whose columns are read at once, and its postings when they are asked for.

    Raises:
        ValueError: it is damaged.
    """

    def __init__(self, content: bytes) -> None:
        try:
            _, self.analysis, self._layout, turns, self._terms, self._postings, end = _HEAD.unpack_from(content)
        except error as damage:
            raise ValueError(f"a run of turns is cut off ({damage})") from damage
        self._content = content[_HEAD.size + end :]
        # Of another version's run nothing else is known.
        self.columns: dict[str, Numbers] = {}
        if self.analysis == VERSION and self._layout <= _LAYOUT:
            data = _inflated(content[_HEAD.size : _HEAD.size + end], 8 * turns * len(COLUMNS))
            values = np.cumsum(_values(data, "<i8").reshape(len(COLUMNS), turns), axis=1)
            self.columns = dict(zip(COLUMNS, values, strict=True))

    def postings(self) -> Postings:
        """Return the postings, by the place of turns in the columns.

        Raises:
            ValueError: they are damaged.
        """
        terms, postings = self._terms, self._postings
        data = _inflated(self._content, 10 * terms + 4 * postings)
        if self._layout:
            hashes = np.cumsum(_values(data[: 8 * terms], "<u8"))
        else:
            hashes = np.frombuffer(data, "<u8", terms) & np.uint64(_HASH)
        sizes = _values(data[8 * terms : 10 * terms], "<u2").astype(np.int64)
        steps, counts = (_values(data[10 * terms + start :][: 2 * postings], "<u2") for start in (0, 2 * postings))
        if int(sizes.sum()) != postings:
            raise ValueError("a run of turns miscounts its terms")
        # The steps of each term begin anew.
        totals = np.append(0, np.cumsum(steps.astype(np.int64)))
        turns = totals[1:] - np.repeat(totals[np.cumsum(sizes) - sizes], sizes)
        return Postings(hashes, sizes, turns, counts)


def _inflated(data: bytes, size: int) -> bytes:
    try:
        inflated = zlib.decompress(data)
    except zlib.error as damage:
        raise ValueError(f"a run of turns is damaged ({damage})") from damage
    if len(inflated) != size:
        raise ValueError("a run of turns is cut off")
    return inflated


def _planes(values: NDArray[Any], kind: str) -> bytes:
    """Return integers as bytes, the lowest bytes of all first: most of the others are zero."""
    flat = values.astype(kind).reshape(-1)
    return flat.view(np.uint8).reshape(len(flat), flat.itemsize).T.tobytes()


def _values(planes: bytes, kind: str) -> NDArray[Any]:
    rows = np.frombuffer(planes, np.uint8).reshape(np.dtype(kind).itemsize, -1)
    values = np.empty((rows.shape[1], len(rows)), np.uint8)
    # A plane at a time: a transposed copy takes three times as long.
    for byte, plane in enumerate(rows):
        values[:, byte] = plane
    return values.view(kind)[:, 0]
