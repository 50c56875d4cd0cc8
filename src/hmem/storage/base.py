"""Contract of a storage, which holds one memory's data, in capabilities.

========================  =====================================================  ========
``TurnStore``             turns verbatim, by session and block; their uses       required
``VectorStore``           their vectors, in generations                          required
``DerivedStore``          derived state, in chunks and steps                     required
``ChangeLog``             log of decisions                                       required
``ModelQueue``            queue of turns for language models, and their results  optional
``ErasureStore``          erasure of turns, and proof of it                      optional
========================  =====================================================  ========

There are few operations, each on a batch, each one transaction and one call: a backend may be at the other end of a
network. Backends translate every error of their driver into ``hmem.errors``.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import StorageError
from hmem.model.key import MemoryKey
from hmem.model.vector import to_bytes
from hmem.storage.capabilities import (
    BLOCK_TURNS,
    GENERATION,
    AppendResult,
    Block,
    ChangeLog,
    Chunk,
    Counts,
    DerivedStore,
    ErasureStore,
    FormationProgress,
    LogEntry,
    Member,
    Scalar,
    Speaker,
    StoredTurn,
    TurnStore,
    Use,
    VectorCodes,
    Vectors,
    VectorStore,
    checked_limit,
)
from hmem.storage.location import Location
from hmem.storage.model_queue import KeptAnswer, KeptReading, ModelQueue, PendingReaction, Spending
from hmem.util.amounts import amount

__all__ = [
    "BLOCK_TURNS", "GENERATION", "MAX_TEXT_BLOCKS", "AppendResult", "Block", "ChangeSet", "Chunk", "Counts",
    "FormationProgress", "LogEntry", "Member", "News", "OpenOptions", "Scalar", "Speaker", "State", "Storage",
    "StoredTurn", "Use", "Vectors", "Watermarks", "checked_limit",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """Options for opening a storage.

    ``create``: make it if it does not exist; ``busy_seconds``: time that a write waits for another process's;
    ``read_only``: every write raises ``ReadOnlyMemory``; ``key``: of an encrypted memory, also for making one;
    ``reconnect_seconds``: time that a call waits for a database that is away, by default ``busy_seconds``.
    """

    create: bool = True
    busy_seconds: float = 10.0
    read_only: bool = False
    key: MemoryKey | None = None
    reconnect_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class State:
    """State of a storage at one moment, from which a process sees what is new to it.

    ``change`` is the number of the last change of the turns, ``recorded`` of the last entry of the log, ``used`` of the
    last step of uses, each 0 when there is none. ``expires`` is the time at which the next turn expires (µs).
    """

    change: int
    progress: FormationProgress
    recorded: int
    used: int
    expires: int | None
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Changes of the turns since an earlier change.

    ``blocks`` are all changed blocks, ``members`` the turns of the first of them, ``seqs`` those new members that have
    a vector, ascending, ``vectors`` their unit rows, and ``speakers`` all speakers. If texts were asked for and at
    most ``MAX_TEXT_BLOCKS`` blocks changed, ``turns`` are the new members themselves; else there are none.
    """

    blocks: Sequence[Block]
    members: Sequence[Member]
    seqs: NDArray[np.int64]
    vectors: Vectors
    speakers: Sequence[Speaker]
    turns: Sequence[StoredTurn] = ()


# Most changed blocks whose texts come with a change set.
MAX_TEXT_BLOCKS: Final = 16


@dataclass(frozen=True, slots=True)
class Watermarks:
    """Numbers up to which a process has read a memory.

    ``change`` is the last change of the turns that it has read, ``generation`` and ``dimension`` are those of its
    vectors; ``blocks`` limits the members to return at once. ``step`` is the last step of formation, ``recorded``
    the last entry of the log and ``used`` the last step of uses; what is None is not read.
    """

    change: int
    generation: int
    dimension: int
    blocks: int
    step: int | None = None
    recorded: int | None = None
    used: int | None = None

    def are_passed_by(self, state: State) -> bool:
        """Tell if a storage in this state has anything new beyond them."""
        pairs = (self.step, state.progress.step), (self.recorded, state.recorded), (self.used, state.used)
        return self.change != state.change or any(last is not None and last < new for last, new in pairs)


