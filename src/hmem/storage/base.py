"""The contract of a storage: few operations, each on a batch, each one transaction.

A storage keeps turns verbatim, and beside them what is dear to compute again: their vectors. It gives each
turn a **sequence number** that only grows, and gathers the turns of a session into **blocks** of at most
``BLOCK_TURNS`` in the order of their arrival. Whatever adds or takes turns raises one counter, the **change**,
and stamps it on the blocks that it touched, so that what is derived can ask what is new since the change it knows.

Vectors have a **generation**: one embedder's vectors. A new embedder fills the next generation in the
background of the present one, and one transaction switches over.

What formation derives from the turns is kept in **chunks** of named parts, whose content a storage does not know.
They are stored together with the change that they take into account, their own watermark, in numbered **steps**; a
step that another process has taken first is refused, so nothing is ever formed twice.

How often each turn was of use, and when it last was, is kept beside it and goes with it. It is no change of the turns.

What people and the engine decided about what is kept lies in a **log** that only grows.

What language models read and wrote is kept too, with what they are still to read: ``hmem.storage.model_work``.

Backends translate every error of their driver into ``hmem.errors``.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.model.report import Deletion
from hmem.model.turn import Fate, Session, Turn
from hmem.storage.model_work import ModelWork
from hmem.util.residue import Residue

BLOCK_TURNS: Final = 64

# The setting that holds the number of the present generation of vectors.
GENERATION: Final = "vectors.generation"

Vectors = NDArray[np.float32]
Scalar = str | int | float | bool | None


class Member(NamedTuple):
    """A turn's place: sequence, block, session and speaker numbers, its count of words, when it was said (µs)."""

    seq: int
    block: int
    session: int
    speaker: int
    words: int
    said: int


class Block(NamedTuple):
    """A block's number, its last change, and how many living turns it has."""

    number: int
    changed: int
    turns: int


class Speaker(NamedTuple):
    """A speaker's number, name and, when messages gave one, role."""

    number: int
    name: str
    role: str | None


class StoredTurn(NamedTuple):
    """A turn and its sequence number."""

    seq: int
    turn: Turn


class Chunk(NamedTuple):
    """A piece of a part of what was formed; without content it is gone. Numbers are 0 to 2^40 - 1."""

    part: str
    number: int
    content: bytes | None


class Use(NamedTuple):
    """How often a turn was of use since it was written, when it last was (µs since 1970 UTC), and the step of that."""

    seq: int
    uses: int
    last: int
    step: int


class LogEntry(NamedTuple):
    """An entry of the log, as ``hmem.model.change.Change`` tells it; ``at`` in µs since 1970 UTC.

    One with a ``key`` is kept once. ``number`` is given when it is kept, and only grows.
    """

    at: int
    by: str
    verb: str
    target: str
    why: str | None = None
    before: str | None = None
    after: str | None = None
    link: str | None = None
    key: str | None = None
    number: int = 0


class Formed(NamedTuple):
    """How far formation is: its last step, the last change of the turns that it knows, the step that cleared it."""

    step: int
    watermark: int
    cleared: int


