"""Interface of an analyst: every task that the papers give a language model, as one small typed method each.

Batch in, batch out: a method takes passages or groups and gives one result for each of their turns, or for each group.
Results are plain values, so that a model's output is validated before use. ``made_by`` names the maker of the results,
and is stored with them.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Literal, NamedTuple

from hmem.language.analyst.lexicon import Lexicon
from hmem.model.entity import EntityType
from hmem.model.evidence import Reaction
from hmem.model.note import NoteKind
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.span import Span
from hmem.model.turn import Turn


@dataclass(frozen=True, slots=True)
class KnownNote:
    """Note that a model is shown with turns: its turn by id and sequence number, the day when it was said, its text."""

    turn: str
    seq: int
    day: date
    text: str


@dataclass(frozen=True, slots=True)
class Passage:
    """Turns of one session in order of arrival; those from ``start`` on are to be analysed.

    The turns before ``start`` are context. ``speakers`` is everyone who has spoken in the session so far. ``notes`` are
    what is known already and the turns may revise; only a language model is shown any. The result of a turn may depend
    on earlier turns, never on later ones, so that single turns and batches give the same results.
    """

    turns: tuple[Turn, ...]
    start: int = 0
    speakers: tuple[str, ...] = ()
    notes: tuple[KnownNote, ...] = ()

    @property
    def targets(self) -> tuple[Turn, ...]:
        """Turns to be analysed."""
        return self.turns[self.start :]


@dataclass(frozen=True, slots=True)
class Curation:
    """Judgement of a turn as memorable (H-Mem, two trees: curation), and its reasons, such as ``number``."""

    memorable: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """Language of a turn, and why parts of it were not read.

    ``language`` is an ISO 639 code, or "" if the analyst does not tell it. Reasons are ``language:de`` and the like,
    ``length``, and kinds of blocks such as ``code``.
    """

    language: str = ""
    skip_reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cues:
    """Hints in a turn's words at the start of an episode (HiMem, event surprise).

    ``shift`` is a sudden change of intent or subject ("by the way", "actually, forget that"), ``emotion`` the emotional
    salience, both 0 to 1; ``words`` are the content words as stems, each once, in order.
    """

    shift: float
    emotion: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One atomic, self-contained statement of a turn: who and what, pronouns and relative dates resolved.

    ``happened`` is the time of the event, None if unknown. ``context`` is the number of turns just before this one that
    the statement needs to make sense: 1 if it answers the turn before.
    """

    text: str
    happened: Span | None = None
    context: int = 0


@dataclass(frozen=True, slots=True)
class Naming:
    """An entity named in a turn: characters ``start`` to ``end`` of its content (text, space, caption).

    ``certain`` is False where it may be no name at all, and ``likely_type`` a type that the turn alone does not tell
    surely: other turns may confirm both.
    """

    surface: str
    type: EntityType
    start: int
    end: int
    certain: bool = True
    likely_type: EntityType = "other"


@dataclass(frozen=True, slots=True)
class Tie:
    """A relation between two entities that a turn states, by their names."""

    source: str
    source_type: EntityType
    target: str
    target_type: EntityType
    label: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Extraction:
    """Entities and relations of one turn."""

    namings: tuple[Naming, ...] = ()
    ties: tuple[Tie, ...] = ()


Relation = Literal["same", "extends", "contradicts", "independent", "disputes", "outdates"]


@dataclass(frozen=True, slots=True)
class Revises:
    """Relation of a claim to a note of an earlier turn, by the turn's id and the note's text, "" if that is open.

    ``seq`` is the turn's sequence number where its id is not known yet.
    """

    relation: Relation
    turn: str
    text: str = ""
    seq: int = 0


