"""Search for residue: forgotten words that still stand in texts or bytes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

# Shorter words occur in almost any text.
SHORTEST: Final = 3

_WORD: Final = re.compile(rf"[^\W_]{{{SHORTEST},}}")
_CHUNK: Final = 1 << 22
_LONG: Final = 6


class Residue(NamedTuple):
    """A word that was found, and its place: a stored item or a file."""

    word: str
    location: str


def words_in(text: str) -> set[str]:
    """Return the words of a text in lower case: runs of at least ``SHORTEST`` letters and digits."""
    return set(_WORD.findall(text.lower()))


class ByteScanner:
    """Search for words in UTF-8 bytes, in any case and inside longer words."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = sorted({word.lower() for word in words if len(word) >= SHORTEST})
        self._by_start: dict[int, list[tuple[bytes, str]]] = {}
        # Lookup tables over every three bytes: words of 3 to 5 bytes, and both halves of the first 6 of longer ones.
        self._short, self._first, self._second = (np.zeros(1 << 24, np.bool_) for _ in range(3))
        for word in self.words:
            for needle in sorted({form.encode().lower() for form in (word, word.upper(), word.capitalize())}):
                start = _code(needle)
                self._by_start.setdefault(start, []).append((needle, word))
                if len(needle) < _LONG:
                    self._short[start] = True
                else:
                    self._first[start] = self._second[_code(needle[3:])] = True

    def find(self, data: bytes, shortest: int = SHORTEST) -> Iterator[tuple[int, str, int]]:
        """Yield offset, word and length in bytes of each occurrence; skip words of fewer than ``least`` bytes."""
        if not self.words:
            return
        lowered = data.lower()
        for start in range(0, len(lowered), _CHUNK):
            for candidate in self._candidates(lowered[start : start + _CHUNK + _LONG]):
                position = start + candidate
                for needle, word in self._by_start.get(_code(lowered[position : position + 3]), ()):
                    if candidate < _CHUNK and len(needle) >= shortest and lowered.startswith(needle, position):
                        yield position, word, len(needle)

    def _candidates(self, chunk: bytes) -> Sequence[int]:
        if len(chunk) < SHORTEST:
            return []
        values = np.frombuffer(chunk, np.uint8).astype(np.int32)
        codes = values[:-2] << 16 | values[1:-1] << 8 | values[2:]
        hits = self._short[codes]
        hits[:-3] |= self._first[codes[:-3]] & self._second[codes[3:]]
        return np.flatnonzero(hits).tolist()


def _code(three: bytes) -> int:
    return int.from_bytes(three[:3])
