"""``RemoteMemory``: the methods of ``Memory`` over HTTP, each a row of the table of operations."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import chain
from types import TracebackType
from typing import Any, Final, Self, Unpack, cast, overload

from hmem.api.feedback import Target, ids_of
from hmem.corpus.embedding import Progress
from hmem.derived.slot_timeline import Decision, SlotRule
from hmem.errors import InvalidTurn, ServerFault
from hmem.formation.capture import Message
from hmem.interfaces.client.line import Line
from hmem.interfaces.operations import OPERATIONS
from hmem.interfaces.serialisation import value_of
from hmem.language.analyst.spending import Budget
from hmem.model.answer import Answer
from hmem.model.change import Change
from hmem.model.entity import KnowledgeGraph
from hmem.model.episode import Episode
from hmem.model.event import Event
from hmem.model.evidence import Context, Found
from hmem.model.ids import kind_of
from hmem.model.node import Branch
from hmem.model.note import Conflict, Note, NoteKind
from hmem.model.persona import Persona, PersonaVersion
from hmem.model.report import Consolidation, Forgotten, Stats, Verification, Worked
from hmem.model.span import Duration, parse_time
from hmem.model.strength import Reaction
from hmem.model.tier import Tiers
from hmem.model.turn import Receipt, Session, Turn
from hmem.retrieval.filter import Conditions, Moment
from hmem.retrieval.model_answering import TOKENS

_PAGE: Final = 1_000
# The values are those of ``Memory``, whose scores are explained in full.
_ALL_TERMS: Final = 1_000
_TIMES: Final = frozenset({"at", "since", "until", "after", "before", "expires", "as_of", "valid_at"})
_KINDS: Final[Mapping[str, type[Turn | Event | Note]]] = {"turn": Turn, "event": Event, "note": Note}
# Who speaks, and until when, depends on what a message says besides: the memory settles it.
_SETTLED_THERE: Final = ("role", "expires", "ttl")


class RemoteViews:
    """Recall, and the views of what was formed, over a line. The methods are those of ``Memory``, with its errors."""

    def __init__(self, line: Line, place: str, as_of: Moment | None = None, valid_at: Moment | None = None) -> None:
        self._line = line
        self._place = place
        self._standpoint = _given(as_of=as_of, valid_at=valid_at)

    def _call(self, name: str, /, **arguments: Any) -> Any:
        """Return what an operation gives; an argument that is None is not sent."""
        return value_of(OPERATIONS[name].result, self._said(name, _given(**arguments)))

    def _said(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Return what an operation gives, as JSON."""
        row = OPERATIONS[name]
        path = f"{self._place}/{row.path}".rstrip("/")
        if row.method == "GET":
            return self._line.read("GET", path, None, {**arguments, **self._standpoint})
        body = arguments if row.arguments.__struct_fields__ else None
        if row.writes:
            return self._line.write(row.method, path, body)
        return self._line.read(row.method, path, body, self._standpoint)

    def _pages(self, name: str, limit: int | None, offset: int, /, **query: Any) -> Iterator[Any]:
        """Yield so many of a list, page by page."""
        cursor: str | None = str(max(offset, 0))
        while cursor is not None and (limit is None or limit > 0):
            page = self._call(name, **query, limit=_PAGE if limit is None else min(limit, _PAGE), cursor=cursor)
            yield from page.items
            cursor, limit = page.next, None if limit is None else limit - len(page.items)

    # Recall.

    def search(
        self,
        question: str,
        k: int = 10,
        *,
        at: Moment | None = None,
        kinds: Sequence[str] = ("turn",),
        trace: bool = False,
        **conditions: Unpack[Conditions],
    ) -> Found:
        """The ``k`` best pieces of evidence for a question, best first."""
        asked = {"question": question, "k": k, "kinds": list(kinds), "trace": trace, "terms": _ALL_TERMS}
        return self._call("search", **asked, at=at, **conditions)

    def context(
        self, question: str, tokens: int = 1_200, *, at: Moment | None = None, **conditions: Unpack[Conditions]
    ) -> Context:
        """What answers the question, written for a prompt in at most ``tokens`` tokens, with citations."""
        return self._call("context", question=question, tokens=tokens, at=at, **conditions)

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
        """A short answer with its evidence and the chance that it is right, or that the memory does not tell.

        ``analyst`` is the memory's own, or ``rules``: a server lets nobody choose another one.
        """
        asked = {"question": question, "trace": trace, "tokens": tokens, "terms": _ALL_TERMS, "analyst": analyst}
        return self._call("ask", **asked, at=at, **conditions)

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
        """Pieces of the text as the server says them, at least one, and last the ``Answer``."""
        asked = {"question": question, "trace": trace, "tokens": tokens, "terms": _ALL_TERMS, "analyst": analyst}
        body = _given(**asked, at=at, **conditions)
        said = self._line.events(f"{self._place}/ask/stream", body, self._standpoint)
        # What is wrong with the question is told now.
        first = next(said)
        return _pieces(first, said)

    # Views.

    def timeline(self, *, summaries: bool = False) -> Branch:
        """The calendar tree."""
        return self._call("timeline", summaries=summaries).value("calendar")

    def topics(self, *, summaries: bool = False) -> Branch:
        """The topic tree."""
        return self._call("topics", summaries=summaries).value("topic")

    def layers(self, *, summaries: bool = False) -> Branch:
        """The layers: domain, category, trace, and their events."""
        return self._call("layers", summaries=summaries).value("layers")

    def evolution(self, *, summaries: bool = False) -> Branch:
        """The evolution tree."""
        return self._call("evolution", summaries=summaries).value("evolution")

    def episodes(self, *, session: str | None = None, limit: int = 100, offset: int = 0) -> tuple[Episode, ...]:
        """Coherent runs of turns, by time."""
        return tuple(each.value() for each in self._pages("episodes", limit, offset, session=session))

    def events(self, *, session: str | None = None, limit: int = 100, offset: int = 0) -> tuple[Event, ...]:
        """Statements that stand by themselves, in the order of their turns."""
        return tuple(self._pages("events", limit, offset, session=session))

    def notes(
        self,
        *,
        subject: str | None = None,
        slot: str | None = None,
        kind: NoteKind | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Note, ...]:
        """Distilled knowledge, oldest first."""
        return tuple(self._pages("notes", limit, offset, subject=subject, slot=slot, kind=kind))

    def conflicts(self) -> tuple[Conflict, ...]:
        """The notes that contradict each other where the slot's rule is to ask, and nobody has decided yet."""
        return tuple(self._call("conflicts"))

    def graph(self, entity: str | None = None, *, limit: int = 50) -> KnowledgeGraph:
        """The entities that most turns name, or one and those around it, and what relates them."""
        return self._call("graph", entity=entity, limit=limit).value()

    def persona(self, speaker: str) -> Persona | None:
        """What is known of a speaker, without the vector; None when nothing is."""
        found = self._call("persona", speaker=speaker)
        return None if found is None else found.value()

    def persona_history(self, speaker: str) -> tuple[PersonaVersion, ...]:
        """What a persona said from which time on, oldest first."""
        return tuple(self._call("persona_history", speaker=speaker))

    def personas(self) -> tuple[Persona, ...]:
        """What is known of everyone who spoke, without the vectors."""
        return tuple(each.value() for each in self._call("personas"))

    def tiers(self) -> Tiers:
        """Which turns are in the cache, the buffer and the archive, and why."""
        return self._call("tiers")