@dataclass(frozen=True, slots=True)
class Claim:
    """A candidate note (HiMem): a turn's claim about a subject's slot.

    ``statement`` is the index of its source among the statements of the turn. ``text`` is a short self-contained
    sentence. ``revises`` is the note that it has to do with, if a model named one.
    """

    kind: NoteKind
    subject: str
    slot: str
    value: str
    text: str
    positive: bool = True
    valid: Span | None = None
    statement: int = 0
    # Digests of kept model outputs contain the text of a claim, which is the same without it.
    revises: Revises | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class DatedClaim:
    """A claim, its time, and its source statement (empty where that is not kept)."""

    claim: Claim
    time: datetime
    words: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Relation of a newer claim to an older one (HiMem, reconsolidation), with a short reason.

    ``same``: it repeats the older one. ``extends``: it repeats it and adds to it. ``contradicts``: both cannot hold at
    once. ``outdates``: they cannot either, and the newer one takes the other's place whoever said them. ``disputes``:
    nor can they, but it may not. ``independent``: each holds without regard to the other.
    """

    relation: Relation
    reason: str = ""
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """Path of a statement through the layers (H-MEM): domain, category, trace, from wide to narrow.

    The trace may be empty: the tree names it from all that is in it.
    """

    domain: str
    category: str
    trace: str


@dataclass(frozen=True, slots=True)
class TurnExtraction:
    """A language model's extraction of one turn, kept and used in place of the rules' results.

    It is used again whenever the memory is formed anew, so that no call is made twice. ``labels`` are those of the
    statements, in their order, or empty. The rules supply each field that is None.
    """

    made_by: str
    curation: Curation
    statements: tuple[Statement, ...] = ()
    claims: tuple[Claim, ...] = ()
    extraction: Extraction | None = None
    labels: tuple[Labels, ...] = ()
    importance: int | None = None
    cues: Cues | None = None


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text to be summarised, with its speaker, time and weight (1 to 10)."""

    text: str
    speaker: str | None
    time: datetime
    importance: float = 5.0

    def __repr__(self) -> str:
        # Digests of kept model outputs contain this text (``cached_model``), so it keeps the earlier class name.
        return f"Line(text={self.text!r}, speaker={self.speaker!r}, when={self.time!r}, importance={self.importance!r})"


@dataclass(frozen=True, slots=True)
class Subject:
    """An entity whose profile is to be written, and the lines about it, oldest first."""

    name: str
    type: EntityType
    lines: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class ProfileText:
    """A profile (H-Mem, tree and graph): a lasting and a recent part; ``made_by`` is empty for the analyst's own."""

    persistent: str
    recent: str
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class PersonaText:
    """A persona as text, and its traits (HMO); ``made_by`` is empty for the analyst's own."""

    text: str
    traits: tuple[str, ...]
    made_by: str = ""


class AttributedText(NamedTuple):
    """A text and its maker."""

    text: str
    made_by: str


ContentType = Literal["code", "table", "log", "essay"]


@dataclass(frozen=True, slots=True)
class Compression:
    """Short form of a long text: indices of the lines to keep, most important first, and an abstract of the rest."""

    line_numbers: tuple[int, ...]
    abstract: str = ""


