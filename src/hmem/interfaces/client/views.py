"""What can be asked of a memory elsewhere, from now or from another standpoint."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from itertools import chain
from typing import Any, Final, TypeVar, Unpack

from hmem.errors import ServerFault
from hmem.interfaces.client.line import Line
from hmem.interfaces.client.rebuild import branch, rebuild
from hmem.model.answer import Answer
from hmem.model.entity import KnowledgeGraph
from hmem.model.episode import Episode
from hmem.model.event import Event
from hmem.model.evidence import Context, Found, SearchKind
from hmem.model.node import Branch
from hmem.model.note import Conflict, Note, NoteKind
from hmem.model.persona import Persona, PersonaVersion
from hmem.model.span import parse_time
from hmem.model.tier import Tiers
from hmem.retrieval.filter import Conditions, Moment
from hmem.retrieval.model_answering import TOKENS

_PAGE: Final = 1_000
# The values are those of ``Memory``, whose scores are explained in full.
_ALL_TERMS: Final = 1_000
Value = TypeVar("Value")


def when(moment: Moment | None) -> str | None:
    """A time as it is sent: one without an offset stays so, since the memory knows its zone.

    Raises:
        InvalidTime: it is none.
    """
    if moment is None or isinstance(moment, str):
        return moment
    return (moment if isinstance(moment, datetime) else parse_time(moment, UTC)).isoformat()


class RemoteViews:
    """Recall, and the views of what was formed, over a line. The methods are those of ``Memory``, with its errors."""

    def __init__(self, line: Line, place: str, as_of: Moment | None = None, valid_at: Moment | None = None) -> None:
        self._line = line
        self._place = place
        self._standpoint = {"as_of": when(as_of), "valid_at": when(valid_at)}

    # Recall.

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
        """The ``k`` best pieces of evidence for a question, best first."""
        asked = {"question": question, "k": k, "kinds": list(kinds), "trace": trace, "terms": _ALL_TERMS}
        return rebuild(Found, self._ask("search", asked, at, conditions))

    def context(
        self, question: str, tokens: int = 1_200, *, at: Moment | None = None, **conditions: Unpack[Conditions]
    ) -> Context:
        """What answers the question, written for a prompt in at most ``tokens`` tokens, with citations."""
        return rebuild(Context, self._ask("context", {"question": question, "tokens": tokens}, at, conditions))

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
        asked = {"question": question, "trace": trace, "tokens": tokens, "terms": _ALL_TERMS}
        asked |= {} if analyst is None else {"analyst": analyst}
        return rebuild(Answer, self._ask("ask", asked, at, conditions))

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
        said_of = {"question": question, "trace": trace, "tokens": tokens, "terms": _ALL_TERMS}
        asked = self._asking(said_of, at, conditions)
        asked |= {} if analyst is None else {"analyst": analyst}
        said = self._line.events(f"{self._place}/ask/stream", asked, self._standpoint)
        # What is wrong with the question is told now.
        first = next(said)
        return _pieces(first, said)

    def _ask(self, what: str, asked: dict[str, Any], at: Moment | None, conditions: Mapping[str, Any]) -> Any:
        return self._line.read("POST", f"{self._place}/{what}", self._asking(asked, at, conditions), self._standpoint)

    def _asking(self, asked: dict[str, Any], at: Moment | None, conditions: Mapping[str, Any]) -> dict[str, Any]:
        times = {"at": when(at), "since": when(conditions.get("since")), "until": when(conditions.get("until"))}
        return asked | {name: value for name, value in {**conditions, **times}.items() if value is not None}

    # Views.

    def timeline(self, *, summaries: bool = False) -> Branch:
        """The calendar tree."""
        return self._tree("timeline", "calendar", summaries=summaries)

    def topics(self, *, summaries: bool = False) -> Branch:
        """The topic tree."""
        return self._tree("topics", "topic", summaries=summaries)

    def layers(self, *, summaries: bool = False) -> Branch:
        """The layers: domain, category, trace, and their events."""
        return self._tree("layers", "layers", summaries=summaries)

    def evolution(self, *, summaries: bool = False) -> Branch:
        """The evolution tree."""
        return self._tree("evolution", "evolution", summaries=summaries)

    def _tree(self, view: str, tree: str, *, summaries: bool) -> Branch:
        return branch(tree, self._get(view, summaries=str(summaries).lower()))

    def episodes(self, *, session: str | None = None, limit: int = 100, offset: int = 0) -> tuple[Episode, ...]:
        """Coherent runs of turns, by time."""
        return self._pages("episodes", Episode, limit, offset, session=session)

    def events(self, *, session: str | None = None, limit: int = 100, offset: int = 0) -> tuple[Event, ...]:
        """Statements that stand by themselves, in the order of their turns."""
        return self._pages("events", Event, limit, offset, session=session)

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
        return self._pages("notes", Note, limit, offset, subject=subject, slot=slot, kind=kind)

    def conflicts(self) -> tuple[Conflict, ...]:
        """The notes that contradict each other where the slot's rule is to ask, and nobody has decided yet."""
        return tuple(rebuild(Conflict, each) for each in self._get("conflicts"))

    def graph(self, entity: str | None = None, *, limit: int = 50) -> KnowledgeGraph:
        """The entities that most turns name, or one and those around it, and what relates them."""
        return rebuild(KnowledgeGraph, self._get("graph", entity=entity, limit=limit))

    def persona(self, speaker: str) -> Persona | None:
        """What is known of a speaker, without the vector; None when nothing is."""
        said = self._get("persona", speaker=speaker)
        return None if said is None else rebuild(Persona, said)

    def persona_history(self, speaker: str) -> tuple[PersonaVersion, ...]:
        """What a persona said from which time on, oldest first."""
        return tuple(rebuild(PersonaVersion, each) for each in self._get("persona/history", speaker=speaker))

    def personas(self) -> tuple[Persona, ...]:
        """What is known of everyone who spoke, without the vectors."""
        return tuple(rebuild(Persona, each) for each in self._get("personas"))

    def tiers(self) -> Tiers:
        """Which turns are in the cache, the buffer and the archive, and why."""
        return rebuild(Tiers, self._get("tiers"))

    def _get(self, view: str, **query: Any) -> Any:
        return self._line.read("GET", f"{self._place}/{view}", None, {**query, **self._standpoint})

    def _pages(self, view: str, made: type[Value], limit: int | None, offset: int, **query: Any) -> tuple[Value, ...]:
        """So many of a list, page by page."""
        found: list[Value] = []
        cursor: str | None = str(max(offset, 0))
        while cursor is not None and (limit is None or len(found) < limit):
            wanted = _PAGE if limit is None else min(limit - len(found), _PAGE)
            page = self._get(view, **query, limit=wanted, cursor=cursor)
            found += [rebuild(made, each) for each in page["items"]]
            cursor = page["next"]
        return tuple(found)


def _pieces(first: tuple[str, Any], said: Generator[tuple[str, Any]]) -> Iterator[str | Answer]:
    """Pieces of a text, and last the answer, from a server's events; when it is left alone, the server is too.

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
                yield rebuild(Answer, {**data, "evidence": evidence})
                return
    raise ServerFault("the server's answer ended early - see whether it is of this version")


class RemoteAsOf(RemoteViews):
    """A memory elsewhere, seen from a standpoint; ``as_of`` and ``valid_at`` of ``RemoteMemory`` give it."""

    def as_of(self, moment: Moment) -> "RemoteAsOf":
        """The same, as it was known at a time."""
        return RemoteAsOf(self._line, self._place, moment, self._standpoint["valid_at"])

    def valid_at(self, moment: Moment) -> "RemoteAsOf":
        """The same, with what was true at a time."""
        return RemoteAsOf(self._line, self._place, self._standpoint["as_of"], moment)
