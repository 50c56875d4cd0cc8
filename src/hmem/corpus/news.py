"""News of a storage: all that any process stored since, asked for in one call before each recall.

Turns, derived state, log and uses are each followed by somebody, who has taken them up to some number. The feed knows
these numbers, so that one call brings what is new of everything; each follower then takes its share without another
call. What nobody follows yet is not brought, and is asked for when it is first needed; so is what gathered because
nobody took it, such as what others formed for a process that only adds turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from hmem.storage.base import ChangeSet, Chunk, Known, LogEntry, News, State, Storage, Use

# Number of chunks, entries or uses that may be brought again and again, as nobody takes them.
UNTAKEN: Final = 64


@dataclass(slots=True)
class _Brought:
    """News, with what was known when they were asked for; a share is None once it was taken."""

    known: Known
    changes: ChangeSet | None = None
    chunks: Sequence[Chunk] | None = None
    entries: Sequence[LogEntry] | None = None
    uses: Sequence[Use] | None = None


class NewsFeed:
    """State of a storage, and what is new in it. Use it while the storage is held."""

    def __init__(self, storage: Storage) -> None:
        """Follow nothing but the state."""
        self._storage = storage
        self._state: State | None = None
        self._state_of = -1
        self._known: Known | None = None
        self._brought: _Brought | None = None

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
        if self._known is None:
            return self._storage.state()
        if (left := self._brought) is not None:
            self._known = replace(
                self._known,
                step=None if len(left.chunks or ()) > UNTAKEN else self._known.step,
                recorded=None if len(left.entries or ()) > UNTAKEN else self._known.recorded,
                used=None if len(left.uses or ()) > UNTAKEN else self._known.used,
            )
        known = self._known
        news: News = self._storage.news(known)
        self._brought = _Brought(
            known,
            news.changes,
            None if known.step is None else news.chunks,
            None if known.recorded is None else news.entries,
            None if known.used is None else news.uses,
        )
        return news.state

    # Turns.

    def follow(self, change: int, generation: int, dimension: int, blocks: int) -> None:
        """Note the last change of the turns that was taken up, their vectors, and the blocks to be told at once."""
        known = self._known or Known(change, generation, dimension, blocks)
        self._known = replace(known, change=change, generation=generation, dimension=dimension, blocks=blocks)

    def changes(self, since: int, blocks: int, generation: int, dimension: int) -> ChangeSet:
        """Return the changes of the turns after a change, as ``Storage.changes`` does; texts come with news alone."""
        brought = self._brought
        if brought is not None and brought.changes is not None:
            found, brought.changes = brought.changes, None
            known = brought.known
            if (known.change, known.generation, known.dimension) == (since, generation, dimension):
                return found
        return self._storage.changes(since, blocks, generation, dimension)

    # Derived state, log and uses.

    def formed(self, step: int) -> None:
        """Note the last step of formation that was taken up or stored."""
        if self._known is not None:
            self._known = replace(self._known, step=step)

    def chunks(self, since: int) -> Sequence[Chunk]:
        """Return the chunks stored after a step."""
        brought = self._brought
        if brought is not None and brought.chunks is not None:
            found, brought.chunks = brought.chunks, None
            if brought.known.step == since:
                return found
        return self._storage.chunks(since=since)

    def entries(self, since: int) -> Sequence[LogEntry]:
        """Return the entries of the log after one."""
        brought, found = self._brought, None
        if brought is not None and brought.entries is not None:
            found, brought.entries = brought.entries, None
            found = found if brought.known.recorded == since else None
        if found is None:
            found = self._storage.recorded(since=since)
        self.recorded(max((entry.number for entry in found), default=since))
        return found

    def recorded(self, last: int) -> None:
        """Note the last entry of the log that was taken up."""
        if self._known is not None:
            self._known = replace(self._known, recorded=last)

    def uses(self, since: int) -> Sequence[Use]:
        """Return the uses recorded after a step."""
        brought = self._brought
        if brought is not None and brought.uses is not None:
            found, brought.uses = brought.uses, None
            if brought.known.used == since:
                return found
        return self._storage.uses(since=since)

    def used(self, step: int) -> None:
        """Note the last step of uses that was taken up."""
        if self._known is not None:
            self._known = replace(self._known, used=step)