class Analyst(ABC):
    """Reads and writes language for the engine. Safe to call from several threads."""

    @property
    @abstractmethod
    def made_by(self) -> str:
        """Maker of the results, with a version: ``rules/5d41402a``, or a model and the version of its prompts."""

    @property
    @abstractmethod
    def lexicon(self) -> Lexicon:
        """Words and sentences of the analyst's language."""

    @abstractmethod
    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        """Judge if each turn is memorable."""

    def coverage(self, passages: Sequence[Passage]) -> list[list[Coverage]]:
        """Tell the language of each turn, and why parts of it are not read. An analyst need not tell."""
        return [[Coverage() for _ in passage.targets] for passage in passages]

    def compressions(self, texts: Sequence[str]) -> "list[Compression | None]":
        """Return what a model made of each long text, to stand in its place. An analyst without a model has none."""
        return [None for _ in texts]

    @abstractmethod
    def cues(self, passages: Sequence[Passage]) -> list[list[Cues]]:
        """Find hints at the start of an episode in each turn."""

    @abstractmethod
    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        """Extract the statements of each turn, in order; an empty list for a turn that states nothing."""

    @abstractmethod
    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """Extract the entities and relations of each turn."""

    @abstractmethod
    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        """Extract the candidate notes of each turn from its statements."""

    @abstractmethod
    def reconcile(self, pairs: Sequence[tuple[DatedClaim, DatedClaim]]) -> list[Verdict]:
        """Judge the relation of the second, newer claim of each pair to the first (HiMem, reconsolidation)."""

    @abstractmethod
    def likeness(self, dated_claim: DatedClaim) -> frozenset[str]:
        """Return keys of a claim; ``reconcile`` finds two claims of a slot without a common key independent."""

    @abstractmethod
    def importance(
        self,
        passages: Sequence[Passage],
        personas: Sequence[str],
        curations: Sequence[Sequence[Curation]] | None = None,
        claims: Sequence[Sequence[Sequence[Claim]]] | None = None,
    ) -> list[list[int]]:
        """Judge the importance of each turn, 1 to 10, against the persona text of its passage (HMO's rubric).

        ``curations`` and ``claims`` are those of the turns, if they were made already.
        """

    @abstractmethod
    def labels(self, statements: Sequence[Statement], speakers: Sequence[str]) -> list[Labels]:
        """Label each statement for the layers; ``speakers`` names the speaker of each."""

    @abstractmethod
    def name_topics(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
        """Name each group of texts in a few words that tell it from the others, never after ``names``, the speakers.

        A group that no word sets apart is named "".
        """

    @abstractmethod
    def summarise(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[str]:
        """Summarise each group in at most ``tokens`` tokens, naming who and when."""

    @abstractmethod
    def profiles(self, subjects: Sequence[Subject], tokens: int) -> list[ProfileText]:
        """Write a profile of each subject, each part in at most ``tokens`` tokens."""

    @abstractmethod
    def personas(
        self,
        people: Sequence[str],
        claims: Sequence[Sequence[Claim]],
        tokens: int,
        times: Sequence[datetime | None] = (),
    ) -> list[PersonaText]:
        """Write the persona of each person from the claims about them, latest last.

        ``times`` are those at which the personas hold, if they are known: plans for a time before are left out.
        """

    # Makers: an analyst that combines several names the maker of each result.

    def maker(self, turn: Turn) -> str:  # noqa: ARG002 - for analysts that combine several
        """Return the maker of the results of a turn."""
        return self.made_by

    def labels_of(self, statements: Sequence[Statement], turns: Sequence[Turn | None]) -> list[Labels]:
        """Label each statement for the layers, given its turn, None where that is unknown."""
        return self.labels(statements, [turn.speaker if turn is not None else "" for turn in turns])

    def attributed_summaries(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[AttributedText]:
        """Summarise each group, with the maker of each text."""
        return [AttributedText(text, self.made_by) for text in self.summarise(groups, tokens)]

    def attributed_names(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[AttributedText]:
        """Name topics, with the maker of each name."""
        return [AttributedText(text, self.made_by) for text in self.name_topics(groups, names)]

    # Recall.

    @abstractmethod
    def plan(self, question: str, question_time: datetime, people: Sequence[str]) -> Plan:
        """Plan how to look a question up (H-Mem, tree and graph): its parts, and what each needs.

        ``question_time`` resolves "last week". ``people`` are the names of the memory's speakers, with the user
        first.
        """

    @abstractmethod
    def sufficiency(
        self, subquestion: SubQuestion, excerpts: Sequence[Excerpt], question_time: datetime, *, notes: bool = False
    ) -> Sufficiency:
        """Judge if these lines, best first, suffice to answer the question (HiMem, best-effort recall)."""

    @abstractmethod
    def missing(self, subquestion: SubQuestion, excerpts: Sequence[Excerpt]) -> FollowUp | None:
        """Return one query for information that the first pass did not give specifically enough; None if it did."""

    # Change.

    @abstractmethod
    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        """Judge a person's next message as feedback on an answer (H-MEM); a change of topic is ``none``."""
