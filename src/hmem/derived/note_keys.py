"""Keys of notes that later notes of their slot are compared with, so that a new note finds them without the others.

Only claims of a slot that share a key are compared (``Analyst.likeness``). A key is kept as a digest of the slot and
the key together, four bytes; a note that is closed has none any more.
"""

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.chunks import EVENT_BITS, Part, content_of
from hmem.derived.slot_links import Slot

# A chunk holds the keys of 32 turns: a place in the chunk of two bytes, and a digest, for each.
_BITS: Final = EVENT_BITS + 5
_RECORD: Final = np.dtype([("place", "<u2"), ("digest", "<u4")])
# Number of changed chunks from which the index of all is made anew.
_STALE: Final = 256
_SIDES: Final = ("left", "right")


class NoteKeys(Part):
    """Keys by note; a chunk holds those of 32 turns, as bytes."""

    def __init__(self, name: str = "note-keys") -> None:
        super().__init__(name)
        self._of: dict[int, bytes] = {}
        # All keys, sorted by digest and then by note; the chunks that changed since, and the notes there by digest.
        self._digests = np.zeros(0, np.uint32)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self._stale: set[int] = set()
        self._recent: dict[int, dict[int, None]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._of.values())) // _RECORD.itemsize

    def sharing(self, slot: Slot, key: str) -> list[int]:
        """Return the notes of a slot that have a key, ascending."""
        digest = _digest(slot, key)
        # Of the type of the array, which is converted as a whole otherwise.
        wanted = np.uint32(digest)
        first, last = (int(self._digests.searchsorted(wanted, side)) for side in _SIDES)
        found = self._numbers[first:last]
        if not self._stale:
            return found.tolist()
        settled = [number for number in found.tolist() if number >> _BITS not in self._stale]
        return sorted((*settled, *self._recent.get(digest, ())))

    def put(self, number: int, slot: Slot, keys: Iterable[str]) -> None:
        """Replace the keys of a note."""
        digests = sorted({_digest(slot, key) for key in keys})
        chunk, place = number >> _BITS, number & (1 << _BITS) - 1
        records = self._records(chunk)
        others = records[records["place"] != place]
        if len(others) == len(records) and not digests:
            return
        own = np.array([(place, digest) for digest in digests], _RECORD)
        kept = np.concatenate([others, own])
        self._put(chunk, kept[np.lexsort((kept["digest"], kept["place"]))].tobytes())
        self.changed.add(chunk)

    def _records(self, chunk: int) -> NDArray[np.void]:
        return np.frombuffer(self._of.get(chunk, b""), _RECORD)

    def _put(self, chunk: int, content: bytes) -> None:
        """Replace the keys of a chunk; the index of all follows when many have changed."""
        if chunk in self._stale:
            for place, digest in self._records(chunk).tolist():
                self._recent[digest].pop(chunk << _BITS | place)
        self._stale.add(chunk)
        if content:
            self._of[chunk] = content
        else:
            self._of.pop(chunk, None)
        for place, digest in self._records(chunk).tolist():
            self._recent.setdefault(digest, {})[chunk << _BITS | place] = None
        if len(self._stale) > _STALE:
            self._index()

    def _index(self) -> None:
        """Sort all keys by their digests."""
        chunks = sorted(self._of)
        records = np.frombuffer(b"".join(self._of[chunk] for chunk in chunks), _RECORD)
        sizes = [len(self._of[chunk]) // _RECORD.itemsize for chunk in chunks]
        numbers = (np.repeat(np.array(chunks, np.int64), sizes) << _BITS) + records["place"]
        order = np.lexsort((numbers, records["digest"]))
        self._digests, self._numbers = records["digest"][order], numbers[order]
        self._stale.clear()
        self._recent.clear()

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._of = {number: content_of(stored) for number, stored in chunks}
        self._index()

    def load(self, number: int, content: Any | None) -> None:
        self._put(number, content or b"")

    def dump(self, number: int) -> Any | None:
        return self._of.get(number)


def _digest(slot: Slot, key: str) -> int:
    about, name = slot
    told = "\0".join((about.owner, about.name, name, key)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(told, digest_size=4).digest())
