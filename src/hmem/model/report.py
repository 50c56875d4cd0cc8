"""What a memory says of itself."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts, times and sizes.

    ``tail`` is how many turns the lexical index has yet to take in, ``unformed`` how many formation has.
    ``revised`` is how many notes a later one contradicts.
    ``retain_days`` is after how many days a turn is forgotten, None for never; ``expiring`` counts turns with a time of
    their own. ``model`` is None for a memory that no language model ever had to do with.
    """

    memory: str
    path: str
    schema: int
    embedder: str
    zone: str
    turns: int
    sessions: int
    speakers: int
    first: datetime | None
    last: datetime | None
    vectors: int
    tail: int
    truth_bytes: int
    index_bytes: int
    index_problem: str | None = None
    unformed: int = 0
    events: int = 0
    notes: int = 0
    revised: int = 0
    entities: int = 0
    formation_problem: str | None = None
    consolidation_problem: str | None = None
    retain_days: int | None = None
    expiring: int = 0
    forgetting_problem: str | None = None
    model: "ModelStats | None" = None

    @property
    def contradiction_rate(self) -> float:
        """The share of the notes that a later one contradicts (HiMem: a figure of health)."""
        return self.revised / self.notes if self.notes else 0.0


@dataclass(frozen=True, slots=True)
class SpentOn:
    """What was spent for a purpose, such as ``read``, on a model: calls, tokens, and money where prices are known.

    ``failures`` counts calls that failed and answers that could not be used.
    """

    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float
    failures: int


@dataclass(frozen=True, slots=True)
class ModelStats:
    """What language models have done for a memory, and what they are still to do.

    ``name`` is the present model with the version of what it is asked, None when rules alone read the memory.
    ``pending`` turns are to be read, ``held`` ones are being read, ``given_up`` ones were left to the rules after
    several answers that could not be used. ``read`` counts turns by what read them, ``texts`` what models wrote or
    judged; ``unjudged`` replies to what was recalled are still to be judged. ``today`` and ``spent`` say what was spent
    since midnight UTC, and ever. ``problem`` is what keeps the model from its work, ``error`` what went wrong last with
    turns that are not read yet.
    """

    name: str | None
    pending: int
    held: int
    given_up: int
    read: Mapping[str, int]
    texts: int
    today: tuple[SpentOn, ...] = ()
    spent: tuple[SpentOn, ...] = ()
    problem: str | None = None
    error: str | None = None
    unjudged: int = 0


@dataclass(frozen=True, slots=True)
class Worked:
    """What a model did in one go: calls, turns read, texts and verdicts written, calls that failed, replies judged.

    ``left`` turns are still to be read: what failed is tried again later, and the last episode of a session may not be
    over. ``stopped`` says why it ended before its time.
    """

    calls: int
    turns: int
    texts: int
    failures: int
    left: int
    stopped: str | None = None
    judged: int = 0


@dataclass(frozen=True, slots=True)
class Verification:
    """Whether the truth is sound and the indices agree with it; ``checked`` counts what was compared."""

    problems: tuple[str, ...]
    checked: Mapping[str, int]

    @property
    def ok(self) -> bool:
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a storage took away, in number; of sessions and speakers, those that no turn is left of."""

    turns: int
    vectors: int
    sessions: int = 0
    speakers: int = 0


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten or, in a preview, what would be.

    ``sessions`` and ``speakers`` count those that no turn is left of. ``summaries``, ``names``, ``profiles`` and
    ``personas`` count texts that told of it and others: they are written again without it. ``entries`` are those of
    the log that were redacted. ``words`` stood in the erased texts and stand nowhere else in the memory (lower case, at
    least three letters or digits); the memory does not keep them. ``pending`` says why the files could not be wiped at
    once, which is made up for later. ``echoes`` are the ids of turns that stay and repeat some of it. A preview has
    the ``ids`` of the turns and some ``samples`` of their texts, and counts what hangs on them alone.
    """

    turns: int
    sessions: int = 0
    speakers: int = 0
    vectors: int = 0
    events: int = 0
    notes: int = 0
    entities: int = 0
    relations: int = 0
    summaries: int = 0
    names: int = 0
    profiles: int = 0
    personas: int = 0
    entries: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    words: tuple[str, ...] = ()
    pending: str | None = None
    preview: bool = False
    ids: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    echoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What a consolidation did, in number: turns formed, texts written, levels of the evolution tree filled by
    age, turns forgotten that were to be by then.

    ``forgotten`` counts turns that expired, or that the memory's rule no longer keeps. ``left`` is what it did
    not come to: turns to form, turns to learn from, and those texts to write that are known already.
    """

    turns: int
    summaries: int
    names: int
    profiles: int
    levels: int = 0
    left: int = 0
    forgotten: int = 0

    @property
    def complete(self) -> bool:
        """Whether nothing is left."""
        return self.left == 0

    def and_formed(self, turns: int, left: int) -> "Consolidation":
        """This, after so many turns were formed and so many were left."""
        return replace(self, turns=self.turns + turns, left=self.left + left)
