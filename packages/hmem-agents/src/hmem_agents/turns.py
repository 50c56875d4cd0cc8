"""Turns of a local or remote memory as an adapter follows them, and which of them were withdrawn."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import RLock
from typing import Any, Final, Protocol

import numpy as np

from hmem import Change, Memory, MemoryLike, Turn
from hmem.derived.changes import ActiveChanges, ChangeFold, Decisions, change_number
from hmem.errors import UnknownId
from hmem.model.span import to_stored
from hmem.storage.base import LogEntry

_AT_ONCE: Final = 4_096


@dataclass(frozen=True, slots=True)
class ChangeLogView:
    """Ids of corrected and retracted turns and notes: by anyone, and by anyone but the adapter.

    ``corrections`` are the turns that ever corrected others.
    """

    by_anyone: frozenset[str] = frozenset()
    by_people: frozenset[str] = frozenset()
    corrections: frozenset[str] = frozenset()


class TurnReader(Protocol):
    """Interface through which an adapter follows a memory that others write too."""

    def reading(self) -> AbstractContextManager[Any]:
        """Hold the memory still in a block, as far as possible."""
        ...

    def news(self) -> tuple[list[int], Iterator[tuple[int, Turn]]]:
        """Return the numbers of turns erased, and the turns added, since the last call; numbers follow arrival."""
        ...

    def numbered(self, numbers: Sequence[int]) -> dict[int, Turn]:
        """Return turns by their numbers; those that are gone are left out."""
        ...

    def log(self) -> ChangeLogView:
        """Return the turns that are corrected or retracted now."""
        ...


def turns_of(memory: MemoryLike, author: str) -> TurnReader:
    """Return a reader of the turns of a memory; ``author`` is the name of the adapter in the log."""
    return LocalTurns(memory, author) if isinstance(memory, Memory) else RemoteTurns(memory, author)


class LocalTurns:
    """Turns of a memory in this process."""

    def __init__(self, memory: Memory, author: str) -> None:
        self._corpus = memory.corpus
        self._author = author
        self._decisions = Decisions(self._corpus.storage, self._corpus.news)
        self._log = ChangeLogView()
        self._change = -1
        self._seqs = np.empty(0, np.int64)

    def reading(self) -> AbstractContextManager[Any]:
        """Hold the memory still in a block, against all processes."""
        return self._corpus.reading()

    def news(self) -> tuple[list[int], Iterator[tuple[int, Turn]]]:
        """Return erased and added turns; numbers are the storage's."""
        # What was added since the memory is held still counts too.
        with self._corpus.reading():
            change, columns = self._corpus.state.change, self._corpus.columns
        if change == self._change:
            return [], iter(())
        present = np.sort(columns.seq[columns.alive])
        erased_numbers = np.setdiff1d(self._seqs, present, assume_unique=True).tolist()
        fresh = np.setdiff1d(present, self._seqs, assume_unique=True).tolist()
        self._seqs, self._change = present, change
        return erased_numbers, self._read(fresh)

    def _read(self, numbers: list[int]) -> Iterator[tuple[int, Turn]]:
        for start in range(0, len(numbers), _AT_ONCE):
            yield from self.numbered(numbers[start : start + _AT_ONCE]).items()

    def numbered(self, numbers: Sequence[int]) -> dict[int, Turn]:
        """Return turns from the storage."""
        with self._corpus.reading():
            return {record.seq: record.turn for record in self._corpus.storage.turns(numbers)}

    def log(self) -> ChangeLogView:
        """Return the withdrawn turns; the log is folded again only when it grew."""
        with self._corpus.reading():
            if self._decisions.catch_up():
                self._log = _log_of(self._decisions.active_changes(), self._author, self._decisions.corrections)
            return self._log


class RemoteTurns:
    """Turns of a memory at a server, with its log: read once, then only what is new."""

    def __init__(self, memory: MemoryLike, author: str) -> None:
        self._memory = memory
        self._author = author
        self._lock = RLock()
        self._numbers: dict[str, int] = {}
        self._turns: dict[int, Turn] = {}
        self._next = 0
        self._folding = ChangeFold()
        self._corrections: set[str] = set()
        self._log = ChangeLogView()
        self._last: str | None = None

    def reading(self) -> AbstractContextManager[Any]:
        """Exclude other threads from a block; other processes may write."""
        return self._lock

    def news(self) -> tuple[list[int], Iterator[tuple[int, Turn]]]:
        """Return erased and added turns; numbers are positions in the order of arrival."""
        count = self._memory.stats().turns
        try:
            fresh = self._turns_after(next(reversed(self._numbers), None))
        except UnknownId:
            fresh = []
        if len(self._numbers) + len(fresh) == count:
            return [], iter(self._register(fresh))
        # Turns were erased, or came meanwhile.
        present = self._turns_after(None)
        ids = {turn.id for turn in present}
        erased_numbers = [self._numbers.pop(turn_id) for turn_id in [*self._numbers] if turn_id not in ids]
        for number in erased_numbers:
            del self._turns[number]
        return erased_numbers, iter(self._register([turn for turn in present if turn.id not in self._numbers]))

    def _turns_after(self, last: str | None) -> list[Turn]:
        turns: list[Turn] = []
        while page := self._memory.list(after=last, limit=_AT_ONCE):
            turns += page
            last = page[-1].id
        return turns

    def _register(self, turns: Sequence[Turn]) -> list[tuple[int, Turn]]:
        pairs = list(enumerate(turns, self._next))
        self._next += len(pairs)
        self._turns.update(pairs)
        self._numbers.update({turn.id: number for number, turn in pairs})
        return pairs

    def numbered(self, numbers: Sequence[int]) -> dict[int, Turn]:
        """Return turns as they were read."""
        with self._lock:
            return {number: self._turns[number] for number in numbers if number in self._turns}

    def log(self) -> ChangeLogView:
        """Return the withdrawn turns, from the server's history since the last call."""
        with self._lock:
            fresh = self._new_changes()
            for change in fresh:
                self._folding.add(_entry_of(change))
            if fresh:
                self._last = fresh[-1].id
                self._corrections |= {change.link for change in fresh if change.verb == "correct" and change.link}
                self._log = _log_of(self._folding.active, self._author, self._corrections)
            return self._log

    def _new_changes(self) -> Sequence[Change]:
        try:
            return self._memory.history(since=self._last)
        except UnknownId:
            # The memory was replaced by another of the same name.
            self._folding, self._corrections, self._log, self._last = ChangeFold(), set(), ChangeLogView(), None
            return self._memory.history()


def _entry_of(change: Change) -> LogEntry:
    """Return the log entry of a change without its texts, which may be forgotten at the server."""
    time, number = to_stored(change.at)[0], change_number(change.id)
    return LogEntry(time, change.by, change.verb, change.target, link=change.link, number=number)


def _log_of(active: ActiveChanges, author: str, corrections: Iterable[str]) -> ChangeLogView:
    entries = active.entries_of("correct", "retract")
    return ChangeLogView(
        frozenset(entry.target for entry in entries),
        frozenset(entry.target for entry in entries if entry.by != author),
        frozenset(corrections),
    )