@dataclass(frozen=True, slots=True)
class News:
    """News for a process: the present state, and all that was stored since.

    ``changes`` is None if the turns did not change. The other fields hold what their methods of ``Storage`` return,
    each empty where nothing is new. They may be newer than the state.
    """

    state: State
    changes: ChangeSet | None = None
    chunks: Sequence[Chunk] = ()
    entries: Sequence[LogEntry] = ()
    uses: Sequence[Use] = ()


# Setting of a memory that is not copied whole yet: it can be discarded and not used. It tells how far the copy is.
COPYING: Final = "copy.unfinished"


# Settings that belong to a storage itself, which copies them by other fields of a batch.
OWN_SETTINGS: Final = frozenset(("memory", "formation.formed", COPYING))


def _no_seqs() -> NDArray[np.int64]:
    return np.empty(0, np.int64)


def _no_rows() -> Vectors:
    return np.empty((0, 0), np.float32)


@dataclass(frozen=True, slots=True)
class CopyBatch:
    """Part of a memory, to be copied; what it lacks is left as it is in the target.

    ``members`` are the numbers of the ``turns``, in the same order, and ``blocks`` their blocks in their last
    state. ``vectors`` are the unit rows of ``seqs`` in the ``generation``. ``change``, ``used``
    and ``progress`` are the counters of the state, ``memory`` is the id. ``settings`` are set, those that are None
    removed.
    """

    speakers: Sequence[Speaker] = ()
    blocks: Sequence[Block] = ()
    members: Sequence[Member] = ()
    turns: Sequence[StoredTurn] = ()
    seqs: NDArray[np.int64] = field(default_factory=_no_seqs)
    vectors: Vectors = field(default_factory=_no_rows)
    generation: int = 1
    chunks: Sequence[Chunk] = ()
    entries: Sequence[LogEntry] = ()
    uses: Sequence[Use] = ()
    readings: Sequence[KeptReading] = ()
    answers: Sequence[KeptAnswer] = ()
    reactions: Sequence[PendingReaction] = ()
    spending: Sequence[Spending] = ()
    memory: str | None = None
    change: int | None = None
    used: int | None = None
    progress: FormationProgress | None = None
    settings: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])