class Placed(NamedTuple):
    """What ``append`` did with one turn: its fate, the id it is kept under, and why it was rejected."""

    fate: Fate
    id: str | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is kept, in number, time and bytes."""

    turns: int
    sessions: int
    speakers: int
    vectors: int
    first: datetime | None
    last: datetime | None
    size_bytes: int


class Storage(ModelWork):
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

    @abstractmethod
    def settings(self) -> dict[str, str]:
        """The memory's own settings."""

    @abstractmethod
    def put_settings(self, changes: Mapping[str, str | None]) -> None:
        """Set them; None takes one away."""

    @abstractmethod
    def change(self) -> int:
        """The number of the last change, 0 for a new memory. Cheap: it is asked before every recall."""

    @abstractmethod
    def append(
        self,
        turns: Sequence[Turn],
        words: Sequence[int],
        vectors: Vectors | None,
        generation: int,
        entries: Sequence[LogEntry] = (),
    ) -> list[Placed]:
        """Keep turns, their vectors and entries of the log in one transaction; durable on return.

        ``vectors`` has a unit row for each turn, or is None when none could be made. A turn whose message id
        is kept already is a ``duplicate`` when speaker and text agree and is ``rejected`` when they do not.

        Raises:
            EmbedderMismatch: the memory has gone over to another generation of vectors.
        """

    @abstractmethod
    def forget(
        self,
        seqs: Sequence[int],
        entries: Sequence[LogEntry] = (),
        redacted: Sequence[LogEntry] = (),
        settings: Mapping[str, str | None] | None = None,
    ) -> Deletion:
        """Take turns away, with their vectors, their uses, and the ids of sessions and names of speakers that no turn
        has any more, in one transaction.

        In the same transaction ``entries`` are added to the log, the texts, names and links of ``redacted`` take the
        place of those that the log has under their numbers, and ``settings`` are set. What was taken away may still lie
        in the files until ``scrub``.
        """

    @abstractmethod
    def scrub(self) -> bool:
        """Write the files anew, so that nothing of what was ever taken away is left in them; it can be repeated.

        False when another process kept some of it from being done now.
        """

    @abstractmethod
    def traces(self, words: Sequence[str]) -> list[Residue]:
        """Where words stand, whatever their case: in what is kept, as whole words, and in the bytes of the files that
        are of nothing that is kept, where they are too long to stand by chance. What formation stored is searched as
        bytes only.
        """

    @abstractmethod
    def known_messages(self, message_ids: Sequence[str]) -> set[str]:
        """Which of the caller's message ids are kept."""

    @abstractmethod
    def locate(self, ids: Sequence[str]) -> dict[str, int]:
        """The sequence numbers of those ids that are kept."""

    @abstractmethod
    def turns(self, seqs: Sequence[int]) -> list[StoredTurn]:
        """Those of the turns that are kept, in the order of their sequence numbers."""

    @abstractmethod
    def page(
        self, after: int, limit: int, *, session: str | None = None, speaker: str | None = None
    ) -> list[StoredTurn]:
        """The next turns behind a sequence number, in the order of their arrival."""

    @abstractmethod
    def matching(
        self,
        *,
        session: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        metadata: Mapping[str, Sequence[Scalar]] | None = None,
    ) -> NDArray[np.int64]:
        """The sequence numbers, ascending, of the turns that meet every condition that is given.

        ``metadata`` gives for each of some fields, by its name, the values of which it must have one. A number equals
        a number of the same value, and no truth value.
        """

    @abstractmethod
    def changed_blocks(self, since: int) -> list[Block]:
        """Blocks that changed after the change ``since``, oldest change first; emptied ones too."""

    @abstractmethod
    def members(self, blocks: Sequence[int]) -> list[Member]:
        """The turns of these blocks, in the order of block and sequence number."""

    @abstractmethod
    def contents(self, blocks: Sequence[int]) -> list[tuple[int, int, str]]:
        """What the turns of these blocks say: (block, sequence number, text with caption), ordered likewise."""

    @abstractmethod
    def vectors(self, seqs: Sequence[int], generation: int, dimension: int) -> tuple[NDArray[np.int64], Vectors]:
        """The sequence numbers that have a vector in this generation, ascending, and their unit rows.

        Rows are true to the appended ones to at least 8 bits a component.
        """

    @abstractmethod
    def without_vector(self, generation: int, limit: int) -> list[StoredTurn]:
        """Turns that have no vector in this generation, oldest first."""

    @abstractmethod
    def put_vectors(self, seqs: Sequence[int], vectors: Vectors, generation: int) -> None:
        """Give kept turns their vectors in a generation; turns that are gone are passed over."""

    @abstractmethod
    def switch_generation(self, generation: int, settings: Mapping[str, str | None]) -> bool:
        """Make a complete generation the present one, with its settings, and drop all others. It is a change.

        False, and nothing done, while a turn lacks its vector in it.
        """

    @abstractmethod
    def formed(self) -> Formed:
        """How far formation is; zeros for a memory that nothing was formed in. Cheap."""

    @abstractmethod
    def chunks(self, *, since: int = 0, part: str | None = None, numbers: Sequence[int] | None = None) -> list[Chunk]:
        """Chunks stored after the step ``since``, those that are gone too: of all parts, of one, or some of one."""

    @abstractmethod
    def form(
        self,
        chunks: Sequence[Chunk],
        after: Formed,
        watermark: int,
        settings: Mapping[str, str | None] | None = None,
        entries: Sequence[LogEntry] = (),
    ) -> Formed | None:
        """Store chunks, settings and entries of the log as the step behind ``after``, in one transaction.

        Returns how far formation is then.

        None, and nothing done, when another process has taken that step.
        """

    @abstractmethod
    def clear_formed(self, settings: Mapping[str, str | None] | None = None) -> None:
        """Drop every chunk and set settings, in one transaction: all is to be formed anew. It is a step."""

    def record_uses(self, seqs: Sequence[int], at: datetime) -> None:
        """Count one more use, at a time, of each of the turns that are kept; the others are passed over.

        Raises:
            MemoryBusy: as ``record_all_uses``.
        """
        self.record_all_uses([(seqs, at)])

    @abstractmethod
    def record_all_uses(self, uses: Sequence[tuple[Sequence[int], datetime]]) -> None:
        """The same of several recalls, one after the other, in one transaction.

        It is made beside a recall, so it waits for nobody and need not be durable on return: a crash of the machine may
        lose the last uses, whole. It is no change. The last use of a turn is the latest that was ever told.

        Raises:
            MemoryBusy: another process is writing at this moment; nothing was recorded.
        """

    @abstractmethod
    def uses(self, *, since: int = 0, seqs: Sequence[int] | None = None, latest: int | None = None) -> list[Use]:
        """The uses recorded after the step ``since``, by sequence number: of all turns that have any, or of some.

        With ``latest``, of all turns those so many that were recorded last.
        Cheap while nothing is new. Steps only grow, whatever is deleted.
        """

    @abstractmethod
    def record(self, entries: Sequence[LogEntry]) -> list[int]:
        """Add entries to the log, in one transaction; the numbers of those that were new."""

    @abstractmethod
    def recorded(self, *, since: int = 0, about: str | None = None, limit: int | None = None) -> list[LogEntry]:
        """The entries behind the number ``since``, oldest first: all, or those whose target or link is ``about``."""

    @abstractmethod
    def last_recorded(self) -> int:
        """The number of the last entry of the log, 0 when there is none. Cheap: it is asked before every recall."""

    @abstractmethod
    def redact(self, numbers: Sequence[int]) -> None:
        """Take why, before and after out of entries, in one transaction: they tell of what was forgotten."""

    @abstractmethod
    def expiring(self, until: int | None = None) -> list[tuple[int, int]]:
        """The turns that are to be forgotten by themselves, by then (µs) or ever: (when in µs, sequence number)."""

    @abstractmethod
    def echoing(self) -> list[int]:
        """The sequence numbers, ascending, of the turns parts of which repeat what was recalled."""

    @abstractmethod
    def own_text(self) -> str:
        """What the files hold besides what was said: settings, and the names that the backend itself gives things."""

    @abstractmethod
    def speakers(self) -> list[Speaker]:
        """Everyone who ever spoke and was not wholly forgotten, by number. A number is never given to another."""

    @abstractmethod
    def sessions(self, *, limit: int | None = None, offset: int = 0) -> list[Session]:
        """The sessions by the time of their first turn."""

    @abstractmethod
    def counts(self) -> Counts:
        """How much is kept."""

    @abstractmethod
    def problems(self) -> list[str]:
        """What is wrong with the truth itself: damaged pages, broken references, blocks that miscount."""

    @abstractmethod
    def snapshot(self) -> AbstractContextManager[None]:
        """All that is read inside is of one moment, whatever others write meanwhile. Write nothing inside."""

    @abstractmethod
    def settle(self) -> None:
        """Bring what is durable to its final place, as far as nobody else is in the way; it takes less room then."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it. A closed storage takes no more calls."""
