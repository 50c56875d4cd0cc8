"""``RemoteMemory``: the methods of ``Memory``, over HTTP."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Final, Self, cast, overload

from hmem.api.feedback import Target, ids_of
from hmem.corpus.embedding import Progress
from hmem.derived.slot_timeline import Decision, SlotRule
from hmem.errors import InvalidTurn
from hmem.formation.capture import Message
from hmem.interfaces.client.rebuild import rebuild
from hmem.interfaces.client.views import RemoteAsOf, RemoteViews, when
from hmem.language.analyst.spending import Budget
from hmem.model.change import Change
from hmem.model.event import Event
from hmem.model.ids import kind_of
from hmem.model.note import Note
from hmem.model.report import Consolidation, Forgotten, Stats, Verification, Worked
from hmem.model.span import Duration
from hmem.model.strength import Reaction
from hmem.model.turn import KeptReceipt, Receipt, Session, Turn
from hmem.retrieval.filter import Moment

_PAGE: Final = 1_000
_KINDS: Final[Mapping[str, type[Turn | Event | Note]]] = {"turn": Turn, "event": Event, "note": Note}
# Who speaks, and until when, depends on what a message says besides: the memory settles it.
_SETTLED_THERE: Final = ("role", "expires", "ttl")


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
    ) -> KeptReceipt: ...  # fmt: skip
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
    ) -> KeptReceipt | list[Receipt]:
        """Keep a message, or a list of them in one transaction: durable and searchable on return."""
        defaults = _given(
            {"speaker": speaker, "at": when(at), "session": session, "user": user, "agent": agent, "ttl": _lasting(ttl)}
        )
        if isinstance(message, Sequence) and not isinstance(message, str):
            body = {"messages": [_sent(each) for each in message], **defaults, "wait": wait}
            return [rebuild(Receipt, each) for each in self._do("turns/batch", body)]
        own = _given({"caption": caption, "message_id": message_id, "metadata": metadata})
        sent = _sent({"text": message} if isinstance(message, str) else message)
        if not isinstance(sent, Mapping):
            raise InvalidTurn(f"a message is a text or a mapping - this one is {type(message).__name__}")
        fields: dict[str, Any] = {**cast("Mapping[str, Any]", sent), **own} | ({"wait": True} if wait else {})
        if defaults and any(name in fields for name in _SETTLED_THERE):
            return rebuild(KeptReceipt, self._do("turns", {**fields, "defaults": defaults}))
        return rebuild(KeptReceipt, self._do("turns", {**defaults, **_given(fields)}))

    def correct(self, id: str, text: str, *, why: str | None = None, by: str = "user") -> Change:
        """Put a right text in the place of a turn or a note."""
        return self._change("correct", id=id, text=text, why=why, by=by)

    def retract(self, id: str, *, why: str | None = None, by: str = "user") -> Change:
        """Say that a turn or a note is not to be used."""
        return self._change("retract", id=id, why=why, by=by)

    def resolve(self, note: str, decision: Decision, *, why: str | None = None, by: str = "user") -> Change:
        """Decide of a note whether it holds: keep it, or retire it, whatever contradicts it."""
        return self._change("resolve", note=note, decision=decision, why=why, by=by)

    def rule(self, slot: str, rule: SlotRule, *, why: str | None = None, by: str = "user") -> Change:
        """Set by which rule contradictions in a slot, or in one subject's, are settled from now on."""
        body = _given({"slot": slot, "rule": rule, "why": why, "by": by})
        return rebuild(Change, self._line.write("PUT", f"{self._place}/rules", body))

    def rules(self) -> dict[str, str]:
        """The rules by slot or ``subject:slot``, and under ``*`` that of all others."""
        return self._get("rules")

    def undo(self, change: str, *, why: str | None = None, by: str = "user") -> Change:
        """Take a change back, by its id."""
        return self._change("undo", change=change, why=why, by=by)

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
        body = _given({"speaker": speaker, "text": text, "traits": listed, "why": why, "by": by})
        return rebuild(Change, self._line.write("PATCH", f"{self._place}/persona", body))

    def feedback(
        self, target: Target, verdict: Reaction | float, *, why: str = "", by: str = "user"
    ) -> tuple[Change, ...]:
        """Say of an answer, of evidence or of a memory by its id whether it was of use."""
        body = {"ids": list(ids_of(target)), "verdict": verdict, "why": why, "by": by}
        return tuple(rebuild(Change, each) for each in self._do("feedback", body))

    def _change(self, what: str, **body: Any) -> Change:
        return rebuild(Change, self._do(what, _given(body)))

    def history(
        self, id: str | None = None, *, since: Moment | None = None, limit: int | None = None
    ) -> tuple[Change, ...]:
        """The changes of a turn, a note, a person or a slot, or all of them, oldest first; ``since`` a time or one."""
        most = None if limit is None else max(limit, 0)
        return tuple(rebuild(Change, each) for each in self._get("history", id=id, since=when(since), limit=most))

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
        times = {"since": when(since), "after": when(after), "until": when(until), "before": when(before)}
        asked = {"ids": list(ids) or None, "speaker": speaker, "session": session, "entity": entity, "query": query}
        body = _given({**asked, **times, "k": k, "why": why, "by": by, "preview": preview, "echoes": echoes})
        return rebuild(Forgotten, self._do("forget", body))

    def delete(self, *ids: str) -> Forgotten:
        """The same as ``forget(*ids)``."""
        return self.forget(*ids)

    def retain(self, days: int | None, *, why: str | None = None, by: str = "user") -> None:
        """Keep turns for so many days after they were said, from now on; None keeps them for good."""
        self._line.write("PUT", f"{self._place}/retention", {"days": days, **_given({"why": why, "by": by})})

    def verify(self, forgotten: Sequence[str] = ()) -> Verification:
        """Prove that the memory is sound, and that words stand nowhere in it any more."""
        said = self._line.read("POST", f"{self._place}/verify", {"forgotten": list(forgotten)})
        return rebuild(Verification, said)

    # Reading.

    def get(self, id: str) -> Turn | Event | Note:
        """A turn, an event or a note by its id."""
        return rebuild(_KINDS.get(kind_of(id) or "turn", Turn), self._get("items", id=id))

    def list(
        self, *, session: str | None = None, speaker: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[Turn]:
        """Turns in the order of their arrival, a page at a time: the next page is ``after`` the last id of this."""
        found: list[Turn] = []
        while limit > len(found):
            wanted = min(limit - len(found), _PAGE)
            page = self._get("turns", session=session, speaker=speaker, after=after, limit=wanted)
            found += [rebuild(Turn, each) for each in page["items"]]
            after = page["next"]
            if after is None:
                break
        return found

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """The sessions, by the time of their first turn."""
        return self._pages("sessions", Session, limit, offset)

    def stats(self) -> Stats:
        """Counts, times and sizes; ``path`` is the memory's address."""
        return rebuild(Stats, {**self._get("stats"), "path": f"{self._line.server}/v1/{self._place}"})

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
        body = _given({"budget": budget, "texts": texts, "at": when(at)})
        return rebuild(Consolidation, self._do("consolidate", body))

    def rebuild(self, progress: Progress | None = None) -> None:  # noqa: ARG002 - the interface of ``Memory``
        """Make the indices anew from the turns, and form them anew; ``progress`` is not told."""
        self._do("rebuild", None)

    def work(
        self,
        limit: int | None = None,
        *,
        drain: bool = True,
        progress: Progress | None = None,  # noqa: ARG002 - the interface of ``Memory``
        concurrency: int | None = None,
    ) -> Worked:
        """Have the memory's model read what waits, and write the texts that rules wrote; ``progress`` is not told."""
        body = _given({"limit": limit, "drain": drain, "concurrency": concurrency})
        return rebuild(Worked, self._do("work", body))

    def reanalyse(self) -> int:
        """Have everything read and written anew by the present model. How many turns are to be read now."""
        return self._do("reanalyse", None)["turns"]

    def budget(self, **limits: float | None) -> Budget:
        """What may be spent on models, after changing limits by name; None takes one away."""
        if not limits:
            return rebuild(Budget, self._get("budget"))
        return rebuild(Budget, self._line.write("PUT", f"{self._place}/budget", {"limits": limits}))

    def flush(self) -> None:
        """Bring the indices up to date and save them now."""
        self._do("flush", None)

    def close(self) -> None:
        """Let go of the connection; the memory stays. Every later call raises ``MemoryClosed``."""
        self._line.close()

    def _do(self, what: str, body: Any) -> Any:
        return self._line.write("POST", f"{self._place}/{what}", body)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _lasting(ttl: Duration | None) -> str | float | None:
    return ttl.total_seconds() if isinstance(ttl, timedelta) else ttl


def _sent(message: Any) -> Any:
    """A message with its times as they are sent."""
    if not isinstance(message, Mapping):
        return message
    made: dict[str, Any] = dict(message)  # pyright: ignore[reportUnknownArgumentType]
    for name in ("at", "expires"):
        if name in made:
            made[name] = when(made[name])
    if "ttl" in made:
        made["ttl"] = _lasting(made["ttl"])
    return made
