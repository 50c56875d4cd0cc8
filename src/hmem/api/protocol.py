"""``MemoryLike``: what a memory is to those who use it, be it here or at a server."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Protocol, Self, Unpack, overload

from hmem.api.feedback import BY, Target
from hmem.corpus.embedding import Progress
from hmem.derived.slot_timeline import Decision, SlotRule
from hmem.formation.capture import Message
from hmem.language.analyst.spending import Budget
from hmem.model.answer import Answer
from hmem.model.change import Change
from hmem.model.entity import KnowledgeGraph
from hmem.model.episode import Episode
from hmem.model.event import Event
from hmem.model.evidence import Context, Found, SearchKind
from hmem.model.node import Branch
from hmem.model.note import Conflict, Note, NoteKind
from hmem.model.persona import Persona, PersonaVersion
from hmem.model.report import Consolidation, Forgotten, Stats, Verification, Worked
from hmem.model.span import Duration
from hmem.model.strength import Reaction
from hmem.model.tier import Tiers
from hmem.model.turn import KeptReceipt, Receipt, Session, Turn
from hmem.retrieval.filter import Conditions, Moment
from hmem.retrieval.model_answering import TOKENS


class ViewLike(Protocol):
    """Recall from a memory, and the views of what was formed of it: from now, or from another standpoint."""

    def search(
        self,
        question: str,
        k: int = 10,
        *,
        at: Moment | None = None,
        kinds: Sequence[SearchKind] = ("turn",),
        trace: bool = False,
        **conditions: Unpack[Conditions],
    ) -> Found:
        """The ``k`` best pieces of evidence for a question, best first, each with its source and its reasons."""
        ...

    def context(
        self, question: str, tokens: int = 1_200, *, at: Moment | None = None, **conditions: Unpack[Conditions]
    ) -> Context:
        """What answers the question, written for a prompt in at most ``tokens`` tokens, with citations."""
        ...

    def ask(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Answer:
        """A short answer with its evidence and the chance that it is right, or that the memory does not tell."""
        ...

    def ask_stream(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Iterator[str | Answer]:
        """The same as it is being said: pieces of its text, at least one, and last the ``Answer``."""
        ...

    def timeline(self, *, summaries: bool = False) -> Branch:
        """The calendar tree: year, month, day, and the memorable turns of each; with every summary, if asked."""
        ...

    def topics(self, *, summaries: bool = False) -> Branch:
        """The topic tree: categories by name, and their memorable turns."""
        ...

    def layers(self, *, summaries: bool = False) -> Branch:
        """The layers: domain, category, trace, and their events."""
        ...

    def evolution(self, *, summaries: bool = False) -> Branch:
        """The evolution tree: what resembles each other within a week, a month, a year."""
        ...

    def episodes(self, *, session: str | None = None, limit: int = 100, offset: int = 0) -> tuple[Episode, ...]:
        """Coherent runs of turns, by time."""
        ...

    def events(self, *, session: str | None = None, limit: int = 100, offset: int = 0) -> tuple[Event, ...]:
        """Statements that stand by themselves, in the order of their turns."""
        ...

    def notes(
        self,
        *,
        subject: str | None = None,
        slot: str | None = None,
        kind: NoteKind | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Note, ...]:
        """Distilled knowledge, oldest first: about a subject, in a slot, of a kind."""
        ...

    def conflicts(self) -> tuple[Conflict, ...]:
        """The notes that contradict each other where the slot's rule is to ask, and nobody has decided yet."""
        ...

    def graph(self, entity: str | None = None, *, limit: int = 50) -> KnowledgeGraph:
        """The entities that most turns name, or one (by id or name) and those around it, and what relates them."""
        ...

    def persona(self, speaker: str) -> Persona | None:
        """What is known of a speaker; None when nothing is."""
        ...

    def persona_history(self, speaker: str) -> tuple[PersonaVersion, ...]:
        """What a persona said from which time on, who made it so, why, and which notes came with it, oldest first."""
        ...

    def personas(self) -> tuple[Persona, ...]:
        """What is known of everyone who spoke."""
        ...

    def tiers(self) -> Tiers:
        """Which turns are in the cache, the buffer and the archive, and why."""
        ...

    def as_of(self, moment: Moment) -> "ViewLike":
        """The same, as it was known at a time: when it had been said, and before what was decided later."""
        ...

    def valid_at(self, moment: Moment) -> "ViewLike":
        """The same, with what was true at a time."""
        ...