class RemoteAsOf(RemoteViews):
    """A memory elsewhere, seen from a standpoint; ``as_of`` and ``valid_at`` of ``RemoteMemory`` give it."""

    def as_of(self, moment: Moment) -> "RemoteAsOf":
        """The same, as it was known at a time."""
        return RemoteAsOf(self._line, self._place, moment, self._standpoint.get("valid_at"))

    def valid_at(self, moment: Moment) -> "RemoteAsOf":
        """The same, with what was true at a time."""
        return RemoteAsOf(self._line, self._place, self._standpoint.get("as_of"), moment)


class RemoteMemory(RemoteViews):
    """A memory of a server; ``hmem.connect`` gives it. Thread-safe; a context manager.

    The methods are those of ``Memory`` and raise the same errors, beside ``ServerError`` when the server cannot be
    reached or does not let you. Vectors are not sent: personas and nodes come without. What is of the wrong type is
    an ``InvalidRequest``.
    """

    # Writing.

    @overload
    def add(
        self, message: str | Mapping[str, Any], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> Receipt: ...  # fmt: skip
    @overload
    def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None, wait: bool = False,
    ) -> list[Receipt]: ...  # fmt: skip
    def add(
        self,
        message: Message | Sequence[Message],
        *,
        speaker: str | None = None,
        at: datetime | str | float | None = None,
        session: str | None = None,
        caption: str | None = None,
        message_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        user: str | None = None,
        agent: str | None = None,
        ttl: Duration | None = None,
        wait: bool = False,
    ) -> Receipt | list[Receipt]:
        """Keep a message, or a list of them in one transaction: durable and searchable on return."""
        defaults = _given(speaker=speaker, at=at, session=session, user=user, agent=agent, ttl=ttl)
        if isinstance(message, Sequence) and not isinstance(message, str):
            return self._call("add_batch", messages=[_sent(each) for each in message], **defaults, wait=wait)
        said: Any = {"text": message} if isinstance(message, str) else message
        if not isinstance(said, Mapping):
            raise InvalidTurn(f"a message is a text or a mapping - this one is {type(message).__name__}")
        fields = _sent(said) | _given(caption=caption, message_id=message_id, metadata=metadata, wait=wait or None)
        if defaults and any(name in fields for name in _SETTLED_THERE):
            return value_of(Receipt, self._said("add", {**fields, "defaults": defaults}))
        kept = {name: value for name, value in fields.items() if value is not None}
        return value_of(Receipt, self._said("add", {**defaults, **kept}))

    def correct(self, id: str, text: str, *, why: str | None = None, by: str = "user") -> Change:
        """Put a right text in the place of a turn or a note."""
        return self._call("correct", id=id, text=text, why=why, by=by)

    def retract(self, id: str, *, why: str | None = None, by: str = "user") -> Change:
        """Say that a turn or a note is not to be used."""
        return self._call("retract", id=id, why=why, by=by)

    def resolve(self, note: str, decision: Decision, *, why: str | None = None, by: str = "user") -> Change:
        """Decide of a note whether it holds: keep it, or retire it, whatever contradicts it."""
        return self._call("resolve", note=note, decision=decision, why=why, by=by)

    def rule(self, slot: str, rule: SlotRule, *, why: str | None = None, by: str = "user") -> Change:
        """Set by which rule contradictions in a slot, or in one subject's, are settled from now on."""
        return self._call("rule", slot=slot, rule=rule, why=why, by=by)

    def rules(self) -> dict[str, str]:
        """The rules by slot or ``subject:slot``, and under ``*`` that of all others."""
        return self._call("rules")

    def pin(self, id: str, *, why: str | None = None, by: str = "user") -> Change:
        """Have every context carry a turn, an event or a note first, within a share of its budget."""
        return self._call("pin", id=id, why=why, by=by)

    def unpin(self, id: str, *, why: str | None = None, by: str = "user") -> Change:
        """Take the pin of a turn, an event or a note back."""
        return self._call("unpin", id=id, why=why, by=by)

    def pins(self) -> tuple[Change, ...]:
        """The changes by which something is pinned now, oldest first."""
        return tuple(self._call("pins"))

    def undo(self, change: str, *, why: str | None = None, by: str = "user") -> Change:
        """Take a change back, by its id."""
        return self._call("undo", change=change, why=why, by=by)

    def edit_persona(
        self,
        speaker: str,
        *,
        text: str | None = None,
        traits: Sequence[str] | None = None,
        why: str | None = None,
        by: str = "user",
    ) -> Change:
        """Put another text, or other traits, into a persona."""
        listed = None if traits is None else list(traits)
        return self._call("edit_persona", speaker=speaker, text=text, traits=listed, why=why, by=by)

    def feedback(
        self, target: Target, verdict: Reaction | float, *, why: str = "", by: str = "user"
    ) -> tuple[Change, ...]:
        """Say of an answer, of evidence or of a memory by its id whether it was of use."""
        return tuple(self._call("feedback", ids=list(ids_of(target)), verdict=verdict, why=why, by=by))

    def history(
        self, id: str | None = None, *, since: Moment | None = None, limit: int | None = None
    ) -> tuple[Change, ...]:
        """The changes of a turn, a note, a person or a slot, or all of them, oldest first; ``since`` a time or one."""
        return tuple(self._call("history", id=id, since=since, limit=None if limit is None else max(limit, 0)))

    # Forgetting.

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
        times = {"since": since, "after": after, "until": until, "before": before}
        asked = {"ids": list(ids) or None, "speaker": speaker, "session": session, "entity": entity, "query": query}
        return self._call("forget", **asked, **times, k=k, why=why, by=by, preview=preview, echoes=echoes)

    def delete(self, *ids: str) -> Forgotten:
        """The same as ``forget(*ids)``."""
        return self.forget(*ids)

    def retain(self, days: int | None, *, why: str | None = None, by: str = "user") -> None:
        """Keep turns for so many days after they were said, from now on; None keeps them for good."""
        self._said("retain", {"days": days, **_given(why=why, by=by)})

    def verify(self, forgotten: Sequence[str] = ()) -> Verification:
        """Prove that the memory is sound, and that words stand nowhere in it any more."""
        return self._call("verify", forgotten=list(forgotten))

    # Reading.

    def get(self, id: str) -> Turn | Event | Note:
        """A turn, an event or a note by its id."""
        return value_of(_KINDS.get(kind_of(id) or "turn", Turn), self._said("get", {"id": id}))

    def list(
        self, *, session: str | None = None, speaker: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[Turn]:
        """Turns in the order of their arrival, a page at a time: the next page is ``after`` the last id of this."""
        found: list[Turn] = []
        while limit > len(found):
            wanted = min(limit - len(found), _PAGE)
            page = self._call("list", session=session, speaker=speaker, after=after, limit=wanted)
            found += page.items
            after = page.next
            if after is None:
                break
        return found

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """The sessions, by the time of their first turn."""
        return tuple(self._pages("sessions", limit, offset))

    def stats(self) -> Stats:
        """Counts, times and sizes; ``path`` is the memory's address."""
        return value_of(Stats, {**self._said("stats", {}), "path": f"{self._line.server}/v1/{self._place}"})

    def as_of(self, moment: Moment) -> RemoteAsOf:
        """The memory as it was known at a time."""
        return RemoteAsOf(self._line, self._place, as_of=moment)

    def valid_at(self, moment: Moment) -> RemoteAsOf:
        """What was true at a time, as far as it is known now."""
        return RemoteAsOf(self._line, self._place, valid_at=moment)

    # Upkeep.

    def consolidate(
        self,
        progress: Progress | None = None,  # noqa: ARG002 - the interface of ``Memory``
        *,
        budget: float | None = None,
        texts: int | None = None,
        at: datetime | str | float | None = None,
    ) -> Consolidation:
        """Forget what is due, form what is behind, and write every text that is missing; ``progress`` is not told."""
        return self._call("consolidate", budget=budget, texts=texts, at=at)

    def rebuild(self, progress: Progress | None = None) -> None:  # noqa: ARG002 - the interface of ``Memory``
        """Make the indices anew from the turns, and form them anew; ``progress`` is not told."""
        self._call("rebuild")

    def work(
        self,
        limit: int | None = None,
        *,
        drain: bool = True,
        progress: Progress | None = None,  # noqa: ARG002 - the interface of ``Memory``
        concurrency: int | None = None,
    ) -> Worked:
        """Have the memory's model read what waits, and write the texts that rules wrote; ``progress`` is not told."""
        return self._call("work", limit=limit, drain=drain, concurrency=concurrency)

    def reanalyse(self) -> int:
        """Have everything read and written anew by the present model. How many turns are to be read now."""
        return self._call("reanalyse").turns

    def budget(self, **limits: float | None) -> Budget:
        """What may be spent on models, after changing limits by name; None takes one away."""
        return self._call("set_budget", limits=limits) if limits else self._call("budget")

    def flush(self) -> None:
        """Bring the indices up to date and save them now."""
        self._call("flush")

    def close(self) -> None:
        """Let go of the connection; the memory stays. Every later call raises ``MemoryClosed``."""
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _given(**values: Any) -> dict[str, Any]:
    """Return the values that are not None, as they are sent.

    Raises:
        InvalidTime: a time is none.
    """
    return {name: _as_sent(name, value) for name, value in values.items() if value is not None}


def _as_sent(name: str, value: Any) -> Any:
    """Return a time as a text: one without an offset stays so, since the memory knows its zone."""
    if name in _TIMES and not isinstance(value, str):
        return (value if isinstance(value, datetime) else parse_time(value, UTC)).isoformat()
    return value.total_seconds() if isinstance(value, timedelta) else value


def _sent(message: Any) -> Any:
    """Return a message with its times as they are sent."""
    if not isinstance(message, Mapping):
        return message
    said = cast("Mapping[str, Any]", message)
    return {name: value if value is None else _as_sent(name, value) for name, value in said.items()}


def _pieces(first: tuple[str, Any], said: Generator[tuple[str, Any]]) -> Iterator[str | Answer]:
    """Yield pieces of a text, and last the answer, from a server's events; when it is left alone, the server is too.

    Raises:
        ServerFault: it told no answer.
    """
    evidence: list[Any] = []
    with closing(said):
        for name, data in chain((first,), said):
            if name == "piece":
                yield data
            elif name == "evidence":
                evidence.append(data)
            elif name == "answer":
                yield value_of(Answer, {**data, "evidence": evidence})
                return
    raise ServerFault("the server's answer ended early - see whether it is of this version")
