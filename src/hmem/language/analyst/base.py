"""The analyst: everything that the papers ask of a language model, as one small typed method each.

Batch in, batch out: a method takes passages or groups and gives one result for each of their turns, or for each
group. Results are plain values, so that what a model says is validated before it is believed. ``made_by`` names
what made them, and is stored beside them.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, NamedTuple

from hmem.model.entity import EntityType
from hmem.model.note import NoteKind
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.span import Span
from hmem.model.strength import Reaction
from hmem.model.turn import Turn


@dataclass(frozen=True, slots=True)
class Passage:
    """Turns of one session, in the order they arrived, of which those from ``start`` on are to be analysed.

    The turns before ``start`` are context. ``speakers`` is everyone who has spoken in the session so far. What is
    said of a turn may depend on turns before it, never on later ones: so turns one by one and turns in a batch
    come to the same.
    """

    turns: tuple[Turn, ...]
    start: int = 0
    speakers: tuple[str, ...] = ()

    @property
    def wanted(self) -> tuple[Turn, ...]:
        """Turns to be analysed."""
        return self.turns[self.start :]


@dataclass(frozen=True, slots=True)
class Curation:
    """Judgement of a turn as memorable (H-Mem, two trees: curation), and what speaks for it, such as ``number``."""

    memorable: bool
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cues:
    """Hints in a turn's words at the start of an episode (HiMem, event surprise).

    ``shift`` is a sudden change of intent or subject ("by the way", "actually, forget that"), ``emotion`` its
    emotional salience, both 0 to 1; ``words`` are its content words as stems, each once, in order.
    """

    shift: float
    emotion: float
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """One atomic, self-contained statement of a turn: who and what, pronouns and relative dates resolved.

    ``happened`` is when it took place, if that is known. ``context`` counts the turns just before this one without
    which it would be meaningless: 1 when it answers the turn before.
    """

    text: str
    happened: Span | None = None
    context: int = 0


@dataclass(frozen=True, slots=True)
class Naming:
    """An entity named in a turn: characters ``start`` to ``end`` of its content (text, blank, caption)."""

    surface: str
    type: EntityType
    start: int
    end: int
    salience: float = 1.0


@dataclass(frozen=True, slots=True)
class Tie:
    """A relation that a turn states between two entities, by their names."""

    source: str
    source_type: EntityType
    target: str
    target_type: EntityType
    label: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Extraction:
    """The entities and relations of one turn."""

    namings: tuple[Naming, ...] = ()
    ties: tuple[Tie, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A candidate note (HiMem): what a turn claims about a subject's slot.

    ``statement`` is the place of the statement, among those of the turn, that it was read from. ``text`` is a
    short sentence that stands by itself.
    """

    kind: NoteKind
    subject: str
    slot: str
    value: str
    text: str
    positive: bool = True
    valid: Span | None = None
    statement: int = 0


