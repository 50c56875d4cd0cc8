"""Reports of a memory about itself: statistics, model work, verification, forgetting and consolidation."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from hmem.model.value import Value


@dataclass(frozen=True, slots=True, repr=False)
class Stats(Value):
    """Counts, times and sizes of a memory.

    ``tail`` is the number of turns that no index file holds yet, ``unformed`` the number that await formation.
    ``revised`` is the number of notes that a later one contradicts. ``retain_days`` is the age in days at which a turn
    is forgotten, None for never; ``expiring`` counts turns with their own expiry. ``model`` is None for a memory that
    never used a language model. ``languages`` counts turns by language (ISO 639), ``unread`` by the reasons why parts
    of them form nothing: ``language:de`` and the like, ``length``, ``error`` for a turn that was set aside, or a kind
    of block such as ``code``. Both lack the turns that were formed before languages were told. ``formed_by`` counts
    turns by what formed them: rules with their version, a model, or ``verbatim`` if none could. ``encrypted``: the file
    cannot be read without a key.
    ``turn_characters`` is the number of characters that a turn may have (the setting ``capture.turn_characters``).
    ``resident_bytes`` is what the loaded memory holds in this process, without what all memories share.
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
    languages: Mapping[str, int] = field(default_factory=dict[str, int])
    unread: Mapping[str, int] = field(default_factory=dict[str, int])
    formed_by: Mapping[str, int] = field(default_factory=dict[str, int])
    encrypted: bool = False
    turn_characters: int = 0
    resident_bytes: int = field(default=0, compare=False)

    @property
    def contradiction_rate(self) -> float:
        """Share of the notes that a later one contradicts, 0 to 1 (HiMem: a figure of health)."""
        return self.revised / self.notes if self.notes else 0.0


@dataclass(frozen=True, slots=True, repr=False)
class SpentOn(Value):
    """Spending for a purpose, such as ``read``, on a model: calls, tokens, and money where prices are known.

    ``failures`` counts failed calls and unusable answers.
    """

    purpose: str
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float
    failures: int


@dataclass(frozen=True, slots=True, repr=False)
class ModelStats(Value):
    """Work of language models for a memory: done, under way and still to do.

    ``name`` is the present model with the version of its prompts, None if rules alone read the memory. ``pending``
    turns wait to be read, ``held`` ones are being read, ``given_up`` ones were left to the rules after several unusable
    answers. ``read`` counts turns by their reader, ``texts`` the texts and verdicts that models wrote; ``unjudged``
    counts replies to recalled memory that are still to be judged. ``today`` and ``spent`` are the spending since
    midnight UTC, and ever. ``problem`` is what keeps the model from working, ``error`` the last error with turns that
    are still unread.
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


@dataclass(frozen=True, slots=True, repr=False)
class Worked(Value):
    """Work of a model in one run: calls, turns read, texts and verdicts written, failed calls, replies judged.

    ``left`` turns are still to be read: failures are tried again later, and the last episode of a session may not be
    over. ``stopped`` says why the run ended early.
    """

    calls: int
    turns: int
    texts: int
    failures: int
    left: int
    stopped: str | None = None
    judged: int = 0

    def __add__(self, later: "Worked") -> "Worked":
        """Return the work of two runs; what is left, and why it stopped, is the later run's."""
        return Worked(
            self.calls + later.calls,
            self.turns + later.turns,
            self.texts + later.texts,
            self.failures + later.failures,
            later.left,
            later.stopped,
            self.judged + later.judged,
        )


@dataclass(frozen=True, slots=True, repr=False)
class BatchResult(Value):
    """Responses of a batch that were taken: the work done with them, their number, and what was not used.

    ``refused`` are the lines that are no usable responses, by number, and why; ``unused`` the ids of responses that
    nothing waits for.
    """

    worked: Worked
    answered: int
    refused: tuple[tuple[int, str], ...]
    unused: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Value):
    """Result of a check of the stored data and its indices; ``checked`` counts comparisons, ``problems`` are faults.

    ``remarks`` are no faults: turns that other rules than the present ones formed, and corrections and retractions of
    notes and events that read otherwise now.
    """

    problems: tuple[str, ...]
    checked: Mapping[str, int]
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.problems

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True, repr=False)
class Deletion(Value):
    """Numbers of items that a storage deleted; of sessions and speakers, those without any turn left."""

    turns: int
    vectors: int
    sessions: int = 0
    speakers: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Forgotten(Value):
    """Numbers of items that were forgotten or, in a preview, would be.

    ``sessions`` and ``speakers`` count those without any turn left. ``summaries``, ``names``, ``profiles`` and
    ``personas`` count texts made from forgotten and other turns: they are written again without the forgotten ones.
    ``entries`` are redacted log entries. ``words`` stood in the erased texts and stand nowhere else in the memory
    (lower case, at least three letters or digits); the memory does not keep them. ``pending`` says why the files could
    not be wiped at once, which happens later. ``echoes`` are the ids of remaining turns that repeat some of the
    forgotten text. A preview has the ``ids`` of the turns and some ``samples`` of their texts, and counts the items
    that depend on those turns alone.
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


@dataclass(frozen=True, slots=True, repr=False)
class Consolidation(Value):
    """Numbers of a consolidation: turns formed, texts written, evolution-tree levels filled by age, turns forgotten.

    ``forgotten`` counts turns that expired, or that the memory's retention rule no longer keeps. ``left`` is the work
    that remains: turns to form, turns to learn from, and those texts to write that are known already.
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
        """True if nothing is left."""
        return self.left == 0

    def and_formed(self, turns: int, remaining: int) -> "Consolidation":
        """Return this result with ``turns`` more turns formed and ``left`` more left."""
        return replace(self, turns=self.turns + turns, left=self.left + remaining)
