"""The contract of a storage: one memory's truth, in capabilities.

========================  =====================================================  ========
``TurnStore``             turns verbatim, by session and block; their uses       required
``VectorStore``           their vectors, in generations                          required
``DerivedStore``          what formation derives, in chunks and steps            required
``ChangeLog``             what was decided                                       required
``ModelQueue``            what language models read, wrote and are to read       optional
``ErasureStore``          forgetting, and proof of it                            optional
========================  =====================================================  ========

There are few operations, each on a batch, each one transaction and one call: a backend may live at the other end of a
network. Backends translate every error of their driver into ``hmem.errors``.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hmem.storage.derived import Chunk, DerivedStore, Formed
from hmem.storage.erasure import ErasureStore
from hmem.storage.location import Location
from hmem.storage.log import ChangeLog, LogEntry
from hmem.storage.model_queue import ModelQueue
from hmem.storage.turns import (
    BLOCK_TURNS,
    Block,
    Counts,
    Member,
    Placed,
    Scalar,
    Speaker,
    StoredTurn,
    TurnStore,
    Use,
    checked_limit,
)
from hmem.storage.vectors import GENERATION, Vectors, VectorStore

__all__ = [
    "BLOCK_TURNS", "GENERATION", "Block", "ChangeSet", "Chunk", "Counts", "LogEntry", "Formed", "Member", "OpenOptions",
    "Placed", "Scalar", "Speaker", "State", "Storage", "StoredTurn", "Use", "Vectors", "checked_limit",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class OpenOptions:
    """How a storage is opened.

    ``create``: it is made when it is not there; ``busy_seconds``: how long a write waits for another process's;
    ``read_only``: every write raises ``ReadOnlyMemory``.
    """

    create: bool = True
    busy_seconds: float = 10.0
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """How far everything is, at one moment: by it whoever has the rest in memory knows what is new.

    ``change`` is the number of the last change of the turns, ``recorded`` of the last entry of the log, ``used`` of the
    last step of uses, each 0 when there is none. ``expires`` is when the next turn is to be forgotten by itself (µs).
    """

    change: int
    formed: Formed
    recorded: int
    used: int
    expires: int | None
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """What changed: all blocks, the members of the first of them, the vectors of those members that are new, and who
    speaks. ``seqs`` are the numbers of those that have a vector, ascending; ``vectors`` their unit rows."""

    blocks: Sequence[Block]
    members: Sequence[Member]
    seqs: NDArray[np.int64]
    vectors: Vectors
    speakers: Sequence[Speaker]


class Storage(TurnStore, VectorStore, DerivedStore, ChangeLog):
    """One memory's truth. Not thread-safe by itself: its owner serialises calls.

    Any method may raise ``MemoryBusy``, ``MemoryDamaged``, ``StorageFull`` or ``StorageError``; a write that
    raises has changed nothing.
    """

    @property
    @abstractmethod
    def memory(self) -> str:
        """The id of the memory, given at its creation and never changed."""

    @property
    @abstractmethod
    def location(self) -> Location:
        """Where it lies."""

    @property
    @abstractmethod
    def schema(self) -> int:
        """The version of the schema."""

    # Opening it here made the memory.
    made: bool = False
    # Every write raises ``ReadOnlyMemory``.
    read_only: bool = False

    def discard(self, settings: Mapping[str, str]) -> bool:  # noqa: ARG002 - for those that can tell
        """Close, and take the memory away with all that belongs to it: if no turn and no entry of the log was ever kept
        in it, it has these settings, and nobody else has it open.

        Returns:
            Whether it is gone. A storage that cannot tell who has it open only closes.
        """
        self.close()
        return False

    @property
    @abstractmethod
    def writes(self) -> int:
        """A number that every write of this object that did something changes. Nobody is asked for it."""

    @property
    def model_queue(self) -> ModelQueue | None:
        """The work of language models, where the storage keeps it."""
        return None

    @property
    def erasure(self) -> ErasureStore | None:
        """Forgetting, where the storage can."""
        return None

    @abstractmethod
    def state(self) -> State:
        """Return how far everything is. Cheap: it is asked before every recall."""

    @abstractmethod
    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        """Set settings of the memory; None takes one away."""

    def changes(self, since: int, limit: int, generation: int, dimension: int) -> ChangeSet:
        """Return what changed after the change ``since``, with the members of the first ``limit`` of the blocks.

        It is what ``changed_blocks``, ``members``, ``vectors`` and ``speakers`` say; a backend at the other end of a
        network says it in one answer.
        """
        blocks = self.changed_blocks(since)
        members = self.members([block.number for block in blocks[:limit]])
        fresh = sorted(member.seq for member in members if member.seq > since)
        return ChangeSet(blocks, members, *self.vectors(fresh, generation, dimension), self.speakers())

    @abstractmethod
    def problems(self) -> list[str]:
        """Return what is wrong with the truth itself: damage, broken references, blocks that miscount."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """Let all that is read inside be of one moment, whatever others write meanwhile. Write nothing inside."""

    @abstractmethod
    def checkpoint(self) -> None:
        """Bring what is durable to its final place, as far as nobody else is in the way; it takes less room then."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it. A closed storage takes no more calls."""
