"""Turns, kept verbatim: the capability that everything else is derived from.

Each turn has a **sequence number** that only grows. The turns of a session are gathered into **blocks** of at most
``BLOCK_TURNS`` in the order of their arrival. Whatever adds or takes turns raises one counter, the **change**, and
stamps it on the blocks that it touched, so that what is derived can ask what is new since the change that it knows.
The number of a new turn is above every change that was there before it.

How often each turn was of use, and when it last was, is kept beside it and goes with it. It is no change of the turns.
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
    """A turn's place: sequence, block, session and speaker numbers, its count of words, when it was said (µs).

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


class Use(NamedTuple):
    """How often a turn was of use since it was written, when it last was (µs since 1970 UTC), and the step of that."""

    seq: int
    uses: int
    last: int
    step: int


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

        ``words`` are the turns' counts of words by an ``analysis`` of this version. ``vectors`` has a unit row for each
        turn, or is None when none could be made. A turn whose message id is kept already is a ``duplicate`` when
        speaker and text agree and is ``rejected`` when they do not.

        Raises:
            EmbedderMismatch: the memory has gone over to another generation of vectors.
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
        """Return the next turns behind a sequence number, at most ``limit``, in the order of their arrival.

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
    ) -> NDArray[np.int64]:
        """Return the sequence numbers, ascending, of the turns that meet every condition that is given.

        ``metadata`` gives for each of some fields, by its name, the values of which it must have one. A number equals
        a number of the same value, and no truth value. ``echoing``: parts of the turn repeat what was recalled.
        """

    @abstractmethod
    def changed_blocks(self, since: int) -> list[Block]:
        """Return the blocks that changed after the change ``since``, oldest change first; emptied ones too."""

    @abstractmethod
    def members(self, blocks: Sequence[int]) -> list[Member]:
        """Return the turns of these blocks, in the order of block and sequence number."""

    @abstractmethod
    def contents(self, blocks: Sequence[int]) -> list[tuple[int, int, str]]:
        """Return what the turns of these blocks say: (block, sequence number, text with caption), ordered likewise."""

    @abstractmethod
    def speakers(self) -> list[Speaker]:
        """Return everyone who ever spoke and was not wholly forgotten, by number, which is never given to another."""

    @abstractmethod
    def sessions(self, *, limit: int | None = None, offset: int = 0) -> list[Session]:
        """Return the sessions by the time of their first turn.

        Raises:
            InputError: the limit or the offset is negative.
        """

    @abstractmethod
    def counts(self) -> Counts:
        """Count what is kept."""

    @abstractmethod
    def expiring(self, until: int | None = None) -> list[tuple[int, int]]:
        """Return the turns that are to be forgotten by themselves, by then (µs) or ever: (when in µs, its number)."""

    @abstractmethod
    def record_uses(self, uses: Sequence[tuple[Sequence[int], datetime]]) -> None:
        """Count one more use of each of the turns of each recall, at its time, in one transaction.

        Turns that are gone are passed over. It is made beside a recall, so it waits for nobody and need not be durable
        on return: a crash of the machine may lose the last uses, whole. It is no change. The last use of a turn is the
        latest that was ever told.

        Raises:
            MemoryBusy: another process is writing at this moment; nothing was recorded.
        """

    @abstractmethod
    def uses(self, *, since: int = 0, seqs: Sequence[int] | None = None, latest: int | None = None) -> list[Use]:
        """Return the uses recorded after the step ``since``, by sequence number: of all turns or of some.

        With ``latest``, of all turns those so many that were recorded last. Steps only grow, whatever is deleted.

        Raises:
            InputError: ``latest`` is negative.
        """


def checked_limit(name: str, limit: int | None) -> int | None:
    """Return a limit that is a number of rows, or none.

    Raises:
        InputError: it is negative.
    """
    if limit is not None and limit < 0:
        raise InputError(f"{name} is {limit}, and a number of rows is not negative - give 0 or more")
    return limit