class MemoryLike(ViewLike, Protocol):
    """A memory: ``Memory`` and ``RemoteMemory`` are such. A context manager."""

    @overload
    def add(
        self, message: str | Mapping[str, Any], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> KeptReceipt: ...  # fmt: skip
    @overload
    def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> list[Receipt]: ...  # fmt: skip

    def correct(self, id: str, text: str, *, why: str | None = None, by: str = BY) -> Change:
        """Put a right text in the place of a turn or a note; the wrong one is history."""
        ...

    def retract(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Say that a turn, a note or an event is not to be used: it is kept, and is recalled no more."""
        ...

    def edit_persona(
        self,
        speaker: str,
        *,
        text: str | None = None,
        traits: Sequence[str] | None = None,
        why: str | None = None,
        by: str = BY,
    ) -> Change:
        """Put another text, or other traits, into a persona."""
        ...

    def resolve(self, note: str, decision: Decision, *, why: str | None = None, by: str = BY) -> Change:
        """Decide of a note whether it holds: keep it, or retire it, whatever contradicts it."""
        ...

    def rule(self, slot: str, rule: SlotRule, *, why: str | None = None, by: str = BY) -> Change:
        """Set by which rule contradictions in a slot, or in one subject's (``subject:slot``), are settled."""
        ...

    def rules(self) -> dict[str, str]:
        """The rules by slot or ``subject:slot``, and under ``*`` that of all others."""
        ...

    def pin(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Have every context carry a turn, an event or a note first, within a share of its budget."""
        ...

    def unpin(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Take the pin of a turn, an event or a note back."""
        ...

    def pins(self) -> tuple[Change, ...]:
        """Return the changes by which something is pinned now, oldest first."""
        ...

    def undo(self, change: str, *, why: str | None = None, by: str = BY) -> Change:
        """Take a change back, by its id: everything is as if it had not been made. An undoing can be undone."""
        ...

    def history(
        self, id: str | None = None, *, since: Moment | None = None, limit: int | None = None
    ) -> tuple[Change, ...]:
        """The changes of a turn, a note, a person or a slot, or all of them, oldest first."""
        ...

    def feedback(self, target: Target, verdict: Reaction | float, *, why: str = "", by: str = BY) -> tuple[Change, ...]:
        """Say of an answer, of evidence or of memories by their ids whether they were of use."""
        ...

    def forget(
        self,
        *ids: str,
        speaker: str | None = None,
        session: str | None = None,
        since: Moment | None = None,
        after: Moment | None = None,
        until: Moment | None = None,
        before: Moment | None = None,
        entity: str | None = None,
        query: str | None = None,
        k: int = 10,
        why: str | None = None,
        by: str = "user",
        preview: bool = False,
        echoes: bool = False,
    ) -> Forgotten:
        """Erase turns that meet every condition, with everything derived from them: there is no way back."""
        ...

    def delete(self, *ids: str) -> Forgotten:
        """The same as ``forget(*ids)``."""
        ...

    def retain(self, days: int | None, *, why: str | None = None, by: str = "user") -> None:
        """Keep turns for so many days after they were said, from now on; None keeps them for good."""
        ...

    def verify(self, forgotten: Sequence[str] = ()) -> Verification:
        """Prove that the file is sound, and that the indices and what was formed agree with it."""
        ...

    def get(self, id: str) -> Turn | Event | Note:
        """A turn, an event or a note by its id."""
        ...

    def list(
        self, *, session: str | None = None, speaker: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[Turn]:
        """Turns in the order of their arrival, a page at a time: the next page is ``after`` the last id of this."""
        ...

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """The sessions, by the time of their first turn."""
        ...

    def consolidate(
        self,
        progress: Progress | None = None,
        *,
        budget: float | None = None,
        texts: int | None = None,
        at: datetime | str | float | None = None,
    ) -> Consolidation:
        """Forget what is due, form what is behind, and write every text that is missing."""
        ...

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make the indices anew from the turns, and form them anew: by the recipe, if one was given on opening."""
        ...

    def flush(self) -> None:
        """Bring the indices up to date and save them now, rather than when enough has gathered."""
        ...

    def stats(self) -> Stats:
        """Counts, times and sizes."""
        ...

    def work(
        self,
        limit: int | None = None,
        *,
        drain: bool = True,
        progress: Progress | None = None,
        concurrency: int | None = None,
    ) -> Worked:
        """Have the model read what waits, then write the texts that rules wrote, until nothing is left."""
        ...

    def reanalyse(self) -> int:
        """Have everything read and written anew by the present model. How many turns are to be read now."""
        ...

    def budget(self, **limits: float | None) -> Budget:
        """What may be spent on models, after changing limits by name; None takes one away."""
        ...

    def close(self) -> None:
        """Let go of it. Every later call raises ``MemoryClosed``."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
