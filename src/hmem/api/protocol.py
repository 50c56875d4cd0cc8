"""Protocols of a memory: ``MemoryLike`` in this process or on a server, ``AsyncMemoryLike`` with coroutine methods."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
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
from hmem.model.entity import Entity, KnowledgeGraph
from hmem.model.episode import Episode
from hmem.model.event import Event
from hmem.model.evidence import Context, Found, SearchKind
from hmem.model.formed_items import FormedItems
from hmem.model.node import Branch, TreeName
from hmem.model.note import Conflict, Note, NoteKind
from hmem.model.persona import Persona, PersonaVersion
from hmem.model.profile import PROFILE_TOKENS, Profile
from hmem.model.report import Consolidation, Forgotten, Stats, Verification, Worked
from hmem.model.span import Duration
from hmem.model.strength import Reaction
from hmem.model.tier import Tiers
from hmem.model.turn import KeptReceipt, Receipt, Session, Turn
from hmem.retrieval.filter import Conditions, Moment
from hmem.retrieval.model_answering import TOKENS


class ViewLike(Protocol):
    """Recall from a memory and views of its derived state, from now or from another standpoint."""

    def search(
        self,
        question: str,
        k: int = 10,
        *,
        at: Moment | None = None,
        kinds: Sequence[SearchKind] = ("turn",),
        min_score: float | None = None,
        trace: bool = False,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Found:
        """Return the ``k`` best pieces of evidence for a question, best first, with source and reasons."""
        ...

    def context(
        self,
        question: str,
        tokens: int = 1_200,
        *,
        at: Moment | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Context:
        """Return evidence for a question as text for a prompt, at most ``tokens`` tokens long, with citations."""
        ...

    def ask(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Answer:
        """Return a short answer with its evidence and the probability that it is right, or an abstention."""
        ...

    def ask_stream(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Iterator[str | Answer]:
        """Yield the answer as it is made: pieces of its text, at least one, and last the ``Answer``."""
        ...

    def tree(
        self,
        name: TreeName,
        *,
        summaries: bool = False,
        user: str | None = None,
        node: str | None = None,
        turn: str | None = None,
        depth: int | None = None,
    ) -> Branch:
        """Return a tree of the memory, whole or in part; with every summary if asked for."""
        ...

    def episodes(
        self,
        *,
        session: str | None = None,
        user: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Episode, ...]:
        """Return coherent runs of turns, by time."""
        ...

    def events(
        self,
        *,
        session: str | None = None,
        user: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Event, ...]:
        """Return self-contained statements, in the order of their turns."""
        ...

    def notes(
        self,
        *,
        subject: str | None = None,
        slot: str | None = None,
        kind: NoteKind | None = None,
        user: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Note, ...]:
        """Return distilled knowledge, oldest first: about a subject, in a slot, of a kind."""
        ...

    def conflicts(self, *, user: str | None = None) -> tuple[Conflict, ...]:
        """Return undecided notes that contradict each other in slots whose rule is to ask, and disputes.

        A dispute is a note of a person's own words with what others, tools, documents or assistants say against it: a
        note, or a turn that is shown as one.
        """
        ...

    def graph(self, entity: str | None = None, *, limit: int = 50, user: str | None = None) -> KnowledgeGraph:
        """Return the most mentioned entities, or one (by id or name) with its neighbours, and their relations."""
        ...

    def entities(
        self, *, name: str | None = None, user: str | None = None, limit: int = 100, offset: int = 0
    ) -> tuple[Entity, ...]:
        """Return entities, those that most turns name first; with ``name``, those with a name that contains it."""
        ...

    def persona(self, speaker: str, *, user: str | None = None) -> Persona | None:
        """Return the knowledge about a speaker; None when there is none."""
        ...

    def persona_history(self, speaker: str, *, user: str | None = None) -> tuple[PersonaVersion, ...]:
        """Return the versions of a persona, oldest first: text, time, author, reason and new notes."""
        ...

    def personas(self, *, user: str | None = None) -> tuple[Persona, ...]:
        """Return the knowledge about every speaker."""
        ...

    def profile(self, person: str | None = None, *, user: str | None = None, tokens: int = PROFILE_TOKENS) -> Profile:
        """Return what a person said of themselves that holds now and is most telling, each line with its turn."""
        ...

    def tiers(self, *, user: str | None = None) -> Tiers:
        """Return the turns in the cache, the buffer and the archive, with reasons."""
        ...

    def as_of(self, moment: Moment) -> "ViewLike":
        """Return this view as it was known at a time: turns said and decisions made until then."""
        ...

    def valid_at(self, moment: Moment) -> "ViewLike":
        """Return this view, limited to what was true at a time."""
        ...


class MemoryLike(ViewLike, Protocol):
    """A memory, such as ``Memory`` and ``RemoteMemory``. A context manager."""

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
        """Replace a turn or a note by a right text; the wrong one becomes history."""
        ...

    def retract(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Withdraw a turn, a note or an event: it is kept, but no longer recalled."""
        ...

    def edit_persona(
        self,
        speaker: str,
        *,
        text: str | None = None,
        traits: Sequence[str] | None = None,
        why: str | None = None,
        by: str = BY,
        user: str | None = None,
    ) -> Change:
        """Replace the text or the traits of a persona."""
        ...

    def resolve(self, note: str, decision: Decision, *, why: str | None = None, by: str = BY) -> Change:
        """Decide if a note holds: keep it, or retire it, whatever contradicts it."""
        ...

    def rule(self, slot: str, rule: SlotRule, *, why: str | None = None, by: str = BY) -> Change:
        """Set the rule that settles contradictions in a slot, or in one subject's (``subject:slot``)."""
        ...

    def rules(self) -> dict[str, str]:
        """Return the rules by slot or ``subject:slot``; under ``*`` the rule of all other slots."""
        ...

    def pin(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Put a turn, an event or a note first into every context, within a share of its budget."""
        ...

    def unpin(self, id: str, *, why: str | None = None, by: str = BY) -> Change:
        """Remove the pin of a turn, an event or a note."""
        ...

    def merge_entities(self, entity: str, other: str, *, why: str | None = None, by: str = BY) -> Change:
        """Make two entities of the graph one, under the name of the first."""
        ...

    def split_entity(self, entity: str, name: str, *, why: str | None = None, by: str = BY) -> Change:
        """Part one of an entity's other names from it."""
        ...

    def rename_node(self, node: str, name: str, *, why: str | None = None, by: str = BY) -> Change:
        """Give a node of a tree another name."""
        ...

    def pins(self) -> tuple[Change, ...]:
        """Return the changes that pin something now, oldest first."""
        ...

    def undo(self, change: str, *, why: str | None = None, by: str = BY) -> Change:
        """Take a change back, by its id, as if it had not been made. An undo can be undone."""
        ...

    def history(
        self, id: str | None = None, *, since: Moment | None = None, limit: int | None = None
    ) -> tuple[Change, ...]:
        """Return the changes of a turn, a note, a person or a slot, or all of them, oldest first."""
        ...

    def feedback(self, target: Target, verdict: Reaction | float, *, why: str = "", by: str = BY) -> tuple[Change, ...]:
        """Record a verdict on an answer, on evidence, or on memories by their ids."""
        ...

    def forget(
        self,
        *ids: str,
        speaker: str | None = None,
        session: str | None = None,
        user: str | None = None,
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
        """Erase turns that meet every condition, with everything derived from them. This cannot be undone."""
        ...

    def delete(self, *ids: str) -> Forgotten:
        """Erase as ``forget(*ids)`` does."""
        ...

    def retain(self, days: int | None, *, why: str | None = None, by: str = "user") -> None:
        """Keep turns for this number of days after they were said; None keeps them for good."""
        ...

    def verify(self, forgotten: Sequence[str] = ()) -> Verification:
        """Check that the file is sound, and that the indices and the derived state agree with it."""
        ...

    def get(self, id: str) -> Turn | Event | Note:
        """Return a turn, an event or a note by its id."""
        ...

    def formed(self, id: str) -> FormedItems:
        """Return what was formed of a turn: its events, notes, entities and episode."""
        ...

    def list(
        self,
        *,
        session: str | None = None,
        speaker: str | None = None,
        entity: str | None = None,
        node: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> list[Turn]:
        """Return turns in the order of their arrival; ``after`` is the last id of the page before."""
        ...

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """Return the sessions, by the time of their first turn."""
        ...

    def consolidate(
        self,
        progress: Progress | None = None,
        *,
        budget: float | None = None,
        texts: int | None = None,
        at: datetime | str | float | None = None,
    ) -> Consolidation:
        """Erase expired turns, form waiting turns, and write every missing text."""
        ...

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make the indices anew from the turns, and form the turns anew: by the recipe given on opening, if any."""
        ...

    def flush(self) -> None:
        """Bring the indices up to date and save them now, without waiting for a full batch."""
        ...

    def stats(self) -> Stats:
        """Return counts, times and sizes."""
        ...

    def work(
        self,
        limit: int | None = None,
        *,
        drain: bool = True,
        progress: Progress | None = None,
        concurrency: int | None = None,
    ) -> Worked:
        """Have the model read waiting turns, then rewrite the texts of the rules, until nothing is left."""
        ...

    def reanalyse(self) -> int:
        """Have the present model redo all readings and texts; return the number of turns to read."""
        ...

    def budget(self, **limits: float | None) -> Budget:
        """Return the limits of spending on models, after changing some of them by name; None removes one."""
        ...

    def close(self) -> None:
        """Close the memory. Every later call raises ``MemoryClosed``."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...


class AsyncViewLike(Protocol):
    """Recall from a memory and views of its derived state, as coroutines."""

    async def search(
        self,
        question: str,
        k: int = 10,
        *,
        at: Moment | None = None,
        kinds: Sequence[SearchKind] = ("turn",),
        min_score: float | None = None,
        trace: bool = False,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Found: ...
    async def context(
        self,
        question: str,
        tokens: int = 1_200,
        *,
        at: Moment | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Context: ...
    async def ask(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> Answer: ...
    async def ask_stream(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
        recipe: str | None = None,
        **conditions: Unpack[Conditions],
    ) -> AsyncIterator[str | Answer]: ...
    async def tree(
        self,
        name: TreeName,
        *,
        summaries: bool = False,
        user: str | None = None,
        node: str | None = None,
        turn: str | None = None,
        depth: int | None = None,
    ) -> Branch: ...
    async def episodes(
        self,
        *,
        session: str | None = None,
        user: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Episode, ...]: ...
    async def events(
        self,
        *,
        session: str | None = None,
        user: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Event, ...]: ...
    async def notes(
        self,
        *,
        subject: str | None = None,
        slot: str | None = None,
        kind: NoteKind | None = None,
        user: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Note, ...]: ...
    async def conflicts(self, *, user: str | None = None) -> tuple[Conflict, ...]: ...
    async def graph(self, entity: str | None = None, *, limit: int = 50, user: str | None = None) -> KnowledgeGraph: ...
    async def entities(
        self, *, name: str | None = None, user: str | None = None, limit: int = 100, offset: int = 0
    ) -> tuple[Entity, ...]: ...
    async def persona(self, speaker: str, *, user: str | None = None) -> Persona | None: ...
    async def persona_history(self, speaker: str, *, user: str | None = None) -> tuple[PersonaVersion, ...]: ...
    async def personas(self, *, user: str | None = None) -> tuple[Persona, ...]: ...
    async def profile(
        self, person: str | None = None, *, user: str | None = None, tokens: int = PROFILE_TOKENS
    ) -> Profile: ...
    async def tiers(self, *, user: str | None = None) -> Tiers: ...
    def as_of(self, moment: Moment) -> "AsyncViewLike": ...
    def valid_at(self, moment: Moment) -> "AsyncViewLike": ...


class AsyncMemoryLike(AsyncViewLike, Protocol):
    """Memory for asynchronous code; ``AsyncMemory`` implements it."""

    @overload
    async def add(
        self, message: str | Mapping[str, Any], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> KeptReceipt: ...  # fmt: skip
    @overload
    async def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> list[Receipt]: ...  # fmt: skip
    async def correct(self, id: str, text: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def retract(self, id: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def edit_persona(
        self,
        speaker: str,
        *,
        text: str | None = None,
        traits: Sequence[str] | None = None,
        why: str | None = None,
        by: str = BY,
        user: str | None = None,
    ) -> Change: ...
    async def resolve(self, note: str, decision: Decision, *, why: str | None = None, by: str = BY) -> Change: ...
    async def rule(self, slot: str, rule: SlotRule, *, why: str | None = None, by: str = BY) -> Change: ...
    async def rules(self) -> dict[str, str]: ...
    async def pin(self, id: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def unpin(self, id: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def merge_entities(self, entity: str, other: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def split_entity(self, entity: str, name: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def rename_node(self, node: str, name: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def pins(self) -> tuple[Change, ...]: ...
    async def undo(self, change: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def history(
        self, id: str | None = None, *, since: Moment | None = None, limit: int | None = None
    ) -> tuple[Change, ...]: ...
    async def feedback(
        self, target: Target, verdict: Reaction | float, *, why: str = "", by: str = BY
    ) -> tuple[Change, ...]: ...
    async def forget(
        self,
        *ids: str,
        speaker: str | None = None,
        session: str | None = None,
        user: str | None = None,
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
    ) -> Forgotten: ...
    async def delete(self, *ids: str) -> Forgotten: ...
    async def retain(self, days: int | None, *, why: str | None = None, by: str = "user") -> None: ...
    async def verify(self, forgotten: Sequence[str] = ()) -> Verification: ...
    async def get(self, id: str) -> Turn | Event | Note: ...
    async def formed(self, id: str) -> FormedItems: ...
    async def list(
        self,
        *,
        session: str | None = None,
        speaker: str | None = None,
        entity: str | None = None,
        node: str | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> list[Turn]: ...
    async def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]: ...
    async def consolidate(
        self,
        progress: Progress | None = None,
        *,
        budget: float | None = None,
        texts: int | None = None,
        at: datetime | str | float | None = None,
    ) -> Consolidation: ...
    async def rebuild(self, progress: Progress | None = None) -> None: ...
    async def flush(self) -> None: ...
    async def stats(self) -> Stats: ...
    async def work(
        self,
        limit: int | None = None,
        *,
        drain: bool = True,
        progress: Progress | None = None,
        concurrency: int | None = None,
    ) -> Worked: ...
    async def reanalyse(self) -> int: ...
    async def budget(self, **limits: float | None) -> Budget: ...
    async def close(self) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
