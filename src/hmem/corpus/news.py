"""News of a storage: all that any process stored since, asked for in one call before each recall.

Turns, derived state, log and uses are each followed by somebody, who has taken them up to some number. The feed knows
these numbers, so that one call brings what is new of everything; each follower then takes its share without another
call. What nobody follows yet is not brought, and is asked for when it is first needed; so is what gathered because
nobody took it, such as what others formed for a process that only adds turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

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
        follows = self._pending is not None and (generation, dimension) == (
            self._pending.watermarks.generation, self._pending.watermarks.dimension,
        )  # fmt: skip
        changes: ChangeSet | None = self._take("changes", "change", since)
        return changes if changes and follows else self._storage.changes(since, blocks, generation, dimension)

    def _take(self, share: str, watermark: str, since: int) -> Any:
        """Return a share of the news, which nobody gets again; None if there is none from this watermark on."""
        pending = self._pending
        if pending is None:
            return None
        taken = getattr(pending, share)
        setattr(pending, share, None)
        return taken if getattr(pending.watermarks, watermark) == since else None

    def _note(self, **watermarks: int) -> None:
        if self._watermarks is not None:
            self._watermarks = replace(self._watermarks, **watermarks)

    # Derived state, log and uses.

    def follow_formation(self, step: int) -> None:
        """Note the last step of formation that was taken up or stored."""
        self._note(step=step)

    def chunks(self, since: int) -> Sequence[Chunk]:
        """Return the chunks stored after a step."""
        chunks: Sequence[Chunk] | None = self._take("chunks", "step", since)
        return self._storage.chunks(since=since) if chunks is None else chunks

    def entries(self, since: int) -> Sequence[LogEntry]:
        """Return the entries of the log after one."""
        entries: Sequence[LogEntry] | None = self._take("entries", "recorded", since)
        if entries is None:
            entries = self._storage.recorded(since=since)
        self.recorded(max((entry.number for entry in entries), default=since))
        return entries

    def recorded(self, last: int) -> None:
        """Note the last entry of the log that was taken up."""
        self._note(recorded=last)

    def uses(self, since: int) -> Sequence[Use]:
        """Return the uses recorded after a step."""
        uses: Sequence[Use] | None = self._take("uses", "used", since)
        return self._storage.uses(since=since) if uses is None else uses

    def used(self, step: int) -> None:
        """Note the last step of uses that was taken up."""
        self._note(used=step)
