"""The work of language models: what they read and wrote, what they are still to read, and what was spent on them.

A storage may do without it; a language model then cannot be the analyst of its memory.

A **reading** is what a model found in one turn. It goes with its turn; when any turn that the model was shown for it is
forgotten, it loses its content. Each gets a **number** that only grows, so that formation can ask what is new since the
one that it knows; the last number is the setting ``READINGS``, so that nothing is asked where no model ever was.

A turn that is being read is **held** for a time, so that no two workers read it. The one who holds it when it is done
has effect; what the others bring is refused. Nothing of this holds a lock of the file while a model is asked.

An **answer** is what a model wrote or judged, kept by a digest of what it was given. Whatever is forgotten, all answers
go: they may paraphrase it. The setting ``ERASED`` changes with it, and an answer that was begun before is refused;
``PAIRED`` goes, so that what formation judges anew without them is looked at again.

A **reaction** is what was said next after something was recalled, until a model has judged it. It goes with its turn,
and whatever is forgotten, all that wait go: what was recalled may have told of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from hmem.storage.log import LogEntry

# The setting that holds the number of the last reading; there is none in a memory that no model ever read.
READINGS: Final = "model.readings"
# The setting that holds the number of the last reading whose notes a model has judged; none: all are to be looked at.
PAIRED: Final = "model.paired"
# The setting that changes whenever something is forgotten.
ERASED: Final = "model.erased"


class KeptReading(NamedTuple):
    """A turn's reading; ``content`` is the reader's own affair, None for one that was taken back.

    ``first`` and ``last``: all that the model was shown for it lies between these turns. ``number`` is given by the
    storage.
    """

    seq: int
    first: int
    last: int
    made_by: str
    content: bytes | None
    number: int = 0


class Waiting(NamedTuple):
    """A turn that is to be read: its session's number, how often it was tried, when it is due, who holds it until when.

    Times are µs since 1970 UTC.
    """

    seq: int
    session: int
    attempts: int = 0
    due: int = 0
    holder: str | None = None
    until: int = 0


class KeptAnswer(NamedTuple):
    """What a model wrote, by the digest of what it was given; None as content where it could not."""

    digest: bytes
    kind: str
    made_by: str
    content: bytes | None


class Unjudged(NamedTuple):
    """A turn that may be a reaction, which a model is to judge; ``content`` is the judge's own affair.

    ``attempts``, ``due``, ``holder`` and ``until`` are as those of ``Waiting``.
    """

    seq: int
    content: bytes
    attempts: int = 0
    due: int = 0
    holder: str | None = None
    until: int = 0


class Spending(NamedTuple):
    """What was spent on a day (``2026-11-21``, UTC), for a purpose, on a model; ``cost`` is in the prices' currency."""

    day: str
    purpose: str
    model: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Trial:
    """How an attempt to read turns ended: when they are due again (µs), why it failed, whether the rules keep them.

    One that is not ``counted`` was not the turns' fault.
    """

    due: int = 0
    error: str | None = None
    counted: bool = True
    given_up: bool = False


@dataclass(frozen=True, slots=True)
class ModelCounts:
    """How many turns each model read, how many were given up, how many are held, how many texts models wrote; the
    last error."""

    read: Mapping[str, int]
    given_up: int
    held: int
    answers: int
    error: str | None


class ModelQueue(ABC):
    """Readings and answers of models, and the queue of turns and reactions that wait for one."""

    @abstractmethod
    def awaiting(self, after: int, stale: int, made_by: str) -> list[Waiting]:
        """Return the turns that are to be read, by sequence number: those that are held too, none that was given up.

        Those behind ``after`` without a reading, those whose reading was taken back, and those whose reading has a
        number up to ``stale`` and was made by another.
        """

    @abstractmethod
    def lease(self, seqs: Sequence[int], holder: str, at: int, until: int, known: int) -> bool:
        """Hold turns from now (``at``) ``until`` then, in µs.

        False, and nothing done, when somebody else holds a turn of the same sessions, when one of the turns is gone, or
        when one has a reading with a number above ``known``.
        """

    @abstractmethod
    def release(self, seqs: Sequence[int], holder: str, trial: Trial) -> None:
        """Let go of those turns that ``holder`` holds, and note how the attempt ended."""

    @abstractmethod
    def holders(self, at: int) -> list[str]:
        """Return who holds turns or reactions at a time (µs)."""

    @abstractmethod
    def dismiss(self, holders: Sequence[str]) -> None:
        """Let go of all that these hold, as if they had never held it."""

    @abstractmethod
    def requeue(self, settings: Mapping[str, str | None], made_by: str) -> None:
        """Let every turn that nobody holds be tried from the beginning, those too that were given up, drop the answers
        that others than ``made_by`` gave or could not give, and set settings, in one transaction."""

    @abstractmethod
    def keep_readings(self, readings: Sequence[KeptReading], holder: str, shown: Sequence[int]) -> bool:
        """Keep readings of turns that ``holder`` holds, in the place of those that are there, and let go of the turns.

        False, and none of them kept, when somebody else holds one of the turns, or when a turn that was ``shown`` to
        the model is gone. The ``holder`` has let go of the turns in any case.
        """

    @abstractmethod
    def readings(
        self, *, since: int = 0, seqs: Sequence[int] | None = None, limit: int | None = None
    ) -> list[KeptReading]:
        """Return the readings with numbers above ``since``, by number: of all turns or some, those taken back too."""

    @abstractmethod
    def renumber(self, seqs: Sequence[int], *, emptied: bool = False) -> None:
        """Give the readings of turns the next numbers, as if they were new: other things hold of them.

        With ``emptied`` their content is taken away: the turns are to be read again.
        """

    @abstractmethod
    def keep_answers(self, answers: Sequence[KeptAnswer], erased: str | None) -> bool:
        """Keep answers that were begun when the setting ``ERASED`` was so; False, and none kept, when it is another."""

    @abstractmethod
    def answers(self, digests: Sequence[bytes] | None = None) -> list[KeptAnswer]:
        """Return the answers to some digests, or all, by digest."""

    @abstractmethod
    def keep_unjudged(self, seq: int, content: bytes, most: int, erased: str | None) -> bool:
        """Keep a turn as a reaction that a model is to judge; of more than ``most`` the oldest go.

        False, and it is not kept, when the turn is gone, when it waits already, or when the setting ``ERASED`` is
        another than ``erased``, which it was when what the turn reacts to was recalled.
        """

    @abstractmethod
    def unjudged(self) -> list[Unjudged]:
        """Return the reactions that wait, oldest first."""

    @abstractmethod
    def hold_unjudged(self, seq: int, holder: str, at: int, until: int) -> bool:
        """Hold a reaction; False when somebody else holds it at that time (µs), or it waits no more."""

    @abstractmethod
    def release_unjudged(self, seq: int, holder: str, trial: Trial) -> None:
        """Let go of a reaction that ``holder`` holds, and note how the attempt ended; one given up waits no more."""

    @abstractmethod
    def judged(self, seq: int, holder: str, entries: Sequence[LogEntry]) -> bool:
        """Add what a reaction was judged to be to the log, and let it wait no more, in one transaction.

        False, and nothing is added, when ``holder`` does not hold it any more.
        """

    @abstractmethod
    def spend(self, spending: Sequence[Spending]) -> None:
        """Add to what was spent."""

    @abstractmethod
    def spending(self, day: str | None = None) -> list[Spending]:
        """Return what was spent, by day, purpose and model: on one day, or ever."""

    @abstractmethod
    def model_counts(self, at: int) -> ModelCounts:
        """Count how much models have done and failed to do, at a time (µs)."""
