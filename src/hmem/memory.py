"""``Memory``: wiring only."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, Unpack, overload

from hmem.corpus import Corpus
from hmem.embedding import EMBEDDER, Progress
from hmem.errors import UnknownId
from hmem.evolve.consolidate import consolidate
from hmem.evolve.expire import retained_days
from hmem.forgetting import Forgetting
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.scribe import Scribe
from hmem.hierarchy.tiers import TierOptions
from hmem.language.analyst import DEFAULT as DEFAULT_ANALYST
from hmem.language.analyst import analyst as load_analyst
from hmem.language.embed import DEFAULT as DEFAULT_EMBEDDER
from hmem.language.embed import embedder as load_embedder
from hmem.model.answer import Answer
from hmem.model.event import Event
from hmem.model.evidence import Context, Found
from hmem.model.ids import kind_of
from hmem.model.note import Note
from hmem.model.report import Consolidation, Stats
from hmem.model.span import Duration, parse_time
from hmem.model.span import zone as load_zone
from hmem.model.turn import Receipt, Session, Turn
from hmem.read.browse import Browser
from hmem.read.filter import Conditions, Filter, Moment
from hmem.read.pipeline import Recall
from hmem.read.sources import Sources
from hmem.recipes import DEFAULT as DEFAULT_RECIPE
from hmem.recipes import from_text, to_text
from hmem.recipes import recipe as load_recipe
from hmem.storage import open_storage
from hmem.views import Views
from hmem.write.capture import Defaults, Message, capture, capture_one
from hmem.write.options import Writing
from hmem.write.pipeline import Former

IN_MEMORY: Final = ":memory:"
_ZONE: Final = "zone"
_WRITING: Final = "formation.writing"
_ANALYST: Final = "formation.analyst"


class Memory(Views, Forgetting):
    """Everything that one agent or user remembers, in one file. Thread-safe; a context manager.

    Args:
        path: the memory's file, made when it is not there; ``:memory:`` for one that ends with the process.
        recipe: how turns are formed and recalled. The way of forming is kept with a new memory and stays; of a
            memory that is there, the recipe changes the recall only, until ``rebuild`` forms it anew.
        settings: constants of the recipe to change, such as ``{"flat.weights.speaker": "0"}``.
        embedder: what turns text into vectors, such as ``wordllama``; by default the one that the memory has.
        analyst: what reads and writes language for it, kept with the memory; ``rules`` by default, which needs no
            language model, or ``spacy:MODEL`` for names found by an installed model of spaCy.
        zone: the IANA time zone that times without an offset are in, kept with the memory; UTC by default.
        create: whether to make the memory when it is not there.
        busy_seconds: how long a write waits for another process's.

    Raises:
        MemoryNotFound, NotAMemory, SchemaTooNew, MemoryDamaged, MemoryBusy, StorageError: the file cannot be used.
        EmbedderMismatch: the memory's vectors come from another embedder; ``hmem reembed`` makes new ones.
        UnknownName, InvalidTime: no such recipe, constant, embedder, analyst or zone.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        recipe: str | None = None,
        settings: Mapping[str, str] | None = None,
        embedder: str | None = None,
        analyst: str | None = None,
        zone: str | None = None,
        create: bool = True,
        busy_seconds: float = 10.0,
    ) -> None:
        self._path = str(path)
        self._recipe = load_recipe(recipe or DEFAULT_RECIPE, settings)
        self._chosen = bool(recipe or settings)
        if zone is not None:
            load_zone(zone)
        storage = open_storage(self._path, create=create, busy_seconds=busy_seconds)
        with ExitStack() as unless_open:
            unless_open.callback(storage.close)
            kept = storage.settings()
            if zone is not None and kept.get(_ZONE) != zone:
                storage.put_settings({_ZONE: zone})
            self._zone = zone or kept.get(_ZONE, "UTC")
            chosen = load_embedder(embedder or kept.get(EMBEDDER, DEFAULT_EMBEDDER))
            self._analyst = load_analyst(analyst or kept.get(_ANALYST, DEFAULT_ANALYST))
            if analyst is not None and kept.get(_ANALYST) != analyst:
                storage.put_settings({_ANALYST: analyst})
            self._corpus = Corpus(storage, chosen, _index_folder(self._path))
            if _WRITING not in kept:
                # A memory from before formation existed is formed by default, whatever recalls from it now.
                made = self._recipe if storage.change() == 0 else load_recipe(DEFAULT_RECIPE)
                kept[_WRITING] = to_text(made.writing)
                storage.put_settings({_WRITING: kept[_WRITING]})
            self._arrange(from_text(kept[_WRITING]))
            self._finish_forgetting()
            unless_open.pop_all()

    def _arrange(self, writing: Writing) -> None:
        """What forms the turns, and what shows it."""
        self._writing = writing
        self._arrangement = Arrangement(self._corpus)
        self._former = Former(self._corpus, self._arrangement, self._analyst, writing)
        self._scribe = Scribe(self._corpus, self._arrangement, self._analyst, writing.scribing)
        self._browser = Browser(self._corpus, self._arrangement, self._scribe)
        self._begin_recall()

    def _begin_recall(self) -> None:
        self._sources = Sources(self._corpus, self._arrangement, self._scribe, self._analyst)
        reading = self._recipe.reading
        # What is in which tier is settled when turns are formed.
        tiering = replace(reading.tiered, tiering=self._writing.tiering)
        self._recall = Recall(self._sources, replace(reading, tiered=tiering))

    # Writing.

    @overload
    def add(
        self, message: str | Mapping[str, Any], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, caption: str | None = None,
        message_id: str | None = None, metadata: Mapping[str, Any] | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None,
    ) -> Receipt: ...  # fmt: skip
    @overload
    def add(
        self, message: Sequence[Message], *, speaker: str | None = None,
        at: datetime | str | float | None = None, session: str | None = None, user: str | None = None,
        agent: str | None = None, ttl: Duration | None = None,
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
    ) -> Receipt | list[Receipt]:
        """Keep a message, or a list of them in one transaction: durable and searchable on return.

        A message is a text, a mapping with ``text`` and the fields of a turn, or an OpenAI-style message. What
        it does not say itself is taken from the arguments. Without a time it was said now; without a speaker,
        by its role, else by ``user``; without a session, in one for the day. ``ttl``, such as ``"30d"``, is how long
        after it was said it is recalled; then it is forgotten.

        Returns:
            A receipt, or for a list a receipt for each. In a list, what cannot be kept is ``rejected`` with
            its reason, and the rest is kept.

        Raises:
            InvalidTurn, InvalidTime, MessageConflict: a single message cannot be kept.
            MemoryBusy, StorageFull, StorageError: nothing was kept.
        """
        defaults = Defaults(load_zone(self._zone), speaker, at, session, user, agent, ttl).checked()
        if isinstance(message, Sequence) and not isinstance(message, str):
            receipts = capture(self._corpus, message, defaults)
            stored = sum(receipt.fate == "stored" for receipt in receipts)
            self._former.keep_up(stored)
            return receipts
        given = {"caption": caption, "message_id": message_id, "metadata": metadata}
        receipt = capture_one(self._corpus, message, {k: v for k, v in given.items() if v is not None}, defaults)
        self._former.keep_up(1)
        return receipt

    # Reading.

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
        """The ``k`` best pieces of evidence for a question, best first, each with its source and its reasons.

        Args:
            question: what is asked, in the words that one would use to a person.
            k: how many, from 1 to 10,000.
            at: when it is asked, which "last week" goes by; now, if it is not said.
            kinds: any of ``turn``, ``event``, ``note``, ``summary``, ``episode``, ``profile``.
            trace: whether to tell how the question was read, what each stage did, and its milliseconds.
            conditions: what evidence must meet: ``speaker``, ``session``, ``since`` (included), ``until`` (not),
                ``entity`` (a name or an id), ``metadata`` (values of fields), ``user``, ``agent``.

        Raises:
            InvalidQuery, InvalidTime, UnknownId: the question is empty, k or a condition cannot be met by anything.
        """
        asked, wanted = self._asked(at, conditions, kinds)
        return self._recall.search(question, k, at=asked, kinds=kinds, filter=wanted, trace=trace)

    def context(
        self, question: str, tokens: int = 1_200, *, at: Moment | None = None, **conditions: Unpack[Conditions]
    ) -> Context:
        """What answers the question, written for a prompt in at most ``tokens`` tokens, with citations.

        Raises:
            InvalidQuery, InvalidTime, UnknownId: as for ``search``, or the budget is below 1.
        """
        asked, wanted = self._asked(at, conditions)
        return self._recall.context(question, tokens, at=asked, filter=wanted)

    def ask(
        self, question: str, *, at: Moment | None = None, trace: bool = False, **conditions: Unpack[Conditions]
    ) -> Answer:
        """A short answer with its evidence and the chance that it is right, or that the memory does not tell.

        Raises:
            InvalidQuery, InvalidTime, UnknownId: as for ``search``.
        """
        asked, wanted = self._asked(at, conditions)
        return self._recall.ask(question, at=asked, filter=wanted, trace=trace)

    def _asked(
        self, at: Moment | None, conditions: Conditions, kinds: Sequence[str] = ("turn",)
    ) -> tuple[datetime | None, Filter | None]:
        """When a question is asked, and its filter; what either needs of formation is formed before."""
        zone = load_zone(self._zone)
        if conditions.get("entity") is not None or tuple(kinds) != ("turn",):
            self._former.keep_up()
        return (None if at is None else parse_time(at, zone)), Filter.of(conditions, zone)

    def get(self, id: str) -> Turn | Event | Note:
        """A turn, an event or a note by its id.

        Raises:
            UnknownId: this memory does not hold it.
        """
        kind = kind_of(id)
        if kind in ("event", "note"):
            with self._browsing() as browser:
                return browser.event(id) if kind == "event" else browser.note(id)
        with self._corpus.reading():
            found = self._corpus.storage.turns([*self._corpus.storage.locate([id]).values()])
        if not found:
            raise UnknownId(f"this memory has no turn {id!r} - `hmem search` shows ids")
        return found[0].turn

    def list(
        self, *, session: str | None = None, speaker: str | None = None, after: str | None = None, limit: int = 100
    ) -> list[Turn]:
        """Turns in the order of their arrival, a page at a time: the next page is ``after`` the last id of this.

        Raises:
            UnknownId: ``after`` is not kept.
        """
        with self._corpus.reading():
            storage = self._corpus.storage
            start = 0 if after is None else storage.locate([after]).get(after)
            if start is None:
                raise UnknownId(f"this memory has no turn {after!r} - begin again without 'after'")
            return [stored.turn for stored in storage.page(start, max(limit, 0), session=session, speaker=speaker)]

    def sessions(self, *, limit: int | None = None, offset: int = 0) -> tuple[Session, ...]:
        """The sessions, by the time of their first turn."""
        with self._corpus.reading():
            return tuple(self._corpus.storage.sessions(limit=limit, offset=offset))

    # What was formed; ``Views`` shows it.

    @property
    def _tiering(self) -> TierOptions:
        return self._writing.tiering

    @contextmanager
    def _browsing(self) -> Generator[Browser]:
        """Everything formed that can be, and held still."""
        self._former.keep_up()
        with self._corpus.reading():
            self._arrangement.catch_up()
            yield self._browser

    # Upkeep.

    def consolidate(self, progress: Progress | None = None) -> Consolidation:
        """Forget what expired, form what is behind, and write every summary, name, profile and persona that is
        missing or untrue."""
        forgotten = self._expire()
        turns = self._former.form(progress=progress)
        done = consolidate(self._corpus, self._arrangement, self._scribe, turns, progress)
        return replace(done, forgotten=forgotten)

    @property
    def corpus(self) -> Corpus:
        """The storage and the indices beneath, for tools that measure or repair them."""
        return self._corpus

    def stats(self) -> Stats:
        """Counts, times and sizes."""
        with self._corpus.reading():
            storage, counts = self._corpus.storage, self._corpus.storage.counts()
            return Stats(
                memory=storage.memory,
                path=self._path,
                schema=storage.schema,
                embedder=self._corpus.embedder.name,
                zone=self._zone,
                turns=counts.turns,
                sessions=counts.sessions,
                speakers=counts.speakers,
                first=counts.first,
                last=counts.last,
                vectors=counts.vectors,
                tail=self._corpus.tail_turns,
                truth_bytes=counts.size_bytes,
                index_bytes=self._corpus.index_bytes(),
                index_problem=self._corpus.index_problem,
                formation_problem=self._former.problem or self._former.slip,
                unformed=self._former.behind(),
                events=len(self._arrangement.events),
                notes=len(self._arrangement.notes),
                entities=len(self._arrangement.graph.entities()),
                retain_days=retained_days(storage),
                expiring=len(storage.expiring()),
                forgetting_problem=self._wipe_problem,
            )

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make the indices anew from the turns, and form them anew: by the recipe, if one was given on opening."""
        self._corpus.rebuild(progress)
        with self._corpus.reading():
            writing = self._recipe.writing if self._chosen else self._writing
            self._corpus.storage.clear_formed({_WRITING: to_text(writing)})
            self._arrange(writing)
        self._former.form(progress=progress)

    def flush(self) -> None:
        """Bring the indices up to date and save them now, rather than when enough has gathered."""
        self._corpus.flush()

    def close(self) -> None:
        """Let go of the file. Every later call raises ``MemoryClosed``."""
        self._corpus.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _index_folder(path: str) -> Path | None:
    return None if path == IN_MEMORY else Path(f"{path}-index")
