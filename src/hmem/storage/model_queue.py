"""Queue of work for language models: readings, answers, turns and reactions that wait, and spending.

It is optional; without it a language model cannot be the analyst of a memory.

A **reading** is a model's extraction from one turn. It is deleted with its turn; when any turn that the model was shown
for it is forgotten, it loses its content. Each gets a **number** that only grows, so that formation can ask for new
ones; the last number is the setting ``READINGS``, absent in a memory that no model ever read.

A turn that is being read is **held** for a time, so that no two workers read it. The holder's reading takes effect;
readings by others are refused. No lock of the file is held while a model is asked.

An **answer** is a text or verdict of a model, kept by a digest of its input. When a turn is forgotten, all answers are
deleted, since they may paraphrase it. The setting ``ERASURES`` changes with that, and an answer begun before is
refused; ``PAIRED`` is removed, so that notes that formation judges anew without answers are looked at again.

A **reaction** is a message after a recall, until a model has judged it. It is deleted with its turn; when any turn is
forgotten, all waiting reactions are deleted, since the recalled text may have told of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from hmem.storage.capabilities import LogEntry

# Setting with the number of the turn after which a model reads; absent if only rules read the memory.
READ_FROM: Final = "model.from"
# Setting with the number of the last reading; absent in a memory that no model ever read.
READINGS: Final = "model.readings"
# Setting with the number of the last reading whose notes a model has judged; if absent, all are looked at again.
PAIRED: Final = "model.paired"
# Setting that changes whenever something is forgotten.
ERASURES: Final = "model.erased"


class KeptReading(NamedTuple):
    """A reading of a turn; ``content`` is opaque, None for one that was taken back.

    All that the model was shown lies between the turns ``first`` and ``last``. ``number`` is given by the storage.
    """

    seq: int
    first: int
    last: int
    model: str
    content: bytes | None
    number: int = 0


class Waiting(NamedTuple):
    """A turn to be read: its session's number, number of attempts, the time when it is due, its holder until when.

    Times are µs since 1970 UTC.
    """

    seq: int
    session: int
    attempts: int = 0
    due: int = 0
    holder: str | None = None
    until: int = 0


class KeptAnswer(NamedTuple):
    """An answer of a model, by the digest of its input; its content is None if the model could not give one."""

    digest: bytes
    kind: str
    model: str
    content: bytes | None


class PendingReaction(NamedTuple):
    """A turn that may be a reaction, to be judged by a model; ``content`` is opaque.

    ``attempts``, ``due``, ``holder`` and ``until`` are as those of ``Waiting``.
    """

    seq: int
    content: bytes
    attempts: int = 0
    due: int = 0
    holder: str | None = None
    until: int = 0


class Spending(NamedTuple):
    """Spending on a day (``2026-11-21``, UTC), for a purpose, on a model; ``cost`` is in the prices' currency."""

    day: str
    purpose: str
    model: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Attempt:
    """Result of an attempt to read turns: when they are due again (µs), the error, and if they are left to the rules.

    An attempt that is not ``is_counted`` did not fail because of the turns.
    """

    due: int = 0
    error: str | None = None
    is_counted: bool = True
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class ModelCounts:
    """Counts of the work of models.

    ``read`` is the number of turns by model; ``given_up`` and ``leased_turns`` are turns, ``answers`` texts and
    verdicts, and ``error`` is the last error.
    """

    read: Mapping[str, int]
    given_up: int
    leased_turns: int
    answers: int
    error: str | None