Relation = Literal["same", "extends", "contradicts", "independent"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A claim, when it was said, and the statement that it was read from (empty where that is not kept)."""

    claim: Claim
    said: datetime
    words: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Relation of a newer claim to an older one (HiMem, reconsolidation), and why in a few words.

    ``same``: it says it again. ``extends``: it says it and more. ``contradicts``: both cannot hold at once.
    ``independent``: each holds by itself.
    """

    relation: Relation
    why: str = ""
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """Path of a statement through the layers (H-MEM): domain, category, trace, from wide to narrow."""

    domain: str
    category: str
    trace: str


@dataclass(frozen=True, slots=True)
class TurnExtraction:
    """All that a language model found in one turn, kept and used in the place of what the rules find, now and whenever
    the memory is formed anew: no call is made twice.

    ``labels`` are those of the statements, in their order, or none at all. What is None is left to the rules.
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
    """A piece of what is to be summarised: a text, its speaker, its time, and its weight (1 to 10)."""

    text: str
    speaker: str | None
    when: datetime
    importance: float = 5.0

    def __repr__(self) -> str:
        # A part of the digests by which kept outputs of models are found (``cached_model``): it stays as it was.
        return f"Line(text={self.text!r}, speaker={self.speaker!r}, when={self.when!r}, importance={self.importance!r})"


@dataclass(frozen=True, slots=True)
class Subject:
    """An entity whose profile is to be written, and the lines about it, oldest first."""

    name: str
    type: EntityType
    lines: tuple[Excerpt, ...]


@dataclass(frozen=True, slots=True)
class ProfileText:
    """A profile (H-Mem, tree and graph): what lasts, and what is recent; ``made_by`` where it is not the analyst."""

    persistent: str
    recent: str
    made_by: str = ""


@dataclass(frozen=True, slots=True)
class PersonaText:
    """A persona in words, and its traits (HMO); ``made_by`` where it is not the analyst."""

    text: str
    traits: tuple[str, ...]
    made_by: str = ""


class AttributedText(NamedTuple):
    """A text, and what made it."""

    text: str
    made_by: str


# What a slip in an analyst's code raises. A text that brings one about is formed as it was said, so that no text can
# keep a memory from being formed.
SLIPS: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Analyst(ABC):
    """Reads and writes language for the engine. Safe to call from several threads."""

    @property
    @abstractmethod
    def made_by(self) -> str:
        """Maker of its results, with a version: ``rules/5d41402a``, or a model and the version of its prompts."""

    @abstractmethod
    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        """Judge each turn: is it memorable?"""

    @abstractmethod
    def cues(self, passages: Sequence[Passage]) -> list[list[Cues]]:
        """Find what hints at the start of an episode, for each turn."""

    @abstractmethod
    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        """Extract the statements of each turn, in their order; none for a turn that states nothing."""

    @abstractmethod
    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        """Extract the entities and relations of each turn."""

    @abstractmethod
    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        """Extract the candidate notes of each turn, read from its statements."""

    @abstractmethod
    def reconcile(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        """Judge what the second, newer claim of each pair is to the first (HiMem, reconsolidation)."""

    @abstractmethod
    def importance(
        self,
        passages: Sequence[Passage],
        personas: Sequence[str],
        curations: Sequence[Sequence[Curation]] | None = None,
    ) -> list[list[int]]:
        """Judge how much each turn matters, 1 to 10, against the persona text of each passage (HMO's rubric).

        ``curations`` are those of the turns, where they were made already.
        """

    @abstractmethod
    def labels(self, statements: Sequence[Statement], speakers: Sequence[str]) -> list[Labels]:
        """Label each statement for the layers, ``speakers`` saying whose each is."""

    @abstractmethod
    def name_topics(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
        """Name each group of texts in a few words that tell it from the others; none after ``names``, the speakers."""

    @abstractmethod
    def summarise(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[str]:
        """Summarise each group in at most ``tokens`` tokens, naming who and when."""

    @abstractmethod
    def profiles(self, subjects: Sequence[Subject], tokens: int) -> list[ProfileText]:
        """Write a profile of each subject, each part in at most ``tokens`` tokens."""

    @abstractmethod
    def personas(self, people: Sequence[str], claims: Sequence[Sequence[Claim]], tokens: int) -> list[PersonaText]:
        """Write the persona of each person, from the claims about them, latest last."""

    # Who made what: an analyst that stands on several says it of each.

    def maker(self, turn: Turn) -> str:  # noqa: ARG002 - those that stand on several ask for it
        """Return what makes the results of a turn."""
        return self.made_by

    def labels_of(self, statements: Sequence[Statement], turns: Sequence[Turn | None]) -> list[Labels]:
        """Label each statement for the layers, given the turn that it is of, as far as that is known."""
        return self.labels(statements, [turn.speaker if turn is not None else "" for turn in turns])

    def told(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[AttributedText]:
        """Summarise, and tell what made each text."""
        return [AttributedText(text, self.made_by) for text in self.summarise(groups, tokens)]

    def named(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[AttributedText]:
        """Name topics, and tell what made each name."""
        return [AttributedText(text, self.made_by) for text in self.name_topics(groups, names)]

    # Recall.

    @abstractmethod
    def plan(self, question: str, asked: datetime, people: Sequence[str]) -> Plan:
        """Plan how to look a question up (H-Mem, tree and graph): its parts, and what each needs.

        ``asked`` is when it is asked, which resolves "last week"; ``people`` are the names of those who speak in the
        memory, of which the first is the user where there is one.
        """

    @abstractmethod
    def sufficiency(self, part: SubQuestion, found: Sequence[Excerpt], asked: datetime) -> Sufficiency:
        """Judge whether these lines, best first, answer the question by themselves (HiMem, best-effort recall)."""

    @abstractmethod
    def missing(self, part: SubQuestion, found: Sequence[Excerpt]) -> FollowUp | None:
        """Return the one query for what the first pass did not say specifically enough; None when it did."""

    # Change.

    @abstractmethod
    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        """Judge what a person's next message says of an answer (H-MEM): a change of topic is ``none``."""
