"""The turns that were read again because a recall lacked notes of them."""

from typing import Any, Final

from hmem.hierarchy.part import Part

_BITS: Final = 12


class Learnt(Part):
    """A set of turns by sequence number. A chunk is those of 4,096 numbers."""

    def __init__(self, name: str = "learnt") -> None:
        super().__init__(name)
        self._seqs: set[int] = set()

    def __contains__(self, seq: int) -> bool:
        return seq in self._seqs

    def __len__(self) -> int:
        return len(self._seqs)

    def seqs(self) -> list[int]:
        """All of them, ascending."""
        return sorted(self._seqs)

    def put(self, seq: int) -> None:
        """Remember a turn."""
        self._seqs.add(seq)
        self.changed.add(seq >> _BITS)

    def take(self, seq: int) -> None:
        """Forget a turn."""
        if seq in self._seqs:
            self._seqs.discard(seq)
            self.changed.add(seq >> _BITS)

    def load(self, number: int, content: Any | None) -> None:
        self._seqs = {seq for seq in self._seqs if seq >> _BITS != number} | set(content or ())

    def dump(self, number: int) -> Any | None:
        return sorted(seq for seq in self._seqs if seq >> _BITS == number) or None