class ModelQueue(ABC):
    """Readings and answers of models, and the turns and reactions that wait for one."""

    @abstractmethod
    def awaiting(self, after: int, stale: int, model: str) -> list[Waiting]:
        """Return the turns to be read, by sequence number: held ones included, given up ones not.

        These are turns after ``after`` without a reading, turns whose reading was taken back, and turns whose reading
        has a number up to ``stale`` and is by another model.
        """

    @abstractmethod
    def lease(self, seqs: Sequence[int], holder: str, moment: int, until: int, last_reading: int) -> bool:
        """Lease turns from now (``moment``) to ``until``, in µs.

        Return False, without writing, if another holder has a turn of the same sessions, if one of the turns is gone,
        or if one has a reading with a number above ``last_reading``.
        """

    @abstractmethod
    def release(self, seqs: Sequence[int], holder: str, attempt: Attempt) -> None:
        """Release those turns that ``holder`` holds, and note the result of the attempt."""

    @abstractmethod
    def holders(self, moment: int) -> list[str]:
        """Return the holders of turns or reactions at a time (µs)."""

    @abstractmethod
    def dismiss(self, holders: Sequence[str]) -> None:
        """Release what these holders hold, without counting an attempt."""

    @abstractmethod
    def requeue(self, settings: Mapping[str, str | None], model: str) -> None:
        """Make all turns that nobody holds wait as new, given up ones included, and set settings, in one transaction.

        Answers by other models than ``model``, and answers without content, are dropped.
        """

    @abstractmethod
    def keep_readings(self, readings: Sequence[KeptReading], holder: str, context_seqs: Sequence[int]) -> bool:
        """Keep readings of turns that ``holder`` holds, replacing earlier ones, and release the turns.

        Return False, and keep none of them, if somebody else holds one of the turns, or if one of ``context_seqs``,
        the turns that the model was shown, is gone. The turns of ``holder`` are released in any case.
        """

    @abstractmethod
    def readings(
        self, *, since: int = 0, seqs: Sequence[int] | None = None, limit: int | None = None
    ) -> list[KeptReading]:
        """Return the readings with numbers above ``since``, by number, of all turns or some; taken back ones too."""

    @abstractmethod
    def renumber(self, seqs: Sequence[int], *, clear: bool = False) -> None:
        """Give the readings of turns the next numbers, as if they were new, since their effect has changed.

        With ``clear`` their content is removed, so that the turns are read again.
        """

    @abstractmethod
    def keep_answers(self, answers: Sequence[KeptAnswer], erasures: str | None) -> bool:
        """Keep answers begun at this value of ``ERASURES``; return False, and keep none, if it has changed."""

    @abstractmethod
    def answers(self, digests: Sequence[bytes] | None = None) -> list[KeptAnswer]:
        """Return the answers to some digests, or all, by digest."""

    @abstractmethod
    def add_reaction(self, seq: int, content: bytes, limit: int, erasures: str | None) -> bool:
        """Keep a turn as a reaction for a model to judge; of more than ``limit`` the oldest are dropped.

        Return False, and do not keep it, if the turn is gone, if it waits already, or if the setting ``ERASURES``
        differs from ``erasures``, its value at the recall that the turn reacts to.
        """

    @abstractmethod
    def pending_reactions(self) -> list[PendingReaction]:
        """Return the waiting reactions, oldest first."""

    @abstractmethod
    def lease_reaction(self, seq: int, holder: str, moment: int, until: int) -> bool:
        """Hold a reaction; return False if somebody else holds it at that time (µs), or it waits no more."""

    @abstractmethod
    def release_reaction(self, seq: int, holder: str, attempt: Attempt) -> None:
        """Release a reaction that ``holder`` holds, and note the attempt's result; one given up waits no more."""

    @abstractmethod
    def settle_reaction(self, seq: int, holder: str, entries: Sequence[LogEntry]) -> bool:
        """Add the log entries of a judged reaction, and let it wait no more, in one transaction.

        Return False, without writing, if ``holder`` does not hold it any more.
        """

    @abstractmethod
    def spend(self, spending: Sequence[Spending]) -> None:
        """Add to the spending."""

    @abstractmethod
    def spending(self, day: str | None = None) -> list[Spending]:
        """Return the spending by day, purpose and model: on one day, or ever."""

    @abstractmethod
    def model_counts(self, moment: int) -> ModelCounts:
        """Return the counts of models' work and failures, with the turns held at a time (µs)."""
