"""Cache of turns: the same ones are read again and again, and turns are never edited."""

from collections.abc import Sequence
from typing import Final

from hmem.model.turn import Turn
from hmem.storage.base import Storage, StoredTurn

# Turns; some 1 KB each.
_REMEMBERED: Final = 10_000


class TurnCache:
    """Turns of one memory, by sequence number and id. Clear it when a turn was forgotten."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._turns: dict[int, Turn] = {}
        self._seqs: dict[str, int] = {}

    def get(self, seqs: Sequence[int], *, once: bool = False) -> dict[int, Turn]:
        """Return turns by sequence number; one that is not kept is missing.

        Turns that are needed ``once`` are not cached.
        """
        missing = [seq for seq in dict.fromkeys(seqs) if seq not in self._turns]
        if missing and (once or len(missing) > _REMEMBERED):
            return {row.seq: row.turn for row in self._storage.turns(seqs)}
        if missing:
            if len(self._turns) + len(missing) > _REMEMBERED:
                self.clear()
                missing = list(dict.fromkeys(seqs))
            self._keep(self._storage.turns(missing))
        return {seq: self._turns[seq] for seq in seqs if seq in self._turns}

    def fetch(self, seqs: Sequence[int]) -> None:
        """Read turns that are asked for one by one soon, in one call of the storage."""
        if not all(map(self._turns.__contains__, seqs)):
            self.get(seqs)

    def add(self, turns: Sequence[StoredTurn]) -> None:
        """Cache turns that were just read."""
        if len(self._turns) + len(turns) > _REMEMBERED:
            self.clear()
        self._keep(turns[:_REMEMBERED])

    def _keep(self, turns: Sequence[StoredTurn]) -> None:
        for row in turns:
            self._turns[row.seq] = row.turn
            self._seqs[row.turn.id] = row.seq

    def locate(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sequence numbers of turns by id; one that is not kept is missing."""
        cached = {turn_id: seq for turn_id in ids if (seq := self._seqs.get(turn_id)) is not None}
        unknown = [turn_id for turn_id in ids if turn_id not in cached] if len(cached) < len(ids) else ()
        return self._storage.locate(unknown) | cached if unknown else cached

    def clear(self) -> None:
        """Drop all cached turns."""
        self._turns.clear()
        self._seqs.clear()
