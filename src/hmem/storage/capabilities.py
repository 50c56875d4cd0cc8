"""Capabilities of a storage: turns and their uses, vectors, derived state, the log of changes, and erasure.

A **generation** is one embedder's vectors. A new embedder fills the next generation while the present one is in use,
and one transaction switches over.

Derived state, which formation makes from the turns, is kept in **chunks** of named parts, whose content is opaque to a
storage. Chunks are stored together with a watermark, the last change of the turns that they take into account, in
numbered **steps**; a step that another process has taken first is refused, so nothing is ever formed twice.

The log has the decisions by people and the engine about a memory, and only grows. Erasure is optional: a storage
without it forgets nothing.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from hmem.errors import InputError
from hmem.model.ids import to_id, to_key
from hmem.model.report import Deletion
from hmem.model.span import from_stored, to_stored
from hmem.model.turn import Fate, Role, Session, Turn
from hmem.util.residue import Residue

BLOCK_TURNS: Final = 64

Scalar = str | int | float | bool | None


class Member(NamedTuple):
    """Numbers of a turn: sequence, block, session, speaker, count of words, and time of saying (µs).

    ``analysis`` is the version of the analysis that counted the words.
    """

    seq: int
    block: int
    session: int
    speaker: int
    words: int
    said: int
    analysis: int


class Block(NamedTuple):
    """A block's number, last change, and number of living turns."""

    number: int
    change: int
    turns: int


class Speaker(NamedTuple):
    """A speaker's number, name and, if messages gave one, role."""

    number: int
    name: str
    role: str | None


class StoredTurn(NamedTuple):
    """A turn and its sequence number."""

    seq: int
    turn: Turn


class Use(NamedTuple):
    """Number of uses of a turn since it was written, the time of the last (µs since 1970 UTC), and its step.

    A turn that was only shown has no use, and 0 as its time.
    """

    seq: int
    uses: int
    last: int
    step: int


class AppendResult(NamedTuple):
    """Result of ``append`` for one turn: its fate, the id it is kept under, and the reason for a rejection."""

    fate: Fate
    id: str | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of turns, sessions, speakers and vectors, time of the first and last turn, and size in bytes."""

    turns: int
    sessions: int
    speakers: int
    vectors: int
    first: datetime | None
    last: datetime | None
    size_bytes: int


# Setting with the number of the present generation of vectors.
GENERATION: Final = "vectors.generation"


Vectors = NDArray[np.float32]


class LogEntry(NamedTuple):
    """An entry of the log, in the terms of ``hmem.model.change.Change``; ``at`` in µs since 1970 UTC.

    An entry with a ``key`` is kept once. ``number`` is given when it is kept, and only grows.
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


