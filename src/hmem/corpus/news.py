"""News of a storage: all that any process stored since, asked for in one call before each recall.

Turns, derived state, log and uses are each followed by somebody, who has taken them up to some number. The feed knows
these numbers, so that one call brings what is new of everything; each follower then takes its share without another
call. What nobody follows yet is not brought, and is asked for when it is first needed; so is what gathered because
nobody took it, such as what others formed for a process that only adds turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from hmem.storage.base import ChangeSet, Chunk, LogEntry, News, State, Storage, Use, Watermarks

# Number of chunks, entries or uses that may be brought again and again, as nobody takes them.
UNTAKEN: Final = 64


@dataclass(slots=True)
class _PendingNews:
    """News that nobody has taken yet, with the watermarks of their request; a share is None once it was taken."""

    watermarks: Watermarks
    changes: ChangeSet | None = None
    chunks: Sequence[Chunk] | None = None
    entries: Sequence[LogEntry] | None = None
    uses: Sequence[Use] | None = None


class NewsFeed:
    """State of a storage, and what is new in it. Call it under the storage's lock."""

    def __init__(self, storage: Storage) -> None:
        """Follow nothing but the state."""
        self._storage = storage
        self._state: State | None = None
        self._state_of = -1
        self._watermarks: Watermarks | None = None
        self._pending: _PendingNews | None = None

    @property
    def state(self) -> State:
        """State of the storage, as of the last look or of this object's last write."""
        if self._state is None or self._state_of != self._storage.writes:
            self._state_of = self._storage.writes
            self._state = self._look()
        return self._state

    def look_again(self) -> None:
        """Drop the known state, as another process may have written meanwhile."""
        self._state = None

    def _look(self) -> State:
        if self._watermarks is None:
            return self._storage.state()
        if (pending := self._pending) is not None:
            self._watermarks = replace(
                self._watermarks,
                step=None if len(pending.chunks or ()) > UNTAKEN else self._watermarks.step,
                recorded=None if len(pending.entries or ()) > UNTAKEN else self._watermarks.recorded,
                used=None if len(pending.uses or ()) > UNTAKEN else self._watermarks.used,
            )
        watermarks = self._watermarks
        news: News = self._storage.news(watermarks)
        self._pending = _PendingNews(
            watermarks,
            news.changes,
            None if watermarks.step is None else news.chunks,
            None if watermarks.recorded is None else news.entries,
            None if watermarks.used is None else news.uses,
        )
        return news.state

    # Turns.

    def follow(self, change: int, generation: int, dimension: int, blocks: int) -> None:
        """Note the last change of the turns that was taken up, their vectors, and the blocks to be told at once."""
        watermarks = self._watermarks or Watermarks(change, generation, dimension, blocks)
        self._watermarks = replace(watermarks, change=change, generation=generation, dimension=dimension, blocks=blocks)

    def changes(self, since: int, blocks: int, generation: int, dimension: int) -> ChangeSet:
        """Return the changes of the turns after a change, as ``Storage.changes`` does; texts come with news alone."""
        pending = self._pending
        if pending is not None and pending.changes is not None:
            changes, pending.changes = pending.changes, None
            watermarks = pending.watermarks
            if (watermarks.change, watermarks.generation, watermarks.dimension) == (since, generation, dimension):
                return changes
        return self._storage.changes(since, blocks, generation, dimension)

    # Derived state, log and uses.

    def follow_formation(self, step: int) -> None:
        """Note the last step of formation that was taken up or stored."""
        if self._watermarks is not None:
            self._watermarks = replace(self._watermarks, step=step)

    def chunks(self, since: int) -> Sequence[Chunk]:
        """Return the chunks stored after a step."""
        pending = self._pending
        if pending is not None and pending.chunks is not None:
            chunks, pending.chunks = pending.chunks, None
            if pending.watermarks.step == since:
                return chunks
        return self._storage.chunks(since=since)

    def entries(self, since: int) -> Sequence[LogEntry]:
        """Return the entries of the log after one."""
        pending, entries = self._pending, None
        if pending is not None and pending.entries is not None:
            entries, pending.entries = pending.entries, None
            entries = entries if pending.watermarks.recorded == since else None
        if entries is None:
            entries = self._storage.recorded(since=since)
        self.recorded(max((entry.number for entry in entries), default=since))
        return entries

    def recorded(self, last: int) -> None:
        """Note the last entry of the log that was taken up."""
        if self._watermarks is not None:
            self._watermarks = replace(self._watermarks, recorded=last)

    def uses(self, since: int) -> Sequence[Use]:
        """Return the uses recorded after a step."""
        pending = self._pending
        if pending is not None and pending.uses is not None:
            uses, pending.uses = pending.uses, None
            if pending.watermarks.used == since:
                return uses
        return self._storage.uses(since=since)

    def used(self, step: int) -> None:
        """Note the last step of uses that was taken up."""
        if self._watermarks is not None:
            self._watermarks = replace(self._watermarks, used=step)
