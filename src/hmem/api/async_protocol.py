"""``AsyncMemoryLike``: the protocol ``MemoryLike`` with coroutine methods."""

from collections.abc import AsyncIterator, Mapping, Sequence
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


class AsyncViewLike(Protocol):
    """Recall from a memory and views of its derived state, as coroutines."""

    async def search(
        self,
        question: str,
        k: int = 10,
        *,
        at: Moment | None = None,
        kinds: Sequence[SearchKind] = ("turn",),
        trace: bool = False,
        **conditions: Unpack[Conditions],
    ) -> Found: ...
    async def context(
        self, question: str, tokens: int = 1_200, *, at: Moment | None = None, **conditions: Unpack[Conditions]
    ) -> Context: ...
    async def ask(
        self,
        question: str,
        *,
        at: Moment | None = None,
        trace: bool = False,
        tokens: int = TOKENS,
        analyst: str | None = None,
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
        **conditions: Unpack[Conditions],
    ) -> AsyncIterator[str | Answer]: ...
    async def timeline(self, *, summaries: bool = False) -> Branch: ...
    async def topics(self, *, summaries: bool = False) -> Branch: ...
    async def layers(self, *, summaries: bool = False) -> Branch: ...
    async def evolution(self, *, summaries: bool = False) -> Branch: ...
    async def episodes(
        self, *, session: str | None = None, limit: int = 100, offset: int = 0
    ) -> tuple[Episode, ...]: ...
    async def events(self, *, session: str | None = None, limit: int = 100, offset: int = 0) -> tuple[Event, ...]: ...
    async def notes(
        self,
        *,
        subject: str | None = None,
        slot: str | None = None,
        kind: NoteKind | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Note, ...]: ...
    async def conflicts(self) -> tuple[Conflict, ...]: ...
    async def graph(self, entity: str | None = None, *, limit: int = 50) -> KnowledgeGraph: ...
    async def persona(self, speaker: str) -> Persona | None: ...
    async def persona_history(self, speaker: str) -> tuple[PersonaVersion, ...]: ...
    async def personas(self) -> tuple[Persona, ...]: ...
    async def tiers(self) -> Tiers: ...
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
    ) -> Change: ...
    async def resolve(self, note: str, decision: Decision, *, why: str | None = None, by: str = BY) -> Change: ...
    async def rule(self, slot: str, rule: SlotRule, *, why: str | None = None, by: str = BY) -> Change: ...
    async def rules(self) -> dict[str, str]: ...
    async def pin(self, id: str, *, why: str | None = None, by: str = BY) -> Change: ...
    async def unpin(self, id: str, *, why: str | None = None, by: str = BY) -> Change: ...
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
    async def list(
        self, *, session: str | None = None, speaker: str | None = None, after: str | None = None, limit: int = 100
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