class TurnStore(ABC):
    """Turns by sequence number, session and block."""

    @abstractmethod
    def append(
        self,
        turns: Sequence[Turn],
        words: Sequence[int],
        vectors: Vectors | None,
        generation: int,
        entries: Sequence[LogEntry] = (),
        *,
        analysis: int,
    ) -> list[AppendResult]:
        """Keep turns, their vectors and entries of the log in one transaction; durable on return.

        ``words`` are the turns' counts of words, by this version of the ``analysis``. ``vectors`` has a unit row for
        each turn, or is None if none could be made. A turn whose message id is known is a ``duplicate`` if speaker and
        text agree, else it is ``rejected``. A block holds turns of one session and one user (or of none), so that
        neighbours are no other user's.

        Raises:
            EmbedderMismatch: the memory has switched to another generation of vectors.
        """

    @abstractmethod
    def locate(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the sequence numbers of those ids that are kept."""

    @abstractmethod
    def turns(self, seqs: Sequence[int]) -> list[StoredTurn]:
        """Return those of the turns that are kept, in the order of their sequence numbers."""

    @abstractmethod
    def page(
        self, after: int, limit: int, *, session: str | None = None, speaker: str | None = None
    ) -> list[StoredTurn]:
        """Return the next turns after a sequence number, at most ``limit``, in the order of their arrival.

        Raises:
            InputError: the limit is negative.
        """

    @abstractmethod
    def matching(
        self,
        *,
        session: str | None = None,
        user: str | None = None,
        agent: str | None = None,
        metadata: Mapping[str, Sequence[Scalar]] | None = None,
        echoing: bool = False,
        with_user: bool = False,
    ) -> NDArray[np.int64]:
        """Return the sequence numbers, ascending, of the turns that meet every condition that is given.

        ``metadata`` maps names of fields to the values of which the turn must have one. A number equals a number of the
        same value, and no truth value. ``echoing`` limits to turns that repeat recalled text, ``with_user`` to turns
        with a user, whoever that is.
        """

    @abstractmethod
    def changed_blocks(self, since: int) -> list[Block]:
        """Return the blocks that changed after the change ``since``, oldest change first; emptied ones too."""

    @abstractmethod
    def members(self, blocks: Sequence[int]) -> list[Member]:
        """Return the turns of these blocks, in the order of block and sequence number."""

    @abstractmethod
    def contents(self, blocks: Sequence[int]) -> list[tuple[int, int, str]]:
        """Return (block, sequence number, text with caption) of the turns of these blocks, in this order."""

    @abstractmethod
    def speakers(self) -> list[Speaker]:
        """Return all speakers that have not been wholly forgotten, by number. Numbers are never reused."""

    @abstractmethod
    def sessions(self, *, limit: int | None = None, offset: int = 0) -> list[Session]:
        """Return the sessions by the time of their first turn.

        Raises:
            InputError: the limit or the offset is negative.
        """

    @abstractmethod
    def counts(self) -> Counts:
        """Return the numbers, times and size of the kept data."""

    @abstractmethod
    def expiring(self, until: int | None = None) -> list[tuple[int, int]]:
        """Return (time in µs, sequence number) of the turns that expire, until a time (µs) or ever."""

    @abstractmethod
    def record_uses(self, uses: Sequence[tuple[Sequence[int], datetime | None]]) -> None:
        """Count one more use of each of the turns of each recall, at its time, in one transaction.

        Without a time the turns were only shown: they get a step, so that other processes know, and no use.

        Turns that are gone are skipped. A recall must not wait for this, so it waits for no other writer and need not
        be durable on return: a crash of the machine may lose the last uses, whole. It is no change. The last use of a
        turn is the latest time ever given.

        Raises:
            MemoryBusy: another process is writing at this moment; nothing was recorded.
        """

    @abstractmethod
    def uses(self, *, since: int = 0, seqs: Sequence[int] | None = None, latest: int | None = None) -> list[Use]:
        """Return the uses recorded after the step ``since``, by sequence number: of all turns or of some.

        ``latest`` limits to this number of turns, those recorded last. Steps only grow, even when turns are deleted.

        Raises:
            InputError: ``latest`` is negative.
        """


def checked_limit(name: str, limit: int | None) -> int | None:
    """Return a limit that is None or a number of rows.

    Raises:
        InputError: it is negative.
    """
    if limit is not None and limit < 0:
        raise InputError(f"{name} is {limit}, and a number of rows is not negative - give 0 or more")
    return limit


class VectorCodes(NamedTuple):
    """Vectors as ``hmem.model.vector.to_bytes`` makes them, a row for each of the ascending sequence numbers."""

    seqs: NDArray[np.int64]
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]


class VectorStore(ABC):
    """Vectors by generation and sequence number, deleted with their turns."""

    @abstractmethod
    def vectors(self, seqs: Sequence[int], generation: int, dimension: int) -> tuple[NDArray[np.int64], Vectors]:
        """Return the sequence numbers that have a vector in this generation, ascending, and their unit rows.

        Rows keep at least 8 bits of each component.
        """

    @abstractmethod
    def without_vector(self, generation: int, limit: int) -> list[StoredTurn]:
        """Return turns that have no vector in this generation, oldest first, at most ``limit``.

        Raises:
            InputError: the limit is negative.
        """

    @abstractmethod
    def put_vectors(self, seqs: Sequence[int], vectors: Vectors, generation: int) -> None:
        """Store the vectors of kept turns in a generation; turns that are gone are skipped."""

    @abstractmethod
    def switch_generation(self, generation: int, settings: Mapping[str, str | None]) -> bool:
        """Make a complete generation the present one, with its settings, and drop all others. This is a change.

        Return False, without writing, if a turn lacks its vector in it.
        """


class Chunk(NamedTuple):
    """A piece of a part of the derived state; without content it is gone. Numbers are 0 to 2^40 - 1."""

    part: str
    number: int
    content: bytes | None


class FormationProgress(NamedTuple):
    """Progress of formation: its last step, the last change of the turns that it knows, the step that cleared it."""

    step: int
    watermark: int
    cleared: int


class DerivedStore(ABC):
    """Chunks by part and number, stored step by step."""

    @abstractmethod
    def chunks(
        self, *, since: int = 0, also: Sequence[tuple[str, int]] = (), parts: Sequence[str] | None = None
    ) -> list[Chunk]:
        """Return the chunks stored after the step ``since``, gone ones included, part by part in order of number.

        ``parts`` limits them to parts by name: a process loads what it needs when it needs it. ``also`` names chunks,
        by part and number, to return whenever they were stored: a process that lost a step reads so what it had changed
        itself. A chunk that was never stored is missing from the result.
        """

    @abstractmethod
    def form(
        self,
        chunks: Sequence[Chunk],
        after: FormationProgress,
        watermark: int,
        settings: Mapping[str, str | None] | None = None,
        entries: Sequence[LogEntry] = (),
    ) -> FormationProgress | None:
        """Store chunks, settings and entries of the log as the step behind ``after``, in one transaction.

        Return the new progress; None, without writing, if another process has taken that step.
        """

    @abstractmethod
    def clear_formed(self, settings: Mapping[str, str | None] | None = None) -> None:
        """Drop every chunk and set settings, in one transaction, so that all is formed anew. This is a step."""


class ChangeLog(ABC):
    """Entries of the log, by number."""

    @abstractmethod
    def record(self, entries: Sequence[LogEntry]) -> list[int]:
        """Add entries to the log, in one transaction; return the numbers of those that were new."""

    @abstractmethod
    def recorded(self, *, since: int = 0, item: str | None = None, limit: int | None = None) -> list[LogEntry]:
        """Return the entries after the number ``since``, oldest first.

        ``item`` limits them to those with this target or link.

        Raises:
            InputError: the limit is negative.
        """


class ErasureStore(ABC):
    """Deletion of turns, and search for what is left of them."""

    @abstractmethod
    def forget(
        self,
        seqs: Sequence[int],
        entries: Sequence[LogEntry] = (),
        redactions: Sequence[LogEntry] = (),
        settings: Mapping[str, str | None] | None = None,
    ) -> Deletion:
        """Delete turns, and all that depends on them, in one transaction.

        Their vectors and uses are deleted with them, and so are ids of sessions and names of speakers that no turn has
        any more. In the same transaction ``entries`` are added to the log, the texts, names and links of ``redactions``
        replace those of the log's entries with their numbers, and ``settings`` are set. Deleted data may still be in
        the storage's files until ``purge``.
        """

    @abstractmethod
    def purge(self) -> bool:
        """Remove all that is left of deleted data from the storage's files; it can be repeated.

        Return False if another process kept some of it from being removed now.
        """

    @abstractmethod
    def residue(self, words: Sequence[str]) -> list[Residue]:
        """Return the places of words, whatever their case, in all that the storage can see of itself.

        Kept data is searched for whole words; the rest, such as free room of a file, only for words too long to occur
        by chance. Derived state is searched in that second way only.
        """

    @abstractmethod
    def vocabulary(self) -> str:
        """Return the storage's own words: its settings, and its names of tables and parts."""


# Values of a turn.


def to_values(turn: Turn) -> tuple[Any, ...]:
    """Return what is kept of a turn besides its numbers, speaker and session.

    These are key, time (µs), offset (minutes), text, caption, role, attachments, user, agent, message id, metadata,
    expiry (µs) and echoes; lists and mappings as JSON.
    """
    return (
        to_key("turn", turn.id), *to_stored(turn.at), turn.text, turn.caption, turn.role, _json(turn.attachments),
        turn.user, turn.agent, turn.message_id, _json(turn.metadata),
        None if turn.expires is None else to_stored(turn.expires)[0], _json(turn.echoes),
    )  # fmt: skip


def from_values(seq: int, speaker: str, session: str, values: Sequence[Any]) -> StoredTurn:
    """Return the turn of the values of ``to_values``."""
    key, microseconds, offset, text, caption, role, attachments, user, agent, message, metadata, expires, echoes = (
        values
    )
    turn = Turn(
        id=to_id("turn", key),
        speaker=speaker,
        text=text,
        at=from_stored(microseconds, offset),
        session=session,
        caption=caption,
        role=cast("Role | None", role),
        attachments=tuple(json.loads(attachments)) if attachments else (),
        user=user,
        agent=agent,
        message_id=message,
        metadata=json.loads(metadata) if metadata else {},
        expires=None if expires is None else from_stored(expires, offset),
        echoes=tuple((start, end, source) for start, end, source in json.loads(echoes)) if echoes else (),
    )
    return StoredTurn(seq, turn)


def _json(value: Iterable[Any]) -> str | None:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else None
