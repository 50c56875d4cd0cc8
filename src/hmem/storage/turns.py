"""Storage of turns, kept verbatim; everything else is derived from them.

Each turn has a **sequence number** that only grows. The turns of a session are gathered into **blocks** of at most
``BLOCK_TURNS`` in the order of their arrival. Every addition or deletion of turns raises one counter, the **change**,
and stamps it on the blocks it touched, so that derived data can ask for news since the change that it knows. The number
of a new turn is above every earlier change.

The use of each turn, its count and last time, is kept beside it and deleted with it. A use is no change of the turns.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.errors import InputError
from hmem.model.turn import Fate, Session, Turn
from hmem.storage.log import LogEntry
from hmem.storage.vectors import Vectors

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
    changed: int
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


class Placed(NamedTuple):
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
    ) -> list[Placed]:
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
        owned: bool = False,
    ) -> NDArray[np.int64]:
        """Return the sequence numbers, ascending, of the turns that meet every condition that is given.

        ``metadata`` maps names of fields to the values of which the turn must have one. A number equals a number of the
        same value, and no truth value. ``echoing`` limits to turns that repeat recalled text, ``owned`` to turns with a
        user, whoever that is.
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