class Storage(TurnStore, VectorStore, DerivedStore, ChangeLog):
    """Data of one memory. Not thread-safe: its owner serialises calls.

    Any method may raise ``MemoryBusy``, ``MemoryDamaged``, ``StorageFull`` or ``StorageError``; a write that
    raises has changed nothing.
    """

    @property
    @abstractmethod
    def memory(self) -> str:
        """Id of the memory, given at its creation and never changed."""

    @property
    @abstractmethod
    def location(self) -> Location:
        """Location of the memory."""

    @property
    @abstractmethod
    def schema(self) -> int:
        """Version of the schema."""

    # True if opening it here made the memory.
    created: bool = False
    # True if every write raises ``ReadOnlyMemory``.
    read_only: bool = False
    # True if its files are encrypted: nothing of it may be written beside it in the clear.
    encrypted: bool = False

    def discard(self, settings: Mapping[str, str]) -> bool:  # noqa: ARG002 - for those that can tell
        """Close the storage, and delete the memory if it was never used.

        It was never used if no turn and no entry of the log was ever kept in it, it has these settings, and nobody else
        has it open. A copy that was not finished (``hmem.storage.base.COPYING``) was never used either.

        Returns:
            True if it is gone. A storage that cannot tell who has it open only closes.
        """
        self.close()
        return False

    @property
    @abstractmethod
    def writes(self) -> int:
        """Number that every effective write of this object changes; known without asking the storage."""

    @property
    def model_queue(self) -> ModelQueue | None:
        """Queue of work for language models; None if the storage has none."""
        return None

    @property
    def erasure(self) -> ErasureStore | None:
        """Erasure of turns; None if the storage cannot erase."""
        return None

    @abstractmethod
    def state(self) -> State:
        """Return the present state. Cheap: it is called before every recall."""

    @abstractmethod
    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        """Set settings of the memory; None removes one."""

    def changes(self, since: int, limit: int, generation: int, dimension: int, *, texts: bool = False) -> ChangeSet:
        """Return the changes after the change ``since``, with the members of the first ``limit`` of the blocks.

        With ``texts`` those of small changes come too. It combines ``changed_blocks``, ``members``, ``vectors``,
        ``speakers`` and ``turns``.
        """
        blocks = self.changed_blocks(since)
        numbers = [block.number for block in blocks[:limit]]
        members = self.members(numbers)
        fresh = sorted(member.seq for member in members if member.seq > since)
        with_texts = texts and len(blocks) <= MAX_TEXT_BLOCKS
        return ChangeSet(
            blocks, members, *self.vectors(fresh, generation, dimension), self.speakers(),
            self.turns(fresh) if with_texts else (),
        )  # fmt: skip

    def vector_codes(self, generation: int, dimension: int) -> VectorCodes:
        """Return all vectors of a generation, in one byte a component.

        It combines ``matching`` and ``vectors``; a backend that keeps such bytes returns them as they are.
        """
        seqs, vectors = self.vectors(self.matching().tolist(), generation, dimension)
        return VectorCodes(seqs, *to_bytes(vectors))

    def news(self, watermarks: Watermarks) -> News:
        """Return the present state and what was stored after the watermarks. Called before every recall.

        It costs as little as ``state`` when nothing is new. It combines ``state``, ``changes``, ``chunks``,
        ``recorded`` and ``uses``; a backend at the other end of a network tells in one round trip that nothing is new,
        and in another all that is.
        """
        state = self.state()
        has_changes = state.change != watermarks.change
        return News(
            state,
            self.changes(watermarks.change, watermarks.blocks, watermarks.generation, watermarks.dimension, texts=True)
            if has_changes
            else None,
            self.chunks(since=watermarks.step)
            if watermarks.step is not None and state.progress.step > watermarks.step
            else (),
            self.recorded(since=watermarks.recorded)
            if watermarks.recorded is not None and state.recorded > watermarks.recorded
            else (),
            self.uses(since=watermarks.used) if watermarks.used is not None and state.used > watermarks.used else (),
        )

    @abstractmethod
    def problems(self) -> list[str]:
        """Return the problems of the data itself: damage, broken references, blocks that miscount."""

    def repair(self) -> int:
        """Mend what was altered on the disk, as far as it can be told; return the number of rows mended.

        What can be made anew from the turns may be deleted. ``problems`` names what is left.
        """
        return 0

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """Let all reads inside see one moment, whatever others write meanwhile. Write nothing inside."""

    def backup(self, target: Path, key: MemoryKey | None = None) -> None:
        """Write a copy of the memory at this moment into a new file, while others use it.

        It has nothing of what was deleted. It is encrypted with ``key``, by default with the memory's own, if any.

        Raises:
            InvalidFile: the file exists.
            StorageError: the copy cannot be written.
        """
        from hmem.storage.copying import write_file  # noqa: PLC0415 - it opens storages, which are built on this

        write_file(self, target, key)

    def restore(self, batch: CopyBatch) -> None:
        """Keep a batch of another storage's memory, with the numbers that it has there, in one transaction.

        What has a number, a key or a name of the batch already is replaced, so a batch may come twice. The memory has
        the setting ``hmem.storage.base.COPYING`` until the last batch removes it, and nobody else has it open.

        Raises:
            StorageError: the storage takes no copies.
        """
        raise StorageError(
            f"{self.location} takes no copy of a memory ({amount(len(batch.turns), 'turn')}) - use another target"
        )

    @abstractmethod
    def checkpoint(self) -> None:
        """Move durable data to its final place, which takes less room, as far as no other process is in the way."""

    def suspend(self) -> None:
        """Let go of what must not cross a fork of this process, such as a connection, until the next call.

        What lets go of nothing does nothing.
        """
        return

    @abstractmethod
    def close(self) -> None:
        """Close it. A closed storage takes no more calls."""
